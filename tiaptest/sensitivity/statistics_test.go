package sensitivity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	var table sensitivity.Table
	for target, values := range map[string][]*float64{
		"raw":       {ptr(1.0), ptr(0.5), ptr(0.0), ptr(0.25), nil},
		"source":    {ptr(1.0), ptr(0.6), ptr(0.5), ptr(0.25), ptr(1.0)},
		"canonical": {nil, ptr(0.6), ptr(0.5), ptr(0.0), ptr(1.0)},
	} {
		for i, v := range values {
			require.NoError(t, table.Add(sensitivity.Score{
				System: "A", Target: target, Metric: "ndcg@10", Query: query(i), Value: v,
				Category: []string{"a", "a", "b", "", "c"}[i],
			}))
		}
	}
	type numbers struct {
		n, changed, large int
		abs, shift        float64
	}
	want := map[[3]string]numbers{
		{"raw", "source", ""}:        {4, 2, 2, 0.15, 0.15}, // 0.6-0.5 is 0.1, though not in float64
		{"raw", "source", "a"}:       {2, 1, 1, 0.05, 0.05},
		{"raw", "source", "b"}:       {1, 1, 1, 0.5, 0.5},
		{"raw", "source", "c"}:       {}, // undefined: no query is covered under both
		{"raw", "canonical", ""}:     {3, 3, 3, 0.85 / 3, 0.35 / 3},
		{"raw", "canonical", "a"}:    {1, 1, 1, 0.1, 0.1},
		{"raw", "canonical", "b"}:    {1, 1, 1, 0.5, 0.5},
		{"raw", "canonical", "c"}:    {},
		{"source", "canonical", ""}:  {4, 1, 1, 0.0625, -0.0625},
		{"source", "canonical", "a"}: {1, 0, 0, 0, 0},
		{"source", "canonical", "b"}: {1, 0, 0, 0, 0},
		{"source", "canonical", "c"}: {1, 0, 0, 0, 0},
	}
	r := analyze(t, &table)
	require.Len(t, r.Changes, len(want))
	for _, c := range r.Changes {
		w, ok := want[[3]string{c.Targets[0], c.Targets[1], c.Category}]
		require.True(t, ok, "%+v", c)
		assert.Equal(t, []int{w.n, w.changed, w.large}, []int{c.N, c.Changed, c.Large}, "%+v", c)
		if w.n == 0 {
			assert.Equal(t, sensitivity.Change{System: "A", Metric: "ndcg@10", Targets: c.Targets, Category: c.Category}, c)
			continue
		}
		near(t, float64(w.changed)/float64(w.n), c.ChangedShare)
		near(t, float64(w.large)/float64(w.n), c.LargeShare)
		near(t, w.abs, c.MeanAbs)
		near(t, w.shift, c.MeanShift)
	}
}

// A query is changed by more than 1e-9.
func TestChangedByRounding(t *testing.T) {
	t.Parallel()
	c := analyze(t, tableOf(t, row{"A", "raw", "ndcg", "0 0 0"}, row{"A", "source", "ndcg", "0 1e-9 1.1e-9"})).Changes[0]
	assert.Equal(t, 1, c.Changed)
}

