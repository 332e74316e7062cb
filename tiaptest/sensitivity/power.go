package sensitivity

import (
	"fmt"
	"math"
	"slices"

	"github.com/tiaptest/tiap/internal/stat"
)

// The level and the power of [Report.Power].
const (
	powerAlpha  = 0.05
	powerChance = 0.8
)

// Power is the smallest gap that the queries shared by two systems can show, as
// [SmallestGap] has it at a two-sided level of 0.05 and a power of 0.8. The level
// is that of one comparison; of many, corrected ones, the gap is larger. In a
// clustered audit it is the clusters that count: the standard deviation in it is
// √clusters times the standard error between clusters, and Needed are queries in
// clusters as large as these.
type Power struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Metric string `json:"metric"`
	Target string `json:"target"`

	N        int      `json:"n"`
	Clusters int      `json:"clusters,omitempty"` // of a clustered audit, that the queries are in
	Gap      *float64 `json:"gap"`                // score of A minus score of B
	SD       *float64 `json:"sd"`                 // standard deviation of the queries' gaps; nil when they do not vary
	Smallest *float64 `json:"smallest"`           // gap that these queries show
	Needed   *int     `json:"needed"`             // queries that would show the gap of this size; nil for no gap
}

func (f *frame) power() []Power {
	out := []Power{}
	detect := make(detection)
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
				f.detect(&p, detect, gaps, queries)
				out = append(out, p)
			}
		}
	}
	return out
}

// detect fills in what the gaps of queries can show.
func (f *frame) detect(p *Power, detect detection, gaps []float64, queries []int) {
	if p.SD == nil {
		return
	}
	sd, parts := *p.SD, p.N
	if f.cluster != nil {
		se, clusters, ok := f.meanError(gaps, queries)
		p.Clusters = clusters
		if !ok {
			return
		}
		sd, parts = float64(se*math.Sqrt(float64(clusters))), clusters
	}
	smallest := float64(detect.factor(parts) * sd)
	p.Smallest = &smallest
	if needed := detect.needed(math.Abs(*p.Gap), sd); needed != nil {
		n := (*needed*p.N + parts - 1) / parts // rounded up
		p.Needed = &n
	}
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
// least 2, sd positive, alpha in (0, 1) and power in (0.5, 1).
func SmallestGap(n int, sd, alpha, power float64) (float64, error) {
	switch {
	case n < 2:
		return 0, fmt.Errorf("n is %d; a standard deviation needs at least 2 queries", n)
	case !(sd > 0) || math.IsInf(sd, 0):
		return 0, fmt.Errorf("the standard deviation is %v; it must be positive", sd)
	case !(alpha > 0 && alpha < 1):
		return 0, fmt.Errorf("alpha is %v; it must lie between 0 and 1", alpha)
	case !(power > 0.5 && power < 1):
		return 0, fmt.Errorf("the power is %v; it must lie between 0.5 and 1", power)
	}
	return float64(detectable(n, alpha, power) * sd), nil
}

// detectable is the smallest gap in units of the standard deviation.
func detectable(n int, alpha, power float64) float64 {
	df := float64(n - 1)
	return (studentUpper(alpha/2, df) + studentUpper(1-power, df)) / math.Sqrt(float64(n))
}

// studentUpper is the t that Student's T with df degrees of freedom exceeds with
// chance p in (0, 0.5). For many degrees of freedom, where it would take long, it is
// the expansion around the normal quantile (Abramowitz and Stegun 26.7.5).
func studentUpper(p, df float64) float64 {
	if df > 1000 {
		x := math.Sqrt2 * math.Erfcinv(2*p)
		x2 := float64(x * x)
		return x + float64(x*horner(1/df, 0,
			horner(x2, 1, 1)/4,
			horner(x2, 3, 16, 5)/96,
			horner(x2, -15, 17, 19, 3)/384,
			horner(x2, -945, -1920, 1482, 776, 79)/92160))
	}
	return stat.StudentQuantile(1-2*p, df)
}

// horner is the polynomial with these coefficients, the constant one first.
func horner(x float64, coefficients ...float64) float64 {
	sum := 0.0
	for _, c := range slices.Backward(coefficients) {
		sum = float64(sum*x) + c
	}
	return sum
}

// mostNeeded is the number of queries beyond which nobody would ask.
const mostNeeded = 1_000_000_000

// detection keeps the smallest gaps of numbers of queries, in units of the
// standard deviation: pairs of systems often share as many.
type detection map[int]float64

func (d detection) factor(n int) float64 {
	if _, ok := d[n]; !ok {
		d[n] = detectable(n, powerAlpha, powerChance)
	}
	return d[n]
}

// needed is the smallest n whose smallest gap is at most a gap. It is a little more
// than what quantiles of the normal distribution, the limits of Student's from
// below, give.
func (d detection) needed(gap, sd float64) *int {
	if gap <= different {
		return nil
	}
	z := math.Sqrt2 * (math.Erfinv(1-powerAlpha) + math.Erfinv(2*powerChance-1))
	root := z * sd / gap
	n := float64(root * root)
	if n > mostNeeded {
		return nil
	}
	enough := func(n int) bool { return float64(d.factor(n)*sd) <= gap }
	lo := max(1, int(n)-1) // is not enough
	hi := lo + 1
	for step := 1; !enough(hi); step *= 2 {
		lo, hi = hi, hi+step
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; enough(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return &hi
}
