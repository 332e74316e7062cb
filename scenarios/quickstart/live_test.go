package quickstart_test

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

var locomo = flag.String("tiap.locomo", "", "a LoCoMo `file` to run the live suite on; by default that of TIAP_LOCOMO")

// live sends a conversation through a memory system whose parser makes at most one,
// five or eight memories of a turn, saves the rankings as a bundle and audits it.
func live(t *testing.T, scenario *tiaptest.Scenario, depth int, known ...tiaptest.Finding) *tiaptest.Audit {
	t.Helper()
	ndcg := tiaptest.NDCG(depth)
	for i := range known {
		known[i].Metric = ndcg
		known[i].Reason = "the densities are a choice between what is kept and what is derived; canonical is our headline"
	}
	b, err := scenarios.Density(t.Context(), scenario, reference.MaxFacts, []int{1, 5, 8}, reference.Lexical,
		record.Options{K: depth, Cacheable: true, Progress: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	dir := reportDir(t, scenario.Name)
	if err := b.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	a := tiaptest.Load(t, dir, tiaptest.Depth(depth), tiaptest.Metrics(ndcg, tiaptest.Recall(depth), tiaptest.MRR(depth)), tiaptest.Known(known...))
	report(t, dir, a)
	tiaptest.Check(t, a,
		tiaptest.TargetsReported(),
		tiaptest.SharedSubset(len(scenario.Queries)*9/10),
		tiaptest.Nested(),
		tiaptest.CompleteRuns(),
		tiaptest.NoWinnerFlip(ndcg),
		tiaptest.NoConventionFlip(ndcg),
	)
	return a
}

// between and under are what a known finding says of targets: a winner flip
// between two of them, or a flip between conventions under one.
func between(a, b tiaptest.Target) [2]tiaptest.Target { return [2]tiaptest.Target{a, b} }
func under(target tiaptest.Target) [2]tiaptest.Target { return between(target, target) }

// TestLive is the whole way: conversation, memory system, rankings, audit, rules
// and golden file.
func TestLive(t *testing.T) {
	t.Parallel()
	scenario, err := tiaptest.OpenScenario("testdata/boat")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "boat", live(t, scenario, 10,
		tiaptest.Finding{A: "D1", B: "D5", Targets: between(tiaptest.Raw, tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D5", Targets: between(tiaptest.Source, tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D8", Targets: between(tiaptest.Raw, tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D8", Targets: between(tiaptest.Source, tiaptest.Canonical)},
		tiaptest.Finding{A: "D5", B: "D8", Targets: between(tiaptest.Raw, tiaptest.Canonical)},
		tiaptest.Finding{A: "D5", B: "D8", Targets: between(tiaptest.Source, tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D5", Targets: under(tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D8", Targets: under(tiaptest.Canonical)},
	))
}

// TestLiveLoCoMo is the same on the benchmark LoCoMo, which is not part of this
// module, and so without a golden file.
func TestLiveLoCoMo(t *testing.T) {
	t.Parallel()
	file := cmp.Or(*locomo, os.Getenv("TIAP_LOCOMO"))
	if file == "" {
		t.Skip("name the LoCoMo file by -tiap.locomo FILE or TIAP_LOCOMO")
	}
	benchmark, err := scenarios.LoCoMo(file)
	if err != nil {
		t.Fatal(err)
	}
	benchmark.Scenario.Headline = "canonical"
	live(t, &benchmark.Scenario, 60,
		tiaptest.Finding{A: "D1", B: "D5", Targets: between(tiaptest.Raw, tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D5", Targets: between(tiaptest.Source, tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D8", Targets: between(tiaptest.Raw, tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D8", Targets: between(tiaptest.Source, tiaptest.Canonical)},
		tiaptest.Finding{A: "D5", B: "D8", Targets: between(tiaptest.Raw, tiaptest.Source)},
		tiaptest.Finding{A: "D5", B: "D8", Targets: between(tiaptest.Raw, tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D5", Targets: under(tiaptest.Canonical)},
		tiaptest.Finding{A: "D1", B: "D8", Targets: under(tiaptest.Canonical)},
		tiaptest.Finding{A: "D5", B: "D8", Targets: under(tiaptest.Source)},
		tiaptest.Finding{A: "D5", B: "D8", Targets: under(tiaptest.Canonical)},
	)
}

// reportDir is a folder that stays when somebody watches or the test fails.
func reportDir(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tiap-"+name+"-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !testing.Verbose() && !t.Failed() {
			os.RemoveAll(dir)
		}
	})
	return dir
}

// report writes the audit beside its bundle, and says where.
func report(t *testing.T, dir string, a *tiaptest.Audit) {
	t.Helper()
	table, err := os.Create(filepath.Join(dir, "audit.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := a.WriteTable(table); err != nil {
		t.Fatal(err)
	}
	full, err := os.Create(filepath.Join(dir, "audit.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	if err := a.WriteJSON(full); err != nil {
		t.Fatal(err)
	}
	t.Logf("the report is %s; the bundle with its rankings lies beside it", table.Name())
}
