package tiaptest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestRawHoldsTheTurnItself credits a raw memory for a turn of its own, and not
// for one that it inherits from a parent.
func TestRawHoldsTheTurnItself(t *testing.T) {
	t.Parallel()
	b := new(tiaptest.Bundle)
	b.AddTurn("t1", "first").AddTurn("t2", "second").AddQuery("own", "?", "first").AddQuery("inherited", "?", "second")
	s := b.AddSystem("A", "").AddMemory("r2", "raw", "t2")
	s.Ingests[0].Memories = append(s.Ingests[0].Memories, tiaptest.Memory{
		ID: "r1", Form: "raw", Sources: []tiaptest.Link{{Turn: "t1"}}, Parents: []string{"r2"},
	})
	s.AddRanking("own", "r1").AddRanking("inherited", "r1")
	a, err := tiaptest.Rescore(b)
	require.NoError(t, err)
	raw, err := a.PerQuery("A", tiaptest.Raw, tiaptest.Top1())
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"own": 1, "inherited": 0}, raw)
	source, err := a.PerQuery("A", tiaptest.Source, tiaptest.Top1())
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"own": 1, "inherited": 1}, source)
}

// TestNewTargetSeesTheUnit hands a user's rule the unit with its id, and the
// links to its turns alone.
func TestNewTargetSeesTheUnit(t *testing.T) {
	t.Parallel()
	b := new(tiaptest.Bundle)
	b.Scenario.Queries = []tiaptest.Query{{ID: "q", Evidence: []tiaptest.Unit{{ID: "u1", Turns: []string{"t2", "t1"}}}}}
	s := b.AddSystem("A", "").AddMemory("f", "fact", "t1", "t3")
	s.AddRanking("q", "f")
	var units []tiaptest.Unit
	var links []tiaptest.Link
	own := tiaptest.NewTarget("own", func(m tiaptest.Memory, ls []tiaptest.Link, u tiaptest.Unit) bool {
		units, links = append(units, u), append(links, ls...)
		return true
	})
	_, err := tiaptest.Rescore(b, tiaptest.Targets(own, tiaptest.Source))
	require.NoError(t, err)
	require.NotEmpty(t, units)
	assert.Equal(t, "u1", units[0].ID)
	assert.ElementsMatch(t, []string{"t1", "t2"}, units[0].Turns)
	assert.Equal(t, tiaptest.Link{Turn: "t1", Precision: "exact", Origin: "recorded"}, links[0])
}

// TestUnknownCategory refuses a category that no query has, also beside others: a
// typing error would shrink the population unseen.
func TestUnknownCategory(t *testing.T) {
	t.Parallel()
	b := density()
	b.Scenario.Queries[0].Category = "time"
	_, err := tiaptest.Rescore(b, tiaptest.Where("time"))
	require.NoError(t, err)
	_, err = tiaptest.Rescore(b, tiaptest.Where("time", "tmie"))
	require.EqualError(t, err, `no query has the category "tmie"; the categories are "", "time"`)

	for i := range b.Scenario.Queries {
		b.Scenario.Queries[i].Category = ""
	}
	_, err = tiaptest.Rescore(b, tiaptest.Where("time"))
	require.ErrorContains(t, err, `no query has the category "time"; the queries have no category`)
	for i := range 22 {
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: fmt.Sprint("more", i), Category: fmt.Sprintf("c%02d", i)})
	}
	_, err = tiaptest.Rescore(b, tiaptest.Where("time"))
	require.ErrorContains(t, err, `"c17", "c18" and 3 more`)
}

// TestNamedTwice refuses systems and categories that are named twice, as metrics
// and targets are.
func TestNamedTwice(t *testing.T) {
	t.Parallel()
	_, err := tiaptest.Rescore(density(), tiaptest.Systems("D1", "D5", "D1", "D1"), tiaptest.Where("", ""))
	require.EqualError(t, err, "system \"D1\" is named twice; name it once\nsystem \"D1\" is named twice; name it once\ncategory \"\" is named twice; name it once")
}

// TestOneClusterHasNoInterval leaves the interval undefined where a single scope
// would be drawn again and again.
func TestOneClusterHasNoInterval(t *testing.T) {
	t.Parallel()
	for _, scopes := range [][]string{{"a", "a"}, {"a", "b"}} {
		b := density()
		for i := range b.Scenario.Queries {
			b.Scenario.Queries[i].Scope = scopes[i]
		}
		a, err := tiaptest.Rescore(b, tiaptest.Cluster())
		require.NoError(t, err)
		p, err := a.Pair("D1", "D5", tiaptest.NDCG(60))
		require.NoError(t, err)
		g, ok := p.Gap(tiaptest.Raw)
		require.True(t, ok)
		require.NotNil(t, g.Value)
		assert.Equal(t, scopes[0] != scopes[1], g.CI != nil, scopes)
	}
}

