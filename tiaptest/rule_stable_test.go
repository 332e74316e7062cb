package tiaptest_test

import (
	"math"

	"github.com/tiaptest/tiap/tiaptest"
)

func nan() float64 { return math.NaN() }

// superseded marks the facts of a system as superseded.
func superseded(b *tiaptest.Bundle, name string) *tiaptest.Bundle {
	for _, s := range b.Systems {
		for _, in := range s.Ingests {
			for i := range in.Memories {
				if s.Name == name && in.Memories[i].Form == "fact" {
					in.Memories[i].Status = "superseded"
				}
			}
		}
	}
	return b
}

// stabilityEdgeCases are further cases of StableRecommendation,
// StableTargetOrder and NoDepthFlip.
func stabilityEdgeCases() []ruleCase {
	recommendation := tiaptest.Rules{tiaptest.StableRecommendation("density", mrr)}
	order := tiaptest.Rules{tiaptest.StableTargetOrder(mrr)}
	depth := func(metric tiaptest.Metric, ks ...int) tiaptest.Rules {
		return tiaptest.Rules{tiaptest.NoDepthFlip(metric, ks...)}
	}
	some := func(b *tiaptest.Bundle, members ...int) *tiaptest.Bundle {
		for _, i := range members {
			b.Systems[i].Family = "density"
		}
		return b
	}
	// Raw recommends A, source and canonical B; C is worse.
	three := func() *tiaptest.Bundle {
		return family(contest(system("A", ".r.f", ".r.f"), system("B", "f.r", "f.r"), system("C", "...rf", "...rf")))
	}
	// D is the best of all and outside of the family.
	outsider := contest(system("A", ".rf", ".rf"), system("B", "..rf", "..rf"), system("D", "f.r", "r.f"))
	// B leads at rank 1 under raw, A on the whole.
	deep := func() *tiaptest.Bundle {
		return contest(system("A", ".rf", ".rf", ".rf"), system("B", "rf", "....r", "....r"))
	}
	allKnown := tiaptest.Known(finding(rawSource, ""), finding(rawCanonical, ""))
	return []ruleCase{
		{name: "recommendation-flip-of-three", bundle: three(), rules: recommendation},
		{name: "recommendation-outsider", bundle: some(outsider, 0, 1), rules: recommendation, passes: true},
		{name: "recommendation-of-one", bundle: some(same(), 0), rules: recommendation},
		{name: "recommendation-of-none", bundle: same(), rules: recommendation},
		{name: "recommendation-of-other-family", bundle: family(same()), rules: tiaptest.Rules{tiaptest.StableRecommendation("retrieval", mrr)}},
		{name: "recommendation-flip-by-memory", bundle: family(flipped(3)), rules: recommendation, opts: tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)}},
		{name: "recommendation-flip-all", bundle: family(flipped(3)), rules: recommendation, opts: tiaptest.Options{tiaptest.Population("all")}},
		{name: "recommendation-flip-without-a-target", bundle: unlinked(family(contest(system("A", ".r|"), system("B", "f.r"))), 0, "fact"), rules: recommendation},
		{name: "recommendation-one-target-left", bundle: family(contest(system("A", "r|").again("....|"), system("B", "rf"))), rules: recommendation},
		{name: "recommendation-micro", bundle: family(contest(system("A", "r", "....rf"), system("B", "f", "....fr"))), rules: tiaptest.Rules{tiaptest.StableRecommendation("density", micro)}},
		{name: "recommendation-flip-repeats", bundle: family(contest(system("A", ".r.f").again(".r.f"), system("B", "f.r").again("f..r"))), rules: recommendation},
		{name: "recommendation-beside", bundle: family(contest(system("A", ".rf"), system("B", "..r..f"))), rules: recommendation, passes: true,
			opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw, tiaptest.Source), tiaptest.Headline(tiaptest.Raw), tiaptest.Beside(tiaptest.Canonical)}},
		{name: "recommendation-known-of-three", bundle: three(), rules: recommendation, opts: tiaptest.Options{allKnown}, passes: true},
		{name: "recommendation-flip-known-in-part", bundle: three(), rules: recommendation, opts: tiaptest.Options{tiaptest.Known(finding(rawSource, ""))}},
		{name: "recommendation-flip-known-once", bundle: three(), rules: recommendation, opts: tiaptest.Options{tiaptest.Known(finding(rawSource, "2001-12-31"), finding(rawCanonical, ""))}},
		{name: "recommendation-flip-known-by-another-metric", bundle: three(), rules: recommendation, opts: tiaptest.Options{tiaptest.Known(
			tiaptest.Finding{A: "A", B: "B", Metric: ndcg, Targets: rawSource, Reason: "another metric"},
			finding([2]tiaptest.Target{tiaptest.Raw, tiaptest.Raw}, ""),
		)}},
		{
			// Canonical comes first and covers nothing in A.
			name: "recommendation-flip-first-target-left-out", bundle: family(contest(system("A", ".r|"), system("B", "f.r"))), rules: recommendation,
			opts: tiaptest.Options{tiaptest.Targets(tiaptest.Canonical, tiaptest.Raw, tiaptest.Source)},
		},
		{
			// Raw and canonical recommend A, source B: one flip is known, another is not.
			name: "recommendation-flip-known-beside-another", bundle: family(contest(system("A", times(4, ".rf")...), system("B", "r", "f", "...f", "...."))), rules: recommendation,
			opts: tiaptest.Options{tiaptest.Known(finding(rawSource, ""))},
		},
		{name: "recommendation-flip-of-files", open: saved(three()), rules: recommendation},

		// Under raw and source A's score is the same.
		{name: "target-order-ties", bundle: contest(system("A", "rf"), system("B", ".rf")), rules: order, passes: true},
		{name: "target-order-tie-against-order", bundle: contest(system("A", "rf"), system("B", "fr")), rules: order},
		{name: "target-order-within-min-effect", bundle: contest(system("A", "...r.f"), system("B", "...f.r")), rules: order, opts: tiaptest.Options{tiaptest.Depth(6), tiaptest.MinEffect(0.3)}, passes: true},
		{name: "target-order-of-one", bundle: contest(system("A", "rf")), rules: order},
		{name: "target-order-of-three", bundle: contest(system("A", "rf"), system("B", ".rf"), system("C", "f.r")), rules: order},
		{name: "target-order-one-target-in-common", bundle: contest(system("A", "rf"), system("B", "r|")), rules: order, opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)}},
		{
			// A has scores under raw and source, B under source and canonical.
			name: "target-order-source-in-common", bundle: unlinked(contest(system("A", "r|"), system("B", "rf")), 1, "raw"), rules: order,
		},
		{name: "target-order-shares-nothing", bundle: contest(system("A", "rf", "....|"), system("B", "....|", "rf")), rules: order},

		{name: "depth-flip-both-ways", bundle: contest(system("A", ".rf", ".rf", ".rf"), system("B", "rf", "....rf", "....rf")), rules: depth(mrr, 1)},
		// The audit itself has no precision.
		{name: "depth-flip-of-another-metric", bundle: contest(system("A", ".rs"), system("B", "r|rs")), rules: depth(tiaptest.Precision(5), 1)},
		{name: "depth-flip-whole-ranking", bundle: deep(), rules: depth(tiaptest.NDCG(0), 1, 1)},
		{name: "depth-beside", bundle: contest(system("A", ".f", ".f", ".f"), system("B", "f", "....f", "....f")), rules: depth(mrr, 1), passes: true,
			opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw), tiaptest.Beside(tiaptest.Canonical)}},
		{
			// A and B are level, C is not; between the pairs stands a target beside.
			name: "depth-flip-after-beside", rules: depth(ndcg, 1, 2), opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw), tiaptest.Beside(tiaptest.Canonical)},
			bundle: contest(system("A", "..rf", "rf", "..rf"), system("B", "..rf", "rf", "..rf"), system("C", ".rf", ".rf", ".rf")),
		},
		{name: "depth-tie", bundle: contest(system("A", ".rf"), system("B", "..rf")), rules: depth(mrr, 1), passes: true},
		{name: "depth-flip-by-memory", bundle: deep(), rules: depth(ndcg, 1), opts: tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)}},
		{name: "depth-flip-repeats", bundle: contest(system("A", ".r", ".r", ".r").again(".r", ".r", "..r"), system("B", "r", "....", "....").again("r", "....", "....")), rules: depth(mrr, 1), opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw)}},
		{name: "depth-of-other-cut-offs", bundle: deep(), rules: tiaptest.Rules{tiaptest.NoDepthFlip(mrr, 5, 5), tiaptest.NoDepthFlip(tiaptest.RPrec(), 2), tiaptest.NoDepthFlip(mrr, -1)}},
		{name: "depth-flip-micro", bundle: contest(system("A", ".r", ".r"), system("B", "r", "....")), rules: depth(micro, 1)},
	}
}
