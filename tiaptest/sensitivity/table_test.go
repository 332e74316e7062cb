package sensitivity_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

func ptr[T any](v T) *T { return &v }

// row holds the values of the queries q0, q1, ... of one system under one target,
// separated by spaces; "-" is a query that is not covered.
type row struct{ system, target, metric, values string }

func tableOf(t testing.TB, rows ...row) *sensitivity.Table {
	t.Helper()
	var table sensitivity.Table
	for _, r := range rows {
		for i, text := range strings.Fields(r.values) {
			s := sensitivity.Score{System: r.system, Target: r.target, Metric: r.metric, Query: query(i)}
			if text != "-" {
				v, err := strconv.ParseFloat(text, 64)
				require.NoError(t, err)
				s.Value = &v
			}
			require.NoError(t, table.Add(s))
		}
	}
	return &table
}

func query(i int) string { return "q" + strconv.Itoa(i) }

// addSizes adds target-set sizes of the queries q0, q1, ...
func addSizes(t testing.TB, table *sensitivity.Table, system, target string, sizes ...int) {
	t.Helper()
	for i, n := range sizes {
		require.NoError(t, table.Add(sensitivity.Score{System: system, Target: target, Query: query(i), Size: &n}))
	}
}

// addF1 adds the F1 of answers to the queries q0, q1, ...
func addF1(t testing.TB, table *sensitivity.Table, system string, f1 ...float64) {
	t.Helper()
	for i, v := range f1 {
		require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: query(i), System: system, F1: &v}))
	}
}

// near compares a statistic with a number reckoned by hand.
func near(t testing.TB, want float64, got *float64, what ...any) {
	t.Helper()
	require.NotNil(t, got, what...)
	assert.InDelta(t, want, *got, 1e-6, what...)
}

func TestTableAddRefuses(t *testing.T) {
	t.Parallel()
	good := sensitivity.Score{System: "A", Family: "f", Target: "raw", Query: "q", Metric: "hit", Category: "c", Value: ptr(1.0), Size: ptr(2)}
	with := func(change func(*sensitivity.Score)) sensitivity.Score {
		s := good
		change(&s)
		return s
	}
	tests := map[string]struct {
		score sensitivity.Score
		want  string // empty: it is added
	}{
		"another query":   {with(func(s *sensitivity.Score) { s.Query = "p"; s.Category = "d"; s.Size = ptr(1) }), ""},
		"another metric":  {with(func(s *sensitivity.Score) { s.Metric = "top1"; s.Value = nil }), ""},
		"says less":       {with(func(s *sensitivity.Score) { s.Target = "source"; s.Family, s.Category, s.Size = "", "", nil }), ""},
		"a size alone":    {sensitivity.Score{System: "A", Target: "source", Query: "q", Size: ptr(0)}, ""},
		"no system":       {with(func(s *sensitivity.Score) { s.System = "" }), `no "system"`},
		"no target":       {with(func(s *sensitivity.Score) { s.Target = "" }), `no "target"`},
		"no query":        {with(func(s *sensitivity.Score) { s.Query = "" }), `no "query"`},
		"no metric":       {with(func(s *sensitivity.Score) { s.Metric = "" }), `no "metric"`},
		"nothing":         {sensitivity.Score{System: "A", Target: "raw", Query: "q"}, `no "metric"`},
		"a percentage":    {with(func(s *sensitivity.Score) { s.Query = "p"; s.Value = ptr(50.0) }), "hit of query \"p\" under raw in system \"A\" is 50; metrics lie in [0, 1]"},
		"negative":        {with(func(s *sensitivity.Score) { s.Query = "p"; s.Value = ptr(-0.1) }), "is -0.1"},
		"NaN":             {with(func(s *sensitivity.Score) { s.Query = "p"; s.Value = ptr(math.NaN()) }), "is NaN"},
		"twice uncovered": {with(func(s *sensitivity.Score) { s.Target, s.Value = "canonical", nil }), "stands twice"},
		"negative size":   {with(func(s *sensitivity.Score) { s.Query = "p"; s.Size = ptr(-1) }), "has size -1"},
		"twice":           {good, "stands twice"},
		"other family":    {with(func(s *sensitivity.Score) { s.Query = "p"; s.Family = "g" }), `system "A" has two family names, "f" and "g"`},
		"other category":  {with(func(s *sensitivity.Score) { s.Metric = "top1"; s.Category = "d" }), `query "q" has two category names, "c" and "d"`},
		"other size":      {with(func(s *sensitivity.Score) { s.Metric = "top1"; s.Size = ptr(3) }), "has two sizes, 2 and 3"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var table sensitivity.Table
			require.NoError(t, table.Add(good, with(func(s *sensitivity.Score) { s.Target, s.Value = "canonical", nil })))
			err := table.Add(test.score)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

// All refusals are reported, and what is sound is added.
func TestTableAddReportsAll(t *testing.T) {
	t.Parallel()
	var table sensitivity.Table
	err := table.Add(
		sensitivity.Score{Target: "raw", Query: "q", Metric: "hit"},
		sensitivity.Score{System: "A", Target: "raw", Query: "q", Metric: "hit", Value: ptr(1.0)},
		sensitivity.Score{System: "A", Target: "raw", Query: "q", Metric: "hit", Value: ptr(0.0)},
	)
	require.ErrorContains(t, err, `no "system"`)
	require.ErrorContains(t, err, "stands twice")
	assert.Equal(t, []string{"A"}, analyze(t, &table).Systems)
}

// What an earlier score said of a system and a query holds for later ones that
// say less.
func TestTableKeepsWhatWasSaid(t *testing.T) {
	t.Parallel()
	var table sensitivity.Table
	for _, s := range []sensitivity.Score{
		{System: "A", Family: "f", Target: "raw", Query: "q", Metric: "hit", Category: "c", Value: ptr(0.0)},
		{System: "A", Target: "source", Query: "q", Metric: "hit", Value: ptr(1.0)},
		{System: "B", Target: "raw", Query: "q", Metric: "hit", Value: ptr(1.0)},
		{System: "B", Family: "f", Target: "source", Query: "q", Metric: "hit", Value: ptr(1.0)},
	} {
		require.NoError(t, table.Add(s))
	}
	r := analyze(t, &table)
	assert.Len(t, r.Conventions, 3)
	assert.Equal(t, "c", r.Changes[1].Category)
}

// The table keeps copies and leaves what it is given as it is.
func TestTableKeepsCopies(t *testing.T) {
	t.Parallel()
	v, f1, correct := 1.0, 1.0, true
	scores := []sensitivity.Score{
		{System: "A", Family: "f", Target: "raw", Query: "q", Metric: "hit", Category: "c", Value: &v},
		{System: "A", Target: "source", Query: "q", Metric: "hit", Value: &v},
	}
	var table sensitivity.Table
	require.NoError(t, table.Add(scores...))
	require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: "q", System: "A", F1: &f1, Correct: &correct}))
	assert.Empty(t, scores[1].Family)
	assert.Empty(t, scores[1].Category)
	before := analyze(t, &table)
	v, f1, correct = 0, 0, false
	assert.Equal(t, before, analyze(t, &table))
	near(t, 1, before.CoverageBias[0].CoveredMean)
}

func TestTableAddAnswersRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer sensitivity.Answer
		want   string
	}{
		"F1 alone":      {sensitivity.Answer{Query: "p", System: "A", F1: ptr(0.0)}, ""},
		"correct alone": {sensitivity.Answer{Query: "p", System: "A", Correct: ptr(false)}, ""},
		"other system":  {sensitivity.Answer{Query: "q", System: "B", F1: ptr(1.0)}, ""},
		"no query":      {sensitivity.Answer{System: "A", F1: ptr(1.0)}, `no "query"`},
		"no system":     {sensitivity.Answer{Query: "p", F1: ptr(1.0)}, `no "system"`},
		"no quality":    {sensitivity.Answer{Query: "p", System: "A"}, `give "f1", "correct" or both`},
		"a percentage":  {sensitivity.Answer{Query: "p", System: "A", F1: ptr(70.0)}, "has f1 70"},
		"NaN":           {sensitivity.Answer{Query: "p", System: "A", F1: ptr(math.NaN())}, "has f1 NaN"},
		"twice":         {sensitivity.Answer{Query: "q", System: "A", F1: ptr(1.0)}, "stands twice"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var table sensitivity.Table
			require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: "q", System: "A", Correct: ptr(true)}))
			err := table.AddAnswers(test.answer)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestAnalyzeRefuses(t *testing.T) {
	t.Parallel()
	var empty sensitivity.Table
	_, err := sensitivity.Analyze(&empty)
	require.ErrorContains(t, err, "no scores")
	addSizes(t, &empty, "A", "raw", 1)
	_, err = sensitivity.Analyze(&empty)
	require.ErrorContains(t, err, "no scores")

	table := tableOf(t, row{"A", "raw", "hit", "1"})
	require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: "conv/q0", System: "A", F1: ptr(1.0)}))
	_, err = sensitivity.Analyze(table)
	require.ErrorContains(t, err, "not one answer")
	addF1(t, table, "A", 1)
	_, err = sensitivity.Analyze(table)
	require.NoError(t, err, "answers to other queries are not used")
}

// Targets stand in the order of the protocol, metrics by importance and cut-off.
func TestReportOrder(t *testing.T) {
	t.Parallel()
	r := analyze(t, tableOf(t,
		row{"B", "zeta", "top1", "1"}, row{"B", "canonical", "hit@10", "1"}, row{"A", "alpha", "ndcg@60", "1"},
		row{"A", "raw", "ndcg@5", "1"}, row{"A", "source", "own", "1"}, row{"A", "source", "ndcg@10", "1"},
		row{"A", "raw", "ndcg@0", "1"}, row{"A", "raw", "ndcg@99999999999999999999", "1"}, // no cut-offs
	))
	assert.Equal(t, []string{"A", "B"}, r.Systems)
	assert.Equal(t, []string{"raw", "source", "canonical", "alpha", "zeta"}, r.Targets)
	assert.Equal(t, []string{"ndcg@5", "ndcg@10", "ndcg@60", "hit@10", "top1", "ndcg@0", "ndcg@99999999999999999999", "own"}, r.Metrics)
	assert.Equal(t, 1, r.Queries)
}
