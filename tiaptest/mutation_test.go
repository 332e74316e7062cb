package tiaptest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// soundSuite is a bundle of 20 queries that keeps every rule of soundRules: B
// leads A, A leads C and C leads D, under every target, by every convention and
// at every depth. D is what no mutation touches.
func soundSuite() *tiaptest.Bundle {
	b := contest(
		system("A", times(20, "..rf")...),
		system("B", times(20, "rf")...),
		system("C", times(20, "...rf")...),
		system("D", times(20, "....r")...),
	)
	b.Systems[0].Family, b.Systems[1].Family = "density", "density"
	return b
}

// soundRules are all rules of this package.
func soundRules(results string) tiaptest.Rules {
	return tiaptest.Rules{
		tiaptest.TargetsReported(),
		tiaptest.SharedSubset(13),
		tiaptest.Nested(),
		tiaptest.CompleteRuns(),
		tiaptest.MinCoverage(tiaptest.Canonical, 0.75),
		tiaptest.NoWinnerFlip(ndcg),
		tiaptest.NoConventionFlip(ndcg),
		tiaptest.StableRecommendation("density", ndcg),
		tiaptest.StableTargetOrder(ndcg),
		tiaptest.NoDepthFlip(ndcg, 1, 3),
		tiaptest.Winner("B", tiaptest.Canonical, ndcg),
		tiaptest.MinScore("A", tiaptest.Raw, ndcg, 0.45),
		tiaptest.EachQuery(mrr, tiaptest.Raw, 0.2, tiaptest.Except("q20")),
		tiaptest.ReportedIn(results),
	}
}

// soundResults report D under raw: 1/log2(6) in each query.
const soundResults = `{"system": "D", "target": "raw", "credit": "evidence", "depth": 5, "subset": "covered", "n": 20, "ndcg@5": 0.3869}`

// rerank gives a system the rankings of another contender.
func rerank(b *tiaptest.Bundle, name string, rankings ...string) {
	for _, s := range b.Systems {
		if s.Name == name {
			s.Ingests[0].Run = contest(system(name, rankings...)).Systems[0].Ingests[0].Run
		}
	}
}

// rebuilt is a run of the rankings that change leaves.
func rebuilt(run *tiaptest.Run, change func(*tiaptest.Ranking) (keep bool)) tiaptest.Run {
	var out tiaptest.Run
	for k := range run.All() {
		if change(&k) {
			if err := out.Add(k); err != nil {
				panic(err)
			}
		}
	}
	return out
}

// unlink takes the lineage off the memories that match.
func unlink(s *tiaptest.System, match func(tiaptest.Memory) bool) {
	memories := s.Ingests[0].Memories
	for i := range memories {
		if match(memories[i]) {
			memories[i].Sources = nil
		}
	}
}

