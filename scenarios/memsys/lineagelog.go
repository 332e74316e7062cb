package memsys

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
)

// noteLogUnstored is a kind of note about lineage logs.
const noteLogUnstored = "line of the log about no stored memory"

// lineageLog reads which turns memories were made of, where a format keeps no such
// thing: one {"id", "sources"} a line. Lines of one memory add up; a line with
// several sources is a batch.
func (in *importer) lineageLog(file string) map[string][]tiaptest.Link {
	out := make(map[string][]tiaptest.Link)
	if file == "" {
		return out
	}
	in.lines(file, func(n int, text []byte) {
		v := value{file: file, line: n, json: text}
		var l struct {
			ID      string `json:"id"`
			Sources names  `json:"sources"`
		}
		switch {
		case !in.decode(v, &l):
		case l.ID == "" || len(l.Sources) == 0:
			in.wrong(v, `the line lacks "id" or "sources"`, `write {"id": the id of a memory, "sources": [ids of turns]}`)
		default:
			out[l.ID] = union(out[l.ID], in.links(l.Sources, batch(len(l.Sources)), v.at()))
		}
	})
	return out
}

// batch is the precision of links to n turns that were handed over together.
func batch(n int) string {
	if n > 1 {
		return "batch"
	}
	return ""
}

// union adds links that are not there yet.
func union(links, more []tiaptest.Link) []tiaptest.Link {
	for _, l := range more {
		if !slices.Contains(links, l) {
			links = append(links, l)
		}
	}
	return links
}

// logged adds the lineage of a log to the memories, and counts what it says about
// others and which memories are left without.
func (s *memories) logged(log map[string][]tiaptest.Link, file string) {
	for id := range log {
		if !s.has(id) {
			s.in.tally.Add(noteLogUnstored, file)
		}
	}
	for i := range s.list {
		m := &s.list[i]
		m.Sources = union(m.Sources, log[m.ID])
		if len(m.Sources)+len(m.Parents) == 0 {
			s.in.tally.Add(noteNoLineage, m.ID)
		}
	}
}

// turnNames are the turns that an export's own names stand for, by conversation
// and name.
type turnNames map[[2]string][]string

// turnNames reads what names stand for: one {"scope", "name", "turns"} a line,
// scope being optional.
func (in *importer) turnNames(file string) turnNames {
	out := make(turnNames)
	if file == "" {
		return out
	}
	in.lines(file, func(n int, text []byte) {
		v := value{file: file, line: n, json: text}
		var l struct {
			Scope string `json:"scope"`
			Name  string `json:"name"`
			Turns names  `json:"turns"`
		}
		if !in.decode(v, &l) {
			return
		}
		key := [2]string{l.Scope, l.Name}
		switch {
		case l.Name == "" || len(l.Turns) == 0:
			in.wrong(v, `the line lacks "name" or "turns"`, `write {"name": as in the export, "turns": [ids of turns]}`)
		case out[key] != nil:
			in.wrong(v, fmt.Sprintf("the name %q stands twice", l.Name), "say once what it stands for")
		default:
			for _, id := range l.Turns {
				if turn, ok := in.turn(id, v.at()); ok {
					out[key] = append(out[key], turn)
				}
			}
		}
	})
	return out
}

// of returns the turns of a name in a conversation.
func (n turnNames) of(scope, name string) []string {
	if turns := n[[2]string{scope, name}]; turns != nil {
		return turns
	}
	return n[[2]string{"", name}]
}

// foundHit is a hit of a plain list.
type foundHit struct {
	id    string
	score *float64 // nil when it has none
}

// given is the answer in a search log, or in a file of its own.
func (a *answer) given() value {
	v := value{file: a.file, line: a.line, json: a.result}
	if a.line > 0 {
		v.path = "result"
	}
	return v
}

// found reads the hits v of an answer that is a plain list, best first: an array,
// or an object with one under a name in within. read reads a hit, and notes what is
// wrong with it. Scores are kept when every hit has one.
func (in *importer) found(a *answer, v value, within []string, read func(v value) (foundHit, bool)) (k tiaptest.Ranking, ok bool) {
	if a.failed != "" {
		return k, true
	}
	list, ok := in.list(v, within)
	if !ok {
		in.fault(a, "the answer is no array"+or(within), `log what the search gave; write "error" for a query that failed`)
		return k, false
	}
	for _, v := range list {
		h, fine := read(v)
		if !fine {
			ok = false
			continue
		}
		k.IDs = append(k.IDs, h.id)
		if h.score != nil {
			k.Scores = append(k.Scores, *h.score)
		}
	}
	if n := len(k.Scores); n > 0 && n < len(k.IDs) {
		k.Scores = nil
		in.tally.Add(noteSomeScores, a.at())
	}
	return k, ok
}

// noteSomeScores is the kind of note of answers with scores on some hits only.
const noteSomeScores = "scores left out, since some hits have none"

// plainText is a string, or any other value as JSON has it.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
