package stat_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

// nearlyEqual draws values of which many differ in their last bit alone.
func nearlyEqual(t *rapid.T, n int, name string) []float64 {
	tenth := 0.1
	return rapid.SliceOfN(rapid.SampledFrom([]float64{0.3, tenth + 0.2, 0.3, 3 * tenth, 0.5}), n, n).Draw(t, name)
}

// power draws a power of 2, by which a product is exact.
func power(t *rapid.T) float64 {
	return math.Ldexp(1, rapid.IntRange(-60, 60).Draw(t, "power"))
}

func scaled(xs []float64, by float64) []float64 {
	ys := make([]float64, len(xs))
	for i, x := range xs {
		ys[i] = x * by
	}
	return ys
}

// TestPairedPWhateverTheScale: in another unit of measurement, and with all signs
// larger, p stays as it is. A bound for rounding that does not grow with the values
// and the signs fails.
func TestPairedPWhateverTheScale(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 5, 40}).Draw(t, "n")
		a, b := nearlyEqual(t, n, "a"), nearlyEqual(t, n, "b")
		plan := stat.Plan{N: n}
		want := pairedP(t, plan, 99, gap(a, b))
		by, sign := power(t), power(t)
		got := pairedP(t, plan, 99, term{A: stat.Column{Num: scaled(a, by)}, B: stat.Column{Num: scaled(b, by)}, Sign: sign})
		require.Equal(t, want, got, "values times %v, sign %v", by, sign)
	})
}

// TestPairedPOfRatiosWhateverTheScale: some swaps leave a ratio without denominator,
// but for what rounding leaves, which is as much larger as the denominators are.
func TestPairedPOfRatiosWhateverTheScale(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 6).Draw(t, "n")
		part := rapid.SampledFrom([]float64{0, 0.1, 0.2, 0.3, 0.7})
		denA, denB := rapid.SliceOfN(part, n, n).Draw(t, "denominators of a"), rapid.SliceOfN(part, n, n).Draw(t, "denominators of b")
		denA[0], denB[1] = 0.1, 0.1
		for i := range n {
			if denA[i] > 0 { // so that swapping all of a's leaves nothing
				denB[i] = 0
			}
		}
		if denA[1] > 0 {
			denA[1], denB[1] = 0, 0.1
		}
		half := func(xs []float64) []float64 { return scaled(xs, 0.5) }
		ratios := func(by float64) term {
			return term{A: stat.Column{Num: scaled(denA, by), Den: scaled(denA, by)}, B: stat.Column{Num: half(scaled(denB, by)), Den: scaled(denB, by)}, Sign: 1}
		}
		plan, by := stat.Plan{N: n}, power(t)
		require.Equal(t, pairedP(t, plan, 99, ratios(1)), pairedP(t, plan, 99, ratios(by)), "denominators times %v", by)
	})
}

// TestWelchWhateverTheScale: the same of values that are independent, or are so
// between clusters.
func TestWelchWhateverTheScale(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		a, b := nearlyEqual(t, n, "a"), nearlyEqual(t, n, "b")
		cluster := rapid.SliceOfN(rapid.Int32Range(0, 3), n, n)
		ca, cb := cluster.Draw(t, "clusters of a"), cluster.Draw(t, "clusters of b")
		by := power(t)
		same := func(want, got stat.WelchResult, ok, okScaled bool) {
			require.Equal(t, ok, okScaled)
			want.Diff, want.Lo, want.Hi = want.Diff*by, want.Lo*by, want.Hi*by
			require.Equal(t, want, got, "values times %v", by)
		}
		want, ok := stat.Welch(a, b, 0.95)
		got, okScaled := stat.Welch(scaled(a, by), scaled(b, by), 0.95)
		same(want, got, ok, okScaled)
		want, ok = stat.WelchClustered(a, b, ca, cb, 0.95)
		got, okScaled = stat.WelchClustered(scaled(a, by), scaled(b, by), ca, cb, 0.95)
		same(want, got, ok, okScaled)
	})
}

// TestLevelOfAnInterval: what is no level gives no interval.
func TestLevelOfAnInterval(t *testing.T) {
	t.Parallel()
	a, b, clusters := []float64{1, 2}, []float64{2, 4}, []int32{0, 1}
	for level, want := range map[float64]bool{-1: false, 0: false, 0.5: true, 1: false, 2: false, math.NaN(): false} {
		_, ok := stat.Welch(a, b, level)
		require.Equal(t, want, ok, "%v", level)
		_, ok = stat.WelchClustered(a, b, clusters, clusters, level)
		require.Equal(t, want, ok, "%v, clustered", level)
	}
}

// TestLargestValue: the largest float64 is finite, and what is above is undefined.
func TestLargestValue(t *testing.T) {
	t.Parallel()
	for _, sign := range []float64{1, -1} {
		mean, ok := stat.Mean([]float64{sign * math.MaxFloat64})
		require.True(t, ok)
		require.Equal(t, sign*math.MaxFloat64, mean)
		_, ok = stat.Mean([]float64{sign * math.MaxFloat64, sign * math.MaxFloat64})
		require.False(t, ok)
	}
}

// TestWelchOfZeros: samples of nothing but 0 agree, with no noise allowed for.
func TestWelchOfZeros(t *testing.T) {
	t.Parallel()
	zeros := make([]float64, 3)
	r, ok := stat.Welch(zeros, zeros, 0.95)
	require.True(t, ok)
	require.Equal(t, stat.WelchResult{P: 1}, r)
	r, ok = stat.WelchClustered(zeros, zeros, []int32{0, 1, 2}, []int32{0, 1, 2}, 0.95)
	require.True(t, ok)
	require.Equal(t, stat.WelchResult{P: 1}, r)
}
