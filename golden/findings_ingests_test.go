package golden_test

import (
	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// ingestsCases are findings on systems with several ingests, or on queries that only
// some of what is compared covers.
func ingestsCases() []findingsCase {
	all, covered := []tiaptest.Option{tiaptest.Population("all")}, []tiaptest.Option{tiaptest.Population("covered")}
	micro := []tiaptest.Option{tiaptest.Metrics(tiaptest.MicroRecall(3))}
	return []findingsCase{
		// What has a single ingest and did not change stands beside each of the other's.
		{name: "one-repeats-moved", was: []string{"one-repeats"}, is: []string{"one-repeats-moved"}, verdict: golden.WinnerFlip, fails: true},
		{name: "one-repeats-again", was: []string{"one-repeats"}, is: []string{"one-repeats-again"}, verdict: golden.Inconclusive},
		{name: "one-repeats-fell", was: []string{"one-repeats"}, is: []string{"one-repeats-fell"}, verdict: golden.WinnerFlip, fails: true},
		{name: "repeats-one-fell", was: []string{"repeats-one"}, is: []string{"repeats-one-fell"}, verdict: golden.WinnerFlip, fails: true},
		{name: "repeats-fell", was: []string{"repeats"}, is: []string{"repeats-fell"}, verdict: golden.Inconclusive},
		// Where it did change, what it would be in other ingests is not known.
		{name: "one-repeats-both", was: []string{"one-repeats"}, is: []string{"one-repeats-both"}, verdict: golden.WinnerFlip, fails: true},
		{name: "repeats-one-both", was: []string{"repeats-one"}, is: []string{"repeats-one-both"}, verdict: golden.WinnerFlip, fails: true},
		// Ingests are paired as they come, as many as both have.
		{name: "repeats-unequal", was: []string{"repeats-unequal"}, is: []string{"repeats-unequal-again"}, verdict: golden.Inconclusive},
		{name: "repeats-unequal-other", was: []string{"repeats-unequal"}, is: []string{"repeats-unequal-other"}, verdict: golden.Inconclusive},
		{
			// By Welch's test p is 0.010 and 0.013: of two or three tests at 0.05 it would be a change.
			name: "repeats-of-many-tests", was: []string{"repeats-near"}, is: []string{"repeats-apart"}, verdict: golden.Inconclusive,
			rescore: []tiaptest.Option{tiaptest.Metrics(tiaptest.MRR(10), tiaptest.Recall(10))},
		},
		// A shift between two targets is known better than either gap.
		{name: "repeats-shifted", was: []string{"repeats-shift"}, is: []string{"repeats-shifted"}, verdict: golden.NewFlip, fails: true},
		{name: "repeats-shifted-back", was: []string{"repeats-shifted"}, is: []string{"repeats-shift"}, verdict: golden.Inconclusive},
		{name: "repeats-mixed-again", was: []string{"repeats-mixed"}, is: []string{"repeats-mixed-again"}, verdict: golden.Inconclusive},
		{name: "repeats-mixed-moved", was: []string{"repeats-mixed"}, is: []string{"repeats-mixed-moved"}, verdict: golden.WinnerFlip, fails: true},

		{name: "forgets-fewer", was: []string{"forgets-ten"}, is: []string{"forgets-six"}, verdict: golden.Inconclusive},
		{name: "forgets-more", was: []string{"forgets-six"}, is: []string{"forgets-ten"}, verdict: golden.CoverageLost, fails: true},
		{name: "forgets-some", was: []string{"repeats"}, is: []string{"forgets-some"}, verdict: golden.Inconclusive},
		{name: "forgets-in-two", was: []string{"repeats"}, is: []string{"forgets-in-two"}, verdict: golden.CoverageLost, fails: true},

		// First credits are told by reciprocal rank, wherever it stands and whatever its depth.
		{name: "flip-ndcg-first", is: []string{"flip"}, rescore: []tiaptest.Option{tiaptest.Metrics(tiaptest.NDCG(10), tiaptest.MRR(10))}, verdict: golden.WinnerFlip, fails: true},
		{name: "flip-whole-ranking", is: []string{"flip"}, rescore: []tiaptest.Option{tiaptest.Metrics(tiaptest.NDCG(10), tiaptest.MRR(0))}, verdict: golden.WinnerFlip, fails: true},
		{
			name: "known-flip-by-metrics", is: []string{"flip"}, verdict: golden.WinnerFlip,
			rescore: []tiaptest.Option{tiaptest.Metrics(tiaptest.MRR(10), tiaptest.NDCG(10)), tiaptest.Options(knownBy(tiaptest.MRR(10), tiaptest.Source, tiaptest.Canonical)), tiaptest.Options(knownBy(tiaptest.NDCG(10), tiaptest.Source, tiaptest.Canonical))},
		},
		{
			name: "known-flip-in-part-by-metrics", is: []string{"flip"}, verdict: golden.WinnerFlip, fails: true,
			rescore: []tiaptest.Option{tiaptest.Metrics(tiaptest.MRR(10), tiaptest.NDCG(10)), tiaptest.Options(knownBy(tiaptest.MRR(10), tiaptest.Source)), tiaptest.Options(knownBy(tiaptest.NDCG(10), tiaptest.Source))},
		},
		{name: "flip-reversed", is: []string{"flip-reversed"}, verdict: golden.WinnerFlip, fails: true},
		{name: "other-half", was: []string{"first-half"}, is: []string{"flip", "second-half"}, verdict: golden.CoverageLost, fails: true},
		{name: "no-facts-micro-recall", is: []string{"no-facts"}, rescore: micro, verdict: golden.CoverageLost, fails: true},
		{name: "fewer-micro-recall", was: []string{"tie"}, is: []string{"worse", "uncovered"}, rescore: micro, verdict: golden.CoverageLost, fails: true},
		{name: "covered-again-flip", was: []string{"uncovered"}, is: []string{"flip"}, verdict: golden.WinnerFlip, fails: true},
		{name: "fewer-of-all", is: []string{"flip", "uncovered"}, rescore: all, verdict: golden.CoverageLost, fails: true},
		{name: "turns-forgotten-flip", was: []string{"turns-forgotten"}, is: []string{"turns-forgotten", "flip"}, rescore: covered, verdict: golden.WinnerFlip, fails: true},

		{
			name: "worse-under-some-fails", was: []string{"flip"}, verdict: golden.Regressed, fails: true,
			opts: []golden.Option{golden.FailOn(golden.Regressed), golden.ReportOnly(golden.WinnerFlip, golden.RecommendationChanged)},
		},
		{
			name: "better-under-some-fails", is: []string{"flip"}, verdict: golden.Improved, fails: true,
			opts: []golden.Option{golden.FailOn(golden.Improved), golden.ReportOnly(golden.WinnerFlip, golden.NewFlip, golden.RecommendationChanged)},
		},
	}
}
