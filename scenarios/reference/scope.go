package reference

import (
	"context"
	"errors"
	"io"
	"strings"
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
	build    func([]tiaptest.Memory) (record.Searcher, error)

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
	return &scoped{memories: memories, build: build, parts: make(map[string]*part)}
}

func (s *scoped) Search(ctx context.Context, q record.Query) ([]record.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := s.part(q.Scope)
	p.build.Do(func() { p.searcher, p.err = s.build(p.memories) })
	if p.err != nil {
		return nil, p.err
	}
	return p.searcher.Search(ctx, q)
}

// part is the one of a scope: the memories of turns whose ids begin with it, as in
// conv-26/D1:3. A scope that has none tells nothing apart in this store and stands
// for all of it.
func (s *scoped) part(scope string) *part {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.parts[scope]; p != nil {
		return p
	}
	var memories []tiaptest.Memory
	for i := range s.memories {
		if strings.HasPrefix(home(&s.memories[i]), scope+"/") {
			memories = append(memories, s.memories[i])
		}
	}
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

// home is the id that tells the conversation of a memory: that of its first turn,
// or its own.
func home(m *tiaptest.Memory) string {
	if len(m.Sources) > 0 {
		return m.Sources[0].Turn
	}
	return m.ID
}

// Close closes what was built.
func (s *scoped) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
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
}
