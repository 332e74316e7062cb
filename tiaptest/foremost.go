package tiaptest

import (
	"cmp"
	"math"
	"slices"
)

// How much of a list the table of an audit has.
const (
	mostRows    = 60 // of what grows with the pairs of systems
	mostSystems = 10 // of a list of systems in one line
)

// foremost splits a list into what is written and what is left out. A list of at most
// so many entries is written as it stands, a longer one by weight, the greatest first.
func foremost[T any](list []T, most int, weight func(T) float64) (shown, left []T) {
	if len(list) <= most {
		return list, nil
	}
	type weighed struct {
		entry  T
		weight float64
	}
	all := make([]weighed, len(list))
	for i, entry := range list {
		all[i] = weighed{entry, weight(entry)}
	}
	slices.SortStableFunc(all, func(x, y weighed) int { return cmp.Compare(y.weight, x.weight) })
	sorted := make([]T, len(list))
	for i, w := range all {
		sorted[i] = w.entry
	}
	return sorted[:most], sorted[most:]
}

// weight is greater for a flip that is told first: one that is not known before one
// that is, then by grade, then by the shift. It is 0 for what is no flip.
func (a *Audit) weight(f *Flip) float64 {
	if f.Verdict != verdictFlip {
		return 0
	}
	w := 2 + f.Grade.rank() // from 1 on
	if _, holds := a.known(f); !holds {
		w += 2 + Decisive.rank()
	}
	shift := 0.0 // at most 2: that of two gaps, which are of scores from 0 to 1
	if f.Shift.Value != nil {
		shift = math.Abs(*f.Shift.Value)
	}
	return float64(3*w) + shift
}

// pairWeight is that of the foremost flip of a pair.
func (a *Audit) pairWeight(p *Pair) float64 {
	w := 0.0
	for i := range p.Flips {
		w = max(w, a.weight(&p.Flips[i]))
	}
	return w
}
