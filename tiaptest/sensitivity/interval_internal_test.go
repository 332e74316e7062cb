package sensitivity

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clustered are queries in clusters and columns of their values.
func clustered(clusters []int32, columns ...[]float64) (f *frame, queries []int, known []values) {
	f = &frame{cluster: clusters}
	for q := range clusters {
		queries = append(queries, q)
	}
	for _, xs := range columns {
		v := newValues(len(xs))
		for q, x := range xs {
			v.set(q, x)
		}
		known = append(known, v)
	}
	return f, queries, known
}

// The interval of a correlation leaves out one cluster after the other. It has none
// where what remains does not vary, and where it is a perfect correlation.
func TestJackknifeOfClusters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		clusters []int32
		x, y     []float64
		lo, hi   float64 // both 0 for no interval
	}{
		// Without 7, 2 and 5 it is 0, 0.8 and 0.8: tanh(atanh(23/35) ± 4.3026527 √(2/3 · Σ(z-z̄)²)).
		"three": {[]int32{7, 7, 2, 2, 5, 5}, []float64{1, 2, 3, 4, 5, 6}, []float64{2, 1, 4, 6, 3, 5}, -0.9824504362, 0.9992424070},
		// Without one it is 0.5, without the other -0.5: tanh(atanh(27/35) ± 12.7062047 √(1/2 · Σ(z-z̄)²)).
		"two":               {[]int32{0, 0, 0, 1, 1, 1}, []float64{1, 2, 3, 4, 5, 6}, []float64{2, 1, 3, 5, 6, 4}, -0.9999865746, 0.9999997765},
		"one":               {[]int32{0, 0, 0}, []float64{1, 2, 3}, []float64{1, 3, 2}, 0, 0},
		"the rest is equal": {[]int32{0, 0, 1, 1, 2, 2}, []float64{1, 2, 3, 3, 3, 3}, []float64{2, 1, 3, 4, 1, 2}, 0, 0},
		"the rest is 1":     {[]int32{0, 0, 1, 1, 2, 2}, []float64{1, 2, 3, 4, 5, 6}, []float64{6, 1, 2, 3, 4, 5}, 0, 0},
	} {
		f, queries, known := clustered(test.clusters, test.x, test.y)
		r := spearman(test.x, test.y)
		require.NotNil(t, r, name)
		got := f.spearmanInterval(r, known[0], known[1], queries)
		if test.hi == 0 {
			assert.Nil(t, got, name)
			continue
		}
		require.Len(t, got, 2, name)
		assert.InDelta(t, test.lo, got[0], 1e-9, name)
		assert.InDelta(t, test.hi, got[1], 1e-9, name)
	}
}

// The error of a mean is that between clusters. There is none where they differ by
// rounding alone, which does not depend on how small the values are.
func TestMeanErrorBetweenClusters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		xs   []float64
		want float64 // 0 for none
	}{
		// Influences -1/8 and 1/8: √(2 · 2/64).
		"clusters differ":             {[]float64{0, 0.25, 0.5, 0.5, 0.75, 1}, 0.25},
		"small values":                {[]float64{0, 0.25e-8, 0.5e-8, 0.5e-8, 0.75e-8, 1e-8}, 0.25e-8},
		"clusters are alike":          {[]float64{0, 0.5, 1, 0.5, 1, 0}, 0},
		"clusters differ by rounding": {[]float64{0, 0, 0.1, 0.1, 0, 0}, 0},
	} {
		f, queries, _ := clustered([]int32{0, 0, 0, 1, 1, 1})
		se, clusters, ok := f.meanError(test.xs, queries)
		assert.Equal(t, 2, clusters, name)
		assert.Equal(t, test.want > 0, ok, name)
		if ok {
			assert.InEpsilon(t, test.want, se, 1e-9, name)
		}
	}
}
