package stat_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

func TestInterval(t *testing.T) {
	t.Parallel()
	ten := []float64{10, 3, 1, 2, 9, 4, 8, 5, 7, 6}
	tests := map[string]struct {
		samples []float64
		level   float64
		lo, hi  float64
	}{
		// R 4: quantile(1:10, c(0.025, 0.975)); type 7 is its default
		"95%":          {ten, 0.95, 1.225, 9.775},
		"80%":          {ten, 0.80, 1.9, 9.1},
		"order":        {[]float64{0, 1, 2, 3, 4}, 0.5, 1, 3},
		"median":       {ten, 0, 5.5, 5.5},
		"range":        {ten, 1, 1, 10},
		"beyond":       {ten, 2, 1, 10},
		"below":        {ten, -1, 5.5, 5.5},
		"not a number": {ten, math.NaN(), 5.5, 5.5},
		"one":          {[]float64{3}, 0.95, 3, 3},
		"none":         {nil, 0.95, 0, 0},
		"equal":        {[]float64{0.3, 0.3, 0.3}, 0.9, 0.3, 0.3},
		"extreme":      {[]float64{-math.MaxFloat64, math.MaxFloat64}, 0.5, -math.MaxFloat64, math.MaxFloat64},
	}
	for name, test := range tests {
		lo, hi := stat.Interval(test.samples, test.level)
		requireFinite(t, lo, hi)
		if name == "extreme" {
			require.LessOrEqual(t, lo, hi, name)
			continue
		}
		require.InDelta(t, test.lo, lo, 1e-12, name)
		require.InDelta(t, test.hi, hi, 1e-12, name)
	}
	require.Equal(t, 10.0, ten[0], "samples were reordered")
}

func TestIntervalProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) })), 1, 50).Draw(t, "samples")
		level := rapid.Float64Range(0, 1).Draw(t, "level")
		lo, hi := stat.Interval(samples, level)
		require.LessOrEqual(t, lo, hi)
		require.LessOrEqual(t, slices.Min(samples), lo)
		require.LessOrEqual(t, hi, slices.Max(samples))

		// As the definition has it, from the sorted samples.
		sorted := slices.Sorted(slices.Values(samples))
		quantile := func(sorted []float64) float64 {
			h := float64(len(sorted)-1) * (1 - level) / 2
			k := int(h)
			if h == float64(k) {
				return sorted[k]
			}
			return min(sorted[k]+float64((h-float64(k))*(sorted[k+1]-sorted[k])), sorted[k+1])
		}
		wantLo := quantile(sorted)
		sorted = negate(sorted)
		slices.Reverse(sorted)
		wantHi := -quantile(sorted)
		require.Equal(t, [2]float64{min(wantLo, wantHi), max(wantLo, wantHi)}, [2]float64{lo, hi})

		mirrorLo, mirrorHi := stat.Interval(negate(samples), level)
		require.Equal(t, [2]float64{-hi, -lo}, [2]float64{mirrorLo, mirrorHi})
	})
}

func BenchmarkInterval(b *testing.B) {
	samples := normals(rand.New(rand.NewPCG(1, 2)), 1000)
	b.ReportAllocs()
	for b.Loop() {
		stat.Interval(samples, 0.95)
	}
}
