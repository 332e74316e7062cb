package stat_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

func TestHolm(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ p, want []float64 }{
		// 4·0.005, 3·0.01, 2·0.03; 1·0.04 is raised to the step before it.
		"steps": {[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		"ties":  {[]float64{0.02, 0.01, 0.02}, []float64{0.04, 0.03, 0.04}},
		"cap":   {[]float64{0.6, 0.9}, []float64{1, 1}},
		"one":   {[]float64{0.2}, []float64{0.2}},
		"none":  {nil, []float64{}},
		"zero":  {[]float64{0, 1}, []float64{0, 1}},
	}
	for name, test := range tests {
		got := stat.Holm(test.p)
		require.Len(t, got, len(test.want), name)
		require.InDeltaSlice(t, test.want, got, 1e-15, name)
	}
}

func TestHolmProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 0.01, 0.01, 1}))).Draw(t, "p")
		before := slices.Clone(p)
		got := stat.Holm(p)
		require.Equal(t, before, p)
		for i := range p {
			require.LessOrEqual(t, p[i], got[i])
			require.LessOrEqual(t, got[i], 1.0)
			require.LessOrEqual(t, got[i], float64(len(p))*p[i], "beyond Bonferroni")
			for j := range p {
				if p[i] <= p[j] {
					require.LessOrEqual(t, got[i], got[j])
				}
			}
		}

		// Where a p value stands does not matter.
		slices.Reverse(p)
		slices.Reverse(got)
		require.Equal(t, got, stat.Holm(p))
	})
}
