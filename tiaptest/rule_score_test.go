package tiaptest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestNoMetric: a metric that an audit has at its own depth is there at another when that
// is the depth, unless Metrics chose.
func TestNoMetric(t *testing.T) {
	t.Parallel()
	has := func(k int) string {
		return fmt.Sprintf("the audit has no metric ndcg@3; it has ndcg@%d,recall@%[1]d,mrr@%[1]d,hit@%[1]d,micro_recall@%[1]d,top1; set Depth(3), or add it with Metrics", k)
	}
	for _, c := range []struct {
		metric tiaptest.Metric
		opts   tiaptest.Options
		want   string // empty: there is one
	}{
		{tiaptest.NDCG(3), nil, has(60)},
		{tiaptest.NDCG(3), tiaptest.Options{tiaptest.Depth(5)}, has(5)},
		{tiaptest.NDCG(3), tiaptest.Options{tiaptest.Depth(3)}, ""},
		{tiaptest.NDCG(3), tiaptest.Options{tiaptest.Metrics(tiaptest.NDCG(5))}, "the audit has no metric ndcg@3; it has ndcg@5; add it with Metrics"},
		{tiaptest.AP(3), tiaptest.Options{tiaptest.Depth(3)}, "the audit has no metric ap@3; it has ndcg@3,recall@3,mrr@3,hit@3,micro_recall@3,top1; add it with Metrics"},
		{tiaptest.NDCG(0), tiaptest.Options{tiaptest.Depth(3)}, "the audit has no metric ndcg; it has ndcg@3,recall@3,mrr@3,hit@3,micro_recall@3,top1; add it with Metrics"},
	} {
		a, err := tiaptest.Rescore(density(), c.opts)
		require.NoError(t, err)
		_, err = a.Score("D1", tiaptest.Raw, c.metric)
		if c.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.want)
		}
	}
}

