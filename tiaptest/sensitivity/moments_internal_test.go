package sensitivity

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/internal/stat"
	"pgregory.net/rapid"
)

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

// What differs by rounding alone does not vary.
func TestRoundingIsNoDeviation(t *testing.T) {
	t.Parallel()
	tenths := 0.1
	rounded := []float64{0.3, tenths + 0.2, 0.3}
	require.NotEqual(t, rounded[0], rounded[1])
	assert.Nil(t, standardDeviation(rounded))
	assert.Nil(t, pearson(rounded, []float64{1, 2, 3}))
	assert.NotNil(t, standardDeviation([]float64{0.3, 0.3, 0.3 + 1e-9}))
	assert.Nil(t, standardDeviation([]float64{0, 0}))
	assert.Nil(t, standardDeviation([]float64{1}))
}
