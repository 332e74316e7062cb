package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// studentP returns the chance that a Student variable with df > 0 degrees of
// freedom is at least |t| away from 0: I_x(df/2, 1/2) at x = df/(df+t²), with I
// the regularized incomplete beta function (Abramowitz and Stegun 26.7.1). A chance too small for a float64
// is given as the smallest one, since no finite t makes it 0.
func studentP(t, df float64) float64 {
	t2 := float64(t * t)
	if t2 < 1 { // then x is near 1, where it says little about t
		return 1 - mathext.RegIncBeta(0.5, df/2, t2/(df+t2))
	}
	x := df / (df + t2)
	return max(mathext.RegIncBeta(df/2, 0.5, x), math.SmallestNonzeroFloat64)
}

// StudentQuantile returns the t that |T| stays below with chance level, which
// lies in (0, 1). It bisects studentP, so that an interval excludes 0 when the
// p value says so.
func StudentQuantile(level, df float64) float64 {
	alpha := 1 - level
	lo, hi := 0.0, 1.0
	for studentP(hi, df) > alpha {
		lo, hi = hi, 2*hi
	}
	for {
		mid := lo + (hi-lo)/2
		switch {
		case mid <= lo || mid >= hi:
			return hi
		case studentP(mid, df) > alpha:
			lo = mid
		default:
			hi = mid
		}
	}
}
