package stat

import "math"

// Sum returns the sum of xs with Neumaier's compensation (Rundungsfehleranalyse
// einiger Verfahren zur Summation endlicher Summen, ZAMM 54, 1974): its error
// does not grow with the number of terms, also when they cancel.
func Sum(xs []float64) float64 {
	var s compensated
	for _, x := range xs {
		s = s.plus(x)
	}
	return s.value()
}

// sumOver returns the [Sum] of the values at some places.
func sumOver(xs []float64, places []int32) float64 {
	var s compensated
	for _, i := range places {
		s = s.plus(xs[i])
	}
	return s.value()
}

// compensated is a sum with what its roundings lost.
type compensated struct{ sum, lost float64 }

func (s compensated) plus(x float64) compensated {
	t := s.sum + x
	if math.Abs(s.sum) >= math.Abs(x) {
		return compensated{t, s.lost + ((s.sum - t) + x)}
	}
	return compensated{t, s.lost + ((x - t) + s.sum)}
}

func (s compensated) value() float64 { return s.sum + s.lost }

// Mean returns the arithmetic mean. It is undefined for no values and when
// their sum is not finite.
func Mean(xs []float64) (mean float64, ok bool) {
	return quotient(Sum(xs), float64(len(xs)))
}