// A target that has no value in a system hides none that stands after it.
func TestTargetWithoutValuesAmongOthers(t *testing.T) {
	t.Parallel()
	var rows []row
	for _, metric := range []string{"hit@5", "hit@10"} {
		rows = append(rows, row{"A", "raw", metric, "0 1 1 -"}, row{"A", "source", metric, "- - - -"}, row{"A", "canonical", metric, "1 1 0 1"})
	}
	table := tableOf(t, rows...)
	addSizes(t, table, "A", "raw", 1, 1, 1)
	addSizes(t, table, "A", "canonical", 1, 2, 3)
	addF1(t, table, "A", 0.1, 0.5, 0.3)
	r := analyze(t, table)
	both := [2]string{"raw", "canonical"}
	require.Len(t, r.Changes, 2)
	assert.Equal(t, both, r.Changes[0].Targets)
	require.Len(t, r.SizeShifts, 2)
	assert.Equal(t, both, r.SizeShifts[0].Targets)
	require.Len(t, r.Alignment, 2)
	require.Len(t, r.Alignment[0].Targets, 2)
	assert.Equal(t, "canonical", r.Alignment[0].Targets[1].Target)
	var covered []string
	for _, b := range r.CoverageBias[:3] {
		covered = append(covered, b.Target+" by "+b.Base+b.Answer)
	}
	assert.Equal(t, []string{"raw by f1", "canonical by raw", "canonical by f1"}, covered)
	require.Len(t, r.Depths, 1)
	require.Len(t, r.Depths[0].Cuts[0].Shifts, 1)
	assert.Equal(t, both, r.Depths[0].Cuts[0].Shifts[0].Targets)
}

// Two targets without a query in common hide none that stands after them.
func TestTargetsWithoutCommonQueries(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "hit", "0 1 -"}, row{"A", "source", "hit", "- - 1"}, row{"A", "canonical", "hit", "1 1 0"})
	for _, target := range []string{"raw", "source", "canonical"} {
		addSizes(t, table, "A", target, 1, 1, 1)
	}
	n := make(map[[2]string]int)
	for _, s := range analyze(t, table).SizeShifts {
		n[s.Targets] = s.N
	}
	assert.Equal(t, map[[2]string]int{{"raw", "canonical"}: 2, {"source", "canonical"}: 1}, n)
}

// A metric by which a system has no value hides none that stands after it.
func TestMetricWithoutValuesAmongOthers(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "hit", "0 1"}, row{"B", "raw", "hit", "1 1"}, row{"C", "raw", "ndcg", "0 1"})
	addF1(t, table, "A", 0.1, 0.5)
	addF1(t, table, "B", 0.2, 0.5)
	r := analyze(t, table)
	require.Equal(t, []string{"ndcg", "hit"}, r.Metrics)
	require.Len(t, r.Alignment, 2)
	assert.Equal(t, []string{"A", "hit", "B", "hit"}, []string{r.Alignment[0].System, r.Alignment[0].Metric, r.Alignment[1].System, r.Alignment[1].Metric})
	require.Len(t, r.WinnerMatches, 1)
	assert.Equal(t, "hit", r.WinnerMatches[0].Metric)
	require.Len(t, r.Power, 1)
	assert.Equal(t, "hit", r.Power[0].Metric)
}

// A system without values takes no part, and takes nothing from the others.
func TestSystemWithoutValues(t *testing.T) {
	t.Parallel()
	rows := []row{{"A", "raw", "hit", "0 1"}, {"A", "source", "hit", "1 1"}, {"B", "raw", "hit", "1 1"}, {"B", "source", "hit", "0 1"}}
	want := analyze(t, tableOf(t, rows...))
	got := analyze(t, tableOf(t, append(rows, row{"C", "raw", "hit", "- -"}, row{"C", "source", "hit", "- -"})...))
	assert.Equal(t, []string{"A", "B", "C"}, got.Systems)
	require.NotEmpty(t, want.Aggregations)
	assert.Equal(t, want.Aggregations, got.Aggregations)
	assert.Equal(t, want.Agreement, got.Agreement)
	assert.Equal(t, want.TargetOrders, got.TargetOrders)
	assert.Equal(t, want.Power, got.Power)
}

