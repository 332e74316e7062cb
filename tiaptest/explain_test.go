package tiaptest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// talk is one question about two turns and the memories of one system, in its
// ranking as they are named.
func talk(memories []tiaptest.Memory, ranking ...string) *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{
		Name: "talk", Headline: "canonical",
		Turns: []tiaptest.Turn{{ID: "t1", Text: "We moved to Oslo."}, {ID: "t2", Text: "Kim came \"too\"."}, {ID: "t3", Text: "Hello."}},
		Queries: []tiaptest.Query{{
			ID: "q1", Text: "Who lives in Oslo?", Category: "2", Answer: "We and Kim",
			Evidence: []tiaptest.Unit{{Turns: []string{"t1"}}, {Turns: []string{"t2"}}},
		}},
	}}
	in := &tiaptest.Ingest{Memories: memories}
	if err := in.Run.Add(tiaptest.Ranking{Query: "q1", IDs: ranking}); err != nil {
		panic(err)
	}
	b.Systems = []*tiaptest.System{{Name: "A", Ingests: []*tiaptest.Ingest{in}}}
	return b
}

func raw(id string, turns ...string) tiaptest.Memory { return memory(id, "raw", turns...) }

func fact(id string, turns ...string) tiaptest.Memory { return memory(id, "fact", turns...) }

func memory(id, form string, turns ...string) tiaptest.Memory {
	m := tiaptest.Memory{ID: id, Form: form}
	for _, t := range turns {
		m.Sources = append(m.Sources, tiaptest.Link{Turn: t})
	}
	return m
}

// memories are some memories, the last one changed.
func memories(change func(*tiaptest.Memory), ms ...tiaptest.Memory) []tiaptest.Memory {
	change(&ms[len(ms)-1])
	return ms
}

// explainCase is a query. What explains it is compared with
// testdata/explain/<name>.golden.
type explainCase struct {
	name   string
	bundle *tiaptest.Bundle
	open   func(dir string) (*tiaptest.Bundle, error) // in place of bundle
	opts   tiaptest.Options
	query  string // q1 when empty
}

