package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
	"github.com/tiaptest/tiap/tiaptest/semantic"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// names are what a bundle calls things; hostile ones are put in place of plain.
type names struct {
	scenario, query, text, category, memory, form, said string
	systems                                             [3]string
}

func plainNames() names {
	return names{"garden", "q", "What grows", "place", "m", "fact", "Beans grow", [3]string{"D1", "D5", "old"}}
}

// bundle makes twelve queries and three systems: D1 ranks raw turns first, D5
// facts and D1 has none of two turns, old does not say where its memories come from. shifted moves the
// rankings of D5 by that many of the queries.
func bundle(n names, shifted int) *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: n.scenario, Headline: "canonical", Unit: "turn"}}
	d1, d5, old := b.AddSystem(n.systems[0], "density"), b.AddSystem(n.systems[1], "density"), b.AddSystem(n.systems[2], "")
	for _, s := range []*tiaptest.System{d1, d5} {
		s.Unit, s.Lineage, s.Forms = "memory", "recorded at ingest", map[string]string{"raw": "a turn", n.form: "a sentence"}
	}
	for i := range 12 {
		turn, query := fmt.Sprintf("t%d", i), fmt.Sprintf("%s%02d", n.query, i)
		b.Scenario.Turns = append(b.Scenario.Turns, tiaptest.Turn{ID: turn, Text: fmt.Sprintf("%s in bed %d.", n.said, i)})
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{
			ID: query, Text: fmt.Sprintf("%s in bed %d?", n.text, i), Category: fmt.Sprintf("%s %d", n.category, i%3), Evidence: []tiaptest.Unit{{Turns: []string{turn}}},
		})
		raw, fact := fmt.Sprintf("%sraw%d", n.memory, i), fmt.Sprintf("%sfact%d", n.memory, i)
		d1.AddMemory(raw, "raw", turn)
		if i != 7 && i != 8 { // D1 made no fact of these
			d1.AddMemory(fact, n.form, turn)
		}
		d5.AddMemory(raw, "raw", turn).AddMemory(fact, n.form, turn)
		old.AddMemory(raw, n.form)
		if i == 0 {
			d5.AddMemory(n.memory+"twice", n.form, turn)
		}
		if i == 5 || i == 10 { // evidence that is spread over two turns
			next := fmt.Sprintf("t%d", i+1)
			b.Scenario.Queries[i].Evidence = append(b.Scenario.Queries[i].Evidence, tiaptest.Unit{Turns: []string{next}})
			if i == 5 {
				d5.Ingests[0].Memories[len(d5.Ingests[0].Memories)-1].Sources = []tiaptest.Link{{Turn: turn, Precision: "batch"}, {Turn: next, Precision: "batch"}}
			}
		}
		other := fmt.Sprintf("%sraw%d", n.memory, (i+1)%12)
		d1.AddRanking(query, raw, other, fact)
		if i < 9-shifted {
			d5.AddRanking(query, fact, other, raw)
		} else {
			d5.AddRanking(query, other, raw, fact)
		}
		old.AddRanking(query, raw)
	}
	return b
}

func audit(tb testing.TB, b *tiaptest.Bundle) *tiaptest.Audit {
	tb.Helper()
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Metrics(tiaptest.NDCG(10), tiaptest.Recall(10), tiaptest.MicroRecall(10)), tiaptest.Resamples(200))
	require.NoError(tb, err)
	return a
}

// extras are all that a report may add.
func extras(tb testing.TB, a *tiaptest.Audit) []report.Option {
	tb.Helper()
	table, err := sensitivity.FromAudit(a)
	require.NoError(tb, err)
	shared, err := a.SharedQueries(a.Systems()[:2]...)
	require.NoError(tb, err)
	for i, q := range shared {
		for k, s := range a.Systems()[:2] {
			f1, correct := float64((i*(k+3))%7)/6, i%(k+2) == 0
			require.NoError(tb, table.AddAnswers(sensitivity.Answer{Query: q, System: s, F1: &f1, Correct: &correct}))
		}
	}
	r, err := sensitivity.Analyze(table)
	require.NoError(tb, err)
	r.Conventions, err = sensitivity.Conventions(a)
	require.NoError(tb, err)
	r.Depths, err = sensitivity.Depths(a, []int{1, 2, 3})
	require.NoError(tb, err)
	cases, err := semantic.Contested(a, tiaptest.Canonical)
	require.NoError(tb, err)
	var judgements []semantic.Judgement
	for i, c := range cases {
		if c.Earns && i%3 > 0 {
			label := []semantic.Label{semantic.Supports, semantic.DoesNotSupport, semantic.Partial}[i/2%3]
			judgements = append(judgements,
				semantic.Judgement{Query: c.Query, System: c.System, Memory: c.Memory, Judge: "reader", Kind: semantic.Human, Label: label},
				semantic.Judgement{Query: c.Query, System: c.System, Memory: c.Memory, Judge: "a model", Kind: semantic.Model, Model: "a-model", Label: []semantic.Label{label, semantic.Supports}[i%2]})
		}
	}
	labels, err := semantic.NewLabels(judgements...)
	require.NoError(tb, err)
	return []report.Option{
		report.Sensitivity(r),
		report.Composition(compositions(a)...),
		report.Support(labels, semantic.Options{}),
		report.Rules(tiaptest.SharedSubset(5), tiaptest.NoWinnerFlip(tiaptest.NDCG(10))),
	}
}

// compositions are those of all systems under their available targets; none of what
// names no memories.
func compositions(a *tiaptest.Audit) []*semantic.Composition {
	var out []*semantic.Composition
	for _, s := range a.Systems() {
		for _, target := range a.Targets() {
			if c, err := semantic.Compose(a, s, target); err == nil {
				out = append(out, c)
			}
		}
	}
	return out
}

// study is what an audit of any shape can add to its report by itself.
func study(tb testing.TB, a *tiaptest.Audit) []report.Option {
	tb.Helper()
	opts := []report.Option{report.Composition(compositions(a)...)}
	table, err := sensitivity.FromAudit(a)
	if err != nil {
		return opts // it has no value of a single query
	}
	r, err := sensitivity.Analyze(table)
	require.NoError(tb, err)
	return append(opts, report.Sensitivity(r))
}

func render(tb testing.TB, f report.Format, a *tiaptest.Audit, opts ...report.Option) string {
	tb.Helper()
	var b strings.Builder
	require.NoError(tb, report.Write(&b, f, a, opts...))
	return b.String()
}
