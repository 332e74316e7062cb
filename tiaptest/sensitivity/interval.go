package sensitivity

import (
	"math"
	"slices"

	"github.com/tiaptest/tiap/internal/stat"
	"github.com/tiaptest/tiap/tiaptest"
)

// confidence is the level of intervals.
const confidence = 0.95

// unpaired is the mean of what is known of queries a minus that of queries b, with
// the interval and the p value of Welch's t (B. L. Welch, Biometrika 34, 1947), or
// of [stat.WelchClustered]. The difference is undefined without values on both
// sides, its uncertainty when a side has fewer than two, by clusters when there are
// not two clusters, or when none varies.
func (f *frame) unpaired(known values, a, b []int) tiaptest.Gap {
	xs, ys := known.at(a), known.at(b)
	g := tiaptest.Gap{Value: difference(mean(ys), mean(xs))}
	w, ok := stat.Welch(xs, ys, confidence)
	if f.cluster != nil {
		w, ok = stat.WelchClustered(xs, ys, f.clusters(a), f.clusters(b), confidence)
	}
	if ok && w.DF > 0 {
		g.CI, g.P = []float64{w.Lo, w.Hi}, &w.P
	}
	return g
}

// spearmanInterval is the interval of the rank correlation r of two columns over
// queries, as [TargetAlignment] has it.
func (f *frame) spearmanInterval(r *float64, x, y values, queries []int) []float64 {
	n := len(queries)
	switch {
	case r == nil || math.Abs(*r) >= 1-noise:
		return nil
	case f.cluster != nil:
		return f.jackknifed(*r, x, y, queries)
	case n < 4:
		return nil
	}
	half := math.Sqrt2 * math.Erfinv(confidence) * math.Sqrt((1+float64(*r**r)/2)/float64(n-3))
	return fisher(*r, half)
}

// fisher is the interval of a correlation whose transform has a half width.
func fisher(r, half float64) []float64 {
	z := math.Atanh(r)
	return []float64{math.Tanh(z - half), math.Tanh(z + half)}
}

// distinct counts clusters.
func distinct(clusters []int32) int {
	return len(slices.Compact(slices.Sorted(slices.Values(clusters))))
}

// jackknifed leaves one cluster out after the other.
func (f *frame) jackknifed(r float64, x, y values, queries []int) []float64 {
	clusters := f.clusters(queries)
	g := float64(distinct(clusters))
	if g < 2 {
		return nil
	}
	var zs []float64
	for _, c := range slices.Compact(slices.Sorted(slices.Values(clusters))) {
		var rest []int
		for i, q := range queries {
			if clusters[i] != c {
				rest = append(rest, q)
			}
		}
		without := spearman(x.at(rest), y.at(rest))
		if without == nil || math.Abs(*without) >= 1-noise {
			return nil
		}
		zs = append(zs, math.Atanh(*without))
	}
	_, squares, ok := deviations(zs)
	if !ok {
		return nil
	}
	return fisher(r, float64(stat.StudentQuantile(confidence, g-1)*math.Sqrt((g-1)/g*squares)))
}

// meanError is the standard error of the mean of xs, the values of queries, and the
// number of independent parts that it is over: the values themselves, or clusters.
// ok is false when there are not two or they do not vary by more than rounding.
func (f *frame) meanError(xs []float64, queries []int) (se float64, parts int, ok bool) {
	devs, squares, ok := deviations(xs)
	n := float64(len(xs))
	switch {
	case !ok:
		return 0, len(xs), false
	case f.cluster == nil:
		return math.Sqrt(squares / (n - 1) / n), len(xs), true
	}
	for i := range devs {
		devs[i] /= n
	}
	se, parts, ok = stat.ClusteredError(devs, f.clusters(queries))
	largest := 0.0
	for _, x := range xs {
		largest = max(largest, math.Abs(x))
	}
	return se, parts, ok && se > noise*largest
}
