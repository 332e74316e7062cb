package stat

import "math"

// A WelchResult is the outcome of [Welch] and [WelchClustered].
type WelchResult struct {
	Diff   float64 // mean of a minus mean of b
	Lo, Hi float64 // confidence interval of Diff
	P      float64 // two-sided
	DF     float64 // degrees of freedom; 0 when neither sample varies
}

// Welch compares the means of two independent samples, such as the scores of
// repeated ingests of two systems, with Welch's t and the degrees of freedom of
// Welch and Satterthwaite (B. L. Welch, Biometrika 34, 1947). level, in (0, 1),
// is that of the interval.
//
// When neither sample varies by more than rounding there is no noise to measure
// the difference against. Then DF is 0, the interval is Diff alone, and P is a
// convention: 1 when the means agree, 0 when they differ.
//
// ok is false for a sample of fewer than two values, for a level outside (0, 1),
// and when a mean or a variance is not finite.
func Welch(a, b []float64, level float64) (r WelchResult, ok bool) {
	if len(a) < 2 || len(b) < 2 || !(level > 0 && level < 1) {
		return WelchResult{}, false
	}
	meanA, varA := meanVariance(a)
	meanB, varB := meanVariance(b)
	varA /= float64(len(a))
	varB /= float64(len(b))
	r.Diff = meanA - meanB
	se := math.Sqrt(varA + varB)
	if !finite(se) || !finite(r.Diff) {
		return WelchResult{}, false
	}
	// Shares of the variance, since the square of a small one can vanish.
	shareA, shareB := varA/(varA+varB), varB/(varA+varB)
	df := 1 / (shareA*shareA/float64(len(a)-1) + shareB*shareB/float64(len(b)-1))
	r.decide(se, df, level, rounding*max(math.Abs(meanA), math.Abs(meanB)))
	return r, true
}

// decide fills in interval and p of the difference by its standard error. One that
// is no more than noise is none.
func (r *WelchResult) decide(se, df, level, noise float64) {
	if se <= noise {
		r.Lo, r.Hi, r.P = r.Diff, r.Diff, 0
		if math.Abs(r.Diff) <= noise {
			r.P = 1
		}
		return
	}
	r.DF = df
	r.P = studentP(r.Diff/se, df)
	half := float64(StudentQuantile(level, df) * se)
	r.Lo, r.Hi = r.Diff-half, r.Diff+half
}

// meanVariance returns the mean and the unbiased variance of at least two
// values. Deviations are taken from the first one, so that equal values have
// exactly their value as mean and no variance.
func meanVariance(xs []float64) (mean, variance float64) {
	n := float64(len(xs))
	dev := make([]float64, len(xs))
	for i, x := range xs {
		dev[i] = x - xs[0]
	}
	shift := Sum(dev) / n
	for i, d := range dev {
		dev[i] = (d - shift) * (d - shift)
	}
	return xs[0] + shift, Sum(dev) / (n - 1)
}