// TestMutations does to a sound suite what goes wrong in practice. Each mutation
// breaks the rules that it names and no other.
func TestMutations(t *testing.T) {
	t.Parallel()
	const a, b, c = 0, 1, 2 // numbers of systems
	ids := func(ids ...string) func(tiaptest.Memory) bool {
		return func(m tiaptest.Memory) bool { return slices.Contains(ids, m.ID) }
	}
	narrow := func(m tiaptest.Memory, _ []tiaptest.Link, _ tiaptest.Unit) bool { return m.Form == "fact" }
	none := func(*tiaptest.Bundle) {}
	mutations := []struct {
		name    string
		mutate  func(*tiaptest.Bundle)
		opts    tiaptest.Options
		results string // in place of soundResults
		breaks  string // the rules, by name, separated by blanks
	}{
		{name: "nothing", mutate: none},

		{name: "swap the rankings of two systems", mutate: func(s *tiaptest.Bundle) {
			first, second := s.Systems[a].Ingests[0], s.Systems[b].Ingests[0]
			first.Run, second.Run = second.Run, first.Run
		}, breaks: "Winner"},

		{name: "drop the lineage of six facts of one system", mutate: func(s *tiaptest.Bundle) {
			unlink(s.Systems[c], ids("f1", "f2", "f3", "f4", "f5", "f6"))
		}, breaks: "MinCoverage"},
		{name: "drop six facts of one system", mutate: func(s *tiaptest.Bundle) {
			in := s.Systems[c].Ingests[0]
			in.Memories = slices.DeleteFunc(in.Memories, ids("f1", "f2", "f3", "f4", "f5", "f6"))
		}, breaks: "MinCoverage"},
		{name: "drop the lineage of four facts in each of two systems", mutate: func(s *tiaptest.Bundle) {
			unlink(s.Systems[c], ids("f1", "f2", "f3", "f4"))
			unlink(s.Systems[b], ids("f5", "f6", "f7", "f8"))
		}, breaks: "SharedSubset"},
		{name: "remove the lineage of a store's facts", mutate: func(s *tiaptest.Bundle) {
			unlink(s.Systems[b], func(m tiaptest.Memory) bool { return m.Form == "fact" })
		}, breaks: "TargetsReported MinCoverage Winner"},
		{name: "remove the lineage of a store", mutate: func(s *tiaptest.Bundle) {
			unlink(s.Systems[b], func(tiaptest.Memory) bool { return true })
		}, breaks: "TargetsReported MinCoverage StableRecommendation Winner"},
		{name: "infer the lineage of a store's facts", mutate: func(s *tiaptest.Bundle) {
			for i := range s.Systems[b].Ingests[0].Memories {
				if m := &s.Systems[b].Ingests[0].Memories[i]; m.Form == "fact" {
					m.Sources[0].Origin = "inferred"
				}
			}
		}, breaks: "TargetsReported MinCoverage Winner"},
		{name: "stop serving a store's facts", mutate: func(s *tiaptest.Bundle) {
			for i := range s.Systems[b].Ingests[0].Memories {
				s.Systems[b].Ingests[0].Memories[i].NotServing = true
			}
		}, breaks: "TargetsReported MinCoverage Winner"},

		{name: "cut a run short by a query", mutate: func(s *tiaptest.Bundle) {
			run := &s.Systems[a].Ingests[0].Run
			*run = rebuilt(run, func(k *tiaptest.Ranking) bool { return k.Query != "q20" })
		}, breaks: "CompleteRuns"},
		{name: "fail a query", mutate: func(s *tiaptest.Bundle) {
			run := &s.Systems[a].Ingests[0].Run
			*run = rebuilt(run, func(k *tiaptest.Ranking) bool {
				if k.Query == "q20" {
					k.Error, k.IDs = "timeout", nil
				}
				return true
			})
		}, breaks: "CompleteRuns"},
		{name: "cut the rankings of a run", mutate: func(s *tiaptest.Bundle) {
			run := &s.Systems[a].Ingests[0].Run
			*run = rebuilt(run, func(k *tiaptest.Ranking) bool {
				k.IDs = k.IDs[:2]
				return true
			})
		}, breaks: "StableTargetOrder MinScore EachQuery"},

		{name: "undeclare the headline", mutate: func(s *tiaptest.Bundle) { s.Scenario.Headline = "" }, breaks: "TargetsReported"},
		{name: "score the headline alone", mutate: none, opts: tiaptest.Options{tiaptest.Targets(tiaptest.Canonical)},
			breaks: "TargetsReported Nested NoWinnerFlip StableRecommendation StableTargetOrder MinScore EachQuery ReportedIn"},
		{name: "do not say where the lineage comes from", mutate: func(s *tiaptest.Bundle) { s.Systems[a].Lineage = "" }, breaks: "TargetsReported"},
		{name: "do not say what a form is", mutate: func(s *tiaptest.Bundle) { s.Systems[b].Forms = nil }, breaks: "TargetsReported"},
		{name: "compare each system on its own queries", mutate: func(s *tiaptest.Bundle) {
			unlink(s.Systems[c], ids("f1", "f2", "f3", "f4"))
		}, opts: tiaptest.Options{tiaptest.Population("covered")}, breaks: "SharedSubset"},
		{name: "narrow a target", mutate: none, opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw, tiaptest.NewTarget("source", narrow), tiaptest.Canonical)}, breaks: "Nested"},

		{name: "worsen a system", mutate: func(s *tiaptest.Bundle) { rerank(s, "A", times(20, "...rf")...) }, breaks: "MinScore"},
		{name: "lose the gold of a query", mutate: func(s *tiaptest.Bundle) {
			rerank(s, "B", append([]string{"....."}, times(19, "rf")...)...)
		}, breaks: "EachQuery"},
		{name: "rank turns up and facts down", mutate: func(s *tiaptest.Bundle) { rerank(s, "C", times(20, ".r..f")...) }, breaks: "NoWinnerFlip"},
		{name: "rank turns down and facts up", mutate: func(s *tiaptest.Bundle) { rerank(s, "B", times(20, "f...r")...) },
			breaks: "NoWinnerFlip StableRecommendation StableTargetOrder"},
		{name: "rank facts before turns", mutate: func(s *tiaptest.Bundle) {
			rerank(s, "B", append(times(13, "fr"), times(7, "rf")...)...)
		}, breaks: "StableTargetOrder"},
		{name: "store copies that are not retrieved", mutate: func(s *tiaptest.Bundle) {
			in := s.Systems[b].Ingests[0]
			for q := range 20 {
				for i := range 5 {
					in.Memories = append(in.Memories, fact(fmt.Sprintf("copy%d.%d", q, i), turn(q, 0)))
				}
			}
		}, breaks: "NoConventionFlip"},
		{name: "win the first rank alone", mutate: func(s *tiaptest.Bundle) {
			rerank(s, "A", append(times(3, "r.f"), times(17, "..rf")...)...)
			rerank(s, "B", append(times(2, "rf"), times(18, ".rf")...)...)
		}, breaks: "NoDepthFlip"},

		{name: "report another value", mutate: none, results: strings.Replace(soundResults, "0.3869", "0.3870", 1), breaks: "ReportedIn"},
		{name: "report a value without its target", mutate: none, results: strings.Replace(soundResults, `"target": "raw", `, "", 1), breaks: "ReportedIn"},
		{name: "report a value by another crediting", mutate: none, results: strings.Replace(soundResults, "evidence", "memory", 1), breaks: "ReportedIn"},
	}
	var unbroken []string
	for _, r := range soundRules("") {
		unbroken = append(unbroken, ruleName(r.String()))
	}
	for _, m := range mutations {
		unbroken = slices.DeleteFunc(unbroken, func(name string) bool { return slices.Contains(strings.Fields(m.breaks), name) })
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "results.json")
			if m.results == "" {
				m.results = soundResults
			}
			require.NoError(t, os.WriteFile(file, []byte(m.results), 0o666))
			bundle := soundSuite()
			m.mutate(bundle)
			audit, err := tiaptest.Rescore(bundle, contestOptions, m.opts)
			require.NoError(t, err)
			broken := []string{}
			for _, rule := range soundRules(file) {
				if err := audit.Verify(rule); err != nil {
					broken = append(broken, ruleName(rule.String()))
				}
			}
			if diff := cmp.Diff(strings.Fields(m.breaks), broken); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s\n%v", diff, audit.Verify(soundRules(file)))
			}
		})
	}
	assert.Empty(t, unbroken, "rules that no mutation breaks")
}

// ruleName is the name of a rule without its arguments.
func ruleName(rule string) string {
	name, _, _ := strings.Cut(rule, "(")
	return name
}
