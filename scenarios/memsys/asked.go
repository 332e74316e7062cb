package memsys

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Kinds of notes of formats that name queries by their text, conversations by their
// position, or few sources.
const (
	noteAmbiguous  = "answer to a text that several queries have"
	noteByPosition = "conversation named by its position"
	noteNoLineage  = "memory without lineage"
)

// asked returns the query with a text, in one conversation or, with scope empty,
// in any. Where there is none, or several, it is counted.
func (in *importer) asked(scope, text, at string) (*tiaptest.Query, bool) {
	var found *tiaptest.Query
	for _, q := range in.byText[text] {
		if scope != "" && q.Scope != scope {
			continue
		}
		if found != nil {
			in.tally.Add(noteAmbiguous, at+": "+text)
			return nil, false
		}
		found = q
	}
	if found == nil {
		in.tally.Add(noteUnasked, at+": "+text)
	}
	return found, found != nil
}

// results are the results of one question.
type results struct {
	answer
	id   string // of the question, which need not be one of the scenario
	hits value
}

// resultsOf reads the results of one question, in which the id of the question and
// the hits stand under two names, and its text under "question". A question that is
// not told by its id is by its text, in the conversation that within finds in the
// id. mend is how to mend v if it is no such thing.
func (in *importer) resultsOf(v value, id, hits, mend string, within func(id string) (scope string)) (r *results, ok bool) {
	var members map[string]json.RawMessage
	if !in.decode(v, &members) {
		return nil, false
	}
	r = &results{hits: v.member(hits, members[hits]), answer: answer{file: v.file, line: v.line}}
	read := func(name string) (s string, ok bool) {
		m := v.member(name, members[name])
		return s, m.absent() || in.decode(m, &s)
	}
	var text string
	if r.id, ok = read(id); !ok {
		return nil, false
	}
	if text, ok = read("question"); !ok {
		return nil, false
	}
	if r.id == "" || r.hits.absent() {
		in.wrong(v, fmt.Sprintf("it lacks %q or %q", id, hits), mend)
		return nil, false
	}
	if r.query, ok = in.byID[r.id]; !ok {
		r.query, ok = in.asked(within(r.id), text, v.at()+": "+r.id)
	}
	return r, ok
}

// conversation returns the conversation that an export names: by its id, or by
// its position in the scenario, from 0, behind the scenario's name or nothing, as
// in locomo_0 or _0.
func (in *importer) conversation(name, at string) (string, bool) {
	if slices.Contains(in.scopes, name) {
		return name, true
	}
	benchmark, digits, found := cutLast(name, "_")
	if !found || benchmark != "" && !strings.EqualFold(benchmark, in.sc.Name) {
		return "", false
	}
	if n, err := strconv.ParseUint(digits, 10, 31); err == nil && int(n) < len(in.scopes) {
		in.tally.Add(noteByPosition, at+": "+name+" as "+in.scopes[n])
		return in.scopes[n], true
	}
	return "", false
}

// turnWithin returns the turn that a source names, alone or within a conversation,
// and counts it when there is none.
func (in *importer) turnWithin(scope, id, at string) (string, bool) {
	if scope != "" && in.turns[scope+"/"+id] {
		return scope + "/" + id, true
	}
	return in.turn(id, at)
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}