// scoreEdgeCases are further cases of MinCoverage, MinScore and Winner.
func scoreEdgeCases() []ruleCase {
	canonicalBeside := tiaptest.Options{tiaptest.Targets(tiaptest.Raw, tiaptest.Source), tiaptest.Headline(tiaptest.Raw), tiaptest.Beside(tiaptest.Canonical)}
	coverage := func(target tiaptest.Target, share float64) tiaptest.Rules {
		return tiaptest.Rules{tiaptest.MinCoverage(target, share)}
	}
	score := func(target tiaptest.Target, metric tiaptest.Metric, value float64) tiaptest.Rules {
		return tiaptest.Rules{tiaptest.MinScore("A", target, metric, value)}
	}
	winner := func(system string, target tiaptest.Target) tiaptest.Rules {
		return tiaptest.Rules{tiaptest.Winner(system, target, mrr)}
	}
	// A leads B by 1/100 under raw, and C leads both.
	three := func() *tiaptest.Bundle {
		return contest(system("A", ".r.f", "rf"), system("B", "..rf", "rf"), system("C", "r.f", "r.f"))
	}
	return []ruleCase{
		// 0.55*100 exceeds 55 in floating point.
		{name: "min-coverage-exact", bundle: contest(system("A", append(times(55, "r|f"), times(45, "r|")...)...)), rules: coverage(tiaptest.Canonical, 0.55), passes: true},
		{name: "min-coverage-one-short", bundle: contest(system("A", append(times(54, "r|f"), times(46, "r|")...)...)), rules: coverage(tiaptest.Canonical, 0.55)},
		{name: "min-coverage-none", bundle: contest(system("A", "r|", "r|"), system("B", ".|", "r|")), rules: coverage(tiaptest.Canonical, 0.5)},
		{name: "min-coverage-beside", bundle: contest(system("A", "r|", "rf"), system("B", "rf", "rf")), rules: coverage(tiaptest.Canonical, 0.6), opts: canonicalBeside},
		{name: "min-coverage-of-every-ingest", bundle: contest(system("A", "rf", "rf").again("rf", "r|").again("rf", "rf")), rules: coverage(tiaptest.Canonical, 1)},
		{name: "min-coverage-modified", bundle: superseded(same(), "A"), rules: coverage(tiaptest.Current(tiaptest.Canonical), 1), opts: tiaptest.Options{tiaptest.Beside(tiaptest.Current(tiaptest.Canonical))}},
		{name: "min-coverage-trec", open: openTREC(map[string]string{"raw": "r1", "canonical": "r1 f1"}, "r1", "f1"), rules: coverage(tiaptest.Canonical, 1), passes: true},
		{name: "min-coverage-arguments", bundle: same(), rules: tiaptest.Rules{
			tiaptest.MinCoverage(tiaptest.Raw, -0.5), tiaptest.MinCoverage(tiaptest.Raw, 1.5), tiaptest.MinCoverage(tiaptest.Raw, nan()),
			tiaptest.MinCoverage(tiaptest.Exact(tiaptest.Raw), 0.5), tiaptest.MinCoverage(tiaptest.Target{}, 0.5),
		}},

		{name: "min-score-exact", bundle: contest(system("A", "r", ".r", ".r", ".r")), rules: score(tiaptest.Raw, mrr, 0.625), passes: true},
		// The mean of 1/2, 1/2 and 1/5 is less than 0.4 in floating point.
		{name: "min-score-rounded", bundle: contest(system("A", ".r", ".r", "....r")), rules: score(tiaptest.Raw, mrr, 0.4), passes: true},
		// 1e-9 below the value is no change.
		{name: "min-score-level", bundle: contest(system("A", "...r")), rules: score(tiaptest.Raw, mrr, 0.25+1e-9), passes: true},
		{name: "min-score-zero", bundle: contest(system("A", "...")), rules: score(tiaptest.Raw, mrr, 0), passes: true},
		// One query has recall 1/2, the other 1: micro recall is 2/3.
		{name: "min-score-micro", bundle: contest(system("A", "r|rsf", "r")), rules: score(tiaptest.Raw, micro, 0.7)},
		{name: "min-score-absent", bundle: contest(system("A", "-", "!", "r"), system("B", "r", "r", "r")), rules: score(tiaptest.Raw, mrr, 0.5)},
		{name: "min-score-beside", bundle: flipped(2), rules: score(tiaptest.Canonical, mrr, 0.3), opts: canonicalBeside},
		{name: "min-score-repeats", bundle: contest(system("A", "r").again(".r").again(".r")), rules: score(tiaptest.Raw, mrr, 0.7)},
		{name: "min-score-by-memory", bundle: contest(system("A", "r.|rfg")), rules: score(tiaptest.Source, recall, 0.5), opts: tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)}},
		{name: "min-score-unavailable", bundle: unlinked(same(), 0, "fact"), rules: score(tiaptest.Canonical, mrr, 0.1)},
		{name: "min-score-covers-nothing", bundle: contest(system("A", "r|"), system("B", "rf")), rules: score(tiaptest.Canonical, mrr, 0.1)},
		{name: "min-score-shares-nothing", bundle: contest(system("A", "rf", "....|"), system("B", "....|", "rf")), rules: score(tiaptest.Canonical, mrr, 0.1)},
		{name: "min-score-arguments", bundle: same(), rules: tiaptest.Rules{
			tiaptest.MinScore("A", tiaptest.Raw, mrr, -0.1), tiaptest.MinScore("A", tiaptest.Raw, mrr, 1.01), tiaptest.MinScore("A", tiaptest.Raw, mrr, nan()),
			tiaptest.MinScore("A", tiaptest.Raw, tiaptest.Metric{}, 0.5), tiaptest.MinScore("", tiaptest.Raw, mrr, 0.5),
		}},

		{name: "winner-of-three", bundle: three(), rules: winner("C", tiaptest.Raw), passes: true},
		{name: "winner-second-of-three", bundle: three(), rules: winner("A", tiaptest.Raw)},
		{name: "winner-last-of-three", bundle: three(), rules: winner("B", tiaptest.Raw)},
		{
			// A and B share no query, and C leads A.
			name: "winner-behind-strangers", rules: winner("A", tiaptest.Raw),
			bundle: contest(system("A", ".rf", "....|"), system("B", "....|", "rf"), system("C", "rf", "rf")),
		},
		{name: "winner-within-min-effect", bundle: three(), rules: winner("C", tiaptest.Raw), opts: tiaptest.Options{tiaptest.MinEffect(0.3)}},
		{name: "winner-of-repeats", bundle: contest(system("A", "r", "r").again(".r", "r"), system("B", "r", "r").again("r", "r")), rules: winner("A", tiaptest.Raw)},
		{name: "winner-unavailable", bundle: unlinked(same(), 1, "fact"), rules: winner("A", tiaptest.Canonical)},
		{name: "winner-covers-nothing", bundle: contest(system("A", "r|"), system("B", "rf")), rules: winner("B", tiaptest.Canonical)},
		{name: "winner-of-beside", bundle: flipped(3), rules: winner("B", tiaptest.Canonical), opts: canonicalBeside, passes: true},
		{name: "winner-not-of-beside", bundle: flipped(3), rules: winner("A", tiaptest.Canonical), opts: canonicalBeside},
		{name: "winner-all", bundle: contest(system("A", "r", "....|"), system("B", ".r", "r")), rules: winner("A", tiaptest.Raw), opts: tiaptest.Options{tiaptest.Population("all")}},
		{name: "winner-covered", bundle: contest(system("A", ".r", "....|"), system("B", "..r", "r")), rules: winner("A", tiaptest.Raw), opts: tiaptest.Options{tiaptest.Population("covered")}},
		{name: "winner-mtel-mem", open: openMTELMem(`{"query_id":"q1","raw_ids":["r1"],"source_ids":["r1","f1"],"canonical_ids":["f1"]}`, "A x r1 x f1", "B f1 x r1"), rules: winner("A", tiaptest.Canonical)},
		{name: "winner-trec", open: openTREC(map[string]string{"raw": "r1", "canonical": "f1"}, "x r1 x f1", "f1 x r1"), rules: winner("A", tiaptest.Raw), passes: true},
	}
}
