package reference

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tiaptest/tiap/tiaptest/record"
)

// Fuse asks several searchers and joins their answers by reciprocal rank: the
// score of a memory is the sum of 1/(60+rank) over the answers that have it
// (Cormack, Clarke and Büttcher 2009). Equal scores go by id. Each searcher is
// asked for 100 memories or, if that is more, for as many as the query asks for,
// so that the answer to a small K is the beginning of that to a larger one up to
// 100. To ask none, or a nil one, is an error. A searcher that can be closed is
// closed with the whole.
func Fuse(searchers ...record.Searcher) record.Searcher {
	return &fused{searchers: slices.Clone(searchers)}
}

type fused struct {
	searchers []record.Searcher
	open      open
}

const (
	rankOffset = 60
	pool       = 100
)

func (f *fused) Search(ctx context.Context, q record.Query) ([]record.Hit, error) {
	if err := asked(q); err != nil {
		return nil, err
	}
	if len(f.searchers) == 0 {
		return nil, errors.New("there are no searchers to fuse; name one or more")
	}
	if i := slices.IndexFunc(f.searchers, absent); i >= 0 {
		return nil, fmt.Errorf("searcher %d of %d to fuse is nil; leave it out or make it", i+1, len(f.searchers))
	}
	if err := f.open.enter(); err != nil {
		return nil, err
	}
	defer f.open.leave()
	ranks := make(map[string][]int) // from 1
	deep := q
	deep.K = max(q.K, pool)
	for _, s := range f.searchers {
		hits, err := s.Search(ctx, deep)
		if err != nil {
			return nil, err
		}
		for i, h := range hits {
			ranks[h.ID] = append(ranks[h.ID], i+1)
		}
	}
	out := make([]record.Hit, 0, len(ranks))
	for id, rs := range ranks {
		slices.Sort(rs) // the same ranks in another order have the same sum
		h := record.Hit{ID: id}
		for _, r := range rs {
			h.Score += 1 / float64(rankOffset+r)
		}
		out = append(out, h)
	}
	return best(out, q.K), nil
}

// absent says whether there is no searcher, or a function that is none.
func absent(s record.Searcher) bool {
	f, ok := s.(record.SearchFunc)
	return s == nil || ok && f == nil
}

// Close closes the searchers, once.
func (f *fused) Close() error {
	return f.open.close(func() error {
		var errs []error
		for _, s := range f.searchers {
			if c, ok := s.(io.Closer); ok {
				errs = append(errs, c.Close())
			}
		}
		return errors.Join(errs...)
	})
}
