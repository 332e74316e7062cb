package golden_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// findingsCase is two states of a talk. What their comparison says is compared with
// testdata/findings/<name>.golden.
type findingsCase struct {
	name       string
	was, is    []string
	verdict    golden.Verdict
	fails      bool
	opts       []golden.Option
	rescore    []tiaptest.Option
	wasRescore []tiaptest.Option // in place of rescore
}

// byMetrics are metrics of which the first agree and the last are level.
var byMetrics = tiaptest.Metrics(tiaptest.MRR(10), tiaptest.NDCG(10), tiaptest.AP(10), tiaptest.Precision(10), tiaptest.Recall(10), tiaptest.Hit(10))

func findingsCases() []findingsCase {
	return []findingsCase{
		{name: "flip", is: []string{"flip"}, verdict: golden.WinnerFlip, fails: true},
		{name: "flip-by-metrics", is: []string{"flip"}, rescore: []tiaptest.Option{byMetrics}, verdict: golden.WinnerFlip, fails: true},
		{name: "change-flip-by-metrics", is: []string{"gain-lose"}, rescore: []tiaptest.Option{byMetrics}, verdict: golden.ChangeFlip, fails: true},
		{name: "worse-by-metrics", is: []string{"worse"}, rescore: []tiaptest.Option{byMetrics}, verdict: golden.Regressed},
		{name: "flip-gone", was: []string{"flip"}, verdict: golden.WinnerFlip, fails: true},
		{name: "uneven-flip", was: []string{"uneven"}, is: []string{"uneven-flip"}, verdict: golden.WinnerFlip, fails: true},
		{name: "uneven-flip-gone", was: []string{"uneven-flip"}, is: []string{"uneven"}, verdict: golden.WinnerFlip, fails: true},
		{name: "uneven-flip-by-scope", was: []string{"scopes", "uneven"}, is: []string{"scopes", "uneven-flip"}, rescore: []tiaptest.Option{tiaptest.Cluster()}, verdict: golden.WinnerFlip, fails: true},
		{name: "uneven-flip-covered", was: []string{"uneven"}, is: []string{"uneven-flip", "uncovered"}, rescore: []tiaptest.Option{tiaptest.Population("covered")}, verdict: golden.CoverageLost, fails: true},
		{name: "uneven-flip-micro-recall", was: []string{"uneven"}, is: []string{"uneven-flip"}, rescore: []tiaptest.Option{tiaptest.Metrics(tiaptest.MicroRecall(2), tiaptest.NDCG(3))}, verdict: golden.WinnerFlip, fails: true},
		{name: "uneven-flip-tie", was: []string{"uneven"}, is: []string{"uneven-flip"}, opts: []golden.Option{golden.MinEffect(0.3)}, verdict: golden.Tie},
		{name: "uneven-flip-fails", was: []string{"uneven"}, is: []string{"uneven-flip"}, opts: []golden.Option{golden.ReportOnly(golden.WinnerFlip, golden.NewFlip), golden.FailOn(golden.Improved)}, verdict: golden.ChangeFlip, fails: true},
		{name: "worse", is: []string{"worse"}, verdict: golden.Regressed},
		{name: "worse-fails", is: []string{"worse"}, opts: []golden.Option{golden.FailOn(golden.Regressed)}, verdict: golden.Regressed, fails: true},
		{name: "better", is: []string{"better"}, verdict: golden.Improved},
		{name: "change-flip", is: []string{"gain-lose"}, verdict: golden.ChangeFlip, fails: true},
		{name: "change-flip-other", was: []string{"gain-lose"}, verdict: golden.ChangeFlip, fails: true},
		{name: "uneven-worse", was: []string{"uneven"}, is: []string{"gain-lose"}, verdict: golden.Regressed},
		{name: "tie", is: []string{"tie"}, verdict: golden.Tie},
		{name: "tie-gone", was: []string{"tie"}, verdict: golden.Tie},
		{name: "uncovered", is: []string{"uncovered"}, verdict: golden.CoverageLost, fails: true},
		{name: "covered-again", was: []string{"uncovered"}, verdict: golden.Same},
		{name: "within-tolerance", is: []string{"uncovered"}, opts: []golden.Option{golden.Tolerance(0.2)}, verdict: golden.QueryLost},
		{name: "within-tolerance-exactly", is: []string{"uncovered"}, opts: []golden.Option{golden.Tolerance(0.15)}, verdict: golden.QueryLost},
		{name: "flip-of-fewer", is: []string{"flip", "uncovered"}, verdict: golden.CoverageLost, fails: true},
		{name: "forgotten", is: []string{"forgotten"}, verdict: golden.CoverageLost, fails: true},
		{name: "fewer", is: []string{"fewer"}, verdict: golden.Missing, fails: true},
		{name: "more", is: []string{"more"}, verdict: golden.New},
		{name: "more-in-family", was: []string{"flip"}, is: []string{"flip", "more"}, verdict: golden.New},
		{name: "slight", is: []string{"slight"}, verdict: golden.Inconclusive},
		{name: "repeats-again", was: []string{"repeats"}, is: []string{"repeats-again"}, verdict: golden.Inconclusive},
		{name: "repeats-moved", was: []string{"repeats"}, is: []string{"repeats-moved"}, verdict: golden.WinnerFlip, fails: true},
		{name: "repeats-back", was: []string{"repeats-moved"}, is: []string{"repeats"}, verdict: golden.WinnerFlip, fails: true},
		{name: "repeats-micro-recall", was: []string{"repeats"}, is: []string{"repeats-moved"}, rescore: []tiaptest.Option{tiaptest.Metrics(tiaptest.MicroRecall(3))}, verdict: golden.Inconclusive},
		{name: "repeats-by-scope", was: []string{"scopes", "repeats"}, is: []string{"scopes", "repeats-moved"}, rescore: []tiaptest.Option{tiaptest.Cluster()}, verdict: golden.WinnerFlip, fails: true},
		{name: "forgets-others", was: []string{"forgets"}, is: []string{"forgets-others"}, verdict: golden.Inconclusive},
		{name: "forgets", was: []string{"repeats"}, is: []string{"forgets"}, verdict: golden.CoverageLost, fails: true},
		{name: "remembers", was: []string{"forgets"}, is: []string{"repeats"}, verdict: golden.Inconclusive},
		{name: "one-ingest", was: []string{"repeats"}, is: []string{"flip"}, verdict: golden.WinnerFlip, fails: true},
		{name: "query", is: []string{"query"}, verdict: golden.IdentityMismatch, fails: true},
		{name: "query-reported", is: []string{"query"}, opts: []golden.Option{golden.ReportOnly(golden.IdentityMismatch)}, verdict: golden.IdentityMismatch},
		{name: "options", is: []string{"flip"}, opts: []golden.Option{golden.Tolerance(2), golden.MinEffect(-1)}, verdict: golden.IdentityMismatch, fails: true},
		{name: "fixed-runs", is: []string{"flip"}, opts: []golden.Option{golden.FixedRuns()}, verdict: golden.IdentityMismatch, fails: true},
		{name: "identity", was: []string{"scopes"}, is: []string{"scopes", "flip"}, rescore: []tiaptest.Option{tiaptest.Depth(9), tiaptest.Metrics(tiaptest.MRR(9)), tiaptest.Credit(tiaptest.ByMemory), tiaptest.Population("all"), tiaptest.Headline(tiaptest.Raw)}, wasRescore: []tiaptest.Option{tiaptest.Cluster(), tiaptest.Uncovered("counted")}, verdict: golden.IdentityMismatch, fails: true},
		{name: "identity-reported", was: []string{"scopes"}, is: []string{"scopes", "flip"}, rescore: []tiaptest.Option{tiaptest.Depth(9), tiaptest.Metrics(tiaptest.MRR(9)), tiaptest.Credit(tiaptest.ByMemory), tiaptest.Population("all"), tiaptest.Headline(tiaptest.Raw)}, wasRescore: []tiaptest.Option{tiaptest.Cluster(), tiaptest.Uncovered("counted")}, opts: []golden.Option{golden.ReportOnly(golden.IdentityMismatch)}, verdict: golden.IdentityMismatch},
		{name: "known-flip", is: []string{"flip"}, rescore: known(tiaptest.Source, tiaptest.Canonical), verdict: golden.WinnerFlip},
		{name: "known-flip-in-part", is: []string{"flip"}, rescore: known(tiaptest.Source), verdict: golden.WinnerFlip, fails: true},
		{name: "known-flip-reversed", was: []string{"flip"}, is: []string{"flip-reversed"}, rescore: known(tiaptest.Source, tiaptest.Canonical), verdict: golden.WinnerFlip, fails: true},
		{name: "known-flip-tie", was: []string{"flip-tie"}, is: []string{"flip"}, rescore: known(tiaptest.Source, tiaptest.Canonical), verdict: golden.ChangeFlip, fails: true},
		{name: "known-flip-no-more", was: []string{"flip"}, is: []string{"flip"}, wasRescore: known(tiaptest.Source, tiaptest.Canonical), verdict: golden.NewFlip, fails: true},
		{name: "known-flip-gone", was: []string{"flip"}, rescore: known(tiaptest.Source, tiaptest.Canonical), verdict: golden.WinnerFlip, fails: true},
		{name: "target-gone", wasRescore: []tiaptest.Option{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)}, rescore: []tiaptest.Option{tiaptest.Targets(tiaptest.Canonical)}, verdict: golden.Missing, fails: true},
		{name: "target-new", wasRescore: []tiaptest.Option{tiaptest.Targets(tiaptest.Canonical)}, rescore: []tiaptest.Option{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)}, verdict: golden.New},
	}
}

