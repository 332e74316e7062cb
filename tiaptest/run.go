package tiaptest

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/problem"
)

// Run holds the rankings of one ingest, as integers over a table of ids. The
// zero value is empty and ready to use.
type Run struct {
	ids     *intern.Table // when it was read after a store, those of the memories first, ranked or not
	queries *intern.Table // the symbol of a query is the number of its row
	rows    []row
}

// row is one ranking.
type row struct {
	query   string
	hits    []uint32  // symbols of ids, best first; of lists one after the other
	scores  []float64 // parallel to hits, NaN where there is none; nil when there are none
	lists   []list    // ascending by name
	k       int
	failure string
	line    int32
}

type list struct {
	name string
	end  int // in the hits of the row, exclusive; starts where the one before ends
}

// Ranking is what a system returned for one query.
type Ranking struct {
	Query  string
	IDs    []string  // best first
	Scores []float64 // optional, parallel to IDs; never reorders
	Lists  []List    // in place of IDs: several lists that [Merge] joins, by name
	K      int       // how many were asked for; 0 when not known
	Error  string    // why the query failed; the ranking then counts as 0
}

// List is one of several lists that a system returned for a query.
type List struct {
	Name string
	IDs  []string
}

// Add appends a ranking. A second ranking of a query, an id twice in a list, an
// empty id, two lists of one name, and scores that are NaN or not as many as the
// ids are errors; the run is then unchanged.
func (r *Run) Add(k Ranking) error {
	if wrong := r.check(k); wrong != nil {
		return wrong
	}
	r.append(k)
	return nil
}

// append appends a ranking that is sound.
func (r *Run) append(k Ranking) {
	r.init()
	w := row{query: k.Query, k: k.K, failure: k.Error, hits: make([]uint32, 0, len(k.IDs))}
	for _, id := range k.IDs {
		w.hits = append(w.hits, r.ids.AddString(id))
	}
	if len(k.Scores) > 0 {
		w.scores = slices.Clone(k.Scores)
	}
	byName := func(a, b List) int { return cmp.Compare(a.Name, b.Name) }
	for _, l := range slices.SortedFunc(slices.Values(k.Lists), byName) {
		for _, id := range l.IDs {
			w.hits = append(w.hits, r.ids.AddString(id))
		}
		w.lists = append(w.lists, list{l.Name, len(w.hits)})
	}
	r.add(w)
}

// check looks for what is wrong with a ranking, nil for nothing.
func (r *Run) check(k Ranking) *problem.Problem {
	wrong := func(mend, format string, args ...any) *problem.Problem {
		return &problem.Problem{What: fmt.Sprintf("query %q", k.Query) + fmt.Sprintf(format, args...), Mend: mend}
	}
	if k.Query == "" {
		return &problem.Problem{What: "a ranking without a query id", Mend: "name the query"}
	}
	if _, dup := r.row(k.Query); dup {
		return wrong("keep one ranking of each query in a run; further ingests have runs of their own", " has two rankings in one run")
	}
	if len(k.IDs) > 0 && len(k.Lists) > 0 {
		return wrong("keep one of them", " has both a ranking and lists")
	}
	if len(k.Scores) > 0 && len(k.Scores) != len(k.IDs) {
		return wrong("give one score for every id, or leave scores out", " has %d ids and %d scores", len(k.IDs), len(k.Scores))
	}
	if i := slices.IndexFunc(k.Scores, math.IsNaN); i >= 0 {
		return wrong("give numbers, or leave scores out", ": the score of rank %d is NaN", i+1)
	}
	if k.K < 0 {
		return wrong("k is how many ids were asked for", ": k is %d", k.K)
	}
	for i, l := range k.Lists {
		if slices.ContainsFunc(k.Lists[:i], func(m List) bool { return m.Name == l.Name }) {
			return wrong("give every list a name of its own", " has two lists named %q", l.Name)
		}
	}
	for _, l := range append([]List{{IDs: k.IDs}}, k.Lists...) {
		seen := make(map[string]int, len(l.IDs))
		for i, id := range l.IDs {
			if id == "" {
				return wrong("give every ranked item the id that it has in the store", ": the id of rank %d is empty", i+1)
			}
			if !utf8.ValidString(id) {
				return wrong("ids are text in UTF-8", ": the id %q of rank %d is not UTF-8", id, i+1)
			}
			if first, dup := seen[id]; dup {
				return wrong("rank every id once", ": id %q stands at ranks %d and %d", id, first+1, i+1)
			}
			seen[id] = i
		}
	}
	return nil
}

// init makes the zero value ready, and a copy of a run that goes on by itself.
func (r *Run) init() {
	if r.ids == nil {
		r.ids, r.queries = new(intern.Table), new(intern.Table)
	}
	if r.queries.Len() == len(r.rows) {
		return
	}
	r.rows, r.queries = slices.Clone(r.rows), new(intern.Table)
	for i := range r.rows {
		r.queries.AddString(r.rows[i].query)
	}
}

// row returns the number of the row of a query.
func (r *Run) row(query string) (int, bool) {
	i, ok := r.queries.LookupString(query)
	return int(i), ok && int(i) < len(r.rows) // else it is of a copy
}

// add appends a ranking of a query that has none so far.
func (r *Run) add(w row) {
	r.queries.AddString(w.query)
	r.rows = append(r.rows, w)
}

// isLong reports a ranking of more ids than were asked for. Of lists each may have
// as many.
func (w *row) isLong() bool {
	return w.k > 0 && len(w.lists) == 0 && len(w.hits) > w.k
}

// ascends reports scores that run upwards along the ranking.
func (w *row) ascends() bool {
	n := len(w.scores)
	return n > 1 && len(w.lists) == 0 && w.scores[0] < w.scores[n-1] && slices.IsSorted(w.scores)
}

// Len returns the number of rankings.
func (r *Run) Len() int { return len(r.rows) }

// Ranking returns the ranking of a query.
func (r *Run) Ranking(query string) (Ranking, bool) {
	i, ok := r.row(query)
	if !ok {
		return Ranking{}, false
	}
	return r.ranking(&r.rows[i]), true
}

// All yields the rankings in the order in which they were added.
func (r *Run) All() iter.Seq[Ranking] {
	return func(yield func(Ranking) bool) {
		for i := range r.rows {
			if !yield(r.ranking(&r.rows[i])) {
				return
			}
		}
	}
}

func (r *Run) ranking(w *row) Ranking {
	k := Ranking{Query: w.query, K: w.k, Error: w.failure}
	if len(w.lists) == 0 {
		k.IDs = r.strings(w.hits)
		if len(w.scores) > 0 && !math.IsNaN(w.scores[0]) {
			k.Scores = slices.Clone(w.scores)
		}
		return k
	}
	for i, l := range w.lists {
		k.Lists = append(k.Lists, List{Name: l.name, IDs: r.strings(w.list(i))})
	}
	return k
}

// list returns the hits of the i-th list.
func (w *row) list(i int) []uint32 {
	start := 0
	if i > 0 {
		start = w.lists[i-1].end
	}
	return w.hits[start:w.lists[i].end]
}

func (r *Run) strings(hits []uint32) []string {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = r.ids.String(h)
	}
	return ids
}