// A target that has no value in a system is in none of its comparisons.
func TestTargetWithoutValues(t *testing.T) {
	t.Parallel()
	r := analyze(t, tableOf(t, row{"A", "raw", "hit", "1 0"}, row{"A", "source", "hit", "1 1"}, row{"A", "canonical", "hit", "- -"},
		row{"B", "raw", "hit", "1 1"}, row{"B", "source", "hit", "1 1"}, row{"B", "canonical", "hit", "1 -"}))
	for _, c := range r.Changes {
		assert.False(t, c.System == "A" && c.Targets[1] == "canonical")
	}
	require.Len(t, r.Changes, 1+3)
	require.Len(t, r.TargetOrders, 2)
	// Of q0 alone: B has no value of q1 under Canonical.
	assert.Equal(t, []string{"raw=source"}, r.TargetOrders[0].Order)
	assert.Equal(t, []string{"raw=source=canonical"}, r.TargetOrders[1].Order)
	assert.Equal(t, 1, r.TargetOrders[0].N)
	// In comparisons of A and B it shrinks nothing.
	require.Len(t, r.Agreement, 2)
	assert.Equal(t, 2, r.Agreement[0].N)
	assert.NotContains(t, r.Agreement[0].Winners, "canonical")
}

func TestSizeShifts(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "ndcg", "0 0.5 0 0.25 0.1"}, row{"A", "source", "ndcg", "0 0.6 0.5 0.25 0.9"})
	addSizes(t, table, "A", "raw", 1, 1, 1, 1)
	addSizes(t, table, "A", "source", 1, 2, 3, 6)
	r := analyze(t, table)
	require.Len(t, r.SizeShifts, 1)
	s := r.SizeShifts[0]
	assert.Equal(t, 4, s.N, "of q4 no size is known")
	// Differences of sizes 0 1 2 5, shifts 0 0.1 0.5 0: -0.1 / √(14 · 0.17).
	near(t, -0.064820, s.Correlation)
	near(t, 0.01/2.38, s.R2)
	require.Len(t, s.Bins, 6)
	for i, want := range []sensitivity.SizeBin{{Difference: "<0"}, {Difference: "0", N: 1}, {Difference: "1", N: 1}, {Difference: "2", N: 1}, {Difference: "3"}, {Difference: "4+", N: 1}} {
		assert.Equal(t, want.Difference, s.Bins[i].Difference)
		assert.Equal(t, want.N, s.Bins[i].N)
		assert.Nil(t, s.Bins[i].T, "of one shift")
		assert.Equal(t, want.N == 0, s.Bins[i].MeanShift == nil)
	}
	near(t, 0.5, s.Bins[3].MeanShift)
}

func TestSizeShiftBins(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "ndcg", "0 0 0.5 0.5"}, row{"A", "canonical", "ndcg", "0.1 0.3 0.25 0.25"})
	addSizes(t, table, "A", "raw", 1, 1, 2, 2)
	addSizes(t, table, "A", "canonical", 4, 4, 1, 1)
	s := analyze(t, table).SizeShifts[0]
	// Shifts 0.1 and 0.3: mean 0.2, standard deviation √0.02, so t is 2.
	assert.Equal(t, 2, s.Bins[4].N)
	near(t, 0.2, s.Bins[4].MeanShift)
	near(t, 2, s.Bins[4].T)
	// Equal shifts have no standard deviation.
	assert.Equal(t, 2, s.Bins[0].N)
	near(t, -0.25, s.Bins[0].MeanShift)
	assert.Nil(t, s.Bins[0].T)
}

func TestSizeShiftsUndefined(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "ndcg", "0 0 0"}, row{"A", "source", "ndcg", "0.1 0.3 0.5"})
	assert.Empty(t, analyze(t, table).SizeShifts, "no sizes")
	addSizes(t, table, "A", "raw", 1, 1, 1)
	assert.Empty(t, analyze(t, table).SizeShifts, "sizes under one target")
	addSizes(t, table, "A", "source", 2, 2, 2)
	s := analyze(t, table).SizeShifts
	require.Len(t, s, 1)
	assert.Nil(t, s[0].Correlation, "the sizes do not vary")
	assert.Nil(t, s[0].R2)
	assert.NotNil(t, s[0].Bins[2].T)
}

