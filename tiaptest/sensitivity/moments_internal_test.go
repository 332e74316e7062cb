package sensitivity

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

func ptr[T any](v T) *T { return &v }

// The expansion gives the quantile, from the degrees of freedom on where it takes
// over.
func TestStudentUpperExpands(t *testing.T) {
	t.Parallel()
	for _, df := range []float64{1001, 2000, 5000} {
		for _, p := range []float64{1e-6, 0.001, 0.025, 0.2, 0.25, 0.4, 0.499} {
			assert.InEpsilon(t, stat.StudentQuantile(1-2*p, df), studentUpper(p, df), 1e-7, "p = %v, df = %v", p, df)
		}
	}
	assert.InDelta(t, math.Tan(math.Pi*(0.5-0.025)), studentUpper(0.025, 1), 1e-9, "of Cauchy's distribution")
	assert.InDelta(t, 1.6449340668, studentUpper(0.05, 1e12), 1e-4, "of the normal distribution")
}

// One query fewer than needed does not show the gap.
func TestNeededIsTheSmallest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sd := rapid.Float64Range(1e-3, 1).Draw(t, "sd")
		gap := rapid.Float64Range(1e-3, 1).Draw(t, "gap")
		d := make(detection)
		n := d.needed(gap, sd)
		require.NotNil(t, n)
		require.LessOrEqual(t, d.factor(*n)*sd, gap)
		if *n > 2 {
			require.Greater(t, d.factor(*n-1)*sd, gap)
		}
	})
}

// The gap that so many queries show needs these queries. A gap within rounding of
// none needs no number, nor does one that a billion queries would not show.
func TestNeeded(t *testing.T) {
	t.Parallel()
	for n := 2; n < 100; n++ {
		d := make(detection)
		require.Equal(t, &n, d.needed(d.factor(n), 1))
	}
	d := make(detection)
	assert.Nil(t, d.needed(1e-9, 1e-9))
	assert.NotNil(t, d.needed(1.1e-9, 1e-9))
	// (1.959964 + 0.841621)² are 7.848879 queries for a gap of one standard deviation.
	assert.NotNil(t, d.needed(math.Sqrt(7.848879/0.999e9), 1))
	assert.Nil(t, d.needed(math.Sqrt(7.848879/1.001e9), 1))
}

// One leads by more than 1e-9, over all others.
func TestLeader(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scores []*float64
		want   string // empty for none
	}{
		"first":           {[]*float64{ptr(0.5), ptr(0.4), ptr(0.1)}, "A"},
		"last":            {[]*float64{ptr(0.1), ptr(0.4), ptr(0.5)}, "C"},
		"one alone":       {[]*float64{ptr(0.5)}, ""},
		"undefined":       {[]*float64{ptr(0.5), nil}, ""},
		"tie at the top":  {[]*float64{ptr(0.5), ptr(0.5 + 1e-10), ptr(0.1)}, ""},
		"tie below":       {[]*float64{ptr(0.1), ptr(0.1), ptr(0.5)}, "C"},
		"at the distance": {[]*float64{ptr(1e-9), ptr(0.0)}, ""},
		"beyond it":       {[]*float64{ptr(1.1e-9), ptr(0.0)}, "A"},
	} {
		got := leader([]string{"A", "B", "C"}[:len(test.scores)], test.scores)
		if test.want == "" {
			assert.Nil(t, got, name)
			continue
		}
		assert.Equal(t, &test.want, got, name)
	}
}

// What differs by rounding alone does not vary.
func TestRoundingIsNoDeviation(t *testing.T) {
	t.Parallel()
	tenths := 0.1
	rounded := []float64{0.3, tenths + 0.2, 0.3}
	require.NotEqual(t, rounded[0], rounded[1])
	assert.Nil(t, standardDeviation(rounded))
	assert.Nil(t, pearson(rounded, []float64{1, 2, 3}))
	assert.NotNil(t, standardDeviation([]float64{0.3, 0.3, 0.3 + 1e-9}))
	assert.NotNil(t, standardDeviation([]float64{1e-14, 3e-14}), "small values")
	assert.Nil(t, standardDeviation(slices.Repeat([]float64{1, 1 + 1e-12}, 50)), "many values")
	assert.Nil(t, standardDeviation([]float64{0, 0}))
	assert.Nil(t, standardDeviation([]float64{1}))
}