func explainCases() []explainCase {
	ranks := func(n int) []string {
		var ids []string
		for i := range n {
			ids = append(ids, fmt.Sprintf("x%d", i+1))
		}
		return ids
	}
	wide := func(ids ...string) []tiaptest.Memory { // memories of the third turn, and two others
		ms := []tiaptest.Memory{raw("r1", "t1"), fact("f1", "t1"), fact("f2", "t2")}
		for _, id := range ranks(20) {
			ms = append(ms, raw(id, "t3"))
		}
		return ms
	}
	not := func(m *tiaptest.Memory) { m.NotServing = true }
	old := func(m *tiaptest.Memory) { m.Status = "superseded" }
	current := tiaptest.Options{tiaptest.Beside(tiaptest.Current(tiaptest.Canonical))}
	link := func(precision, origin string) func(*tiaptest.Memory) {
		return func(m *tiaptest.Memory) { m.Sources[0].Precision, m.Sources[0].Origin = precision, origin }
	}
	only := func(ts ...tiaptest.Target) tiaptest.Options {
		return tiaptest.Options{tiaptest.Targets(ts...), tiaptest.Headline(ts[0])}
	}
	return []explainCase{
		{name: "credited", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f1", "t1"), raw("r2", "t2"), fact("f2", "t2")}, "r1", "f2", "f1", "r2")},
		{name: "not-stored", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f1", "t1"), fact("x", "t3")}, "x", "r1", "f1")},
		{name: "stored-in-other-forms", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f1", "t1"), raw("r2", "t2")}, "r1", "r2", "f1")},
		{name: "stored-in-other-forms-only", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("x", "t3")}, "r1"), opts: only(tiaptest.Canonical, tiaptest.Source)},
		{name: "no-target-credits", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f2", "t2")}, "r1"), opts: only(tiaptest.Canonical)},
		{name: "not-retrieved", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f1", "t1"), raw("r2", "t2"), fact("f2", "t2")}, "r1", "f1")},
		{name: "below-the-depth", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f1", "t1"), raw("r2", "t2"), fact("f2", "t2")}, "r1", "f1", "r2", "f2"), opts: tiaptest.Options{tiaptest.Depth(2)}},
		{name: "empty-ranking", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f1", "t1")})},
		{name: "no-lineage", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), raw("r2", "t2"), fact("f1"), fact("f2")}, "r1", "f1", "f2")},
		{name: "no-lineage-at-all", bundle: talk([]tiaptest.Memory{raw("r1"), fact("f1")}, "r1", "f1")},
		{name: "no-lineage-all-population", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f1")}, "r1", "f1"), opts: tiaptest.Options{tiaptest.Population("all")}},
		{name: "active", bundle: talk(memories(func(m *tiaptest.Memory) { m.Status = "active" }, raw("r1", "t1"), fact("f1", "t1")), "f1")},
		{name: "unknown-ids", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f1", "t1", "t2")}, "elsewhere", "f1")},
		{name: "many-turns-credited-once", bundle: talk([]tiaptest.Memory{fact("f12", "t1", "t2"), fact("f1", "t1"), raw("r2", "t2")}, "f12", "f1", "r2")},
		{name: "many-turns-after-one", bundle: talk([]tiaptest.Memory{fact("f12", "t1", "t2"), fact("f1", "t1")}, "f1", "f12")},
		{name: "many-turns-by-memory", bundle: talk([]tiaptest.Memory{fact("f12", "t1", "t2"), fact("f1", "t1"), raw("r2", "t2")}, "f12", "f1", "r2"), opts: tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)}},
		{name: "any-turn-of-a-unit", bundle: changed(talk([]tiaptest.Memory{raw("r2", "t2"), fact("f1", "t1")}, "r2"), func(b *tiaptest.Bundle) {
			b.Scenario.Queries[0].Evidence = []tiaptest.Unit{{ID: "u", Turns: []string{"t1", "t2"}}}
		})},
		{name: "counted", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), fact("f1", "t1")}, "r1", "f1"), opts: tiaptest.Options{tiaptest.Uncovered("counted")}},
		{name: "superseded", bundle: talk(memories(old, raw("r1", "t1"), fact("f2", "t2"), fact("f1", "t1")), "f1", "r1"), opts: current},
		{name: "deleted-not-served", bundle: talk(memories(func(m *tiaptest.Memory) { m.Status, m.NotServing = "deleted", true }, raw("r1", "t1"), fact("f2", "t2"), fact("f1", "t1")), "f1", "r1"), opts: current},
		{name: "not-served", bundle: talk(memories(not, raw("r1", "t1"), fact("f1", "t1"), fact("f2", "t2")), "f2", "f1")},
		{name: "not-served-only", bundle: talk(memories(not, raw("r1", "t1"), fact("f1", "t1"), fact("f2", "t2")), "f2"), opts: only(tiaptest.Canonical)},
		{name: "through-parents", bundle: talk([]tiaptest.Memory{fact("f1", "t1"), fact("f2", "t2"), {ID: "s", Form: "summary", Parents: []string{"f1", "f2"}}}, "s", "f1")},
		{name: "inferred", bundle: talk(memories(link("batch", "inferred"), raw("r1", "t1"), fact("f1", "t1"), fact("f2", "t2")), "f2", "f1"), opts: tiaptest.Options{tiaptest.Beside(tiaptest.Inferred(tiaptest.Canonical), tiaptest.Exact(tiaptest.Inferred(tiaptest.Canonical)))}},
		{name: "inferred-only", bundle: talk(memories(link("exact", "inferred"), raw("r1", "t1"), fact("f1", "t1"), fact("f2", "t2")), "f2", "f1")},
		{name: "container", bundle: talk(memories(link("container", ""), fact("f1", "t1"), fact("f2", "t2")), "f2"), opts: tiaptest.Options{tiaptest.Beside(tiaptest.Exact(tiaptest.Canonical))}},
		{name: "many-links", bundle: talk([]tiaptest.Memory{raw("r1", "t1"), {ID: "s", Form: "summary", Sources: []tiaptest.Link{{Turn: "t1"}, {Turn: "t2", Precision: "batch"}, {Turn: "t3"}, {Turn: "t4"}, {Turn: "t5"}}}}, "s")},
		{name: "long-ranking", bundle: talk(wide(), append(append(ranks(12), "f1"), "x13", "x14", "f2", "x15", "r1", "x16")...), opts: tiaptest.Options{tiaptest.Depth(18)}},
		{name: "absent", bundle: contest(system("A", "-", "rf"), system("B", "rf", "rf"))},
		{name: "failed", bundle: contest(system("A", "!", "rf"))},
		{name: "uncovered", bundle: contest(system("A", ".|", "rf"), system("B", "rf", "rf"))},
		{name: "several-ingests", bundle: contest(system("A", "rf", "r").again(".r", "r"), system("B", ".rf", "r").again("-", "r"))},
		{name: "all-population", bundle: contest(system("A", ".|", "rf")), opts: tiaptest.Options{tiaptest.Population("all")}},
		{name: "odd-ids", query: "q\n1", bundle: changed(talk([]tiaptest.Memory{raw("r\t1", "t1"), fact("f 1", "t\x1b[31m2")}, "r\t1", "é", "f 1"), func(b *tiaptest.Bundle) {
			q := &b.Scenario.Queries[0]
			q.ID, q.Text, q.Category, q.Evidence[1].Turns[0] = "q\n1", "Who\nlives in Oslo?", "a\tb", "t\x1b[31m2"
			b.Systems[0].Name = "A 1"
			run := &b.Systems[0].Ingests[0].Run
			k, _ := run.Ranking("q1")
			k.Query = q.ID
			*run = tiaptest.Run{}
			if err := run.Add(k); err != nil {
				panic(err)
			}
		})},
		{name: "lists", bundle: changed(talk([]tiaptest.Memory{raw("r1", "t1"), fact("f2", "t2")}), func(b *tiaptest.Bundle) {
			b.Systems[0].Ingests[0].Run = tiaptest.Run{}
			_ = b.Systems[0].Ingests[0].Run.Add(tiaptest.Ranking{Query: "q1", Lists: []tiaptest.List{{Name: "nodes", IDs: []string{"r1", "x"}}, {Name: "edges", IDs: []string{"f2", "r1"}}}})
		})},
		{name: "trec", open: openTREC(map[string]string{"raw": "r1 r2", "source": "r1 r2 f1", "canonical": "f1"}, "x r1 x f1", "f1 r2 x"), opts: tiaptest.Options{tiaptest.Depth(2)}},
		{name: "trec-graded", open: func(dir string) (*tiaptest.Bundle, error) {
			err := putFiles(dir, map[string]string{"raw": "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq1 0 d 3\n", "run": "q1 Q0 c 1 9 A\nq1 Q0 a 2 8 A\nq1 Q0 x 3 7 A\nq1 Q0 b 4 6 A\n"})
			if err != nil {
				return nil, err
			}
			return tiaptest.TREC{Qrels: map[string]string{"raw": filepath.Join(dir, "raw")}, Runs: map[string]string{"A": filepath.Join(dir, "run")}, Level: 2}.Open()
		}},
		{name: "mtel-mem", open: openMTELMem(`{"query_id":"q1","query_text":"Where?","raw_ids":["r1"],"source_ids":["r1","f1","f2"],"canonical_ids":["f1","f2"]}`, "A x r1 x f1", "B f1 x r1")},
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	want := make(map[string]bool)
	for _, c := range explainCases() {
		require.False(t, want[c.name], "two cases are named %s", c.name)
		want[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.open != nil {
				var err error
				c.bundle, err = c.open(t.TempDir())
				require.NoError(t, err)
			}
			if c.query == "" {
				c.query = "q1"
			}
			a, err := tiaptest.Rescore(c.bundle, tiaptest.Depth(60), tiaptest.Metrics(ndcg, recall, mrr, micro), c.opts)
			require.NoError(t, err)
			text, err := a.Explain(c.query)
			require.NoError(t, err)
			assert.True(t, strings.HasSuffix(text, "\n"), "ends a line")
			for _, line := range strings.Split(text, "\n") {
				assert.Equal(t, strings.TrimRight(line, " \t\r"), line, "blanks end a line")
				assert.NotContains(t, line, "\t")
				assert.NotContains(t, line, "\x1b")
			}
			compareGolden(t, filepath.Join("testdata", "explain", c.name+".golden"), text)

			// The order of the files does not matter.
			slices.Reverse(c.bundle.Scenario.Turns)
			for _, s := range c.bundle.Systems {
				for _, in := range s.Ingests {
					slices.Reverse(in.Memories)
				}
			}
			a, err = tiaptest.Rescore(c.bundle, tiaptest.Depth(60), tiaptest.Metrics(ndcg, recall, mrr, micro), c.opts)
			require.NoError(t, err)
			again, err := a.Explain(c.query)
			require.NoError(t, err)
			assert.Equal(t, text, again)
		})
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "explain"))
	require.NoError(t, err)
	for _, e := range entries {
		assert.True(t, want[strings.TrimSuffix(e.Name(), ".golden")], "no case writes testdata/explain/%s", e.Name())
	}
}

