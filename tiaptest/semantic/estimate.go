package semantic

import "math"

// Estimate is a statistic with its interval.
type Estimate struct {
	Value float64   `json:"value"`
	CI    []float64 `json:"ci"` // at 95 %; nil when it has none
	N     int       `json:"n"`  // cases that it is over
}

// z is the normal quantile of a two-sided interval at 95 %.
const z = 1.959963984540054

// normal is an estimate with a normal interval, kept within bounds.
func normal(value, variance float64, n int, least, most float64) *Estimate {
	half := z * math.Sqrt(max(0, variance))
	return &Estimate{Value: value, CI: []float64{max(least, value-half), min(most, value+half)}, N: n}
}

// share is hits of n with the interval of E. B. Wilson (Probable Inference, the Law
// of Succession, and Statistical Inference, JASA 22, 1927); nil for n 0.
func share(hits, n int) *Estimate {
	if n == 0 {
		return nil
	}
	m := float64(n)
	p := float64(hits) / m
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(float64(p*(1-p))/m+z*z/(4*float64(m*m)))
	return &Estimate{Value: p, CI: []float64{max(0, min(p, centre-half)), min(1, max(p, centre+half))}, N: n}
}
