package tiaptest_test

import (
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
)

// repeated is one system with an ingest for each ranking of its one query.
func repeated(rankings ...string) *tiaptest.Bundle {
	c := system("A", rankings[0])
	for _, r := range rankings[1:] {
		c = c.again(r)
	}
	return contest(c)
}

// ingests is passes rankings that find the fact and fails that do not.
func ingests(passes, fails int) []string {
	return slices.Concat(times(passes, "f"), times(fails, "....."))
}

// queryEdgeCases are further cases of EachQuery.
func queryEdgeCases() []ruleCase {
	each := func(opts ...tiaptest.RuleOption) tiaptest.Rules {
		return tiaptest.Rules{tiaptest.EachQuery(mrr, tiaptest.Canonical, 0.5, opts...)}
	}
	against := func(before *tiaptest.Bundle, opts ...tiaptest.RuleOption) tiaptest.Rules {
		return each(append(opts, tiaptest.Against(auditOf(before)))...)
	}
	failing := repeated("....f")
	return []ruleCase{
		{name: "each-query-exact", bundle: repeated(".f"), rules: each(), passes: true},
		{name: "each-query-rounded", bundle: repeated(".f"), rules: tiaptest.Rules{tiaptest.EachQuery(mrr, tiaptest.Canonical, 0.5+1e-10)}, passes: true},
		{name: "each-query-level", bundle: repeated("...f"), rules: tiaptest.Rules{tiaptest.EachQuery(mrr, tiaptest.Canonical, 0.25+1e-9)}, passes: true},
		{name: "each-query-uncovered", bundle: contest(system("A", "r|", ".f")), rules: each(), passes: true},
		{name: "each-query-absent", bundle: contest(system("A", "-", "!", "f", "")), rules: each()},
		{name: "each-query-counted", bundle: contest(system("A", "f|fs")), rules: tiaptest.Rules{tiaptest.EachQuery(recall, tiaptest.Source, 0.6)}, opts: tiaptest.Options{tiaptest.Uncovered("counted")}},
		{name: "each-query-dropped", bundle: contest(system("A", "f|f", "s|fs")), rules: tiaptest.Rules{tiaptest.EachQuery(recall, tiaptest.Source, 0.6)}},
		{name: "each-query-by-memory", bundle: contest(system("A", "f|fg")), rules: tiaptest.Rules{tiaptest.EachQuery(recall, tiaptest.Canonical, 0.6)}, opts: tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)}},
		{name: "each-query-beside", bundle: repeated("....rf"), rules: tiaptest.Rules{tiaptest.EachQuery(mrr, tiaptest.Raw, 0.5)},
			opts: tiaptest.Options{tiaptest.Targets(tiaptest.Source, tiaptest.Canonical), tiaptest.Beside(tiaptest.Raw)}},
		{name: "each-query-in-two-systems", bundle: contest(system("A", "....f", "f"), system("B", "f", "....f")), rules: each()},
		{name: "each-query-trec", open: openTREC(map[string]string{"canonical": "f1"}, "x x x f1", "f1"), rules: each(), opts: tiaptest.Options{tiaptest.Headline(tiaptest.Canonical)}},

		// At most one in five ingests passes: a failure.
		{name: "each-query-1-of-5", bundle: repeated(ingests(1, 4)...), rules: each()},
		{name: "each-query-2-of-5", bundle: repeated(ingests(2, 3)...), rules: each(), passes: true},
		{name: "each-query-1-of-4", bundle: repeated(ingests(1, 3)...), rules: each(), passes: true},
		{name: "each-query-0-of-2", bundle: repeated(ingests(0, 2)...), rules: each()},
		{name: "each-query-2-of-10", bundle: repeated(ingests(2, 8)...), rules: each()},
		{name: "each-query-3-of-10", bundle: repeated(ingests(3, 7)...), rules: each(), passes: true},
		// It passed before in at least four of five.
		{name: "each-query-against-4-of-5", bundle: failing, rules: against(repeated(ingests(4, 1)...))},
		{name: "each-query-against-3-of-5", bundle: failing, rules: against(repeated(ingests(3, 2)...)), passes: true},
		{name: "each-query-against-3-of-4", bundle: failing, rules: against(repeated(ingests(3, 1)...)), passes: true},
		{name: "each-query-against-8-of-10", bundle: failing, rules: against(repeated(ingests(8, 2)...))},
		{name: "each-query-against-repeats", bundle: repeated(ingests(1, 4)...), rules: against(repeated("f"))},
		// New queries and those not covered before have nothing to compare with.
		{name: "each-query-against-new", bundle: contest(system("A", "f", "....f", "....f")), rules: against(contest(system("A", "f", "r|"))), passes: true},
		{name: "each-query-against-uncovered", bundle: contest(system("A", "....f")), rules: against(contest(system("A", "r|")))},
		{name: "each-query-against-except", bundle: contest(system("A", "....f", "....f")), rules: against(contest(system("A", "f", "f")), tiaptest.Except("q2"))},
		{name: "each-query-against-other-metric", bundle: same(), rules: tiaptest.Rules{
			tiaptest.EachQuery(mrr, tiaptest.Canonical, 0.5, tiaptest.Against(auditOf(same(), tiaptest.Metrics(ndcg)))),
		}},
		{name: "each-query-except-in-one-system", bundle: contest(system("A", "....f", "f"), system("B", "f", "f")), rules: each(tiaptest.Except("q1")), passes: true},
		{name: "each-query-except-twice", bundle: same(), rules: each(tiaptest.Except("q1", "q1", "nowhere", "q\n2"))},
		{name: "each-query-min", bundle: same(), rules: tiaptest.Rules{
			tiaptest.EachQuery(mrr, tiaptest.Raw, -1), tiaptest.EachQuery(mrr, tiaptest.Raw, 1.5), tiaptest.EachQuery(mrr, tiaptest.Raw, nan()),
		}},
	}
}
