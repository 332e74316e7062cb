package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
)

// A tie beside a winner is called neither the same winner nor no dependence.
func TestTieIsNotSame(t *testing.T) {
	t.Parallel()
	b := bundle(plainNames(), 0)
	b.Systems = b.Systems[:2]
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical), tiaptest.Metrics(tiaptest.NDCG(10)), tiaptest.Resamples(100))
	require.NoError(t, err)
	r, err := a.Pair("D1", "D5", tiaptest.NDCG(10))
	require.NoError(t, err)
	gap := func(target string) float64 { return max(*r.Gaps[target].Value, -*r.Gaps[target].Value) }
	low, high := gap("raw"), gap("canonical")
	if low > high {
		low, high = high, low
	}
	require.Less(t, low, high)
	tied, err := a.With(tiaptest.MinEffect((low + high) / 2))
	require.NoError(t, err)
	out := render(t, report.Text, tied)
	assert.NotContains(t, out, "No winner depends on the target")
	assert.Contains(t, out, "No two targets have different winners, but 1 of 1 comparisons of two systems by a metric has a target under which they are tied.")
	assert.Regexp(t, `D1 - D5 +tie +10 `, out)
	assert.NotRegexp(t, `density +same`, out)
}

// What the labels say is drawn in the colours of good and bad, not in steps of a size.
func TestSupportColours(t *testing.T) {
	t.Parallel()
	a := audit(t, bundle(plainNames(), 0))
	out := render(t, report.HTML, a, extras(t, a)...)
	for _, class := range []string{"bar share0", "bar share1", "bar share2"} {
		assert.Contains(t, out, class)
	}
	assert.Contains(t, out, "svg .share0 { fill: var(--good); } svg .share1 { fill: var(--bad); }")
}
