package tiaptest_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// flipBetween returns what the audit says of A and B under raw and another target.
func flipBetween(t *testing.T, a *tiaptest.Audit, target string) tiaptest.Flip {
	t.Helper()
	p, err := a.Pair("A", "B", mrr)
	require.NoError(t, err)
	i := slices.IndexFunc(p.Flips, func(f tiaptest.Flip) bool { return f.Targets == [2]string{"raw", target} })
	require.GreaterOrEqual(t, i, 0)
	return p.Flips[i]
}

// TestGapOfTheMinimumEffect: a gap of just the minimum effect names no winner, to
// either side; the same of the gap that Above states. A leads by 1/2 under raw, B
// under canonical.
func TestGapOfTheMinimumEffect(t *testing.T) {
	t.Parallel()
	b := contest(system("A", "rf", "rf"), system("B", "fr", "fr"))
	for least, want := range map[float64]string{0.49: "flip", 0.5: "tie", 0.51: "tie"} {
		a := auditOf(b, tiaptest.MinEffect(least))
		assert.Equal(t, want, flipBetween(t, a, "canonical").Verdict, "minimum effect %v", least)
		if want == "tie" {
			p, err := a.Pair("A", "B", mrr)
			require.NoError(t, err)
			assert.Equal(t, map[string]*string{"raw": nil, "source": nil, "canonical": nil}, p.Winners, "minimum effect %v", least)
		}

		err := auditOf(b).Verify(tiaptest.NoWinnerFlip(mrr, tiaptest.Above(least)))
		assert.Equal(t, want == "flip", err != nil, "above %v: %v", least, err)
	}
}

// TestGradeAtAlpha: p must be below alpha. Over two queries that are alike it is 1/2.
func TestGradeAtAlpha(t *testing.T) {
	t.Parallel()
	for alpha, want := range map[float64]tiaptest.Grade{0.49: tiaptest.Fragile, 0.5: tiaptest.Fragile, 0.51: tiaptest.Likely} {
		f := flipBetween(t, auditOf(flipped(2), two(tiaptest.Alpha(alpha))...), "source")
		require.NotNil(t, f.Shift.P)
		require.Equal(t, 0.5, *f.Shift.P)
		assert.Equal(t, want, f.Grade, "alpha %v", alpha)
	}
}

// TestFlipsOfAllMetrics: without metrics, those of each.
func TestFlipsOfAllMetrics(t *testing.T) {
	t.Parallel()
	a := auditOf(flipped(2))
	all, some := a.Flips(), a.Flips(mrr)
	require.NotEmpty(t, some)
	assert.Greater(t, len(all), len(some))
	assert.ElementsMatch(t, all, slices.Concat(some, a.Flips(ndcg, recall, micro)))
	for _, f := range some {
		assert.Equal(t, mrr.String(), f.Metric)
	}
}
