package tiaptest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// Known findings that do something are not stale; each other one says why.
func TestStaleFindings(t *testing.T) {
	t.Parallel()
	b := &tiaptest.Bundle{}
	b.AddTurn("t1", "one")
	b.AddQuery("q1", "which?", "one")
	for _, name := range []string{"A", "B"} {
		s := b.AddSystem(name, "")
		s.AddMemory("raw", "raw", "t1")
		s.AddMemory("fact", "fact", "t1")
		if name == "A" {
			s.AddRanking("q1", "raw", "other", "fact")
		} else {
			s.AddRanking("q1", "fact", "raw")
		}
		s.AddMemory("other", "raw", "t2")
	}
	known := func(other, metric, until string, t, u tiaptest.Target) tiaptest.Finding {
		m, err := tiaptest.ParseMetric(metric)
		if err != nil {
			panic(err)
		}
		return tiaptest.Finding{A: "A", B: other, Metric: m, Targets: [2]tiaptest.Target{t, u}, Reason: "why", Until: until}
	}
	raw, source, canonical := tiaptest.Raw, tiaptest.Source, tiaptest.Canonical
	stale := func(findings ...tiaptest.Finding) []string {
		a, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Metrics(tiaptest.MRR(10)), tiaptest.Known(findings...))
		require.NoError(t, err)
		return a.StaleFindings()
	}
	holds := known("B", "mrr@10", "9999-12-31", canonical, raw)
	assert.Empty(t, stale(holds, known("B", "mrr@10", "", raw, raw)))
	assert.Equal(t, []string{
		"known finding does not occur any more, remove it: winner flip of A and B on mrr@10 between raw and source (why)",
		"known finding ended on 2001-12-31: convention flip of A and B on mrr@10 under raw (why)",
		"known finding ended on 2001-12-31: winner flip of A and B on mrr@10 between canonical and raw (why)",
		"known finding is not looked for, the audit has no metric ndcg@10: winner flip of A and B on ndcg@10 between canonical and raw (why)",
		"known finding is not looked for, the audit has no system C: winner flip of A and C on mrr@10 between canonical and raw (why)",
	}, stale(holds,
		known("B", "mrr@10", "", raw, source),
		known("B", "mrr@10", "2001-12-31", raw, raw),
		known("B", "mrr@10", "2001-12-31", raw, canonical),
		known("B", "ndcg@10", "", raw, canonical),
		known("C", "mrr@10", "", raw, canonical),
	))
}

// Whether a flip is known is one decision: what Known says holds of exactly the flips
// that the rules pass over.
func TestKnownAsRulesDecide(t *testing.T) {
	t.Parallel()
	targets := []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical}
	names := []string{"S01", "S02", "S03", "S04"}
	b := contest(system("S01", ".r.f", ".rf"), system("S02", "f.r", "rf"), system("S03", "..rf", "r..f"), system("S04", "f..r", "f.r"))
	beside := contest(system("S01", ".r.f", ".r"), system("S02", "f.r", ".f"))
	rapid.Check(t, func(r *rapid.T) {
		var findings []tiaptest.Finding
		for range rapid.IntRange(0, 12).Draw(r, "findings") {
			at := rapid.Permutation(names).Draw(r, "systems")
			findings = append(findings, tiaptest.Finding{
				A: at[0], B: at[1], Metric: rapid.SampledFrom([]tiaptest.Metric{mrr, ndcg}).Draw(r, "metric"),
				Targets: [2]tiaptest.Target{rapid.SampledFrom(targets).Draw(r, "first"), rapid.SampledFrom(targets).Draw(r, "second")},
				Reason:  "why", Until: rapid.SampledFrom([]string{"", "2001-12-31", "2002-12-31", "9999-12-31"}).Draw(r, "until"),
			})
		}
		a := auditOf(b, tiaptest.Metrics(mrr, ndcg), tiaptest.Resamples(100), tiaptest.Known(findings...))
		for _, m := range []tiaptest.Metric{mrr, ndcg} {
			passed := map[string]bool{} // by NoWinnerFlip
			for _, v := range tiaptest.NoWinnerFlip(m).Verify(a) {
				if v.Note == strings.HasPrefix(v.Text, "known: winner flip") && len(v.Systems) == 2 {
					passed[fmt.Sprint(v.Systems, v.Targets)] = v.Note
				}
			}
			flips := a.Flips(m)
			require.NotEmpty(r, flips)
			require.Len(r, passed, len(flips))
			for _, f := range flips {
				text, holds := a.Known(f)
				assert.Equal(r, passed[fmt.Sprint([]string{f.A, f.B}, f.Targets)], holds)
				assert.Equal(r, holds, text == "known: why")
				f.A, f.B, f.Targets[0], f.Targets[1] = f.B, f.A, f.Targets[1], f.Targets[0]
				again, _ := a.Known(f)
				assert.Equal(r, text, again, "in another order")
			}
		}
	})

	// No rule looks at a flip with a target beside the headline, so that nothing is known of it.
	known := finding([2]tiaptest.Target{tiaptest.Canonical, tiaptest.Raw}, "")
	known.A, known.B = "S01", "S02"
	for want, opts := range map[string]tiaptest.Options{
		"known: we serve facts": {tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)},
		"":                      {tiaptest.Targets(tiaptest.Canonical), tiaptest.Beside(tiaptest.Raw)},
	} {
		a := auditOf(beside, opts, tiaptest.Known(known))
		flips := a.Flips(mrr)
		require.Len(t, flips, 1)
		text, _ := a.Known(flips[0])
		assert.Equal(t, want, text)
	}
}
