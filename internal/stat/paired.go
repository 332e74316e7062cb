package stat

import "math"

const (
	// fewUnits is the number of queries, or clusters, from which on a t test
	// stands in for randomization.
	fewUnits = 30

	// rounding is the part of a quantity that its rounding errors stay below.
	// What is smaller counts as nothing.
	rounding = 1e-12
)

// A Term is a signed difference of two systems over the same queries.
type Term struct {
	A, B Column
	Sign float64 // usually 1 or -1
}

// PairedP tests whether Σ Sign·(A.Value()-B.Value()) over the terms differs from
// 0, and returns the two-sided p value, in (0, 1]. One term tests a gap. The two
// terms +(gap under one target) and -(gap under another) test a shift.
//
// With at least 30 units it is the paired t test: t = statistic/se with one
// degree of freedom less than units. A unit is a query or, with plan.Clusters, a
// cluster, and se² = G/(G-1) Σ e² over the G units, where e sums the influence
// of a unit's queries on the statistic: (value-mean)/n in a mean, and
// (num-ratio·den)/Σ den in a ratio (the delta method; W. G. Cochran, Sampling
// Techniques, 1977, sections 6.4 and 9A).
//
// With fewer units, or when the influence of all is equal, it is a
// randomization test: each repetition swaps the systems A and B for each unit
// with chance 1/2, in all terms at once, and p = (hits+1)/(reps+1), where a hit
// is a statistic at least as far from 0 as the one observed. Rounding does not
// break a tie. A repetition that leaves a ratio without denominator counts as
// a hit. [Repetitions] tells how many to take; swaps come from plan.Seed and are
// the same in every call over as many units.
//
// A statistic of 0, to rounding, has p = 1. ok is false without queries or
// terms, when a column has no value, and when the statistic is not finite.
func PairedP(plan Plan, reps int, terms ...Term) (p float64, ok bool) {
	u := plan.units()
	c, ok := contrastOf(plan, u, terms)
	switch {
	case !ok:
		return 0, false
	case math.Abs(c.value) <= c.noise:
		return 1, true
	}
	if u.n >= fewUnits {
		if se := c.standardError(); se > c.noise {
			return studentP(c.value/se, float64(u.n-1)), true
		}
	}
	return randomizationP(c, u.n, plan.Seed, reps), true
}

// Repetitions returns how many repetitions a randomization test needs so that
// the first step of [Holm] over m tests can be significant at alpha with room to
// spare: 1/(reps+1) <= alpha/m/10, at least 9,999 and at most 999,999.
func Repetitions(alpha float64, m int) int {
	const least, most = 9_999, 999_999
	need := math.Ceil(10*float64(max(m, 1))/alpha) - 1
	if !(alpha > 0 && need < most) {
		return most
	}
	return max(int(need), least)
}