// TestFormLikeRaw refuses a form that looks like raw: taken as derived, it would earn
// credit under Canonical.
func TestFormLikeRaw(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"Raw", "RAW", "raw ", "\traw", " Raw\n"} {
		b := density()
		b.Systems[0].AddMemory("m9", form, "t1")
		_, err := tiaptest.Rescore(b)
		require.EqualError(t, err, fmt.Sprintf(`system D1: memory "m9" has the form %q; write "raw", or name a derived form otherwise; the two are credited differently`, form))
	}
}

// TestTargetOfAnAudit: the methods of an audit and the rules refuse a target that was made
// in another way than the audit's of that name, and take one that may be the same.
func TestTargetOfAnAudit(t *testing.T) {
	t.Parallel()
	never := func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return false }
	all := func(string, tiaptest.Query, tiaptest.Memory) bool { return true }
	labels := func(string, tiaptest.Query, tiaptest.Memory) tiaptest.Labelling {
		return tiaptest.Labelling{Earns: true}
	}
	own, exact := tiaptest.NewTarget("own", never), tiaptest.Exact(tiaptest.Source)
	kept := tiaptest.Passing("kept", tiaptest.Raw, all)
	a := must(tiaptest.Rescore(density(), tiaptest.Targets(tiaptest.Raw, tiaptest.Source, tiaptest.Canonical, own, exact), tiaptest.Beside(kept)))
	top1 := tiaptest.Top1()
	for _, tt := range []struct {
		target tiaptest.Target
		says   string // empty where it is the audit's
	}{
		{target: tiaptest.Raw},
		{target: tiaptest.NewTarget("raw", nil)},
		{target: tiaptest.NewTarget("own", nil)},
		{target: tiaptest.NewTarget("own", func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true })},
		{target: exact},
		{target: tiaptest.Exact(tiaptest.NewTarget("source", nil))},
		{target: kept},
		{tiaptest.NewTarget("raw", never), "the target raw of the audit is Raw, the one that is asked for is NewTarget;"},
		{tiaptest.Exact(tiaptest.NewTarget("source", never)), "the target exact(source) of the audit is Source with Exact, the one that is asked for is NewTarget with Exact;"},
		{tiaptest.NewTarget("exact(source)", never), "the one that is asked for is NewTarget;"},
		{tiaptest.Labelled("kept", tiaptest.Raw, 0, labels), "the target kept(raw) of the audit is Raw with Passing, the one that is asked for is Raw with Labelled;"},
		{tiaptest.Passing("kept", tiaptest.NewTarget("raw", never), all), "the one that is asked for is NewTarget with Passing;"},
		{tiaptest.NewTarget("other", never), "the audit has no target other; it has raw,source,canonical,own,exact(source),kept(raw)"},
	} {
		var errs []error
		_, err := a.PerQuery("D1", tt.target, top1)
		errs = append(errs, err)
		_, err = a.PerIngest("D1", tt.target, top1)
		errs = append(errs, err)
		_, err = a.Eligible("D1", tt.target)
		errs = append(errs, err)
		if tt.says != "" { // scores of what covers nothing are undefined
			_, err = a.Score("D1", tt.target, top1)
			errs = append(errs, err,
				a.Verify(tiaptest.MinScore("D1", tt.target, top1, 0)), a.Verify(tiaptest.MinCoverage(tt.target, 0.1)),
				a.Verify(tiaptest.Winner("D1", tt.target, top1)), a.Verify(tiaptest.EachQuery(top1, tt.target, 1)))
		}
		for i, err := range errs {
			if tt.says == "" {
				assert.NoError(t, err, "%d: %s", i, tt.target)
			} else {
				assert.ErrorContains(t, err, tt.says, "%d: %s", i, tt.target)
			}
		}
	}
	// What qrels judge has no rule to compare.
	b, err := tiaptest.TREC{
		Qrels: map[string]string{"raw": writeFile(t, "qrels", "q1 0 m1 1\n")}, Runs: map[string]string{"A": writeFile(t, "run", "q1 Q0 m1 1 1 a\n")},
	}.Open()
	require.NoError(t, err)
	judged := must(tiaptest.Rescore(b))
	for _, target := range []tiaptest.Target{tiaptest.Raw, tiaptest.NewTarget("raw", never), judged.Targets()[0]} {
		assert.Equal(t, 1.0, must(judged.Score("A", target, top1)))
	}
}
