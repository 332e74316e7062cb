package reference

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// scoped answers a query from the memories of its scope, by a searcher of their
// own that is built when the scope is first asked about: an index per conversation
// is smaller and faster than one that filters, and what is rare in a conversation
// weighs much in it, whatever others talk about.
type scoped struct {
	memories []tiaptest.Memory
	lineage  lineage
	build    func([]tiaptest.Memory) (record.Searcher, error)

	open  open
	mu    sync.Mutex
	parts map[string]*part // by scope; "" is the whole store
}

type part struct {
	memories []tiaptest.Memory
	build    sync.Once
	searcher record.Searcher
	err      error
}

func newScoped(memories []tiaptest.Memory, build func([]tiaptest.Memory) (record.Searcher, error)) *scoped {
	return &scoped{memories: memories, lineage: newLineage(memories), build: build, parts: make(map[string]*part)}
}

func (s *scoped) Search(ctx context.Context, q record.Query) ([]record.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := asked(q); err != nil {
		return nil, err
	}
	if err := s.open.enter(); err != nil {
		return nil, err
	}
	defer s.open.leave()
	p := s.part(q.Scope)
	p.build.Do(func() { p.searcher, p.err = s.build(p.memories) })
	if p.err != nil {
		return nil, p.err
	}
	return p.searcher.Search(ctx, q)
}

// part is the one of a scope. A scope that has no memories tells nothing apart in
// this store and stands for all of it.
func (s *scoped) part(scope string) *part {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.parts[scope]; p != nil {
		return p
	}
	memories := s.lineage.within(s.memories, scope)
	if n := len(memories); n == 0 || n == len(s.memories) {
		if s.parts[""] == nil {
			s.parts[""] = &part{memories: s.memories}
		}
		s.parts[scope] = s.parts[""]
	} else {
		s.parts[scope] = &part{memories: memories}
	}
	return s.parts[scope]
}

// Close closes what was built, once.
func (s *scoped) Close() error {
	return s.open.close(func() error {
		var errs []error
		for scope, p := range s.parts {
			if scope != "" && p == s.parts[""] {
				continue
			}
			if c, ok := p.searcher.(io.Closer); ok {
				errs = append(errs, c.Close())
			}
		}
		return errors.Join(errs...)
	})
}
