package tiaptest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/trec"
)

// words is a member that is a string in some files and a number in others.
type words string

func (w *words) UnmarshalJSON(text []byte) error {
	var n json.Number
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, (*string)(w))
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return errors.New("neither a string nor a number; make it one of them")
	}
	*w = words(n)
	return nil
}

type recordLine struct {
	ID        string   `json:"query_id"`
	Category  words    `json:"category"`
	Text      string   `json:"query_text"`
	Answer    string   `json:"reference_answer"`
	Raw       []string `json:"raw_ids"`
	Source    []string `json:"source_ids"`
	Canonical []string `json:"canonical_ids"`
}

// recordDecoder decodes lines of a file of records.
type recordDecoder struct{ plainLines }

// recordMembers are the members of a line, texts first.
var recordMembers = []string{"query_id", "query_text", "reference_answer", "category", "raw_ids", "source_ids", "canonical_ids"}

const (
	recordCategory = iota + 3
	recordRaw
	recordSource
	recordCanonical
)

func newRecordDecoder() *recordDecoder { return &recordDecoder{newPlainLines(recordMembers)} }

// Decode stores the record on the line in v, which is zero.
func (d *recordDecoder) Decode(line []byte, v *recordLine) *problem.Problem {
	if d.read(line, &v.ID, &v.Text, &v.Answer) && d.category(&v.Category) &&
		d.strings(recordRaw, &v.Raw) && d.strings(recordSource, &v.Source) && d.strings(recordCanonical, &v.Canonical) {
		return nil
	}
	*v = recordLine{}
	return jsonl.Decode(line, v)
}

// category reads a string or a number.
func (d *recordDecoder) category(into *words) bool {
	v := d.members.Value(recordCategory)
	switch v.Kind() {
	case jsonl.Null:
		return true
	case jsonl.Number:
		*into = words(d.texts.Add(v.Raw()))
		return true
	}
	s, ok := v.Bytes()
	*into = words(d.texts.Add(s))
	return ok
}

// mtelRecords finds records by text and position.
type mtelRecords struct {
	queries []Query               // in the order of the file
	byText  func() map[string]int // position; -1 when several have the text
}

// readRecords fills the scenario and the judgements of b.
func readRecords(file string, b *Bundle, faults *problem.List) *mtelRecords {
	type entry struct {
		id   string
		sets [3][]string
	}
	var entries []entry
	var first firsts
	names := [3]string{"raw_ids", "source_ids", "canonical_ids"}
	missing := []bool{true, true, true}
	r := fileReader(file)
	records(r, filepath.Base(file), newRecordDecoder, func(n int) {
		entries = make([]entry, 0, n)
		first.expect(n)
		b.Scenario.Queries = make([]Query, 0, n)
	}, func(line int, v *recordLine) {
		if v.ID == "" {
			r.fault(filepath.Base(file), line, "the record has no query_id", `add "query_id"`)
			return
		}
		if before, again := first.add(v.ID, line); again {
			r.fault(filepath.Base(file), line, fmt.Sprintf("query %q has two records (first in line %d)", v.ID, before), "keep one of them")
			return
		}
		e := entry{v.ID, [3][]string{v.Raw, v.Source, v.Canonical}}
		for t, ids := range e.sets {
			missing[t] = missing[t] && ids == nil
			if slices.Contains(ids, "") {
				r.fault(filepath.Base(file), line, fmt.Sprintf("an id in %s is empty", names[t]), "name the memory")
			}
		}
		entries = append(entries, e)
		b.Scenario.Queries = append(b.Scenario.Queries, Query{ID: v.ID, Text: v.Text, Category: string(v.Category), Answer: v.Answer})
	})
	faults.Append(&r.faults)
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	j := &judgements{format: "MTEL-Mem records", targets: []Target{Raw, Source, Canonical}, level: 1, missing: missing}
	for t := range j.targets {
		total, most := 0, 0
		for _, e := range entries {
			total += len(e.sets[t])
			most = max(most, len(e.sets[t]))
		}
		all, ones := make([]uint32, 0, total), slices.Repeat([]int32{1}, most)
		set := &trec.Qrels{
			Queries: make([]string, 0, len(entries)),
			Docs:    make([][]uint32, 0, len(entries)),
			Grades:  make([][]int32, 0, len(entries)),
		}
		for _, e := range entries {
			slices.Sort(e.sets[t])
			start := len(all)
			for _, id := range slices.Compact(e.sets[t]) {
				all = append(all, j.ids.AddString(id))
			}
			docs := all[start:len(all):len(all)]
			set.Queries = append(set.Queries, e.id)
			set.Docs = append(set.Docs, docs)
			set.Grades = append(set.Grades, ones[:len(docs):len(docs)])
		}
		j.sets = append(j.sets, set)
	}
	b.judged = j
	return &mtelRecords{b.Scenario.Queries, sync.OnceValue(b.Scenario.positions)}
}

// positions finds queries by their text; -1 stands for several that have it.
func (s *Scenario) positions() map[string]int {
	byText := make(map[string]int, len(s.Queries))
	for i := range s.Queries {
		text := s.Queries[i].Text
		if _, again := byText[text]; again {
			byText[text] = -1
		} else {
			byText[text] = i
		}
	}
	return byText
}

// find returns the query id of a line of a paper trace.
func (m *mtelRecords) find(id, text string, index int) string {
	if id != "" {
		return id
	}
	if at, ok := m.byText()[text]; text != "" && ok && at >= 0 {
		return m.queries[at].ID
	}
	if index >= 1 && index <= len(m.queries) && (text == "" || m.queries[index-1].Text == text) {
		return m.queries[index-1].ID
	}
	return fmt.Sprintf("query_index %d", index)
}
