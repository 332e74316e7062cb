package golden

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What options come to, and which of them are mistakes: these change nothing.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := newSettings([]Option{nil})
	for v := range order {
		want := false
		switch v {
		case IdentityMismatch, Missing, CoverageLost, WinnerFlip, NewFlip, ChangeFlip, RecommendationChanged:
			want = true
		}
		assert.Equal(t, want, s.fails[v], "%s", v)
	}
	assert.Equal(t, 0.001, s.minEffect)
	assert.Equal(t, 0.01, s.tolerance)
	assert.Equal(t, 1<<20, s.queryCap)
	assert.False(t, s.fixedRuns)
	assert.Empty(t, s.problems)

	s = newSettings([]Option{ReportOnly(WinnerFlip, NewFlip), FailOn(Regressed, NewFlip), FixedRuns(), QueryScores(-1)})
	assert.False(t, s.fails[WinnerFlip])
	assert.True(t, s.fails[NewFlip], "the later one holds")
	assert.True(t, s.fails[Regressed])
	assert.True(t, s.fails[Missing])
	assert.True(t, s.fixedRuns)
	assert.Zero(t, s.queryCap)
	assert.Empty(t, s.problems)

	for _, option := range []func(...Verdict) Option{FailOn, ReportOnly} {
		s = newSettings([]Option{option(Same, "fixed", "gone")})
		assert.Len(t, s.problems, 2)
	}

	const unchanged = -1
	for _, tt := range []struct {
		give, effect, tolerance float64
	}{
		{0, 0, 0},
		{0.5, 0.5, 0.5},
		{1, unchanged, 1},
		{math.Nextafter(1, 2), unchanged, unchanged},
		{-0.001, unchanged, unchanged},
		{math.NaN(), unchanged, unchanged},
	} {
		for _, o := range []struct {
			set    Option
			want   float64
			got    func(*settings) float64
			normal float64
		}{
			{MinEffect(tt.give), tt.effect, func(s *settings) float64 { return s.minEffect }, 0.001},
			{Tolerance(tt.give), tt.tolerance, func(s *settings) float64 { return s.tolerance }, 0.01},
		} {
			s := newSettings([]Option{o.set})
			if o.want == unchanged {
				assert.Equal(t, o.normal, o.got(s), "%s", o.set)
				assert.Len(t, s.problems, 1, "%s", o.set)
				continue
			}
			assert.Equal(t, o.want, o.got(s), "%s", o.set)
			assert.Empty(t, s.problems, "%s", o.set)
		}
	}
}