func TestCoverageBias(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "ndcg", "0.2 0.4 0.6 0.8 -"}, row{"A", "source", "ndcg", "1 1 1 1 1"}, row{"A", "canonical", "ndcg", "1 1 - - 1"})
	addF1(t, table, "A", 1, 0, 0.5, 0.5, 0)
	r := analyze(t, table)
	byTarget := make(map[[2]string]sensitivity.CoverageBias)
	for _, b := range r.CoverageBias {
		byTarget[[2]string{b.Target, b.Answer}] = b
	}
	require.Len(t, byTarget, 5)

	b := byTarget[[2]string{"canonical", ""}]
	assert.Equal(t, "raw", b.Base)
	assert.Equal(t, []int{2, 2}, []int{b.Covered, b.Uncovered})
	near(t, 0.3, b.CoveredMean)
	near(t, 0.7, b.UncoveredMean)
	// Both variances are 0.02, so se is √0.02, t -2√2, with 2 degrees of freedom:
	// p = 1 - t/√(t²+2), and the interval reaches 4.302653 se to either side.
	near(t, -0.4, b.Gap.Value)
	near(t, 1-2.8284271247/3.1622776602, b.Gap.P)
	near(t, -0.4-4.3026527/7.0710678, &b.Gap.CI[0])
	near(t, -0.4+4.3026527/7.0710678, &b.Gap.CI[1])

	b = byTarget[[2]string{"canonical", "f1"}]
	assert.Equal(t, []int{3, 2}, []int{b.Covered, b.Uncovered})
	near(t, 1.0/3, b.CoveredMean)
	near(t, 1.0/3-0.5, b.Gap.Value)

	b = byTarget[[2]string{"source", ""}]
	assert.Equal(t, []int{4, 0}, []int{b.Covered, b.Uncovered})
	assert.Nil(t, b.UncoveredMean, "every query is covered")
	assert.Nil(t, b.Gap.Value)
	assert.Nil(t, b.Gap.P)

	assert.Empty(t, analyze(t, tableOf(t, row{"A", "raw", "hit", "- -"}, row{"A", "source", "hit", "1 -"})).CoverageBias, "nothing is known of Raw")
}

func TestTargetOrders(t *testing.T) {
	t.Parallel()
	rows := []row{
		{"A", "raw", "mrr", "0.1 0.3 1"}, {"A", "source", "mrr", "0.9 0.7 -"}, {"A", "canonical", "mrr", "1 0.6 1"},
		{"B", "raw", "mrr", "1 1 1"}, {"B", "source", "mrr", "0 0 1"}, {"B", "canonical", "mrr", "0 0.5 1"},
	}
	r := analyze(t, tableOf(t, rows...))
	require.Len(t, r.TargetOrders, 2)
	assert.Equal(t, 2, r.TargetOrders[0].N)
	near(t, 0.2, r.TargetOrders[0].Scores["raw"])
	assert.Equal(t, []string{"source=canonical", "raw"}, r.TargetOrders[0].Order)
	assert.Equal(t, []string{"raw", "canonical", "source"}, r.TargetOrders[1].Order)

	for values, order := range map[string]string{
		"0.1 0.3 0.2":          "source canonical raw",
		"0.5 0.5000000001 0.4": "raw=source canonical", // in the table's order
		"0 1e-9 0":             "raw=source=canonical",
		"0 1.1e-9 2e-9":        "source=canonical raw",
	} {
		v := strings.Fields(values)
		r := analyze(t, tableOf(t, row{"A", "raw", "mrr", v[0]}, row{"A", "source", "mrr", v[1]}, row{"A", "canonical", "mrr", v[2]}))
		assert.Equal(t, strings.Fields(order), r.TargetOrders[0].Order, values)
	}

	rows[1].values = "- - 1"
	rows[5].values = "0 0 -"
	assert.Empty(t, analyze(t, tableOf(t, rows...)).TargetOrders, "no query is shared")
}

