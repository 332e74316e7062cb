package tiaptest

import "github.com/tiaptest/tiap/internal/rank"

// Passing narrows what a target credits to the memories that pass, and leaves
// what it covers: a memory that does not pass stays among the relevant items and
// its units among the denominators, but it earns nothing. So the queries are those
// of t, and no recall, hit or MRR exceeds the one under t. (nDCG by evidence may:
// in place of one memory that credits two units, two may earn a gain each.) That is
// what a judgement of retrieved memories needs: those that were not retrieved are
// not judged, and without their units the score would be one over what passes.
//
// passes is asked about the retrieved memories that t may credit for a query of a
// system. It must depend on its arguments alone and may be called from several
// goroutines. The new target's name is name(t). Judgements from qrels or records
// have no memories to ask about: there the target is an error. For judgements that some
// memories lack there is [Labelled].
func Passing(name string, t Target, passes func(system string, q Query, m Memory) bool) Target {
	if passes == nil {
		return NewTarget(name+"("+t.name+")", nil) // which Rescore refuses
	}
	return t.narrowed(name, func(system string, q Query, m Memory) standing {
		out := !passes(system, q, m)
		return standing{refused: out, out: out}
	})
}

// stand finds how the retrieved candidates of the prepared query stand to the targets
// that were narrowed.
func (s *scorer) stand(q int) {
	if s.standings == nil {
		s.standings = make([][]standing, len(s.targets))
	}
	for t := range s.targets {
		if s.targets[t].look == nil {
			continue
		}
		s.standings[t] = append(s.standings[t][:0], make([]standing, len(s.memories))...)
		for _, h := range s.seen {
			if c := int(h.Cand); s.cands.Eligible(c, uint(t)) {
				s.standings[t][c] = s.targets[t].look(s.in.system, *s.queries[q], s.in.Memories[s.memories[c]])
			}
		}
	}
}

// refuses reports whether a candidate does not pass a target.
func (s *scorer) refuses(cand, t int) bool {
	return s.targets[t].look != nil && s.standings[t][cand].refused
}

// passing are the seen candidates that pass a target.
func (s *scorer) passing(t int) []rank.Seen {
	if s.targets[t].look == nil {
		return s.seen
	}
	s.passed = s.passed[:0]
	for _, h := range s.seen {
		if !s.refuses(int(h.Cand), t) {
			s.passed = append(s.passed, h)
		}
	}
	return s.passed
}
