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
