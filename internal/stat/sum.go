package stat

import "math"

// Sum returns the sum of xs with Neumaier's compensation (Rundungsfehleranalyse
// einiger Verfahren zur Summation endlicher Summen, ZAMM 54, 1974): its error
// does not grow with the number of terms, also when they cancel.
func Sum(xs []float64) float64 {
	var sum, lost float64
	for _, x := range xs {
		t := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - t) + x
		} else {
			lost += (x - t) + sum
		}
		sum = t
	}
	return sum + lost
}

// Mean returns the arithmetic mean. It is undefined for no values and when
// their sum is not finite.
func Mean(xs []float64) (mean float64, ok bool) {
	return quotient(Sum(xs), float64(len(xs)))
}