// known states that D1 and D5 flip between raw and other targets.
func known(others ...tiaptest.Target) []tiaptest.Option {
	return knownBy(tiaptest.MRR(10), others...)
}

func knownBy(m tiaptest.Metric, others ...tiaptest.Target) []tiaptest.Option {
	var out []tiaptest.Finding
	for _, u := range others {
		out = append(out, tiaptest.Finding{A: "D5", B: "D1", Metric: m, Targets: [2]tiaptest.Target{u, tiaptest.Raw}, Reason: "facts are served"})
	}
	return []tiaptest.Option{tiaptest.Known(out...)}
}

// TestFindings compares two states of a talk. Each text was read when it was
// recorded; one that changes is read again.
func TestFindings(t *testing.T) {
	t.Parallel()
	want := make(map[string]bool)
	for _, c := range slices.Concat(findingsCases(), ingestsCases()) {
		require.False(t, want[c.name+".golden"], "two cases are named %s", c.name)
		want[c.name+".golden"] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.wasRescore == nil {
				c.wasRescore = c.rescore
			}
			was, is := audited(t, c.was, c.wasRescore), audited(t, c.is, c.rescore)
			recorded, err := golden.NewRecord(was)
			require.NoError(t, err)
			now, err := golden.NewRecord(is)
			require.NoError(t, err)
			d := golden.Diff(recorded, now, c.opts...)
			assert.Equal(t, c.verdict, d.Verdict)
			assert.Equal(t, c.fails, d.Failed())
			for _, f := range d.Findings {
				if f.Metric != "" {
					assert.LessOrEqual(t, len(f.Carriers), 20, f.Text)
				}
				if f.Verdict == golden.FlipResolved {
					assert.Empty(t, f.Carriers, "%s: nothing carries it", f.Text)
				}
				if f.Verdict == golden.NewFlip && c.rescore == nil {
					assert.NotEmpty(t, f.Carriers, f.Text)
				}
			}
			var text strings.Builder
			require.NoError(t, d.WriteText(&text, is))
			file := filepath.Join("testdata", "findings", c.name+".golden")
			if os.Getenv("TIAP_UPDATE") == "1" {
				require.Empty(t, os.Getenv("CI"), "golden files are not written in CI")
				require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o666))
			}
			held, err := os.ReadFile(file)
			require.NoError(t, err)
			if diff := cmp.Diff(string(held), text.String()); diff != "" {
				t.Errorf("%s differs (-want +got):\n%s\nTIAP_UPDATE=1 go test ./golden -run TestFindings accepts it", file, diff)
			}
		})
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "findings"))
	require.NoError(t, err)
	for _, e := range entries {
		assert.True(t, want[e.Name()], "no case writes testdata/findings/%s", e.Name())
	}
}

// Without a base there is nothing to compare with, which fails unless it may.
func TestCompareWithoutBase(t *testing.T) {
	t.Parallel()
	head := audited(t, nil, nil)
	d, err := golden.Compare("main", nil, head)
	require.NoError(t, err)
	assert.Equal(t, golden.Missing, d.Verdict)
	assert.True(t, d.Failed())
	var text strings.Builder
	require.NoError(t, d.WriteText(&text, head))
	assert.Equal(t, "failed: missing; 1 of 1 finding fails; against main\n\nmissing: there is no base main to compare with\n", text.String())
	d, err = golden.Compare("main", nil, head, golden.ReportOnly(golden.Missing))
	require.NoError(t, err)
	assert.Equal(t, golden.Missing, d.Verdict)
	assert.False(t, d.Failed())
}

func audited(t *testing.T, states []string, opts []tiaptest.Option) *tiaptest.Audit {
	t.Helper()
	k, err := talkIn(states...)
	require.NoError(t, err)
	return rescoreWith(t, k.bundle(), append([]tiaptest.Option{tiaptest.Depth(10), tiaptest.Metrics(tiaptest.MRR(10)), tiaptest.Resamples(100)}, opts...)...)
}
