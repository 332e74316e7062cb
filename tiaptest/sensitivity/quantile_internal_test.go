package sensitivity

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The quantile is the inverse of the tail, on both sides of the degrees of
// freedom from which on an expansion gives it.
func TestStudentUpperInvertsTail(t *testing.T) {
	t.Parallel()
	for _, df := range []float64{1, 2, 10, 999, 1000, 1001, 5000, 1e6} {
		for _, p := range []float64{1e-6, 0.001, 0.025, 0.2, 0.25, 0.4, 0.499} {
			assert.InEpsilon(t, p, studentTail(studentUpper(p, df), df), 1e-7, "p = %v, df = %v", p, df)
		}
	}
	assert.InDelta(t, math.Tan(math.Pi*(0.5-0.025)), studentUpper(0.025, 1), 1e-9, "of Cauchy's distribution")
	assert.InDelta(t, 1.6449340668, studentUpper(0.05, 1e12), 1e-4, "of the normal distribution")
}
