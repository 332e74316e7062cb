package memsys

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// items hands over the objects that the files of an export list: those of an
// array, those of an array that an object holds under one of the names in within,
// or, in a .jsonl file, one a line.
func (in *importer) items(files, within []string, each func(v value)) {
	for _, file := range files {
		if isJSONL(file) {
			in.lines(file, func(n int, text []byte) { each(value{file: file, line: n, json: text}) })
			continue
		}
		in.documents([]string{file}, func(v value) {
			list, ok := in.list(v, within)
			if !ok {
				in.wrong(v, "this is no array"+or(within), "export the items as an array, or one a line in a .jsonl file")
				return
			}
			for _, item := range list {
				each(item)
			}
		})
	}
}

// or continues a sentence about arrays by the names that an object may hold one under.
func or(within []string) string {
	if len(within) == 0 {
		return ""
	}
	return ", and no object with one under " + strings.Join(within, " or ")
}

// list returns the elements of an array, or of the array that an object holds
// under one of the names.
func (in *importer) list(v value, within []string) ([]value, bool) {
	if v.begins('[') {
		return in.elements(v), true
	}
	var members map[string]json.RawMessage
	if !v.begins('{') || json.Unmarshal(v.json, &members) != nil {
		return nil, false
	}
	for _, name := range within {
		if list := v.member(name, members[name]); list.begins('[') {
			return in.elements(list), true
		}
	}
	return nil, false
}

// isJSONL reports whether a file has JSON lines, by its name.
func isJSONL(file string) bool {
	name := strings.ToLower(file)
	for _, ext := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, ext)
	}
	return strings.HasSuffix(name, ".jsonl")
}

// names is a string or an array of strings.
type names []string

func (n *names) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(n))
	}
	var one string
	err := json.Unmarshal(text, &one)
	if one != "" {
		*n = names{one}
	}
	return err
}

// memories collects what is stored, each id once.
type memories struct {
	in    *importer
	list  []tiaptest.Memory
	index map[string]int
}

// add adds a memory, unless its id is there already, which is an error.
func (s *memories) add(v value, m tiaptest.Memory) {
	if _, dup := s.index[m.ID]; dup {
		s.in.wrong(v, fmt.Sprintf("memory %q stands twice in the store", m.ID), "export each once, of one ingest")
		return
	}
	if s.index == nil {
		s.index = make(map[string]int)
	}
	s.index[m.ID] = len(s.list)
	s.list = append(s.list, m)
}

// Kinds of notes about hits that are stored, but no longer current.
const (
	noteDeletedHit    = "hit of a deleted memory"
	noteSupersededHit = "hit of a superseded memory"
)

// stale counts the hits of a ranking that are deleted or superseded.
func (s *memories) stale(k tiaptest.Ranking, at string) {
	for _, l := range append([]tiaptest.List{{IDs: k.IDs}}, k.Lists...) {
		for _, id := range l.IDs {
			i, ok := s.index[id]
			switch {
			case !ok:
			case s.list[i].Status == "deleted":
				s.in.tally.Add(noteDeletedHit, at+": "+id)
			case s.list[i].Status == "superseded":
				s.in.tally.Add(noteSupersededHit, at+": "+id)
			}
		}
	}
}

// whole notes that an export has no memory, or that the search files given answer
// no query, when nothing else is wrong with it.
func (in *importer) whole(ingest *tiaptest.Ingest, f Files) {
	switch {
	case in.faults.Len() > 0:
	case len(ingest.Memories) == 0:
		in.faults.Add(f.Store[0], 0, "the store has no memory", "export it after the ingest")
	case ingest.Run.Len() == 0 && len(f.Search) > 0:
		in.faults.Add(f.Search[0], 0, "no query of the scenario is answered"+in.missed(), "name the answers to the queries of this scenario, by their ids")
	}
}

// missed says which answer is of no query, or of several.
func (in *importer) missed() string {
	for k := range in.tally.All() {
		if k.Name == noteUnasked || k.Name == noteAmbiguous {
			return fmt.Sprintf(" (%s: %s)", k.Name, k.First)
		}
	}
	return ""
}

// has reports whether a memory is stored.
func (s *memories) has(id string) bool {
	_, ok := s.index[id]
	return ok
}
