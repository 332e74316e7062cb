package sensitivity

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The level and the power of [Report.Power].
const (
	powerAlpha  = 0.05
	powerChance = 0.8
)

// Power is the smallest gap that the queries shared by two systems can show, as
// [SmallestGap] has it at a two-sided level of 0.05 and a power of 0.8. The level
// is that of one comparison; of many, corrected ones, the gap is larger.
type Power struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Metric string `json:"metric"`
	Target string `json:"target"`

	N        int      `json:"n"`
	Gap      *float64 `json:"gap"`      // score of A minus score of B
	SD       *float64 `json:"sd"`       // standard deviation of the queries' gaps; nil when they do not vary
	Smallest *float64 `json:"smallest"` // gap that these queries show
	Needed   *int     `json:"needed"`   // queries that would show the gap of this size; nil for no gap
}

func (f *frame) power() []Power {
	out := []Power{}
	for _, pair := range f.pairs() {
		for m := range f.metrics {
			targets := f.comparable(pair, m)
			queries := f.shared(pair, targets, m)
			if len(queries) == 0 {
				continue
			}
			for _, t := range targets {
				first, second := f.column(pair[0], t, m), f.column(pair[1], t, m)
				gaps := make([]float64, len(queries))
				for i, q := range queries {
					gaps[i] = first.v[q] - second.v[q]
				}
				p := Power{
					A: f.systems[pair[0]], B: f.systems[pair[1]], Metric: f.metrics[m], Target: f.targets[t],
					N: len(queries), Gap: mean(gaps), SD: standardDeviation(gaps),
				}
				if p.SD != nil {
					if smallest, err := SmallestGap(p.N, *p.SD, powerAlpha, powerChance); err == nil {
						p.Smallest = &smallest
					}
					p.Needed = needed(math.Abs(*p.Gap), *p.SD)
				}
				out = append(out, p)
			}
		}
	}
	return out
}

// SmallestGap is the smallest mean of n paired differences with a standard
// deviation of sd that a two-sided t test at level alpha finds with the given
// power, in the units of sd:
//
//	(t(1-alpha/2) + t(power)) · sd / √n
//
// with quantiles of Student's t with n-1 degrees of freedom: the minimum
// detectable effect of H. S. Bloom (Minimum Detectable Effects: A Simple Way to
// Report the Statistical Power of Experimental Designs, Evaluation Review 19,
// 1995). It is an approximation, close from some ten queries on. n must be at
// least 2, sd positive, alpha in (0, 1) and power in [0.5, 1).
func SmallestGap(n int, sd, alpha, power float64) (float64, error) {
	switch {
	case n < 2:
		return 0, fmt.Errorf("n is %d; a standard deviation needs at least 2 queries", n)
	case !(sd > 0) || math.IsInf(sd, 0):
		return 0, fmt.Errorf("the standard deviation is %v; it must be positive", sd)
	case !(alpha > 0 && alpha < 1):
		return 0, fmt.Errorf("alpha is %v; it must lie between 0 and 1", alpha)
	case !(power >= 0.5 && power < 1):
		return 0, fmt.Errorf("the power is %v; it must lie between 0.5 and 1", power)
	}
	df := float64(n - 1)
	return float64((studentUpper(alpha/2, df)+studentUpper(1-power, df))*sd) / math.Sqrt(float64(n)), nil
}

// studentUpper is the value that Student's t with df degrees of freedom exceeds
// with chance p in (0, 0.5]: with x the point where the regularized incomplete
// beta function I_x(df/2, 1/2) is 2p, t² = df(1-x)/x (Abramowitz and Stegun
// 26.7.1). Unless p is small it is solved for 1-x, since x is near 1 for large df.
func studentUpper(p, df float64) float64 {
	if p > 0.01 {
		y := mathext.InvRegIncBeta(0.5, df/2, 1-2*p)
		return math.Sqrt(df * y / (1 - y))
	}
	x := mathext.InvRegIncBeta(df/2, 0.5, 2*p)
	return math.Sqrt(df * (1 - x) / x)
}

// mostNeeded is the number of queries beyond which nobody would ask.
const mostNeeded = 1_000_000_000

// needed is the smallest n whose smallest gap is at most a gap.
func needed(gap, sd float64) *int {
	enough := func(n int) bool {
		smallest, err := SmallestGap(n, sd, powerAlpha, powerChance)
		return err == nil && smallest <= gap
	}
	if gap <= different || !enough(mostNeeded) {
		return nil
	}
	lo, hi := 1, mostNeeded // lo is not enough
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; enough(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return &hi
}
