package record

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestSearcher tests a searcher with a few queries, each of which it asks about
// seven times, over the memories of its store; without memories nothing that
// concerns the store is tested. It tests that
//
//   - ids are not empty, not twice in one list and, with their lists, UTF-8,
//   - ids are those of memories,
//   - scores are numbers that run in the claimed order, or in one of the two,
//   - no list is longer than k, also if k is 1, nor than the store,
//   - the same query has the same answer, also while others are asked,
//   - a query without text is no trouble: an error will do,
//   - Search returns when its context is done, and never panics.
//
// Run it under the race detector too. The error joins all that was found, or is
// nil:
//
//	if err := record.TestSearcher(s, queries, memories, record.Claims{}); err != nil {
//		t.Error(err)
//	}
func TestSearcher(s Searcher, queries []tiaptest.Query, memories []tiaptest.Memory, c Claims) error {
	t := searcherTest{searcher: s, claims: c, stored: make(map[string]bool, len(memories)), said: make(map[string]bool)}
	for i := range memories {
		t.stored[memories[i].ID] = true
	}
	if err := c.Scores.check(); err != nil {
		t.find("scores", "%v", err)
	}
	if len(queries) == 0 {
		t.find("queries", "there are no queries to ask")
	}
	const k = 10
	first := make([][]Hit, len(queries))
	for i := range queries {
		q := question(&queries[i], k)
		hits, ok := t.search(q)
		first[i] = hits
		if !ok {
			continue
		}
		if again, ok := t.search(q); ok {
			t.same(q, hits, again, "when asked again")
		}
		q.K = 1
		t.search(q)
		if len(memories) > 0 {
			q.K = len(memories) + 1
			t.search(q)
		}
	}
	if len(queries) > 0 {
		t.together(queries, first, k)
		t.textless(question(&queries[0], k))
		if err := heeds("Search", func(ctx context.Context) error {
			_, err := s.Search(ctx, question(&queries[0], k))
			return err
		}); err != nil {
			t.find("context", "%v", err)
		}
	}
	return errors.Join(t.findings...)
}

// searcherTest collects what is wrong with a searcher, each kind of fault once.
type searcherTest struct {
	searcher Searcher
	claims   Claims
	stored   map[string]bool

	mu       sync.Mutex
	said     map[string]bool
	findings []error
}

func (t *searcherTest) find(kind, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.said[kind] {
		t.said[kind] = true
		t.findings = append(t.findings, fmt.Errorf("searcher: "+format, args...))
	}
}

// search asks a query and checks the answer by itself.
func (t *searcherTest) search(q Query) ([]Hit, bool) {
	hits, err := within(context.Background(), func() ([]Hit, error) { return t.searcher.Search(context.Background(), q) })
	if err != nil {
		t.find("error", "query %q with k %d: Search fails: %v", q.ID, q.K, err)
		return nil, false
	}
	if err := sound(hits); err != nil {
		t.find("sound", "query %q: %v", q.ID, err)
	}
	names, lists := byList(hits)
	for l, list := range lists {
		in := fmt.Sprintf("query %q", q.ID)
		if names[l] != "" {
			in += fmt.Sprintf(", list %q", names[l])
		}
		t.list(in, q.K, list)
	}
	return hits, true
}

func (t *searcherTest) list(in string, k int, hits []Hit) {
	if len(hits) > k {
		t.find("k", "%s: %d ids for k %d; return at most k", in, len(hits), k)
	}
	if n := len(t.stored); n > 0 && len(hits) > n {
		t.find("store", "%s: %d ids of a store of %d memories", in, len(hits), n)
	}
	rank := make(map[string]int, len(hits))
	for i, h := range hits {
		if first, dup := rank[h.ID]; dup {
			t.find("twice", "%s: id %q stands at ranks %d and %d; rank every memory once", in, h.ID, first, i+1)
		} else {
			rank[h.ID] = i + 1
		}
		if len(t.stored) > 0 && h.ID != "" && !t.stored[h.ID] {
			t.find("unknown", "%s: id %q of rank %d is no memory of the store", in, h.ID, i+1)
		}
	}
	if at := t.claims.Scores.turn(hits); at > 0 {
		order := "in no order"
		if t.claims.Scores != "" {
			order = "not in " + string(t.claims.Scores) + " order"
		}
		t.find("order", "%s: the scores are %s: %v at rank %d, %v at rank %d; return the best first", in, order, hits[at-2].Score, at-1, hits[at-1].Score, at)
	}
}

func (t *searcherTest) same(q Query, first, second []Hit, when string) {
	if t.claims.Unstable {
		return
	}
	if how := difference(first, second); how != "" {
		t.find("same", "query %q has another answer %s: %s; make it depend on the query alone, or claim Unstable", q.ID, when, how)
	}
}

// together asks all queries at once, several times.
func (t *searcherTest) together(queries []tiaptest.Query, first [][]Hit, k int) {
	const times = 3
	var all sync.WaitGroup
	for range times {
		for i := range queries {
			all.Go(func() {
				q := question(&queries[i], k)
				if hits, ok := t.search(q); ok && first[i] != nil {
					t.same(q, first[i], hits, "while other queries are asked")
				}
			})
		}
	}
	all.Wait()
}

// textless asks a query without text: it may fail, but not panic or return what
// is unsound.
func (t *searcherTest) textless(q Query) {
	q.Text = ""
	hits, err := within(context.Background(), func() ([]Hit, error) { return t.searcher.Search(context.Background(), q) })
	if _, panics := errors.AsType[errPanic](err); panics {
		t.find("textless", "a query without text: Search fails: %v", err)
	}
	if err == nil {
		if err := sound(hits); err != nil {
			t.find("textless", "a query without text: %v", err)
		}
	}
}
