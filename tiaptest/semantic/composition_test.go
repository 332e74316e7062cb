package semantic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

func TestCompose(t *testing.T) {
	t.Parallel()
	c, err := semantic.Compose(audited(), "A", tiaptest.Source)
	require.NoError(t, err)
	assert.Equal(t, &semantic.Composition{
		System: "A", Target: "source", Queries: 1, Passed: 1, Single: 1, Distinct: 1,
		FanOut: []semantic.FanOut{{Precision: "exact", Memories: 2, Credits: 2, Units: 3, MaxUnits: 2, MaxQueries: 1, PerMemory: 1}},
	}, c)

	// Of the summary alone no second memory is left for the second turn.
	b := orchard()
	in := b.Systems[0].Ingests[0]
	in.Run = tiaptest.Run{}
	for i := range in.Memories[5].Sources {
		in.Memories[5].Sources[i].Precision = "batch"
	}
	b.Systems[0].AddRanking("q1", "both").AddRanking("q2", "both", "raw3")
	c, err = semantic.Compose(must(tiaptest.Rescore(b)), "A", tiaptest.Source)
	require.NoError(t, err)
	assert.Equal(t, 1, c.Single)
	assert.Zero(t, c.Distinct)
	assert.Equal(t, []semantic.FanOut{{Precision: "batch", Memories: 1, Credits: 2, Units: 3, MaxUnits: 2, MaxQueries: 2, PerMemory: 2}}, c.FanOut)

	_, err = semantic.Compose(audited(), "B", tiaptest.Source)
	require.ErrorContains(t, err, `no system "B"`)
}

// TestComposeSupported passes a query only when its supported memories cover it.
func TestComposeSupported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		labels           map[string]semantic.Label
		passed, distinct int
	}{
		"the summary":         {map[string]semantic.Label{"q2 both": full}, 1, 0},
		"two facts":           {map[string]semantic.Label{"q2 vague": full, "q2 apple": full}, 1, 1},
		"one fact":            {map[string]semantic.Label{"q2 apple": full, "q2 both": none}, 0, 0},
		"summary and one":     {map[string]semantic.Label{"q2 both": full, "q2 apple": full}, 1, 1},
		"nothing with labels": {map[string]semantic.Label{"q1 dated": full}, 0, 0},
	} {
		target := semantic.Supported(tiaptest.Source, labelsOf(said("a", c.labels)), semantic.Options{})
		a := audited(tiaptest.Beside(target), tiaptest.Metrics(tiaptest.All(60)))
		got, err := semantic.Compose(a, "A", target)
		require.NoError(t, err, name)
		assert.Equal(t, 1, got.Queries, name)
		assert.Equal(t, c.passed, got.Passed, name)
		assert.Equal(t, c.distinct, got.Distinct, name)
		assert.Equal(t, float64(c.passed), must(a.PerQuery("A", target, tiaptest.All(60)))["q2"], "all@60 says the same: %s", name)
	}
}

// TestComposeProperties compares passes with all@k, and distinct passes with a
// search through all ways to give units memories.
func TestComposeProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		a := must(tiaptest.Rescore(b, tiaptest.Depth(4), tiaptest.Metrics(tiaptest.All(4)), tiaptest.Resamples(100)))
		c, err := semantic.Compose(a, "A", tiaptest.Source)
		if err != nil {
			t.Skip(err)
		}
		units, retrieved := make(map[string]map[int]bool), make(map[string][][]int)
		for e := range must(a.Eligible("A", tiaptest.Source)) {
			q := e.Query.ID
			if units[q] == nil {
				units[q] = make(map[int]bool)
			}
			for _, u := range e.Units {
				units[q][u] = true
			}
			if e.Rank > 0 {
				retrieved[q] = append(retrieved[q], e.Units)
			}
		}
		var want semantic.Composition
		for q, all := range must(a.PerQuery("A", tiaptest.Source, tiaptest.All(4))) {
			if len(units[q]) < 2 {
				continue
			}
			want.Queries++
			want.Passed += int(all)
			if most(retrieved[q], make(map[int]bool)) == len(units[q]) {
				want.Distinct++
			}
		}
		require.Equal(t, []int{want.Queries, want.Passed, want.Distinct}, []int{c.Queries, c.Passed, c.Distinct})
		require.LessOrEqual(t, c.Single, c.Passed)
	})
}

// most is how many units can have a memory of their own.
func most(memories [][]int, taken map[int]bool) int {
	if len(memories) == 0 {
		return 0
	}
	best := most(memories[1:], taken)
	for _, u := range memories[0] {
		if !taken[u] {
			taken[u] = true
			best = max(best, 1+most(memories[1:], taken))
			delete(taken, u)
		}
	}
	return best
}
