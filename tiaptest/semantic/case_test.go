package semantic_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

var semanticTargets = []tiaptest.Target{tiaptest.Source, tiaptest.Canonical}

func TestContested(t *testing.T) {
	t.Parallel()
	cases, err := semantic.Contested(audited(), tiaptest.Source)
	require.NoError(t, err)
	type row struct {
		query, memory string
		rank          int
		earns         bool
	}
	var rows []row
	for _, c := range cases {
		rows = append(rows, row{c.Query, c.Memory, c.Rank, c.Earns})
	}
	assert.Equal(t, []row{
		{"q1", "vague", 1, true}, {"q1", "dated", 3, false},
		{"q2", "both", 1, true}, {"q2", "vague", 2, false}, {"q2", "apple", 3, false},
	}, rows)
	assert.Equal(t, semantic.Case{
		Dataset: "orchard", System: "A", Target: "source", Query: "q1", Question: "When was the pear tree planted?", Answer: "in March",
		Memory: "vague", Form: "fact", Text: "There is a pear tree.", Rank: 1, Earns: true,
	}, cases[0])

	_, err = semantic.Contested(audited())
	require.ErrorContains(t, err, "no target")
	_, err = semantic.Contested(audited(), tiaptest.Exact(tiaptest.Source))
	require.ErrorContains(t, err, "no target exact(source)")
	none, err := semantic.Contested(audited(), tiaptest.Raw)
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestContests(t *testing.T) {
	t.Parallel()
	supported := func(of tiaptest.Target, o semantic.Options) tiaptest.Target { return semantic.Supported(of, nil, o) }
	for _, c := range []struct {
		target tiaptest.Target
		want   bool
	}{
		{tiaptest.Raw, false},
		{tiaptest.Source, true},
		{tiaptest.Canonical, true},
		{tiaptest.Current(tiaptest.Canonical), true},
		{tiaptest.Inferred(tiaptest.Raw), true},
		{tiaptest.NewTarget("supportedness", nil), true},
		{tiaptest.NewTarget("supported", nil), true},
		{supported(tiaptest.Canonical, semantic.Options{}), false},
		{supported(tiaptest.Canonical, semantic.Options{Partial: true}), false},
		{supported(tiaptest.Current(tiaptest.Source), semantic.Options{Judges: []string{"ann"}, Unlabelled: true}), false},
		{tiaptest.Current(tiaptest.Exact(supported(tiaptest.Source, semantic.Options{}))), false},
	} {
		assert.Equal(t, c.want, semantic.Contests(c.target), "%s", c.target)
	}
}

// TestContestedIsNotRaw compares what is contested with what Raw credits, for raw
// memories too that inherit turns or whose link is inferred.
func TestContestedIsNotRaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := must(tiaptest.Rescore(drawBundle(t), tiaptest.Targets(tiaptest.Raw, tiaptest.Source), tiaptest.Headline(tiaptest.Source), tiaptest.Resamples(100)))
		raw, contested, all := make(map[[2]string]bool), make(map[[2]string]bool), 0
		if found, err := a.Eligible("A", tiaptest.Raw); err == nil {
			for e := range found {
				raw[[2]string{e.Query.ID, e.Memory.ID}] = true
			}
		}
		found, err := a.Eligible("A", tiaptest.Source)
		if err != nil {
			t.Skip("no lineage")
		}
		for e := range found {
			if e.Rank > 0 {
				all++
			} else {
				delete(raw, [2]string{e.Query.ID, e.Memory.ID})
			}
		}
		for _, c := range must(semantic.Contested(a, tiaptest.Source)) {
			contested[[2]string{c.Query, c.Memory}] = true
		}
		for k := range contested {
			if raw[k] {
				t.Fatalf("%v is contested, and Raw credits it", k)
			}
		}
		if len(raw)+len(contested) != all {
			t.Fatalf("%d raw and %d contested of %d", len(raw), len(contested), all)
		}
	})
}

