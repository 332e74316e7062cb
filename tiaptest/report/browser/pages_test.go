package browser_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/hostile"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
	"github.com/tiaptest/tiap/tiaptest/report"
	"github.com/tiaptest/tiap/tiaptest/semantic"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// content is what a section must have at least.
type content struct{ tables, plots int }

// auditContent are the sections of the report of an audit with all that can be
// added, comparisonContent those of a comparison. In the hostile bundle every query
// goes the same way, which makes some plots empty.
var (
	auditContent = map[string]content{
		"scores": {1, 0}, "winners": {7, 0}, "conventions": {3, 0}, "gaps": {1, 1}, "flips": {3, 0}, "rules": {1, 0}, "spread": {1, 1}, "power": {1, 1},
		"changed": {4, 0}, "categories": {1, 1}, "coverage": {1, 1}, "sizes": {2, 1}, "composition": {2, 1}, "support": {4, 1}, "depths": {1, 1},
		"joined": {3, 0}, "answers": {3, 1}, "systems": {1, 0}, "card": {2, 0}, "digests": {1, 0},
	}
	hostileContent = func() map[string]content {
		want := maps.Clone(auditContent)
		want["power"], want["composition"], want["answers"] = content{1, 0}, content{2, 0}, content{3, 0}
		return want
	}()
	comparisonContent = map[string]content{"changes": {1, 1}, "winners": {1, 0}, "scores": {1, 0}, "digests": {1, 0}}
)

// write writes the report of a bundle's audit with all that can be added to it.
func write(t *testing.T, file string, b *tiaptest.Bundle, depth int) *tiaptest.Audit {
	t.Helper()
	a := rescore(t, b, depth)
	table, err := sensitivity.FromAudit(a)
	require.NoError(t, err)
	shared, err := a.SharedQueries(a.Systems()[:2]...)
	require.NoError(t, err)
	for i, q := range shared {
		for k, name := range a.Systems()[:2] {
			f1, correct := float64((i*(k+3))%7)/6, i%(k+2) == 0
			require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: q, System: name, F1: &f1, Correct: &correct}))
		}
	}
	s, err := sensitivity.Analyze(table)
	require.NoError(t, err)
	s.Conventions, err = sensitivity.Conventions(a)
	require.NoError(t, err)
	s.Depths, err = sensitivity.Depths(a, slices.Compact([]int{1, 3, min(depth, 10), depth}))
	require.NoError(t, err)
	require.NoError(t, report.WriteFile(file, a, report.Sensitivity(s), report.Composition(compositions(a)...), report.Support(labels(t, a), semantic.Options{}),
		report.Rules(tiaptest.TargetsReported(), tiaptest.NoWinnerFlip(tiaptest.NDCG(depth)))))
	return a
}

func rescore(t *testing.T, b *tiaptest.Bundle, depth int) *tiaptest.Audit {
	t.Helper()
	a, err := tiaptest.Rescore(b, tiaptest.Depth(depth), tiaptest.Resamples(200), tiaptest.Metrics(tiaptest.NDCG(depth), tiaptest.Recall(depth), tiaptest.MRR(depth)))
	require.NoError(t, err)
	return a
}

// compositions are those of all systems under all targets that they have.
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

// labels says of each contested credit whether it is supported, by turns, and what a model says.
func labels(t *testing.T, a *tiaptest.Audit) *semantic.Labels {
	t.Helper()
	cases, err := semantic.Contested(a, tiaptest.Canonical)
	require.NoError(t, err)
	var all []semantic.Judgement
	for i, c := range cases {
		label := []semantic.Label{semantic.Supports, semantic.DoesNotSupport, semantic.Partial, semantic.Supports}[i%4]
		all = append(all, semantic.Judgement{Query: c.Query, System: c.System, Memory: c.Memory, Judge: "reader", Kind: semantic.Human, Label: label},
			semantic.Judgement{Query: c.Query, System: c.System, Memory: c.Memory, Judge: "a model", Kind: semantic.Model, Model: "a-model", Label: []semantic.Label{label, semantic.Supports}[i%2]})
	}
	l, err := semantic.NewLabels(all...)
	require.NoError(t, err)
	return l
}

// garden is the bundle of the quickstart.
func garden(t *testing.T) *tiaptest.Bundle {
	t.Helper()
	b, err := tiaptest.Open("../../../scenarios/quickstart/testdata/garden")
	require.NoError(t, err)
	return b
}

// boat records the live scenario of the quickstart at three densities.
func boat(t *testing.T) *tiaptest.Bundle {
	t.Helper()
	s, err := tiaptest.OpenScenario("../../../scenarios/quickstart/testdata/boat")
	require.NoError(t, err)
	return densities(t, s, 10)
}

// locomo records the benchmark LoCoMo alike, where its file is there.
func locomo(t *testing.T) *tiaptest.Bundle {
	t.Helper()
	data := os.Getenv("TIAP_CONFORMANCE")
	if data == "" {
		data = "../../../../shared/data"
	}
	file := filepath.Join(data, "locomo", "locomo10.json")
	if _, err := os.Stat(file); err != nil {
		t.Skip("conformance data absent: no file " + file + "; TIAP_CONFORMANCE names another folder than " + data)
	}
	benchmark, err := scenarios.LoCoMo(file, scenarios.Strict())
	require.NoError(t, err)
	benchmark.Scenario.Headline = "canonical"
	return densities(t, &benchmark.Scenario, 60)
}

func densities(t *testing.T, s *tiaptest.Scenario, k int) *tiaptest.Bundle {
	t.Helper()
	b, err := scenarios.Density(t.Context(), s, reference.MaxFacts, []int{1, 5, 8}, reference.Lexical, record.Options{K: k, Cacheable: true})
	require.NoError(t, err)
	return b
}

// harmful is a bundle in which everything that may have any name has a hostile
// one: one query, with turn, category, form and memories, for each text.
func harmful(t *testing.T) *tiaptest.Bundle {
	t.Helper()
	texts := hostile.Texts()
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: texts[1].Text, Headline: "canonical", Unit: "turn"}}
	first, second := b.AddSystem(texts[0].Text, texts[1].Text), b.AddSystem(`"><svg onload=alert(1)>`, texts[1].Text)
	for i, h := range texts {
		id := fmt.Sprintf("%d %s", i, h.Text)
		if h.Name == "not UTF-8" {
			id = fmt.Sprint(i) // no id may be so
		}
		b.AddTurn(id, h.Text)
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: id, Text: h.Text, Category: texts[i%12].Text, Evidence: []tiaptest.Unit{{Turns: []string{id}}}})
		for _, s := range []*tiaptest.System{first, second} {
			s.Unit, s.Lineage = h.Text, h.Text
			s.AddMemory("raw "+id, "raw", id).AddMemory("fact "+id, texts[i%3].Text, id)
		}
		first.AddRanking(id, "raw "+id, "fact "+id)
		second.AddRanking(id, "fact "+id, "raw "+id)
	}
	return b
}