func TestAggregations(t *testing.T) {
	t.Parallel()
	rows := []row{
		{"A", "raw", "ndcg", "0.9"}, {"A", "source", "ndcg", "0.2"}, {"A", "canonical", "ndcg", "0.4"},
		{"B", "raw", "ndcg", "0.5"}, {"B", "source", "ndcg", "0.3"}, {"B", "canonical", "ndcg", "0.6"},
	}
	r := analyze(t, tableOf(t, rows...))
	want := []struct {
		rule      string
		a, b      float64
		winner    string
		overrules []string
	}{
		{"mean", 0.5, 1.4 / 3, "A", []string{"source", "canonical"}},
		{"min", 0.2, 0.3, "B", []string{"raw"}},
		{"geometric", 0.4160168, 0.4481405, "B", []string{"raw"}}, // third roots of 0.072 and 0.09
		{"rank", 5.0 / 3, 4.0 / 3, "B", []string{"raw"}},
	}
	require.Len(t, r.Aggregations, len(want))
	for i, w := range want {
		got := r.Aggregations[i]
		assert.Equal(t, w.rule, got.Rule)
		near(t, w.a, got.Scores["A"], w.rule)
		near(t, w.b, got.Scores["B"], w.rule)
		assert.Equal(t, &w.winner, got.Winner, w.rule)
		assert.Equal(t, w.overrules, got.Overrules, w.rule)
	}

	// One system leads nothing; a score of 0 makes the geometric mean 0.
	rows[0].values = "0"
	for _, a := range analyze(t, tableOf(t, rows[:3]...)).Aggregations {
		assert.Nil(t, a.Winner)
		if a.Rule == "geometric" {
			assert.Equal(t, ptr(0.0), a.Scores["A"])
		}
	}
	assert.Empty(t, analyze(t, tableOf(t, rows[0])).Aggregations, "one target")
}

// Systems that are tied share their ranks, and a tie is no winner.
func TestAggregationOfTies(t *testing.T) {
	t.Parallel()
	r := analyze(t, tableOf(t,
		row{"A", "raw", "hit", "1 0"}, row{"A", "source", "hit", "1 1"},
		row{"B", "raw", "hit", "0 1"}, row{"B", "source", "hit", "1 1"},
		row{"C", "raw", "hit", "0 0"}, row{"C", "source", "hit", "0 1"},
	))
	for _, a := range r.Aggregations {
		assert.Nil(t, a.Winner, a.Rule)
		if a.Rule == "rank" {
			assert.Equal(t, map[string]*float64{"A": ptr(1.5), "B": ptr(1.5), "C": ptr(3.0)}, a.Scores)
		}
	}
}

func TestAgreement(t *testing.T) {
	t.Parallel()
	r := analyze(t, tableOf(t,
		row{"A", "raw", "ndcg", "1 0 0 0.5"}, row{"A", "source", "ndcg", "1 0.5 0 0.55"}, row{"A", "canonical", "ndcg", "0.95 0.5 0 0.6"},
	))
	require.Len(t, r.Agreement, 2)
	for i, by := range []string{"credit", "0.1"} {
		a := r.Agreement[i]
		assert.Equal(t, by, a.By)
		assert.Equal(t, []int{4, 3}, []int{a.N, a.Kept}, "all but q1")
		near(t, 0.75, a.Share)
		require.Len(t, a.Systems, 1)
		s := a.Systems[0]
		near(t, 0.375, s.Scores["raw"])
		near(t, 0.5125, s.Scores["source"])
		near(t, 0.1375, s.Spread)
		near(t, 0.5, s.KeptScores["raw"])
		near(t, 1.55/3, s.KeptScores["canonical"])
		near(t, 1.55/3-0.5, s.KeptSpread)
		assert.Equal(t, map[string]*string{"raw": nil, "source": nil, "canonical": nil}, a.Winners, "one system does not lead")
	}
}

// Scores that are 0.1 apart agree, to rounding.
func TestAgreementAtTheThreshold(t *testing.T) {
	t.Parallel()
	a := analyze(t, tableOf(t, row{"A", "raw", "ndcg", "0.3 0.3"}, row{"A", "source", "ndcg", "0.4 0.41"})).Agreement[1]
	assert.Equal(t, 1, a.Kept) // 0.4-0.3 is more than 0.1 in float64
}