// drawBundle draws a system whose memories have any lineage.
func drawBundle(t *rapid.T) *tiaptest.Bundle {
	b := new(tiaptest.Bundle)
	turns := []string{"t1", "t2", "t3"}
	for _, turn := range turns {
		b.AddTurn(turn, "turn "+turn)
	}
	in := new(tiaptest.Ingest)
	var ids []string
	for i := range rapid.IntRange(1, 6).Draw(t, "memories") {
		m := tiaptest.Memory{ID: string(rune('a' + i)), Form: rapid.SampledFrom([]string{"raw", "fact"}).Draw(t, "form")}
		for _, turn := range turns {
			switch rapid.IntRange(0, 4).Draw(t, "link to "+turn) {
			case 3:
				m.Sources = append(m.Sources, tiaptest.Link{Turn: turn, Precision: rapid.SampledFrom([]string{"", "batch"}).Draw(t, "precision")})
			case 4:
				m.Sources = append(m.Sources, tiaptest.Link{Turn: turn, Origin: "inferred"})
			}
		}
		if i > 0 && rapid.Bool().Draw(t, "has a parent") {
			m.Parents = append(m.Parents, rapid.SampledFrom(ids).Draw(t, "parent"))
		}
		ids = append(ids, m.ID)
		in.Memories = append(in.Memories, m)
	}
	for _, q := range []string{"q1", "q2", "q3"} {
		query := tiaptest.Query{ID: q}
		for _, turn := range turns[:rapid.IntRange(1, 3).Draw(t, "evidence")] {
			query.Evidence = append(query.Evidence, tiaptest.Unit{Turns: []string{turn}})
		}
		b.Scenario.Queries = append(b.Scenario.Queries, query)
		ranking := rapid.Permutation(ids).Draw(t, "ranking")
		ranking = slices.Clone(ranking[:rapid.IntRange(1, len(ids)).Draw(t, "retrieved")])
		if err := in.Run.Add(tiaptest.Ranking{Query: q, IDs: ranking}); err != nil {
			t.Fatal(err)
		}
	}
	b.Systems = []*tiaptest.System{{Name: "A", Ingests: []*tiaptest.Ingest{in}}}
	return b
}

func TestBucket(t *testing.T) {
	t.Parallel()
	for rank, want := range map[int]string{1: "1-5", 5: "1-5", 6: "6-20", 20: "6-20", 21: "21-60", 60: "21-60", 61: "61-", 1000: "61-"} {
		assert.Equal(t, want, semantic.Case{Rank: rank}.Bucket(), rank)
	}
}

// TestSampleStrata draws differently from strata that are alike.
func TestSampleStrata(t *testing.T) {
	t.Parallel()
	var cases []semantic.Case
	for i := range 40 {
		for _, target := range []string{"source", "canonical"} {
			cases = append(cases, semantic.Case{Target: target, Memory: fmt.Sprint(i), Rank: 1})
		}
	}
	sample, _ := semantic.Sample(cases, 10, 1)
	drawn := make(map[string][]string)
	for _, c := range sample {
		drawn[c.Target] = append(drawn[c.Target], c.Memory)
	}
	assert.NotEqual(t, drawn["source"], drawn["canonical"])
}

func drawCases(t *rapid.T) (cases []semantic.Case) {
	for i := range rapid.IntRange(0, 60).Draw(t, "cases") {
		cases = append(cases, semantic.Case{
			Dataset: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "dataset"), Target: rapid.SampledFrom([]string{"source", "canonical"}).Draw(t, "target"),
			System: "A", Query: string(rune('a' + i%13)), Question: "?", Memory: string(rune('A' + i)), Text: "text " + string(rune('A'+i%40)),
			Rank: rapid.IntRange(1, 70).Draw(t, "rank"),
		})
	}
	return cases
}

// TestSampleProperties shows that a sample is drawn from each stratum by itself, and
// that the order of the cases changes nothing.
func TestSampleProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cases, n := drawCases(t), rapid.IntRange(0, 5).Draw(t, "n")
		sample, strata := semantic.Sample(cases, n, 7)
		shuffled, again := semantic.Sample(rapid.Permutation(cases).Draw(t, "order"), n, 7)
		require.Equal(t, sample, shuffled)
		require.Equal(t, strata, again)
		size := 0
		for _, s := range strata {
			in := func(c semantic.Case) bool {
				return c.Dataset == s.Dataset && c.Target == s.Target && c.Bucket() == s.Bucket
			}
			size += s.Size
			require.Equal(t, min(n, s.Size), s.Drawn)
			require.Equal(t, s.Size, count(cases, in))
			require.Equal(t, s.Drawn, count(sample, in))
			own, _ := semantic.Sample(slices.DeleteFunc(slices.Clone(cases), func(c semantic.Case) bool { return !in(c) }), n, 7)
			require.Equal(t, slices.DeleteFunc(slices.Clone(sample), func(c semantic.Case) bool { return !in(c) }), own)
		}
		require.Equal(t, len(cases), size)
	})
}

func count(cases []semantic.Case, in func(semantic.Case) bool) (n int) {
	for _, c := range cases {
		if in(c) {
			n++
		}
	}
	return n
}

// TestSampleIsFair draws one of four cases often; a chi-square with three degrees of
// freedom stays below 16.27 with chance 0.999.
func TestSampleIsFair(t *testing.T) {
	t.Parallel()
	cases := make([]semantic.Case, 4)
	for i := range cases {
		cases[i] = semantic.Case{Memory: string(rune('a' + i)), Rank: i + 1}
	}
	drawn := make(map[string]float64)
	const draws = 4000
	for seed := range uint64(draws) {
		sample, _ := semantic.Sample(cases, 1, seed)
		drawn[sample[0].Memory]++
	}
	chi := 0.0
	for _, c := range cases {
		d := drawn[c.Memory] - draws/4
		chi += d * d / (draws / 4)
	}
	assert.Less(t, chi, 16.27, "%v", drawn)
}
