package scenarios

import (
	"errors"
	"fmt"

	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/tally"
	"github.com/tiaptest/tiap/tiaptest"
)

// Benchmark is a public benchmark as read from disk.
type Benchmark struct {
	Scenario tiaptest.Scenario

	// System has the memories that the benchmark itself carries, with their
	// lineage, and no rankings without [Rank]; nil when it carries none.
	System *tiaptest.System

	Summary Summary
}

// Bundle returns the scenario in a bundle, together with the memories that the
// benchmark carries, if any.
func (b *Benchmark) Bundle() *tiaptest.Bundle {
	bundle := &tiaptest.Bundle{Scenario: b.Scenario}
	if b.System != nil {
		bundle.Systems = append(bundle.Systems, b.System)
	}
	return bundle
}

// Summary says what was read, and by which rules.
type Summary struct {
	SHA256   string   // of the source; of a folder, over the bytes of its files as they are read
	Rules    []string // the choices that were made, such as "evidence normalised"
	Turns    int
	Memories int // that the benchmark itself carries
	Queries  int
	Scorable int    // queries that have evidence
	Units    int    // evidence units of all queries
	Notes    []Note // by kind
}

// Count returns how often something of a kind was noted.
func (s *Summary) Count(kind string) int {
	for _, n := range s.Notes {
		if n.Kind == kind {
			return n.Count
		}
	}
	return 0
}

// Note is one kind of what was repaired, left out or found wrong.
type Note struct {
	Kind  string // such as "evidence dangling"; the kinds are listed with each reader
	Count int
	First string // where the first one stands
}

// notes lists what a tally counted.
func notes(t *tally.Tally) []Note {
	var out []Note
	for k := range t.All() {
		out = append(out, Note{Kind: k.Name, Count: k.Count, First: k.First})
	}
	return out
}

// part is what a reader hands over at a time: a conversation or a piece of one,
// with its queries.
type part struct {
	turns    []tiaptest.Turn
	memories []tiaptest.Memory
	queries  []tiaptest.Query
}

// format is a benchmark's way to be read. Readers add to the settings' tally and
// to the rules of the summary, and keep nothing of a part that they handed over.
type format struct {
	name, unit string
	system     func() *tiaptest.System // for the memories that it carries; nil when it carries none
	read       func(src string, s *settings, emit func(part) error) error
}

// each reads a source and hands over its parts, corrected and counted.
func (f format) each(src string, s *settings, emit func(part) error) error {
	err := f.read(src, s, func(p part) error {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		s.overlay.apply(&p, &s.tally)
		s.count(p)
		return emit(p)
	})
	if err == nil && s.summary.Queries == 0 {
		err = &problem.Problem{File: src, What: "it has no question", Mend: "name a source with at least one"}
	}
	if err != nil || s.overlay == nil {
		return err
	}
	rule, err := s.overlay.rule()
	s.rule(rule)
	return err
}

// settings are the choices for a reading of this format.
func (f format) settings(opts []Option) (*settings, error) {
	s, err := newSettings(f.name, opts)
	if s.ranked != nil && f.system == nil {
		err = errors.Join(err, fmt.Errorf("%s carries no memories to rank; record or import a memory system", f.name))
	}
	return s, err
}

// collect reads a whole benchmark.
func collect(f format, src string, opts []Option) (*Benchmark, error) {
	s, err := f.settings(opts)
	if err != nil {
		return nil, err
	}
	b := &Benchmark{Scenario: tiaptest.Scenario{Name: f.name, Unit: f.unit}}
	var memories []tiaptest.Memory
	err = f.each(src, s, func(p part) error {
		b.Scenario.Turns = append(b.Scenario.Turns, p.turns...)
		b.Scenario.Queries = append(b.Scenario.Queries, p.queries...)
		memories = append(memories, p.memories...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	b.Scenario.Headline = s.headline
	if f.system != nil {
		b.System = f.system()
		b.System.Ingests = []*tiaptest.Ingest{{Memories: memories}}
	}
	if s.ranked != nil {
		if b.System.Ingests[0], err = s.ranked.ingest(s.ctx, memories, b.Scenario.Queries); err != nil {
			return nil, err
		}
	}
	b.Summary = s.done()
	b.Scenario.SHA256 = b.Summary.SHA256
	return b, nil
}
