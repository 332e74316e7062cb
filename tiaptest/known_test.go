package tiaptest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