// A query is kept when the targets agree in every system. Where none is kept,
// nothing is left to score.
func TestAgreementOverSystems(t *testing.T) {
	t.Parallel()
	rows := []row{
		{"A", "raw", "hit", "1 0 1"}, {"A", "source", "hit", "1 1 1"},
		{"B", "raw", "hit", "1 1 0"}, {"B", "source", "hit", "1 1 1"},
	}
	a := analyze(t, tableOf(t, rows...)).Agreement[0]
	assert.Equal(t, 1, a.Kept)
	rows[3].values = "0 1 1"
	a = analyze(t, tableOf(t, rows...)).Agreement[0]
	assert.Equal(t, 0, a.Kept)
	assert.Equal(t, ptr(0.0), a.Share)
	assert.Equal(t, ptr("A"), a.Winners["source"])
	assert.Nil(t, a.KeptWinners["source"])
	assert.Nil(t, a.Systems[0].KeptScores["raw"])
	assert.Nil(t, a.Systems[0].KeptSpread)
}

func TestAlignment(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "ndcg", "1 0 0.5 0 1"}, row{"A", "source", "ndcg", "0 1 1 - -"})
	addF1(t, table, "A", 0.8, 0.2, 0.5, 0.2)
	r := analyze(t, table)
	require.Len(t, r.Alignment, 1)
	a := r.Alignment[0]
	assert.Equal(t, "f1", a.Answer)
	assert.Equal(t, 3, a.Common)
	assert.Nil(t, a.Best, "three queries show nothing")
	require.Len(t, a.Targets, 2)

	raw := a.Targets[0]
	assert.Equal(t, []int{4, 2, 2}, []int{raw.N, raw.Hits, raw.Misses}, "q4 has no answer")
	near(t, 1, raw.Spearman) // ranks 4 1.5 3 1.5 of both
	near(t, 1, raw.CommonSpearman)
	assert.Nil(t, raw.SpearmanCI, "a correlation of 1 has no spread")
	near(t, 0.45, raw.Lift.Value) // 0.65 - 0.2
	assert.NotNil(t, raw.Lift.P)

	source := a.Targets[1]
	assert.Equal(t, []int{3, 2, 1}, []int{source.N, source.Hits, source.Misses})
	near(t, -1.5/1.7320508, source.Spearman) // ranks 1 2.5 2.5 and 3 1 2
	near(t, 0.35-0.8, source.Lift.Value)
	assert.Nil(t, source.Lift.P, "one miss")
}

// TestAlignmentBest names a target only where its scores surely go with the answers.
func TestAlignmentBest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw, source string
		best        *string
	}{
		"both against the answers": {"0.9 0.8 0.7 0.6 0.5 0.4 0.3 0.2", "0.9 0.8 0.7 0.6 0.5 0.4 0.2 0.3", nil},
		"positive, and not surely": {"0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.9", "0.9 0.1 0.8 0.2 0.7 0.3 0.9 0.4", nil},
		"surely":                   {"0.1 0.2 0.3 0.4 0.5 0.6 0.8 0.7", "0.9 0.1 0.8 0.2 0.7 0.3 0.9 0.4", ptr("raw")},
		"a correlation of 1":       {"0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8", "0.9 0.1 0.8 0.2 0.7 0.3 0.9 0.4", ptr("raw")},
		"of 1, over four queries":  {"0.1 0.2 0.3 0.4", "0.4 0.3 0.2 0.1", ptr("raw")},
		"of 1, over three queries": {"0.1 0.2 0.3", "0.3 0.2 0.1", nil},
	} {
		table := tableOf(t, row{"A", "raw", "hit", c.raw}, row{"A", "source", "hit", c.source})
		f1 := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}
		addF1(t, table, "A", f1[:len(strings.Fields(c.raw))]...)
		r := analyze(t, table)
		require.Len(t, r.Alignment, 1)
		assert.Equal(t, c.best, r.Alignment[0].Best, name)
		assert.Nil(t, r.Strangers)
	}
}

