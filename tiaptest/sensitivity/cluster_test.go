package sensitivity_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

func plainNames(c, i int) (scope, id string) {
	scope = fmt.Sprintf("c%03d", c)
	return scope, fmt.Sprintf("%s/%02d", scope, i)
}

func conversations(rng *rand.Rand, n, each int) *tiaptest.Bundle {
	return named(rng, n, each, plainNames)
}

// named makes n conversations of so many queries each. How often raw turns are found
// depends on the conversation, whether there is a fact of a turn does not.
func named(rng *rand.Rand, n, each int, name func(c, i int) (scope, id string)) *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "talk", Headline: "raw"}}
	b.AddSystem("A", "f")
	b.AddSystem("B", "f")
	for c := range n {
		level := rng.Float64()
		for i := range each {
			scope, id := name(c, i)
			b.AddTurn(id, "said in "+id)
			b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: id, Scope: scope, Evidence: []tiaptest.Unit{{Turns: []string{id}}}})
			for _, s := range b.Systems {
				s.AddMemory("raw/"+id, "raw", id)
				if rng.IntN(5) > 0 {
					s.AddMemory("fact/"+id, "fact", id)
				}
				var ranking []string
				if rng.Float64() < level {
					ranking = append(ranking, "raw/"+id)
				}
				s.AddRanking(id, ranking...)
			}
		}
	}
	return b
}

func answered(t testing.TB, a *tiaptest.Audit, rng *rand.Rand) *sensitivity.Table {
	t.Helper()
	table := fromAudit(t, a)
	level := make(map[string]float64)
	for _, q := range a.Bundle().Scenario.Queries {
		if _, ok := level[q.Scope]; !ok {
			level[q.Scope] = rng.Float64()
		}
		f1 := (level[q.Scope] + rng.Float64()) / 2
		require.NoError(t, table.AddAnswers(sensitivity.Answer{System: "A", Query: q.ID, F1: &f1}))
	}
	return table
}

// Intervals and tests of a clustered audit take conversations as independent; what
// they are about stays the same.
func TestClusteredAudit(t *testing.T) {
	t.Parallel()
	b := conversations(rand.New(rand.NewPCG(1, 2)), 12, 6)
	analyzed := func(opts ...tiaptest.Option) *sensitivity.Report {
		opts = append(opts, tiaptest.Metrics(tiaptest.NDCG(60)), tiaptest.Resamples(100))
		return analyze(t, answered(t, rescore(t, b, opts...), rand.New(rand.NewPCG(3, 4))))
	}
	plain, clustered := analyzed(), analyzed(tiaptest.Cluster())
	assert.Empty(t, plain.Cluster)
	assert.Equal(t, "scope", clustered.Cluster)
	differs := 0
	gap := func(p, c tiaptest.Gap) {
		assert.Equal(t, p.Value, c.Value)
		require.NotNil(t, c.CI)
		assert.LessOrEqual(t, c.CI[0], *c.Value)
		assert.Equal(t, *c.P < 0.05, c.CI[0] > 0 || c.CI[1] < 0)
		if p.CI[0] != c.CI[0] {
			differs++
		}
	}
	require.NotEmpty(t, plain.CoverageBias)
	for i := range plain.CoverageBias {
		if plain.CoverageBias[i].Gap.CI != nil {
			gap(plain.CoverageBias[i].Gap, clustered.CoverageBias[i].Gap)
		}
	}
	one, other := plain.Alignment[0].Targets[0], clustered.Alignment[0].Targets[0]
	gap(one.Lift, other.Lift)
	assert.Equal(t, one.Spearman, other.Spearman)
	require.Len(t, other.SpearmanCI, 2)
	assert.NotEqual(t, one.SpearmanCI, other.SpearmanCI)
	assert.True(t, other.SpearmanCI[0] < *other.Spearman && *other.Spearman < other.SpearmanCI[1])
	assert.Greater(t, differs, 2)

	power, by := plain.Power[0], clustered.Power[0]
	assert.Zero(t, power.Clusters)
	assert.Equal(t, 12, by.Clusters)
	assert.Equal(t, []any{power.N, power.Gap, power.SD}, []any{by.N, by.Gap, by.SD})
	assert.NotEqual(t, *power.Smallest, *by.Smallest)
	assert.Equal(t, *by.Needed <= by.N, *by.Smallest <= math.Abs(*by.Gap))

	for i, s := range clustered.SizeShifts {
		for j, bin := range s.Bins {
			assert.Equal(t, plain.SizeShifts[i].Bins[j].MeanShift, bin.MeanShift)
			assert.LessOrEqual(t, bin.Clusters, bin.N)
			assert.Equal(t, bin.N > 0, bin.Clusters > 0)
			assert.Zero(t, plain.SizeShifts[i].Bins[j].Clusters)
		}
	}
}

