package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/tally"
	"github.com/tiaptest/tiap/tiaptest"
)

// overlay is a file of corrections. The nil overlay corrects nothing.
type overlay struct {
	file    string
	sha256  string
	byQuery map[string]*correction
	missing map[string]*correction // by turns that corrections name and no part has had yet
	used    int
}

// correction is a line of the file: new evidence of one query.
type correction struct {
	Query    string           `json:"query"`
	Evidence *[]tiaptest.Unit `json:"evidence"`
	Reason   string           `json:"reason"`

	line  int
	wrong *problem.Problem // in place of the rest
	used  bool
}

func readOverlay(file string) (*overlay, error) {
	text, err := limit.ReadFile(file, limit.File)
	if err != nil {
		return nil, unreadable(err)
	}
	sum := sha256.Sum256(text)
	o := &overlay{
		file:    file,
		sha256:  hex.EncodeToString(sum[:]),
		byQuery: make(map[string]*correction),
		missing: make(map[string]*correction),
	}
	plain, err := lines.Decompress(file, bytes.NewReader(text))
	if err != nil {
		return nil, naming(file, err)
	}
	defer plain.Close()
	var faults problem.List
	err = lines.Parse(plain, func(b lines.Block) (found []*correction) {
		for line, text := range b.All() {
			c := &correction{line: line}
			c.wrong = jsonl.Decode(text, c)
			found = append(found, c)
		}
		return found
	}, func(found []*correction) error {
		for _, c := range found {
			if what, mend := o.add(c); what != "" {
				faults.Add(file, c.line, what, mend)
			}
		}
		return nil
	})
	if err != nil {
		return nil, naming(file, err)
	}
	if len(o.byQuery) == 0 && faults.Len() == 0 {
		faults.Add(file, 0, "the file has no correction", "write one a line, or leave the file out")
	}
	return o, faults.Err()
}

// add takes up a correction, or says what is wrong with it.
func (o *overlay) add(c *correction) (what, mend string) {
	if c.wrong != nil {
		return c.wrong.What, c.wrong.Mend
	}
	before := o.byQuery[c.Query]
	switch {
	case c.Query == "":
		return `the correction has no "query"`, "name the query whose evidence it replaces"
	case before != nil:
		return fmt.Sprintf("query %q is corrected twice (first in line %d)", c.Query, before.line), "keep one of the two"
	case c.Evidence == nil:
		return fmt.Sprintf(`the correction of query %q has no "evidence"`, c.Query), "list its turns; [] if it has none"
	case c.Reason == "":
		return fmt.Sprintf(`the correction of query %q has no "reason"`, c.Query), "say why the evidence of the benchmark is wrong"
	}
	for i, u := range *c.Evidence {
		if u.ID != "" && slices.ContainsFunc((*c.Evidence)[:i], func(v tiaptest.Unit) bool { return v.ID == u.ID }) {
			return fmt.Sprintf("the correction of query %q has two units with the id %q", c.Query, u.ID), "give every unit an id of its own, or none"
		}
	}
	o.byQuery[c.Query] = c
	for _, u := range *c.Evidence {
		for _, t := range u.Turns {
			if o.missing[t] == nil {
				o.missing[t] = c
			}
		}
	}
	return "", ""
}

// apply corrects the queries of a part.
func (o *overlay) apply(p *part, t *tally.Tally) {
	if o == nil {
		return
	}
	for i := range p.turns {
		delete(o.missing, p.turns[i].ID)
	}
	for i := range p.queries {
		q := &p.queries[i]
		c := o.byQuery[q.ID]
		if c == nil {
			continue
		}
		if !c.used {
			c.used = true
			o.used++
		}
		at := o.file + ":" + strconv.Itoa(c.line)
		t.Add("evidence corrected", at)
		if reflect.DeepEqual(turnsOf(q.Evidence), turnsOf(*c.Evidence)) {
			t.Add("correction without effect", at)
		}
		q.Evidence = slices.Clone(*c.Evidence)
	}
}

func turnsOf(units []tiaptest.Unit) [][]string {
	turns := make([][]string, len(units))
	for i, u := range units {
		turns[i] = u.Turns
	}
	return turns
}

// rule says what was corrected, once all parts have been.
func (o *overlay) rule() (string, error) {
	var faults problem.List
	for _, c := range slices.SortedFunc(maps.Values(o.byQuery), func(a, b *correction) int { return a.line - b.line }) {
		if !c.used {
			faults.Add(o.file, c.line, fmt.Sprintf("the benchmark has no query %q", c.Query), "remove the correction, or read the benchmark that it is for")
		}
	}
	for _, t := range slices.Sorted(maps.Keys(o.missing)) {
		c := o.missing[t]
		faults.Add(o.file, c.line, fmt.Sprintf("the evidence of query %q names turn %q, which the benchmark does not have", c.Query, t), "name a turn by its id, as in turns.jsonl")
	}
	if err := faults.Err(); err != nil {
		return "", err
	}
	queries := strconv.Itoa(o.used) + " queries"
	if o.used == 1 {
		queries = "1 query"
	}
	return fmt.Sprintf("evidence of %s corrected by %s (SHA-256 %s)", queries, filepath.Base(o.file), o.sha256), nil
}
