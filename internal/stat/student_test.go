package stat_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/stat"
)

func TestStudentClosedForms(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0, 1e-9, 0.01, 0.5, 1, 1.96, 4, 30, 1e4} {
		for _, v := range []float64{x, -x} {
			require.InDelta(t, 1-2/math.Pi*math.Atan(x), stat.StudentP(v, 1), 1e-13)
			require.InDelta(t, 1-x/math.Sqrt(2+x*x), stat.StudentP(v, 2), 1e-13)
			require.InDelta(t, math.Erfc(x/math.Sqrt2), stat.StudentP(v, 1e6), 1e-6) // the normal limit
		}
	}
}

// The 97.5% points of Student's t as printed in tables, such as Abramowitz and
// Stegun's 26.10.
func TestStudentTable(t *testing.T) {
	t.Parallel()
	for df, want := range map[float64]float64{1: 12.706, 2: 4.303, 3: 3.182, 5: 2.571, 10: 2.228, 30: 2.042, 120: 1.980} {
		require.InDelta(t, want, stat.StudentQuantile(0.95, df), 0.0005, "df %v", df)
	}
}

func TestStudentQuantileInvertsP(t *testing.T) {
	t.Parallel()
	for _, df := range []float64{1, 1.3, 2, 7.7, 29, 1e3, 1e6} {
		for _, level := range []float64{0.1, 0.5, 0.9, 0.95, 0.99, 0.9999, 1 - 1e-9} {
			q := stat.StudentQuantile(level, df)
			require.InEpsilon(t, 1-level, stat.StudentP(q, df), 1e-8, "df %v level %v", df, level)
		}
	}
}

func TestStudentQuantileIsFinite(t *testing.T) {
	t.Parallel()
	for _, df := range []float64{1, 1.5, 2, 5, 20, 1e3, 1e6} {
		last := 0.0
		for _, level := range []float64{math.SmallestNonzeroFloat64, 1e-9, 0.5, 1 - 1e-9, 1 - 0x1p-53} {
			q := stat.StudentQuantile(level, df)
			requireFinite(t, q)
			require.LessOrEqual(t, last, q, "df %v level %v", df, level)
			last = q
		}
	}
}

func TestStudentPIsNeverZero(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{1e10, 1e200, math.MaxFloat64} {
		p := stat.StudentP(x, 1000)
		require.Positive(t, p)
		require.Less(t, p, 1e-300)
	}
}
