// Package decide says who leads, who is best and whether there is a flip. Gaps,
// conventions, depths, recommendations and golden files all decide by it.
//
// A tie is a difference within the minimum effect, the bound included: nobody leads.
// An undefined value, such as a mean over no query, is no number: it leads nobody and
// ties with nobody. A flip is two winners that differ. Beside a tie or an undefined
// value there is none, so that no flip is not yet the same winner.
package decide

import "math"

// Sign says who leads by a gap, the score of one system minus that of another: 1 for
// the first, -1 for the second, and 0 for a tie or NaN. minEffect is not negative.
func Sign(gap, minEffect float64) int {
	switch {
	case gap > minEffect:
		return 1
	case gap < -minEffect:
		return -1
	}
	return 0
}

// Best returns the index of the highest value, of equal ones the first, and whether it
// leads: that no other value ties with it. Values that are NaN are undefined and passed
// over; where all are, best is -1. A caller that may not pass one over looks before.
func Best(values []float64, minEffect float64) (best int, leads bool) {
	best = -1
	for i, v := range values {
		if !math.IsNaN(v) && (best < 0 || v > values[best]) {
			best = i
		}
	}
	for i, v := range values {
		if i != best && !math.IsNaN(v) && Sign(values[best]-v, minEffect) == 0 {
			return best, false
		}
	}
	return best, best >= 0
}

// Flip reports whether two of the winners differ. A winner is a name or a [Sign]; the
// zero value, "" or 0, is none.
func Flip[W comparable](winners ...W) bool {
	var none, first W
	for _, w := range winners {
		switch {
		case w == none:
		case first == none:
			first = w
		case w != first:
			return true
		}
	}
	return false
}
