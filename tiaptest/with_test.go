package tiaptest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestWithIsRescore: further options give the audit that all options together give,
// and are refused with the same words.
func TestWithIsRescore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		first, other := drawPlan(t, b).options(), drawPlan(t, b)
		further := oneOf(t, "further options",
			tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)},
			tiaptest.Options{tiaptest.Uncovered(other.Uncovered), tiaptest.Population(other.Population)},
			tiaptest.Options{tiaptest.Metrics(metricsNamed(other.Metrics)...), tiaptest.Seed(7), tiaptest.Resamples(150)},
			tiaptest.Options{tiaptest.Depth(other.Depth), tiaptest.Merge(other.Merge)},
			tiaptest.Options{tiaptest.Population("judged")},
			other.options(),
		)
		got, err := rescored(t, b, first).With(further)
		want, wantErr := tiaptest.Rescore(b, first, further)
		if wantErr != nil || err != nil {
			require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
			return
		}
		require.Equal(t, written(t, want), written(t, got), "%v and %v", first, further)
	})
}

// TestWithOfDefaultMetrics: metrics that no option names go with the depth.
func TestWithOfDefaultMetrics(t *testing.T) {
	t.Parallel()
	a, err := must(tiaptest.Rescore(density())).With(tiaptest.Depth(2))
	require.NoError(t, err)
	_, err = a.Score("D1", tiaptest.Raw, tiaptest.NDCG(2))
	require.NoError(t, err)
	_, err = a.Score("D1", tiaptest.Raw, tiaptest.NDCG(60))
	require.Error(t, err)
}

// TestWithScoresNothingAgain: a convention asks a target's rule nothing; a depth
// does.
func TestWithScoresNothingAgain(t *testing.T) {
	t.Parallel()
	asked := 0
	own := tiaptest.NewTarget("own", func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { asked++; return true })
	a := must(tiaptest.Rescore(density(), tiaptest.Targets(tiaptest.Canonical, own)))
	before := asked
	require.Positive(t, before)
	for _, o := range []tiaptest.Option{tiaptest.Credit(tiaptest.ByMemory), tiaptest.Uncovered("counted"), tiaptest.Population("all"), tiaptest.Alpha(0.1)} {
		must(a.With(o))
	}
	assert.Equal(t, before, asked)
	must(a.With(tiaptest.Depth(1)))
	assert.Equal(t, 2*before, asked)
}

// TestWithKnownFindings: findings stay with the audit that they are given to.
func TestWithKnownFindings(t *testing.T) {
	t.Parallel()
	known := func(reason string) tiaptest.Option {
		return tiaptest.Known(tiaptest.Finding{A: "D1", B: "D8", Metric: tiaptest.Top1(), Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source}, Reason: reason})
	}
	a := must(tiaptest.Rescore(density(), known("one"), known("two"), known("three")))
	first, second := must(a.With(known("first"))), must(a.With(known("second")))
	assert.Len(t, a.StaleFindings(), 3)
	assert.Contains(t, fmt.Sprint(first.StaleFindings()), "first")
	assert.NotContains(t, fmt.Sprint(first.StaleFindings()), "second")
	assert.Contains(t, fmt.Sprint(second.StaleFindings()), "second")
}

func TestValues(t *testing.T) {
	t.Parallel()
	a := must(tiaptest.Rescore(density()))
	want := must(a.PerQuery("D1", tiaptest.Raw, tiaptest.NDCG(60)))
	require.NotEmpty(t, want)
	var ids []string
	for id, v := range must(a.Values("D1", tiaptest.Raw, tiaptest.NDCG(60))) {
		ids = append(ids, id)
		assert.Equal(t, want[id], v)
	}
	assert.True(t, slices.IsSorted(ids))
	assert.Len(t, ids, len(want))
	for range must(a.Values("D1", tiaptest.Raw, tiaptest.NDCG(60))) {
		break
	}
	_, err := a.Values("D1", tiaptest.Raw, tiaptest.MicroRecall(60))
	require.ErrorContains(t, err, "ratio of sums")
	_, err = a.Values("D9", tiaptest.Raw, tiaptest.NDCG(60))
	require.ErrorContains(t, err, "D9")
}
