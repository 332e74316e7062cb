package quickstart_test

import (
	"testing"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// The metric that this suite is about, and how many ids a system returned.
var (
	ndcg    = tiaptest.NDCG(10)
	options = tiaptest.Options{tiaptest.Depth(10), tiaptest.Metrics(ndcg, tiaptest.Recall(10), tiaptest.MRR(10))}
)

// known is what this project has found and accepts. Without these statements
// TestGarden fails; TestWhatWouldFail shows how.
var known = tiaptest.Known(
	tiaptest.Finding{
		A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source},
		Reason: "what D5 makes of a turn outranks the turn itself; we serve both",
	},
	tiaptest.Finding{
		A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Canonical},
		Reason: "as above; canonical is our headline, so D5 it is",
	},
	tiaptest.Finding{
		A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Source, tiaptest.Source},
		Reason: "by memory D5 has more to find; we report by evidence",
	},
)

func TestGarden(t *testing.T) {
	a := tiaptest.Load(t, "testdata/garden", options, known)
	if err := a.WriteTable(t.Output()); err != nil {
		t.Fatal(err)
	}
	tiaptest.Check(t, a,
		tiaptest.TargetsReported(),      // nobody reads a score without its target
		tiaptest.SharedSubset(20),       // all systems are scored on the same twenty queries
		tiaptest.Nested(),               // what Raw and Canonical credit, Source credits too
		tiaptest.CompleteRuns(),         // no query is missing or failed
		tiaptest.NoWinnerFlip(ndcg),     // no other target names another winner, except as known
		tiaptest.NoConventionFlip(ndcg), // nor does another crediting or population
	)
}

// TestRecorded holds the audit against what was recorded of it, and the table of
// the README against the audit.
func TestRecorded(t *testing.T) {
	a := tiaptest.Load(t, "testdata/garden", options, known)
	golden.Check(t, "garden", a)
	golden.Table(t, "../../README.md", "garden", a)
}

// TestWhatWouldFail shows the messages of the same rules when nothing is known.
func TestWhatWouldFail(t *testing.T) {
	a := tiaptest.Load(t, "testdata/garden", options)
	err := a.Verify(tiaptest.NoWinnerFlip(ndcg), tiaptest.NoConventionFlip(ndcg))
	if err == nil {
		t.Fatal("the winner no longer depends on the target: remove what TestGarden calls known")
	}
	t.Logf("without the known findings the suite would fail with:\n\n%v", err)
}
