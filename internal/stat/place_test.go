package stat_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/stat"
)

// TestIntervalOfManySamples takes the quantiles from sorted samples, of numbers and
// orders that part them in every way.
func TestIntervalOfManySamples(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	orders := map[string]func(n int) []float64{
		"random":   func(n int) []float64 { return normals(rng, n) },
		"rising":   func(n int) []float64 { xs := normals(rng, n); slices.Sort(xs); return xs },
		"falling":  func(n int) []float64 { xs := normals(rng, n); slices.Sort(xs); slices.Reverse(xs); return xs },
		"few":      func(n int) []float64 { xs := normals(rng, n); round(xs); return xs },
		"constant": func(n int) []float64 { return make([]float64, n) },
	}
	for name, order := range orders {
		for _, n := range []int{2, 3, 41, 119, 120, 121, 1000, 1001} {
			xs := order(n)
			sorted := slices.Sorted(slices.Values(xs))
			for _, level := range []float64{0, 0.01, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.998, 1} {
				lo, hi := stat.Interval(xs, level)
				require.InDelta(t, quantile(sorted, (1-level)/2), lo, 1e-12, "%s, %d samples, level %v", name, n, level)
				require.InDelta(t, quantile(sorted, (1+level)/2), hi, 1e-12, "%s, %d samples, level %v", name, n, level)
			}
		}
	}
}

func round(xs []float64) {
	for i := range xs {
		xs[i] = math.Round(xs[i])
	}
}

// quantile interpolates between order statistics, type 7 of Hyndman and Fan.
func quantile(sorted []float64, at float64) float64 {
	h := float64(len(sorted)-1) * at
	below := int(h)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (h-float64(below))*(sorted[above]-sorted[below])
}
