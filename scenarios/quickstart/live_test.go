package quickstart_test

import (
	"bytes"
	"cmp"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

var locomo = flag.String("tiap.locomo", "", "a LoCoMo `file` to run the live suite on, absolute or relative to the folder of this package, scenarios/quickstart; by default that of TIAP_LOCOMO")

// live sends a conversation through a memory system whose parser makes at most one,
// five or eight memories of a turn, saves the rankings as a bundle and audits it. The
// rules are about crediting by evidence; the report has the table by memory too.
func live(t *testing.T, scenario *tiaptest.Scenario, depth int, known ...tiaptest.Finding) *tiaptest.Audit {
	t.Helper()
	start := time.Now()
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
	dir := filepath.Join(t.ArtifactDir(), scenario.Name) // which stays with go test -artifacts
	if err := b.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	recorded := time.Since(start)
	options := []tiaptest.Option{tiaptest.Depth(depth), tiaptest.Metrics(ndcg, tiaptest.Recall(depth), tiaptest.MRR(depth))}
	a := tiaptest.Load(t, dir, append(slices.Clone(options), tiaptest.Known(known...))...)
	byMemory := tiaptest.Load(t, dir, append(options, tiaptest.Credit(tiaptest.ByMemory))...)
	report(t, dir, a, byMemory)
	t.Logf("%d queries scored of %d; recorded in %v, %v with both audits", a.Shared().N, len(scenario.Queries),
		recorded.Round(time.Millisecond), time.Since(start).Round(time.Millisecond))
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
// module, and so without a golden file. Evidence ids are taken literally, as the
// published evaluation of the benchmark takes them: 1,977 questions can be scored.
func TestLiveLoCoMo(t *testing.T) {
	t.Parallel()
	file := cmp.Or(*locomo, os.Getenv("TIAP_LOCOMO"))
	if file == "" {
		t.Skip("name the LoCoMo file by -tiap.locomo FILE or TIAP_LOCOMO")
	}
	benchmark, err := scenarios.LoCoMo(file, scenarios.Strict())
	if err != nil {
		if !filepath.IsAbs(file) {
			t.Fatalf("%v; the file is looked for from the folder of this package, scenarios/quickstart: name it from there or absolutely", err)
		}
		t.Fatal(err)
	}
	benchmark.Scenario.Headline = "canonical"
	a := live(t, &benchmark.Scenario, 60,
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
	if n, scorable := a.Shared().N, benchmark.Summary.Scorable; n != scorable {
		t.Errorf("%d queries are scored; the file has %d that can be", n, scorable)
	}
}

// report writes the audits beside their bundle, and says where.
func report(t *testing.T, dir string, a, byMemory *tiaptest.Audit) {
	t.Helper()
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"audit.txt", a.WriteTable},
		{"audit.json", a.WriteJSON},
		{"audit-by-memory.txt", byMemory.WriteTable},
	} {
		var text bytes.Buffer
		if err := f.write(&text); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the report is %s, which stays with -artifacts; beside it lie audit-by-memory.txt, the same with crediting by memory, and the bundle with its rankings", filepath.Join(dir, "audit.txt"))
}
