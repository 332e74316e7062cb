package tiaptest_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestLaterOptionHolds: of two options of one kind the later one holds, as if the earlier
// one had not been given; known findings add up.
func TestLaterOptionHolds(t *testing.T) {
	t.Parallel()
	b := density()
	for i := range b.Scenario.Queries {
		b.Scenario.Queries[i].Category = []string{"when", "how many"}[i]
	}
	report := func(opts ...tiaptest.Option) string {
		var w bytes.Buffer
		require.NoError(t, must(tiaptest.Rescore(b, opts...)).WriteJSON(&w))
		return w.String()
	}
	type options = tiaptest.Options
	for _, kind := range []options{
		{tiaptest.Depth(1), tiaptest.Depth(2)},
		{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical), tiaptest.Targets(tiaptest.Source, tiaptest.Canonical)},
		{tiaptest.Beside(tiaptest.Current(tiaptest.Raw)), tiaptest.Beside(tiaptest.Exact(tiaptest.Raw))},
		{tiaptest.Headline(tiaptest.Raw), tiaptest.Headline(tiaptest.Source)},
		{tiaptest.Credit(tiaptest.ByMemory), tiaptest.Credit(tiaptest.ByEvidence)},
		{tiaptest.Metrics(tiaptest.Top1()), tiaptest.Metrics(tiaptest.RPrec())},
		{tiaptest.Uncovered("counted"), tiaptest.Uncovered("dropped")},
		{tiaptest.Population("all"), tiaptest.Population("covered")},
		{tiaptest.Where("when"), tiaptest.Where("how many")},
		{tiaptest.Merge("rrf"), tiaptest.Merge("interleave")},
		{tiaptest.MinEffect(0.5), tiaptest.MinEffect(0.25)},
		{tiaptest.Alpha(0.5), tiaptest.Alpha(0.25)},
		{tiaptest.Seed(1), tiaptest.Seed(2)},
		{tiaptest.Resamples(100), tiaptest.Resamples(200)},
		{tiaptest.Systems("D1"), tiaptest.Systems("D5")},
	} {
		first, second := kind[0], kind[1]
		assert.Equal(t, report(second), report(first, second), kind)
		assert.Equal(t, report(first), report(second, options{first}), kind)
	}
	known := func(reason string) tiaptest.Option {
		return tiaptest.Known(tiaptest.Finding{A: "D1", B: "D8", Metric: tiaptest.Top1(), Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source}, Reason: reason})
	}
	assert.Len(t, must(tiaptest.Rescore(b, known("one"), known("two"))).StaleFindings(), 2)
}

// TestCategoriesTold: what Where keeps is said with every number, and nothing where all
// queries are kept.
func TestCategoriesTold(t *testing.T) {
	t.Parallel()
	b := density()
	for i := range b.Scenario.Queries {
		b.Scenario.Queries[i].Category = []string{"when", "how many"}[i]
	}
	for want, opts := range map[string][]tiaptest.Option{
		"depth 60, headline canonical\n":                                             nil,
		"depth 60, headline canonical, category when\n":                              {tiaptest.Where("when")},
		"depth 60, headline canonical, categories how many, when, ties within 0.5\n": {tiaptest.Where("how many", "when"), tiaptest.MinEffect(0.5)},
	} {
		a := must(tiaptest.Rescore(b, opts...))
		var table bytes.Buffer
		require.NoError(t, a.WriteTable(&table))
		assert.Contains(t, table.String(), want[:len(want)-1]+", population shared\n")
		text, err := a.Explain("q1")
		require.NoError(t, err)
		assert.Contains(t, text, want)
		err = a.Verify(tiaptest.EachQuery(tiaptest.Top1(), tiaptest.Raw, 1), tiaptest.MinScore("D5", tiaptest.Raw, tiaptest.Top1(), 1))
		require.ErrorContains(t, err, want)
	}
}