// TestStrangers counts the answers that fit nothing beside those that do. The first
// ten are named.
func TestStrangers(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "hit", "1 0"})
	addF1(t, table, "A", 0.1, 0.5)
	addF1(t, table, "D7", 0.1)
	require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: "nope", System: "D7", F1: ptr(0.5)}))
	r := analyze(t, table)
	assert.Equal(t, &sensitivity.Strangers{N: 2, Of: 4, First: []string{`"nope" of "D7"`, `"` + query(0) + `" of "D7"`}}, r.Strangers)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	assert.Contains(t, text.String(), "\n"+`2 of 4 answers fit no system and query of the scores and are left out: "nope" of "D7", "q0" of "D7"`+"\n")

	addF1(t, table, "D8", make([]float64, 10)...)
	text.Reset()
	require.NoError(t, analyze(t, table).WriteText(&text))
	assert.Contains(t, text.String(), "\n12 of 14 answers fit no system and query of the scores and are left out: ")
	assert.Contains(t, text.String(), `, "q7" of "D8" and 2 more`+"\n")
}

func TestAlignmentWithCorrectness(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "hit", "1 1 1 0 0 0"})
	for i, correct := range []bool{true, true, false, false, false, true} {
		require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: query(i), System: "A", Correct: &correct}))
	}
	r := analyze(t, table)
	require.Len(t, r.Alignment, 1)
	a := r.Alignment[0]
	assert.Equal(t, "correct", a.Answer)
	assert.Nil(t, a.Best, "one target")
	// Of a fourfold table 2 1 / 1 2 the correlation is phi, (4-1)/9.
	near(t, 1.0/3, a.Targets[0].Spearman)
	near(t, 1.0/3, a.Targets[0].Lift.Value)
	// tanh(atanh(1/3) ± 1.959964 √((1 + 1/18)/3))
	near(t, -0.672898, &a.Targets[0].SpearmanCI[0])
	near(t, 0.906791, &a.Targets[0].SpearmanCI[1])

	// An answer of another quality in another system changes nothing.
	addF1(t, table, "B", 1)
	require.NoError(t, table.Add(sensitivity.Score{System: "B", Target: "raw", Query: query(0), Metric: "hit", Value: ptr(1.0)}))
	r = analyze(t, table)
	require.Len(t, r.Alignment, 2)
	assert.Equal(t, a, r.Alignment[0])
	assert.Equal(t, []string{"B", "f1"}, []string{r.Alignment[1].System, r.Alignment[1].Answer})
	require.Len(t, r.CoverageBias, 2)
	assert.Equal(t, []string{"correct", "f1"}, []string{r.CoverageBias[0].Answer, r.CoverageBias[1].Answer})
}

// Four queries are the fewest that a correlation has an interval over.
func TestAlignmentOfFourQueries(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "hit", "1 1 0 0"})
	addF1(t, table, "A", 0.4, 0.1, 0.3, 0.2)
	a := analyze(t, table).Alignment[0].Targets[0]
	near(t, 0, a.Spearman)
	// tanh(±1.959964 √(1/1))
	near(t, -0.961087, &a.SpearmanCI[0])
	near(t, 0.961087, &a.SpearmanCI[1])
	table = tableOf(t, row{"A", "raw", "hit", "1 1 0"})
	addF1(t, table, "A", 0.3, 0.1, 0.2)
	a = analyze(t, table).Alignment[0].Targets[0]
	near(t, 0, a.Spearman)
	assert.Nil(t, a.SpearmanCI)
}

func TestAlignmentUndefined(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "hit", "1 1 1"}, row{"A", "source", "hit", "- - -"})
	assert.Empty(t, analyze(t, table).Alignment, "no answers")
	addF1(t, table, "A", 0.1, 0.5, 0.9)
	a := analyze(t, table).Alignment[0]
	require.Len(t, a.Targets, 1, "a target without values has no row")
	assert.Nil(t, a.Targets[0].Spearman, "the scores do not vary")
	assert.Nil(t, a.Targets[0].SpearmanCI)
	assert.Nil(t, a.Targets[0].Lift.Value, "no misses")
	assert.Nil(t, a.Best)
}