// One conversation says nothing of how conversations vary.
func TestClustersThatSayNothing(t *testing.T) {
	t.Parallel()
	b := conversations(rand.New(rand.NewPCG(1, 2)), 1, 30)
	r := analyze(t, answered(t, rescore(t, b, tiaptest.Cluster(), tiaptest.Metrics(tiaptest.NDCG(60))), rand.New(rand.NewPCG(3, 4))))
	one := r.Alignment[0].Targets[0]
	assert.NotNil(t, one.Spearman)
	assert.Nil(t, one.SpearmanCI)
	assert.NotNil(t, one.Lift.Value)
	assert.Nil(t, one.Lift.CI)
	assert.Nil(t, one.Lift.P)
	assert.Equal(t, 1, r.Power[0].Clusters)
	assert.Nil(t, r.Power[0].Smallest)
	assert.Nil(t, r.Power[0].Needed)
}

// A conversation for each query is about no clusters at all.
func TestClustersOfOne(t *testing.T) {
	t.Parallel()
	b := conversations(rand.New(rand.NewPCG(5, 6)), 150, 1)
	analyzed := func(opts ...tiaptest.Option) *sensitivity.Report {
		opts = append(opts, tiaptest.Metrics(tiaptest.NDCG(60)), tiaptest.Resamples(100))
		return analyze(t, answered(t, rescore(t, b, opts...), rand.New(rand.NewPCG(3, 4))))
	}
	plain, clustered := analyzed(), analyzed(tiaptest.Cluster())
	near(t, *plain.Power[0].Smallest, clustered.Power[0].Smallest)
	assert.Equal(t, plain.Power[0].Needed, clustered.Power[0].Needed)
	one, other := plain.Alignment[0].Targets[0], clustered.Alignment[0].Targets[0]
	for i := range 2 {
		assert.InDelta(t, one.SpearmanCI[i], other.SpearmanCI[i], 0.03)
		assert.InDelta(t, one.Lift.CI[i], other.Lift.CI[i], 0.01)
	}
	for i, s := range clustered.SizeShifts {
		for j, bin := range s.Bins {
			if bin.T != nil {
				near(t, *plain.SizeShifts[i].Bins[j].T, bin.T)
			}
		}
	}
}

// The intervals of rank correlations cover where answers go by conversation; those
// that take queries as independent are too short.
func TestClusteredIntervalsCover(t *testing.T) {
	t.Parallel()
	const trials = 250
	rng := rand.New(rand.NewPCG(7, 8))
	covered, naive := 0, 0
	for range trials {
		b := conversations(rng, 20, 8)
		for _, opts := range []tiaptest.Options{{tiaptest.Cluster()}, {}} {
			opts = append(opts, tiaptest.Metrics(tiaptest.NDCG(60)), tiaptest.Targets(tiaptest.Raw), tiaptest.Systems("A"), tiaptest.Resamples(100))
			r := analyze(t, answered(t, rescore(t, b, opts...), rng))
			// Answers are drawn apart from the rankings.
			ci := r.Alignment[0].Targets[0].SpearmanCI
			switch {
			case ci[0] > 0 || ci[1] < 0:
			case r.Cluster != "":
				covered++
			default:
				naive++
			}
		}
	}
	t.Logf("covered %.3f, taking queries as independent %.3f", float64(covered)/trials, float64(naive)/trials)
	assert.InDelta(t, 0.95, float64(covered)/trials, 0.05)
	assert.Less(t, naive, covered)
}

// Other ids of queries and conversations, in another order, change no number.
func TestRelabelledConversationsGiveTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		n, each := rapid.IntRange(1, 5).Draw(t, "conversations"), rapid.IntRange(1, 4).Draw(t, "each")
		analyzed := func(name func(c, i int) (scope, id string)) *sensitivity.Report {
			b := named(rand.New(rand.NewPCG(seed, 1)), n, each, name)
			a, err := tiaptest.Rescore(b, tiaptest.Cluster(), tiaptest.Metrics(tiaptest.NDCG(60), tiaptest.Hit(60)), tiaptest.Resamples(100))
			require.NoError(t, err)
			table, err := sensitivity.FromAudit(a)
			if err != nil {
				t.Skip("nothing is covered")
			}
			r, err := sensitivity.Analyze(table)
			require.NoError(t, err)
			return r
		}
		order := rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order")
		want := analyzed(plainNames)
		got := analyzed(func(c, i int) (scope, id string) {
			return fmt.Sprint("talk ", order[c]), fmt.Sprintf("%d/%d", i, order[c])
		})
		if diff := cmp.Diff(want, got, closeTo); diff != "" {
			t.Fatal(diff)
		}
	})
}
