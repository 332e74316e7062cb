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

// Copies of a run go on by themselves: each holds what was added to it alone.
func TestRunCopies(t *testing.T) {
	t.Parallel()
	queries := []string{"q0", "q1", "q2", "q3", "q4"}
	rapid.Check(t, func(t *rapid.T) {
		runs, want := []tiaptest.Run{{}}, [][]string{nil}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			i := rapid.IntRange(0, len(runs)-1).Draw(t, "run")
			if rapid.IntRange(0, 3).Draw(t, "copy") == 0 {
				runs, want = append(runs, runs[i]), append(want, slices.Clone(want[i]))
				continue
			}
			q := rapid.SampledFrom(queries).Draw(t, "query")
			err := runs[i].Add(tiaptest.Ranking{Query: q, IDs: []string{"m" + q, "m"}})
			require.Equal(t, slices.Contains(want[i], q), err != nil)
			if err == nil {
				want[i] = append(want[i], q)
			}
		}
		for i := range runs {
			var got []string
			for k := range runs[i].All() {
				got = append(got, k.Query)
				require.Equal(t, []string{"m" + k.Query, "m"}, k.IDs)
			}
			require.Equal(t, want[i], got)
			for _, q := range queries {
				k, ok := runs[i].Ranking(q)
				require.Equal(t, slices.Contains(want[i], q), ok)
				if ok {
					require.Equal(t, q, k.Query)
				}
			}
		}
	})
}

// A query that was added to a copy alone is absent from the run, whether the scenario
// can score it or not.
func TestAuditOfRunCopies(t *testing.T) {
	t.Parallel()
	for _, evidence := range [][]tiaptest.Unit{nil, {{Turns: []string{"t"}}}} {
		var run tiaptest.Run
		require.NoError(t, run.Add(tiaptest.Ranking{Query: "q0", IDs: []string{"m"}}))
		more := run
		require.NoError(t, more.Add(tiaptest.Ranking{Query: "q1", IDs: []string{"m"}}))
		memories := []tiaptest.Memory{{ID: "m", Form: "fact", Sources: []tiaptest.Link{{Turn: "t"}}}}
		a, err := tiaptest.Rescore(&tiaptest.Bundle{
			Scenario: tiaptest.Scenario{Queries: []tiaptest.Query{{ID: "q0", Evidence: []tiaptest.Unit{{Turns: []string{"t"}}}}, {ID: "q1", Evidence: evidence}}},
			Systems: []*tiaptest.System{
				{Name: "run", Ingests: []*tiaptest.Ingest{{Memories: memories, Run: run}}},
				{Name: "more", Ingests: []*tiaptest.Ingest{{Memories: memories, Run: more}}},
			},
		}, tiaptest.Population("all"))
		require.NoError(t, err)
		values := func(system string) map[string]float64 {
			v, err := a.PerQuery(system, tiaptest.Canonical, tiaptest.MRR(60))
			require.NoError(t, err)
			return v
		}
		if evidence == nil {
			assert.Equal(t, map[string]float64{"q0": 1}, values("run"))
			assert.Equal(t, map[string]float64{"q0": 1}, values("more"))
			continue
		}
		assert.Equal(t, map[string]float64{"q0": 1, "q1": 0}, values("run"))
		assert.Equal(t, map[string]float64{"q0": 1, "q1": 1}, values("more"))
	}
}

// manyQueries is a bundle of one system, with a memory for each query.
func manyQueries(n int) *tiaptest.Bundle {
	b, in := &tiaptest.Bundle{}, &tiaptest.Ingest{}
	for i := range n {
		turn, query, memory := fmt.Sprint("t", i), fmt.Sprint("q", i), fmt.Sprint("m", i)
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: query, Evidence: []tiaptest.Unit{{Turns: []string{turn}}}})
		in.Memories = append(in.Memories, tiaptest.Memory{ID: memory, Form: "fact", Sources: []tiaptest.Link{{Turn: turn}}})
		if err := in.Run.Add(tiaptest.Ranking{Query: query, IDs: []string{memory}}); err != nil {
			panic(err)
		}
	}
	b.Systems = []*tiaptest.System{{Name: "s", Ingests: []*tiaptest.Ingest{in}}}
	return b
}

// When an option is refused, nothing reads the bundle any more, as the race detector
// would tell.
func TestRefusedOptionLeavesTheBundle(t *testing.T) {
	t.Parallel()
	for range 5 {
		b := manyQueries(2000)
		_, err := tiaptest.Rescore(b, tiaptest.Depth(-1))
		require.Error(t, err)
		b.Scenario.Queries[0].Text = "mended"
		b.Systems[0].Ingests[0].Memories[0].Form = "raw"
		a, err := tiaptest.Rescore(b)
		require.NoError(t, err)
		_, err = a.With(tiaptest.Depth(7), tiaptest.Alpha(-1))
		require.Error(t, err)
		b.Scenario.Queries[0].Text = "mended again"
		b.Systems[0].Ingests[0].Memories[0].Form = "fact"
	}
}