func TestExplainRefuses(t *testing.T) {
	t.Parallel()
	b := same()
	b.Scenario.Queries[1].Evidence = nil
	b.Scenario.Queries[2].Category = "open"
	a := auditOf(b, tiaptest.Where(""))
	for _, test := range []struct{ query, want string }{
		{"q9", `the scenario has no query "q9"; its first is "q1"`},
		{"", `the scenario has no query ""; its first is "q1"`},
		{"q2", `query "q2" is not scored: it has no usable evidence`},
		{"q3", `query "q3" is not scored: its category "open" is left out`},
	} {
		text, err := a.Explain(test.query)
		assert.EqualError(t, err, test.want)
		assert.Empty(t, text)
	}
	_, err := a.Explain("q1")
	assert.NoError(t, err)
}

// A memory of many turns is shown with the gold one of the query, though three others
// come before it.
func TestExplainGoldFirst(t *testing.T) {
	t.Parallel()
	b := talk([]tiaptest.Memory{fact("m1", "a1", "a2", "a3", "t2", "t3")}, "m1")
	b.Scenario.Turns = append([]tiaptest.Turn{{ID: "a1"}, {ID: "a2"}, {ID: "a3"}}, b.Scenario.Turns...)
	a, err := tiaptest.Rescore(b)
	require.NoError(t, err)
	text, err := a.Explain("q1")
	require.NoError(t, err)
	assert.Contains(t, text, "t2, a1, a2 and 2 more")
}
