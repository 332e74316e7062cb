package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/tiaptest/tiap/tiaptest"
)

// Query is what a memory system learns of a question. The answer, the evidence
// and the category are held out: a system that could see them could earn credit
// without remembering anything.
type Query struct {
	ID    string
	Scope string // the conversation that it is about; may be empty
	Time  string // when it is asked; may be empty
	Text  string
	K     int // how many memories are asked for, at least 1; of each list if there are several
}

// question leaves out what is held out.
func question(q *tiaptest.Query, k int) Query {
	return Query{ID: q.ID, Scope: q.Scope, Time: q.Time, Text: q.Text, K: k}
}

// Hit is one memory of an answer.
type Hit struct {
	ID string `json:"id"` // as in the store, or an earlier id that an [IngestLog] knows

	// Score is kept and never reorders. Scores of an answer that are all 0 mean
	// that there are none, unless [Options] declare an order. An answer with
	// lists or with an infinite score is saved without scores.
	Score float64 `json:"score,omitempty"`

	// List names one of several lists, such as "edges". Either all hits of an
	// answer name one or none does. [tiaptest.Merge] joins the lists later.
	List string `json:"list,omitempty"`
}

// Searcher is a memory system that can be asked. Search returns memories best
// first, each list for itself; no memories and no error is an empty answer. It
// must be safe for concurrent use unless [Options] limit the concurrency to 1.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]Hit, error)
}

// SearchFunc is a function as a [Searcher].
type SearchFunc func(ctx context.Context, q Query) ([]Hit, error)

// Search calls f. A nil f is an error.
func (f SearchFunc) Search(ctx context.Context, q Query) ([]Hit, error) {
	if f == nil {
		return nil, fatal{errors.New("the SearchFunc is nil; give a function")}
	}
	return f(ctx, q)
}

// Order is the direction in which scores run along a ranking. The zero value
// declares nothing.
type Order string

// The orders.
const (
	Descending Order = "descending" // similarities: higher is better
	Ascending  Order = "ascending"  // distances: lower is better
)

func (o Order) check() error {
	switch o {
	case "", Descending, Ascending:
		return nil
	}
	return fmt.Errorf("unknown order of scores %q; use descending or ascending", string(o))
}

// turn returns the first rank, from 1, at which the scores of one list run
// against the order, or 0. An undeclared order may be either, but one of them.
func (o Order) turn(hits []Hit) int {
	for i := 1; i < len(hits); i++ {
		a, b := hits[i-1].Score, hits[i].Score
		switch {
		case a > b && o == Ascending, a < b && o == Descending:
			return i + 1
		case a > b:
			o = Descending
		case a < b:
			o = Ascending
		}
	}
	return 0
}

// sound reports what makes an answer unusable. It is not a question of luck:
// asking again would not help.
func sound(hits []Hit) error {
	ranks := make(map[string]int)
	for _, h := range hits {
		ranks[h.List]++
		where := fmt.Sprintf("rank %d", ranks[h.List])
		if h.List != "" {
			where += fmt.Sprintf(" of list %q", h.List)
		}
		switch {
		case h.ID == "":
			return fmt.Errorf("the id of %s is empty; give every hit the id that it has in the store", where)
		case !utf8.ValidString(h.ID) || !utf8.ValidString(h.List):
			return fmt.Errorf("the id or list of %s is not UTF-8: %q", where, h.ID)
		case math.IsNaN(h.Score):
			return fmt.Errorf("the score of %s is NaN; give a number, or no scores", where)
		case (h.List == "") != (hits[0].List == ""):
			return errors.New("some hits name a list and others do not; name a list for all or for none")
		}
	}
	return nil
}

// byList are the lists of an answer, ordered by name as in a run file.
func byList(hits []Hit) (names []string, lists [][]Hit) {
	of := make(map[string][]Hit)
	for _, h := range hits {
		of[h.List] = append(of[h.List], h)
	}
	names = slices.Sorted(maps.Keys(of))
	for _, name := range names {
		lists = append(lists, of[name])
	}
	return names, lists
}

// savable makes an answer fit for JSON, so that it reads the same whether it
// comes from the system or from a journal: infinite scores and the sign of 0 go.
func savable(hits []Hit) []Hit {
	out := slices.Clone(hits)
	infinite := slices.ContainsFunc(hits, func(h Hit) bool { return math.IsInf(h.Score, 0) })
	for i := range out {
		out[i].Score += 0
		if infinite {
			out[i].Score = 0
		}
	}
	return out
}
