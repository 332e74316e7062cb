package stat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

// scores draws n metric values: many ties, zeros and ones, as recall has.
func scores(n int) *rapid.Generator[[]float64] {
	value := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 4), func(i int) float64 { return float64(i) / 4 }),
		rapid.Float64Range(0, 1),
	)
	return rapid.SliceOfN(value, n, n)
}

// columns draws a column over n queries, a mean or a ratio; a ratio may lack
// any denominator.
func columns(n int) *rapid.Generator[stat.Column] {
	return rapid.Custom(func(t *rapid.T) stat.Column {
		c := stat.Column{Num: scores(n).Draw(t, "num")}
		if rapid.Bool().Draw(t, "ratio") {
			c.Den = make([]float64, n)
			for i := range c.Den {
				c.Den[i] = float64(rapid.IntRange(0, 3).Draw(t, "den"))
				c.Num[i] = min(c.Num[i], c.Den[i])
			}
		}
		return c
	})
}

// plans draws a plan over at most most queries, none included, with clusters
// or without.
func plans(most int) *rapid.Generator[stat.Plan] {
	return rapid.Custom(func(t *rapid.T) stat.Plan {
		p := stat.Plan{
			N:         rapid.IntRange(0, most).Draw(t, "n"),
			Resamples: rapid.IntRange(0, 40).Draw(t, "resamples"),
			Seed:      rapid.Uint64().Draw(t, "seed"),
		}
		if rapid.Bool().Draw(t, "clustered") {
			p.Clusters = rapid.SliceOfN(rapid.Int32Range(-1, 6), p.N, p.N).Draw(t, "clusters")
		}
		return p
	})
}

func negate(xs []float64) []float64 {
	neg := make([]float64, len(xs))
	for i, x := range xs {
		neg[i] = -x
	}
	return neg
}

func normals(rng *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = rng.NormFloat64()
	}
	return xs
}

func requireFinite(t require.TestingT, xs ...float64) {
	for _, x := range xs {
		require.False(t, math.IsNaN(x) || math.IsInf(x, 0), "%v", xs)
	}
}

// requireUniform fails when ps are too unlikely a sample of the uniform
// distribution: Kolmogorov's distance at 0.1%. The seeds are fixed, so that a
// run either always passes or never.
func requireUniform(t *testing.T, ps []float64) {
	t.Helper()
	distance := 0.0
	for _, p := range ps {
		atMost := 0
		for _, q := range ps {
			if q <= p {
				atMost++
			}
		}
		distance = max(distance, math.Abs(float64(atMost)/float64(len(ps))-p))
	}
	require.Less(t, distance*math.Sqrt(float64(len(ps))), 1.95)
}
