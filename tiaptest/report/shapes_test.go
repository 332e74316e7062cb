package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
)

// Every shape that an audit can have renders in every format, as well as harmless
// ones do.
func TestShapes(t *testing.T) {
	t.Parallel()
	rescored := func(b *tiaptest.Bundle, opts ...tiaptest.Option) func(*testing.T) *tiaptest.Audit {
		return func(t *testing.T) *tiaptest.Audit {
			t.Helper()
			a, err := tiaptest.Rescore(b, append([]tiaptest.Option{tiaptest.Resamples(100)}, opts...)...)
			require.NoError(t, err)
			return a
		}
	}
	single := bundle(plainNames(), 0)
	single.Systems = single.Systems[:1]
	unavailable := bundle(plainNames(), 0)
	unavailable.Systems = unavailable.Systems[2:]
	undeclared := bundle(plainNames(), 0)
	undeclared.Scenario.Headline, undeclared.Scenario.Name = "", ""
	stable := bundle(plainNames(), 0)
	stable.Systems = stable.Systems[:2]
	stable.Systems[1].Ingests[0].Run = stable.Systems[0].Ingests[0].Run
	scoped := bundle(plainNames(), 0)
	for i := range scoped.Scenario.Queries {
		scoped.Scenario.Queries[i].Scope = []string{"one", "two"}[i%2]
	}
	repeats := bundle(plainNames(), 0)
	repeats.Systems = repeats.Systems[:2]
	for i, s := range repeats.Systems {
		s.Ingests = append(s.Ingests, bundle(plainNames(), 2+i).Systems[i].Ingests[0])
	}
	apart := new(tiaptest.Bundle) // each system holds what the other lacks
	for _, name := range []string{"A", "B"} {
		turn, query := "t"+name, "q"+name
		apart.Scenario.Queries = append(apart.Scenario.Queries, tiaptest.Query{ID: query, Evidence: []tiaptest.Unit{{Turns: []string{turn}}}})
		apart.AddSystem(name, "family").AddMemory("m", "fact", turn).AddMemory("r", "raw", turn).AddRanking(query, "m")
	}
	for name, tt := range map[string]struct {
		audit func(*testing.T) *tiaptest.Audit
		want  string // in the text
	}{
		"no query shared":      {rescored(apart, tiaptest.Headline(tiaptest.Canonical), tiaptest.Metrics(tiaptest.NDCG(60))), "family - ndcg@60 0 - - -"},
		"one system":           {rescored(single), "One system: no winner is asked for."},
		"no target available":  {rescored(unavailable), "No system has a score under canonical"},
		"no headline":          {rescored(undeclared), "Audit of an unnamed scenario"},
		"stable":               {rescored(stable), "No winner depends on the target"},
		"ratios alone":         {rescored(bundle(plainNames(), 0), tiaptest.Metrics(tiaptest.MicroRecall(10))), "micro_recall@10"},
		"targets beside":       {rescored(bundle(plainNames(), 0), tiaptest.Beside(tiaptest.Current(tiaptest.Canonical), tiaptest.Exact(tiaptest.Source))), "current(canonical)"},
		"population all":       {rescored(bundle(plainNames(), 0), tiaptest.Population("all")), "Scores over population all"},
		"population covered":   {rescored(bundle(plainNames(), 0), tiaptest.Population("covered")), "Scores over population covered"},
		"repeats":              {rescored(repeats), "+- is the standard deviation over ingests"},
		"by memory":            {rescored(bundle(plainNames(), 0), tiaptest.Credit(tiaptest.ByMemory)), "by memory"},
		"clusters and one cut": {rescored(scoped, tiaptest.Cluster(), tiaptest.Depth(1), tiaptest.MinEffect(0.01), tiaptest.Where("place 0")), "Resampled by"},
		"judged":               {judged, "matched"},
		"five systems":         {rescored(large(t, 5, 60)), "system-000 - system-001"},
		"not tested":           {rescored(large(t, 22, 60), tiaptest.Metrics(tiaptest.NDCG(60))), "not graded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := tt.audit(t)
			opts := append(study(t, a), report.Rules(tiaptest.TargetsReported(), tiaptest.NoWinnerFlip(tiaptest.NDCG(60))))
			for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.Text} {
				out := render(t, f, a, opts...)
				var c strings.Builder
				require.NoError(t, report.Compare(&c, f, a, a))
				for _, out := range []string{out, c.String()} {
					harmless(t, f, out)
					assert.NotContains(t, out, "NaN")
					switch f {
					case report.HTML:
						wellFormed(t, out)
					case report.Markdown:
						harmlessMarkdown(t, out)
					case report.LaTeX:
						harmlessLaTeX(t, out)
					}
				}
				if f == report.Text {
					assert.Contains(t, strings.Join(strings.Fields(out), " "), tt.want)
				}
			}
		})
	}
}

// judged is an audit over TREC qrels, which name no memories.
func judged(t *testing.T) *tiaptest.Audit {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return file
	}
	b, err := tiaptest.TREC{
		Qrels: map[string]string{
			"raw":  write("raw", "q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 1\n"),
			"fact": write("fact", "q1 0 d4 1\nq2 0 d5 2\nq3 0 d3 0\n"),
		},
		Runs: map[string]string{
			"A": write("a", "q1 Q0 d1 1 2 A\nq1 Q0 d4 2 1 A\nq2 Q0 d2 1 2 A\nq2 Q0 d5 2 1 A\n"),
			"B": write("b", "q1 Q0 d4 1 2 B\nq1 Q0 d1 2 1 B\nq2 Q0 d5 1 2 B\nq2 Q0 d2 2 1 B\n"),
		},
	}.Open()
	require.NoError(t, err)
	a, err := tiaptest.Rescore(b, tiaptest.Population("matched"), tiaptest.Resamples(100))
	require.NoError(t, err)
	return a
}
