package tiaptest

import (
	"cmp"
	"slices"

	"github.com/tiaptest/tiap/internal/lineage"
	"github.com/tiaptest/tiap/internal/rank"
)

// eligibleTargets returns the targets, as bits, under which a memory may earn credit
// for a unit of the query; routes are those from the turns of the unit to the memory.
// It is the one place where that is decided, in these steps:
//
//  1. Credit may flow along one of the routes, and the target credits memories of
//     this status and form, served or not ([Target.mayCredit]).
//  2. Under [ValidAt] the memory was valid when the query was asked.
//  3. Under a target of [NewTarget] the user's rule accepts it ([scorer.ownRule]).
//  4. Under [Raw] a memory with parents holds a turn of the unit itself
//     ([scorer.holdsItself]).
//
// A target made by [Passing] or [Labelled] may refuse afterwards what is eligible and
// was retrieved ([scorer.stand]). Judged input goes by grades ([scorer.mayEarn]).
func (s *scorer) eligibleTargets(q int, memory, unit int32, routes lineage.Routes) (bits uint64) {
	m := s.in.store.traits[memory]
	for t := range s.targets {
		target := &s.targets[t]
		if !target.mayCredit(m, routes) || target.validAt && !s.in.valid[memory].holds(s.asked[q]) {
			continue
		}
		switch target.base {
		case baseOwn:
			if !s.ownRule(target, q, memory, unit) {
				continue
			}
		case baseRaw:
			if m&hasParents != 0 && !s.holdsItself(target, q, memory, unit) {
				continue
			}
		}
		bits |= 1 << t
	}
	return bits
}

// mayEarn reports whether a candidate of the prepared query may earn credit under a
// target: it is eligible and not refused afterwards. Of judged input its grade decides.
func (s *scorer) mayEarn(cand, t int) bool {
	if s.in.store == nil {
		return s.grades[t*len(s.memories)+cand] >= s.bundle.judged.level
	}
	return s.cands.Eligible(cand, uint(t)) && !s.refuses(cand, t)
}

// ownRule asks a user's target about a memory and a unit.
func (s *scorer) ownRule(t *Target, q int, memory, unit int32) bool {
	turns := s.units.List(int(s.firstUnit[q] + unit))
	s.links = s.links[:0]
	named := make([]string, len(turns))
	for i, turn := range turns {
		named[i] = s.turn(turn)
		s.links = appendLinks(s.links, named[i], t.routes(s.in.store.routes(memory, turn)))
	}
	return t.eligible(s.in.Memories[memory], s.links, Unit{ID: s.unitIDs[s.firstUnit[q]+unit], Turns: named})
}

// appendLinks appends one link for each route to a turn, best first.
func appendLinks(links []Link, turn string, routes lineage.Routes) []Link {
	for _, origin := range []string{"recorded", "inferred"} {
		for _, precision := range []string{"exact", "batch", "container"} {
			if l := (Link{Turn: turn, Precision: precision, Origin: origin}); routes&l.route() != 0 {
				links = append(links, l)
			}
		}
	}
	return links
}

// holdsItself reports whether a memory names a turn of the unit among its own
// sources: what a raw memory only inherits from parents it does not hold.
func (s *scorer) holdsItself(t *Target, q int, memory, unit int32) bool {
	turns := s.units.List(int(s.firstUnit[q] + unit))
	return slices.ContainsFunc(s.in.Memories[memory].Sources, func(l Link) bool {
		return t.routes(l.route()) != 0 && slices.ContainsFunc(turns, func(n int32) bool { return string(s.turns.Bytes(uint32(n))) == l.Turn })
	})
}

// member is a candidate memory with a unit that it belongs to.
type member struct {
	memory, unit int32
	routes       lineage.Routes
}

// candidates gathers the memories that descend from a turn of the query's
// evidence, with their units and the targets that credit them.
func (s *scorer) candidates(q int) {
	s.member = s.member[:0]
	units := s.units
	first, end := s.firstUnit[q], s.firstUnit[q+1]
	for u := first; u < end; u++ {
		for _, turn := range units.List(int(u)) {
			for _, h := range s.in.store.byTurn.List(int(turn)) {
				s.member = append(s.member, member{h.Item, u - first, h.Routes})
			}
		}
	}
	slices.SortFunc(s.member, func(a, b member) int {
		if a.memory != b.memory {
			return int(a.memory) - int(b.memory)
		}
		return int(a.unit) - int(b.unit)
	})
	s.memories, s.symbols = s.memories[:0], s.symbols[:0]
	s.cands = rank.Candidates{Start: s.cands.Start[:0], Pairs: s.cands.Pairs[:0], Units: int(end - first)}
	for i := 0; i < len(s.member); {
		memory := s.member[i].memory
		s.cands.Start = append(s.cands.Start, int32(len(s.cands.Pairs)))
		s.memories = append(s.memories, memory)
		s.symbols = append(s.symbols, s.in.symbols[memory])
		for i < len(s.member) && s.member[i].memory == memory {
			unit, routes := s.member[i].unit, lineage.Routes(0)
			for ; i < len(s.member) && s.member[i].memory == memory && s.member[i].unit == unit; i++ {
				routes |= s.member[i].routes
			}
			if bits := s.eligibleTargets(q, memory, unit, routes); bits != 0 {
				s.cands.Pairs = append(s.cands.Pairs, rank.Pair{Unit: unit, Targets: bits})
			}
		}
	}
	s.cands.Start = append(s.cands.Start, int32(len(s.cands.Pairs)))
}

// judgedDoc is a judged id with its grade under one target.
type judgedDoc struct {
	doc    uint32 // symbol of the judged ids
	target int
	grade  int32
}

// judgedCandidates gathers the judged ids of a query with their grades.
func (s *scorer) judgedCandidates(q int) {
	j := s.bundle.judged
	s.docs = s.docs[:0]
	for t := range s.targets {
		if row := s.rows[t][q]; row >= 0 {
			set := j.sets[s.judgedTarget(s.targets[t])]
			for i, doc := range set.Docs[row] {
				s.docs = append(s.docs, judgedDoc{doc, t, set.Grades[row][i]})
			}
		}
	}
	slices.SortFunc(s.docs, func(a, b judgedDoc) int { return cmp.Compare(a.doc, b.doc) })
	s.memories, s.symbols = s.memories[:0], s.symbols[:0]
	for i, d := range s.docs {
		if i == 0 || d.doc != s.docs[i-1].doc {
			s.memories = append(s.memories, int32(d.doc))
			s.symbols = append(s.symbols, s.in.symbols[d.doc])
		}
	}
	n := len(s.memories)
	s.grades = slices.Grow(s.grades[:0], n*len(s.targets))[:n*len(s.targets)]
	for i := range s.grades {
		s.grades[i] = rank.Unjudged
	}
	c := -1
	for i, d := range s.docs {
		if i == 0 || d.doc != s.docs[i-1].doc {
			c++
		}
		s.grades[d.target*n+c] = d.grade
	}
}
