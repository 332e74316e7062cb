package memsys

import (
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
