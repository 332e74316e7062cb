package sensitivity

import (
	"fmt"

	"github.com/tiaptest/tiap/internal/problem"
)

// Score is the value of one query under one target by one metric, with what is
// known of the query beside it. In JSON it is a line of a score file.
type Score struct {
	System string   `json:"system"`
	Target string   `json:"target"`
	Query  string   `json:"query"`
	Metric string   `json:"metric"` // such as ndcg@60; empty: only Size is meant
	Value  *float64 `json:"value"`  // in [0, 1]; nil: the query is not covered

	Family   string `json:"family,omitempty"`   // of the system; groups variants for recommendations
	Category string `json:"category,omitempty"` // of the query
	Size     *int   `json:"size,omitempty"`     // target-set size: eligible stored memories of the query
}

// Answer says how good the answer was that a system gave to a query. In JSON it
// is a line of answers.jsonl.
type Answer struct {
	Query   string   `json:"query"`
	System  string   `json:"system"`
	F1      *float64 `json:"f1,omitempty"` // in [0, 1]
	Correct *bool    `json:"correct,omitempty"`
}

// Table holds the values of single queries. The zero value is empty and ready
// to use. The order in which values are added does not matter. A table is not
// safe for concurrent use.
type Table struct {
	numbers    map[string]int // of queries
	queries    []string       // by number
	categories []string       // of queries
	columns    map[column]*cells
	sizes      map[place]*cells
	families   map[string]string // of every system
	targets    map[string]bool
	answers    map[string]map[string]Answer // by system and query

	// What an audit says beside its values.
	credit, uncovered, population, headline string
	merge, cluster                          string
	depth                                   int
	beside                                  map[string]bool // targets that are set against the headline alone
	units                                   bool            // its queries have evidence units
	trec                                    bool            // it is of TREC qrels
	ingests                                 map[string]int  // of each system
	scopes                                  []string        // of queries, when the audit is clustered by them
}

type column struct{ system, target, metric string }

type place struct{ system, target string }

// cells hold what is said of queries, by their number.
type cells struct {
	v    []float64
	said []saying
}

type saying uint8

const (
	nothing saying = iota
	noValue
	aValue
)

// of returns what is said of a query.
func (c *cells) of(q int) (float64, saying) {
	if c == nil || q >= len(c.said) {
		return 0, nothing
	}
	return c.v[q], c.said[q]
}

// set says something of a query; without a value it is not covered.
func (c *cells) set(q int, v *float64) {
	if n := q + 1 - len(c.said); n > 0 {
		c.v, c.said = append(c.v, make([]float64, n)...), append(c.said, make([]saying, n)...)
	}
	c.said[q] = noValue
	if v != nil {
		c.v[q], c.said[q] = *v, aValue
	}
}

func (t *Table) init() {
	if t.columns != nil {
		return
	}
	t.numbers = make(map[string]int)
	t.columns = make(map[column]*cells)
	t.sizes = make(map[place]*cells)
	t.families = make(map[string]string)
	t.targets = make(map[string]bool)
	t.answers = make(map[string]map[string]Answer)
}

// query returns the number of a query, a new one if need be.
func (t *Table) query(id string) int {
	q, ok := t.numbers[id]
	if !ok {
		q = len(t.queries)
		t.numbers[id] = q
		t.queries, t.categories = append(t.queries, id), append(t.categories, "")
		if t.scopes != nil {
			t.scopes = append(t.scopes, "")
		}
	}
	return q
}

// Add adds scores. A score is refused when a name is missing, when its value is
// not in [0, 1], and when it contradicts an earlier one: the same value again,
// another family of its system, another category of its query, another size of
// its target set. All refusals are reported; other scores are added.
func (t *Table) Add(scores ...Score) error {
	var faults problem.List
	for _, s := range scores {
		t.add(s, "", 0, &faults)
	}
	return faults.Err()
}

func (t *Table) add(s Score, file string, line int, faults *problem.List) {
	t.init()
	if what, mend := t.refuse(&s); what != "" {
		faults.Add(file, line, what, mend)
		return
	}
	q := t.query(s.Query)
	if s.Metric != "" {
		cellsOf(t.columns, column{s.System, s.Target, s.Metric}).set(q, s.Value)
	}
	t.targets[s.Target] = true
	t.families[s.System] = s.Family
	t.categories[q] = s.Category
	if s.Size != nil {
		size := float64(*s.Size)
		cellsOf(t.sizes, place{s.System, s.Target}).set(q, &size)
	}
}

