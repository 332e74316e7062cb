package record_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

func TestSearcherSound(t *testing.T) {
	t.Parallel()
	for _, c := range []record.Claims{{}, {Scores: record.Descending}, {Unstable: true}} {
		assert.NoError(t, record.TestSearcher(steady, questions(5), memories(20), c))
		assert.NoError(t, record.TestSearcher(steady, questions(5), nil, c))
	}
	distances := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		hits := answers(q)
		for i := range hits {
			hits[i].Score = 1 - hits[i].Score
		}
		return hits, nil
	})
	assert.NoError(t, record.TestSearcher(distances, questions(5), memories(20), record.Claims{Scores: record.Ascending}))
	lists := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		var hits []record.Hit
		for _, h := range answers(q) {
			hits = append(hits, record.Hit{ID: h.ID, List: "edges"}, record.Hit{ID: h.ID, List: "nodes"})
		}
		return hits, nil
	})
	assert.NoError(t, record.TestSearcher(lists, questions(5), memories(20), record.Claims{}))
	wordy := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		if q.Text == "" {
			return nil, errors.New("ask something")
		}
		return answers(q), nil
	})
	assert.NoError(t, record.TestSearcher(wordy, questions(5), memories(20), record.Claims{}))
}

// Each check has a searcher that fails it and no other one.
func TestSearcherFaults(t *testing.T) {
	t.Parallel()
	// change is the steady searcher with its answer to q001 changed.
	change := func(f func(q record.Query, hits []record.Hit) []record.Hit) record.SearchFunc {
		return func(_ context.Context, q record.Query) ([]record.Hit, error) {
			if q.ID != "q001" || q.Text == "" {
				return answers(q), nil
			}
			return f(q, answers(q)), nil
		}
	}
	var n, busy atomic.Int32
	for _, c := range []struct {
		name   string
		s      record.SearchFunc
		claims record.Claims
		want   string
	}{
		{"fails", func(_ context.Context, q record.Query) ([]record.Hit, error) {
			if q.K > 20 {
				return nil, errors.New("k exceeds the number of elements")
			}
			return answers(q), nil
		}, record.Claims{}, `searcher: query "q001" with k 21: Search fails: k exceeds the number of elements`},
		{"panics", func(_ context.Context, q record.Query) ([]record.Hit, error) {
			if q.K == 1 {
				panic("no second neighbour")
			}
			return answers(q), nil
		}, record.Claims{}, `searcher: query "q001" with k 1: Search fails: panic: no second neighbour`},
		{"empty id", change(func(_ record.Query, hits []record.Hit) []record.Hit { hits[0].ID = ""; return hits }), record.Claims{},
			`searcher: query "q001": the id of rank 1 is empty; give every hit the id that it has in the store`},
		{"NaN", change(func(_ record.Query, hits []record.Hit) []record.Hit { hits[0].Score = math.NaN(); return hits }), record.Claims{},
			`searcher: query "q001": the score of rank 1 is NaN; give a number, or no scores`},
		{"some in lists", change(func(_ record.Query, hits []record.Hit) []record.Hit { hits[len(hits)-1].List = "nodes"; return hits }), record.Claims{},
			`searcher: query "q001": some hits name a list and others do not; name a list for all or for none`},
		{"twice", change(func(_ record.Query, hits []record.Hit) []record.Hit { hits[len(hits)-1].ID = hits[0].ID; return hits }), record.Claims{},
			`searcher: query "q001": id "m17" stands at ranks 1 and 7; rank every memory once`},
		{"unknown", change(func(_ record.Query, hits []record.Hit) []record.Hit { hits[0].ID = "m99"; return hits }), record.Claims{},
			`searcher: query "q001": id "m99" of rank 1 is no memory of the store`},
		{"k", func(_ context.Context, q record.Query) ([]record.Hit, error) { q.K = 7; return answers(q), nil }, record.Claims{},
			`searcher: query "q001": 7 ids for k 1; return at most k`},
		{"wrong way", steady, record.Claims{Scores: record.Ascending},
			`searcher: query "q001": the scores are not in ascending order: 0.3333333333333333 at rank 1, 0.25 at rank 2; return the best first`},
		{"no way", change(func(_ record.Query, hits []record.Hit) []record.Hit { hits[len(hits)-1].Score = 2; return hits }), record.Claims{},
			`searcher: query "q001": the scores are in no order: 0.125 at rank 6, 2 at rank 7; return the best first`},
		{"asked again", func(_ context.Context, q record.Query) ([]record.Hit, error) {
			hits := answers(q)
			if n.Add(1) == 2 {
				hits = hits[:5]
			}
			return hits, nil
		}, record.Claims{}, `searcher: query "q001" has another answer when asked again: other memories, at rank 6 "m2", then none; make it depend on the query alone, or claim Unstable`},
		{"together", func(_ context.Context, q record.Query) ([]record.Hit, error) {
			defer busy.Add(-1)
			hits := answers(q)
			if busy.Add(1) > 1 {
				hits = hits[:1]
			}
			time.Sleep(20 * time.Millisecond)
			return hits, nil
		}, record.Claims{}, `searcher: query "q`},
		{"textless", func(_ context.Context, q record.Query) ([]record.Hit, error) {
			_ = 1000 / len(q.Text)
			return answers(q), nil
		}, record.Claims{}, "searcher: a query without text: Search fails: panic: runtime error: integer divide by zero"},
		{"textless and empty", func(_ context.Context, q record.Query) ([]record.Hit, error) {
			if q.Text == "" {
				return []record.Hit{{}}, nil
			}
			return answers(q), nil
		}, record.Claims{}, "searcher: a query without text: the id of rank 1 is empty; give every hit the id that it has in the store"},
		{"an unknown claim", steady, record.Claims{Scores: "upwards"}, `searcher: unknown order of scores "upwards"; use descending or ascending`},
	} {
		t.Run(c.name, func(t *testing.T) { // not parallel: some count
			n.Store(0)
			got := findings(record.TestSearcher(c.s, questions(3), memories(20), c.claims))
			if c.name == "together" {
				assert.Len(t, got, 1)
				assert.Regexp(t, `^searcher: query "q00\d" has another answer while other queries are asked: other memories, at rank 2 "m\d+", then none; make it depend on the query alone, or claim Unstable$`, got[0])
				return
			}
			assert.Equal(t, []string{c.want}, got)
		})
	}
	assert.Equal(t, []string{"searcher: there are no queries to ask"}, findings(record.TestSearcher(steady, nil, nil, record.Claims{})))

	tooMany := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		return answers(q)[:min(q.K, 3)], nil
	})
	got := findings(record.TestSearcher(tooMany, questions(3), []tiaptest.Memory{{ID: "m7"}, {ID: "m8"}}, record.Claims{}))
	assert.Contains(t, got, `searcher: query "q001": 3 ids of a store of 2 memories`)
}

func TestSearcherUnstable(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	s := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		hits := answers(q)
		for i := range hits {
			hits[i].Score = 0
		}
		if n.Add(1)%2 == 0 {
			slices.Reverse(hits)
		}
		return hits, nil
	})
	assert.NoError(t, record.TestSearcher(s, questions(3), memories(20), record.Claims{Unstable: true}))
	assert.ErrorContains(t, record.TestSearcher(s, questions(3), memories(20), record.Claims{}), "the same memories in another order")
}

func TestSearcherContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		heeds := record.SearchFunc(func(ctx context.Context, q record.Query) ([]record.Hit, error) {
			select {
			case <-time.After(time.Minute):
				return answers(q), nil
			case <-ctx.Done():
				return nil, fmt.Errorf("search: %w", ctx.Err())
			}
		})
		assert.NoError(t, record.TestSearcher(heeds, questions(3), memories(20), record.Claims{}))
		forgets := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
			time.Sleep(time.Minute)
			return answers(q), nil
		})
		assert.Equal(t, []string{"searcher: Search goes on for more than 2s after its context is done; pass the context on"},
			findings(record.TestSearcher(forgets, questions(3), memories(20), record.Claims{})))
		time.Sleep(time.Hour)
	})
}