// Where neither hits nor misses vary there is nothing to tell chance from.
func TestLiftWithoutNoise(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "hit", "1 1 0 0"})
	addF1(t, table, "A", 1, 1, 0, 0)
	lift := analyze(t, table).Alignment[0].Targets[0].Lift
	assert.Equal(t, tiaptest.Gap{Value: ptr(1.0)}, lift)
}

func TestWinnerMatches(t *testing.T) {
	t.Parallel()
	table := tableOf(t,
		row{"A", "raw", "ndcg", "1 1 0 0"}, row{"A", "source", "ndcg", "0 0 1 1"}, row{"A", "canonical", "ndcg", "0.5 0.5 1 -"},
		row{"B", "raw", "ndcg", "0 0 1 0"}, row{"B", "source", "ndcg", "1 1 0 1"}, row{"B", "canonical", "ndcg", "1 0 1 1"},
	)
	addF1(t, table, "A", 1, 1, 0.5, 0)
	assert.Empty(t, analyze(t, table).WinnerMatches, "answers of one system")
	addF1(t, table, "B", 0.5, 0.5, 0.5, 1)
	r := analyze(t, table)
	require.Len(t, r.WinnerMatches, 1)
	assert.Equal(t, sensitivity.WinnerMatch{
		A: "A", B: "B", Metric: "ndcg", Answer: "f1", N: 3,
		AnswerGap: r.WinnerMatches[0].AnswerGap, AnswerWinner: ptr("A"),
		Winners: map[string]*string{"raw": ptr("A"), "source": ptr("B"), "canonical": nil},
		Matches: map[string]*bool{"raw": ptr(true), "source": ptr(false), "canonical": nil},
	}, r.WinnerMatches[0])
	near(t, 2.5/3-0.5, r.WinnerMatches[0].AnswerGap)
}

func TestRecommendationOfConventions(t *testing.T) {
	t.Parallel()
	var table sensitivity.Table
	add := func(system, family, target string, values ...*float64) {
		for i, v := range values {
			require.NoError(t, table.Add(sensitivity.Score{System: system, Family: family, Target: target, Metric: "hit", Query: query(i), Value: v}))
		}
	}
	one, zero := ptr(1.0), ptr(0.0)
	add("D1", "density", "raw", one, zero, zero)
	add("D1", "density", "canonical", one, nil, nil)
	add("D5", "density", "raw", zero, one, one)
	add("D5", "density", "canonical", zero, one, nil)
	add("other", "", "raw", one)
	add("alone", "single", "raw", one)
	r := analyze(t, &table)
	require.Len(t, r.Conventions, 3)

	shared := r.Conventions[0]
	assert.Equal(t, "shared", shared.Population)
	assert.Equal(t, 1, shared.N)
	assert.Equal(t, map[string]*string{"raw": ptr("D1"), "canonical": ptr("D1")}, shared.Recommended)
	assert.False(t, shared.Flip)

	all := r.Conventions[1]
	assert.Equal(t, "all", all.Population)
	assert.Equal(t, 3, all.N)
	near(t, 1.0/3, all.Scores["canonical"]["D5"])
	assert.Equal(t, map[string]*string{"raw": ptr("D5"), "canonical": nil}, all.Recommended, "a tie under canonical")
	assert.False(t, all.Flip)

	covered := r.Conventions[2]
	assert.Equal(t, "covered", covered.Population)
	assert.Zero(t, covered.N)
	assert.Equal(t, map[string]map[string]int{"raw": {"D1": 3, "D5": 3}, "canonical": {"D1": 1, "D5": 2}}, covered.Queries)
	assert.Equal(t, map[string]*string{"raw": ptr("D5"), "canonical": ptr("D1")}, covered.Recommended)
	assert.True(t, covered.Flip)
}