func cellsOf[K comparable](m map[K]*cells, key K) *cells {
	c := m[key]
	if c == nil {
		c = new(cells)
		m[key] = c
	}
	return c
}

// refuse says what is wrong with a score and how to mend it. It fills in what
// earlier scores have said of the system and the query.
func (t *Table) refuse(s *Score) (what, mend string) {
	for _, m := range []struct{ name, value string }{{"system", s.System}, {"target", s.Target}, {"query", s.Query}} {
		if m.value == "" {
			return fmt.Sprintf("the score has no %q", m.name), "say what it is the score of"
		}
	}
	if s.Metric == "" && (s.Value != nil || s.Size == nil) {
		return `the score has no "metric"`, "say what is measured; only a line with nothing but a size needs none"
	}
	of := func() string {
		return fmt.Sprintf("%s of query %q under %s in system %q", s.Metric, s.Query, s.Target, s.System)
	}
	if s.Value != nil && !(*s.Value >= 0 && *s.Value <= 1) {
		return fmt.Sprintf("%s is %v", of(), *s.Value), "metrics lie in [0, 1]; divide percentages by 100"
	}
	if s.Size != nil && *s.Size < 0 {
		return fmt.Sprintf("the target set of query %q under %s in system %q has size %d", s.Query, s.Target, s.System, *s.Size), "count the eligible memories"
	}
	category := ""
	q, seen := t.numbers[s.Query]
	if seen {
		category = t.categories[q]
	}
	if _, said := t.columns[column{s.System, s.Target, s.Metric}].of(q); seen && said != nothing {
		return of() + " stands twice", "keep one of them; repeated ingests of a system need their mean or names of their own"
	}
	for _, f := range []struct{ kind, of, before, now string }{
		{"family", "system", t.families[s.System], s.Family},
		{"category", "query", category, s.Category},
	} {
		if f.before != "" && f.now != "" && f.before != f.now {
			name := map[string]string{"system": s.System, "query": s.Query}[f.of]
			return fmt.Sprintf("%s %q has two %s names, %q and %q", f.of, name, f.kind, f.before, f.now), "keep one of them"
		}
	}
	if s.Size != nil {
		if before, said := t.sizes[place{s.System, s.Target}].of(q); seen && said != nothing && before != float64(*s.Size) {
			return fmt.Sprintf("the target set of query %q under %s in system %q has two sizes, %v and %d", s.Query, s.Target, s.System, before, *s.Size), "keep one of them"
		}
	}
	if s.Family == "" {
		s.Family = t.families[s.System]
	}
	if s.Category == "" {
		s.Category = category
	}
	return "", ""
}

// AddAnswers adds answers. One is refused when it lacks a name or says nothing
// of its quality, when its F1 is not in [0, 1], and when there is one of the
// same system and query. All refusals are reported; other answers are added.
func (t *Table) AddAnswers(answers ...Answer) error {
	var faults problem.List
	for _, a := range answers {
		t.addAnswer(a, "", 0, &faults)
	}
	return faults.Err()
}

func (t *Table) addAnswer(a Answer, file string, line int, faults *problem.List) {
	t.init()
	of := fmt.Sprintf("the answer of system %q to query %q", a.System, a.Query)
	_, twice := t.answers[a.System][a.Query]
	switch {
	case a.System == "" || a.Query == "":
		faults.Add(file, line, `the answer has no "system" or no "query"`, "say whose answer to what it is")
	case a.F1 == nil && a.Correct == nil:
		faults.Add(file, line, of+" has no quality", `give "f1", "correct" or both`)
	case a.F1 != nil && !(*a.F1 >= 0 && *a.F1 <= 1):
		faults.Add(file, line, fmt.Sprintf("%s has f1 %v", of, *a.F1), "f1 lies in [0, 1]; divide percentages by 100")
	case twice:
		faults.Add(file, line, of+" stands twice", "keep one of them")
	default:
		if t.answers[a.System] == nil {
			t.answers[a.System] = make(map[string]Answer)
		}
		t.answers[a.System][a.Query] = Answer{a.Query, a.System, copied(a.F1), copied(a.Correct)}
	}
}

// copied is a pointer to a copy, so that what the caller does with the original
// does not matter.
func copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}
