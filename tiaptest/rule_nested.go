package tiaptest

import (
	"fmt"
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
	compared := 0
	for _, n := range []nesting{{"raw", "source", false}, {"canonical", "source", false}, {"raw", "canonical", true}} {
		first, second := r.target(n.first), r.target(n.second)
		if first < 0 || second < 0 {
			continue
		}
		compared++
		// Sets from files are the same for every system.
		for _, s := range r.systems {
			breaches := r.breaches(s, first, second, n.disjoint)
			if breaches.n > 0 {
				v.add([]string{s.Name}, []string{n.first, n.second}, fmt.Sprintf("targets do not nest in %s: %s, in %d queries: %s", s.Name, n, breaches.n, breaches))
			}
		}
	}
	if compared == 0 {
		v.nothing("it needs two of the targets raw, source and canonical")
	}
}

// breaches names the queries in which two targets break their relation.
func (r *results) breaches(s *scored, first, second int, disjoint bool) names {
	var out names
	for q := range r.queries {
		for _, in := range s.compiled.ingests {
			if r.breach(in, q, first, second, disjoint) {
				out.add(r.queries[q].ID)
				break
			}
		}
	}
	return out
}

func (r *results) breach(in *compiledIngest, q, first, second int, disjoint bool) bool {
	s := scorer{frame: r.frame, in: in}
	wrong := func(inFirst, inSecond bool) bool { return inFirst && inSecond == disjoint }
	if in.store != nil {
		s.candidates(q)
		for _, p := range s.cands.Pairs {
			if wrong(p.Targets&(1<<first) != 0, p.Targets&(1<<second) != 0) {
				return true
			}
		}
		return false
	}
	s.judgedCandidates(q)
	level, n := r.bundle.judged.level, len(s.symbols)
	for c := range n {
		if wrong(s.grades[first*n+c] >= level, s.grades[second*n+c] >= level) {
			return true
		}
	}
	return false
}
