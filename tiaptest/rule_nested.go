package tiaptest

import (
	"fmt"

	"github.com/tiaptest/tiap/internal/english"
)

// Nested fails unless Raw and Canonical credit subsets of what Source credits,
// and disjoint ones. It holds by construction for stores with lineage and is
// checked all the same; relevance sets from files may break it.
func Nested() Rule { return rule{"Nested()", verifyNested} }

// nesting is a relation between the eligible sets of two targets.
type nesting struct {
	first, second string
	disjoint      bool
}

func (n nesting) String() string {
	if n.disjoint {
		return fmt.Sprintf("%s and %s credit the same memory", n.first, n.second)
	}
	return fmt.Sprintf("%s credits a memory that %s does not", n.first, n.second)
}

func verifyNested(a *Audit, v *verdicts) {
	r := a.r
	systems, names, mend := r.systems, a.systemNames(), "mend the relevance sets"
	if r.bundle.judged != nil {
		systems = systems[:1] // sets from files are the same for every system
	}
	related, looked := false, false
	for _, n := range []nesting{{"raw", "source", false}, {"canonical", "source", false}, {"raw", "canonical", true}} {
		first, second := r.target(n.first), r.target(n.second)
		if first < 0 || second < 0 {
			continue
		}
		related = true
		for _, s := range systems {
			where := ""
			if r.bundle.judged == nil {
				where, names, mend = " in "+s.Name, []string{s.Name}, "mend the rule of the target"
			}
			breaches, any := r.breaches(s, first, second, n.disjoint)
			looked = looked || any
			if breaches.n > 0 {
				v.add(names, []string{n.first, n.second}, fmt.Sprintf("targets do not nest%s: %s, in %s: %s\n    source must credit all that raw and canonical credit, and these two nothing in common; %s",
					where, n, english.Count(breaches.n, "query", "queries"), breaches, mend))
			}
		}
	}
	switch {
	case !related:
		v.nothing("it needs two of the targets raw, source and canonical")
	case !looked:
		v.nothing("no memory descends from the evidence of any query")
	}
}

// breaches names the queries in which two targets break their relation, each
// with a memory that does. any reports whether there was a memory to look at.
func (r *results) breaches(s *scored, first, second int, disjoint bool) (found names, any bool) {
	wrong := func(inFirst, inSecond bool) bool { return inFirst && inSecond == disjoint }
	var works []*scorer
	for _, in := range s.compiled.ingests {
		works = append(works, r.newScorer(in))
	}
	for q := range r.queries {
		for _, w := range works {
			look := w.storedBreach
			if w.in.store == nil {
				look = w.judgedBreach
			}
			memory, n := look(q, first, second, wrong)
			any = any || n > 0
			if memory != "" {
				found.add(fmt.Sprintf("%s (memory %s)", r.queries[q].ID, memory))
				break
			}
		}
	}
	return found, any
}

// storedBreach names a memory that breaks a relation of two targets in a query,
// if there is one, and counts the memories that it looked at.
func (s *scorer) storedBreach(q, first, second int, wrong func(inFirst, inSecond bool) bool) (memory string, n int) {
	s.candidates(q)
	for c, m := range s.memories {
		for _, p := range s.cands.Of(c) {
			if wrong(p.Under(uint(first)), p.Under(uint(second))) {
				return s.in.Memories[m].ID, len(s.memories)
			}
		}
	}
	return "", len(s.memories)
}

// judgedBreach is storedBreach for relevance sets.
func (s *scorer) judgedBreach(q, first, second int, wrong func(inFirst, inSecond bool) bool) (memory string, n int) {
	s.judgedCandidates(q)
	for c, doc := range s.memories {
		if !wrong(s.mayEarn(c, first), s.mayEarn(c, second)) {
			continue
		}
		// Documents are not in the order of their ids.
		if id := s.bundle.judged.ids.String(uint32(doc)); memory == "" || id < memory {
			memory = id
		}
	}
	return memory, len(s.memories)
}
