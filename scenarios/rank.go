package scenarios

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// Rank lets a searcher answer the queries from the memories that the benchmark
// itself carries, 60 for each, so that the benchmark can be audited as it is. With
// forms, only memories of these forms are stored. A benchmark that carries no
// memories, and a form that none of them has, are errors.
//
// Without it, [Import] leaves the memories out: a system without rankings cannot
// be audited.
func Rank(searcher func(context.Context, []tiaptest.Memory) (record.Searcher, error), forms ...string) Option {
	return func(s *settings) error {
		if searcher == nil {
			return errors.New("rank: there is no searcher")
		}
		s.ranked = &ranked{searcher, forms}
		return nil
	}
}

// ranked says how carried memories are ranked.
type ranked struct {
	searcher func(context.Context, []tiaptest.Memory) (record.Searcher, error)
	forms    []string // none: all
}

// ingest is the store of the memories and its run.
func (r *ranked) ingest(ctx context.Context, memories []tiaptest.Memory, queries []tiaptest.Query) (*tiaptest.Ingest, error) {
	for _, form := range r.forms {
		if !slices.ContainsFunc(memories, func(m tiaptest.Memory) bool { return m.Form == form }) {
			has := make(map[string]bool)
			for _, m := range memories {
				has[m.Form] = true
			}
			return nil, fmt.Errorf("no memory has the form %q; the forms are %s", form, strings.Join(slices.Sorted(maps.Keys(has)), ", "))
		}
	}
	if len(r.forms) > 0 {
		memories = slices.DeleteFunc(memories, func(m tiaptest.Memory) bool { return !slices.Contains(r.forms, m.Form) })
	}
	build := func(ctx context.Context, _ int) (record.Searcher, *record.IngestLog, error) {
		searcher, err := r.searcher(ctx, memories)
		return searcher, nil, err
	}
	in, _, err := record.Ingests(ctx, queries, build, record.Options{K: 60, Cacheable: true})
	if err != nil {
		return nil, err
	}
	return &tiaptest.Ingest{Memories: memories, Run: in[0].Run}, nil
}
