package stat_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

// Hours of sleep gained with two drugs by ten patients (Student, The Probable
// Error of a Mean, 1908); the data set sleep of R.
var (
	sleep1 = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	sleep2 = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

func TestWelch(t *testing.T) {
	t.Parallel()

	// As printed by R: t.test(extra ~ group, data = sleep).
	r, ok := stat.Welch(sleep1, sleep2, 0.95)
	require.True(t, ok)
	require.InDelta(t, 0.75-2.33, r.Diff, 1e-12)
	require.InDelta(t, 17.776, r.DF, 0.0005)
	require.InDelta(t, 0.07939, r.P, 0.000005)
	require.InDelta(t, -3.3654832, r.Lo, 5e-8)
	require.InDelta(t, 0.2054832, r.Hi, 5e-8)

	// By hand: variances 2 and 2/3, se² = 2/2 + (2/3)/4, df = se⁴/(1²/1 + (1/6)²/3).
	r, ok = stat.Welch([]float64{4, 6}, []float64{1, 1, 2, 2.}, 0.9)
	require.True(t, ok)
	require.Equal(t, 3.5, r.Diff)
	se2 := 1 + 1./12
	require.InDelta(t, se2*se2/(1+1./144/3), r.DF, 1e-12)
	require.InDelta(t, stat.StudentP(3.5/math.Sqrt(se2), r.DF), r.P, 1e-12)
	require.InDelta(t, 3.5, (r.Lo+r.Hi)/2, 1e-12)
}

func TestWelchWithoutNoise(t *testing.T) {
	t.Parallel()
	r, ok := stat.Welch([]float64{0.3, 0.3, 0.3}, []float64{0.3, 0.3}, 0.95)
	require.True(t, ok)
	require.Equal(t, stat.WelchResult{P: 1}, r)

	r, ok = stat.Welch([]float64{0.5, 0.5, 0.5}, []float64{0.25, 0.25}, 0.95)
	require.True(t, ok)
	require.Equal(t, stat.WelchResult{Diff: 0.25, Lo: 0.25, Hi: 0.25}, r)

	// The last bits that a different order of summation leaves are no noise.
	x := 0.1
	r, ok = stat.Welch([]float64{x + 0.2, 0.3}, []float64{0.3, 0.3}, 0.95)
	require.True(t, ok)
	require.Equal(t, 1.0, r.P)
	require.Zero(t, r.DF)

	// One sample that varies is enough.
	r, ok = stat.Welch([]float64{0.5, 0.5}, []float64{0.1, 0.2}, 0.95)
	require.True(t, ok)
	require.Equal(t, 1.0, r.DF)
	require.Less(t, r.P, 1.0)
}

func TestWelchUndefined(t *testing.T) {
	t.Parallel()
	two := []float64{1, 2}
	tests := map[string]struct {
		a, b  []float64
		level float64
	}{
		"none":      {nil, nil, 0.95},
		"one a":     {two[:1], two, 0.95},
		"one b":     {two, two[:1], 0.95},
		"level 0":   {two, two, 0},
		"level 1":   {two, two, 1},
		"level NaN": {two, two, math.NaN()},
		"overflow":  {[]float64{-1e200, 1e200}, two, 0.95},
		"far apart": {[]float64{-math.MaxFloat64, -math.MaxFloat64}, []float64{math.MaxFloat64, math.MaxFloat64}, 0.95},
		"infinite":  {[]float64{math.Inf(1), 1}, two, 0.95},
		"NaN":       {two, []float64{1, math.NaN()}, 0.95},
	}
	for name, test := range tests {
		r, ok := stat.Welch(test.a, test.b, test.level)
		require.False(t, ok, name)
		require.Zero(t, r, name)
	}
}

func TestWelchProperties(t *testing.T) {
	t.Parallel()
	sample := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1)), 2, 8)
	rapid.Check(t, func(t *rapid.T) {
		a, b := sample.Draw(t, "a"), sample.Draw(t, "b")
		level := rapid.SampledFrom([]float64{0x1p-1022, 0.5, 0.95, 1 - 0x1p-53}).Draw(t, "level")
		r, ok := stat.Welch(a, b, level)
		mirror, okMirror := stat.Welch(b, a, level)
		require.Equal(t, ok, okMirror)
		requireFinite(t, r.Diff, r.Lo, r.Hi, r.P, r.DF)
		if !ok {
			return
		}
		require.True(t, r.Lo <= r.Diff && r.Diff <= r.Hi)
		require.True(t, 0 <= r.P && r.P <= 1)
		require.Equal(t, [3]float64{-r.Diff, -r.Hi, -r.Lo}, [3]float64{mirror.Diff, mirror.Lo, mirror.Hi})
		if r.DF > 0 {
			if alpha := 1 - level; math.Abs(r.P-alpha) > 1e-9*alpha {
				require.Equal(t, r.P > alpha, r.Lo < 0 && 0 < r.Hi, "interval and p disagree")
			}
			require.Positive(t, r.P)
			require.Equal(t, [2]float64{r.P, r.DF}, [2]float64{mirror.P, mirror.DF})
			require.LessOrEqual(t, float64(min(len(a), len(b))-1), r.DF*(1+1e-12))
			require.LessOrEqual(t, r.DF, float64(len(a)+len(b)-2)*(1+1e-12))
		}
	})
}
