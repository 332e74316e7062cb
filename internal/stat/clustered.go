package stat

import (
	"math"
	"slices"
)

// ClusteredError returns the standard error of a statistic over queries that
// depend on each other within their clusters: se² = G/(G-1) Σ e² over the G
// clusters, where e sums the influence of a cluster's queries on the statistic, as
// in [Paired.P]. The influence of a query on a mean is (value-mean)/n.
//
// ok is false when there are fewer than two clusters and when the error is not
// finite. An error of 0 or about it says that the clusters do not differ.
func ClusteredError(influence []float64, clusters []int32) (se float64, g int, ok bool) {
	of := make(map[int32]int)
	var sums []float64
	for i, c := range clusters {
		k, known := of[c]
		if !known {
			k = len(sums)
			of[c] = k
			sums = append(sums, 0)
		}
		sums[k] += influence[i]
	}
	g = len(sums)
	if g < 2 {
		return 0, g, false
	}
	for i, e := range sums {
		sums[i] = float64(e * e)
	}
	se = math.Sqrt(float64(g) / float64(g-1) * Sum(sums))
	return se, g, finite(se)
}

// WelchClustered is [Welch] for values that depend on each other within clusters,
// which both samples may share: its standard error is [ClusteredError]'s, its
// degrees of freedom are one less than the clusters (K.-Y. Liang and S. L. Zeger,
// Longitudinal Data Analysis Using Generalized Linear Models, Biometrika 73, 1986,
// with the usual correction for few clusters). ca and cb number the clusters of a
// and b. ok is false for an empty sample too, and with fewer than two clusters.
func WelchClustered(a, b []float64, ca, cb []int32, level float64) (r WelchResult, ok bool) {
	if len(a) == 0 || len(b) == 0 || !(level > 0 && level < 1) {
		return WelchResult{}, false
	}
	meanA, _ := meanVariance(a)
	meanB, _ := meanVariance(b)
	influence := make([]float64, 0, len(a)+len(b))
	for _, x := range a {
		influence = append(influence, (x-meanA)/float64(len(a)))
	}
	for _, x := range b {
		influence = append(influence, (meanB-x)/float64(len(b)))
	}
	se, g, ok := ClusteredError(influence, slices.Concat(ca, cb))
	r.Diff = meanA - meanB
	if !ok || !finite(r.Diff) {
		return WelchResult{}, false
	}
	r.decide(se, float64(g-1), level, rounding*max(math.Abs(meanA), math.Abs(meanB)))
	return r, true
}
