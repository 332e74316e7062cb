package tiaptest

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/tiaptest/tiap/internal/lineage"
)

// Eligible is a stored memory that a target may credit for a query.
type Eligible struct {
	Query  Query
	Ingest int // 0 for the first
	Memory Memory

	// Rank is the memory's place in the ranking, from 1, lists merged; 0 when it
	// was not retrieved within the audit's depth.
	Rank int

	// Units are the evidence units that the memory belongs to, ascending, as
	// numbers from 0 to Of-1 among those of the query, repeated evidence once.
	Units []int
	Of    int

	// Credited counts the units that the memory is the first in the ranking to
	// credit. By memory it is 1 for every memory that earns.
	Credited int

	// Refused marks a retrieved memory that does not pass a target made by
	// [Passing].
	Refused bool

	// Precision is that of the best link to a turn of the units.
	Precision string
}

// Eligible yields the memories of a system that a target may credit, those that
// were retrieved and those that were not, by query and ingest: first by rank, then
// the others by id. It is an error when the audit has no such system or target,
// when the target is unavailable in the system, and for qrels and records, which
// name no memories.
func (a *Audit) Eligible(system string, target Target) (iter.Seq[Eligible], error) {
	if err := a.has(system, target, a.r.metrics[0]); err != nil {
		return nil, err
	}
	s, t := a.r.system(system), a.r.target(target.name)
	switch {
	case a.r.bundle.judged != nil:
		return nil, fmt.Errorf("%s hold ids and no memories; open a bundle with stores", a.r.bundle.judged.format)
	case s.unlinked[t]:
		return nil, fmt.Errorf("target %s is unavailable in %s: its store has no lineage for it", target, system)
	}
	return func(yield func(Eligible) bool) {
		var works []*scorer
		for _, in := range s.compiled.ingests {
			works = append(works, a.r.newScorer(in))
		}
		for q := range a.r.queries {
			for i, work := range works {
				for _, e := range work.eligible(q, t) {
					e.Ingest = i
					if !yield(e) {
						return
					}
				}
			}
		}
	}, nil
}

// eligible lists what a target may credit for one query.
func (s *scorer) eligible(q, t int) []Eligible {
	credited := make(map[int32]int32) // by rank
	for _, h := range s.result(s.scheme(), q, t).Hits {
		credited[h.Rank] = h.Items
	}
	ranks := make([]int32, len(s.memories))
	for _, h := range s.seen {
		ranks[h.Cand] = h.Rank
	}
	var out []Eligible
	for c, memory := range s.memories {
		if !s.cands.Eligible(c, uint(t)) {
			continue
		}
		e := Eligible{Query: *s.queries[q], Memory: s.in.Memories[memory], Rank: int(ranks[c]), Of: s.cands.Units, Credited: int(credited[ranks[c]]), Refused: s.refuses(c, t)}
		for _, p := range s.cands.Of(c) {
			if p.Under(uint(t)) {
				e.Units = append(e.Units, int(p.Unit))
			}
		}
		e.Precision = s.bestPrecision(memory, t, e.Units)
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Eligible) int {
		if (a.Rank == 0) != (b.Rank == 0) {
			return cmp.Compare(b.Rank, a.Rank)
		}
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
	return out
}

// bestPrecision is the precision of the best route along which a target credits a
// memory for units.
func (s *scorer) bestPrecision(memory int32, t int, units []int) string {
	routes := lineage.Routes(0)
	first, _ := slices.BinarySearchFunc(s.member, memory, func(m member, memory int32) int { return cmp.Compare(m.memory, memory) })
	for _, m := range s.member[first:] {
		if m.memory != memory {
			break
		}
		if slices.Contains(units, int(m.unit)) {
			routes |= s.targets[t].routes(m.routes)
		}
	}
	for _, name := range []string{"exact", "batch"} {
		p, _ := precisionOf(name)
		if routes&(lineage.Route(p, false)|lineage.Route(p, true)) != 0 {
			return name
		}
	}
	return "container"
}
