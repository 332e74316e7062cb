package tiaptest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// The metrics of the contests below.
var (
	mrr    = tiaptest.MRR(5)
	ndcg   = tiaptest.NDCG(5)
	recall = tiaptest.Recall(5)
	micro  = tiaptest.MicroRecall(5)
)

var contestOptions = tiaptest.Options{tiaptest.Depth(5), tiaptest.Metrics(mrr, ndcg, recall, micro)}

// flipped has A lead under raw (1/2 against 1/3 by reciprocal rank), and B under
// source (1/2 against 1) and canonical (1/4 against 1), in each of n queries.
func flipped(n int) *tiaptest.Bundle {
	return contest(system("A", times(n, ".r.f")...), system("B", times(n, "f.r")...))
}

// same has A lead under every target and by every convention.
func same() *tiaptest.Bundle {
	return contest(system("A", "rf", "rf", "rf"), system("B", ".rf", ".rf", ".rf"))
}

// spread is a flip whose gaps differ from query to query.
func spread() *tiaptest.Bundle {
	return contest(
		system("A", slices.Concat(times(30, ".r.f"), times(10, "r...f"))...),
		system("B", slices.Concat(times(30, "f.r"), times(10, ".fr"))...),
	)
}

// crowd is n systems; S01 and S02 flip, all others are worse and level.
func crowd(n int) *tiaptest.Bundle {
	contenders := []contender{system("S01", times(3, ".r.f")...), system("S02", times(3, "f.r")...)}
	for len(contenders) < n {
		contenders = append(contenders, system(fmt.Sprintf("S%02d", len(contenders)+1), times(3, "...rf")...))
	}
	return contest(contenders...)
}

// crowded keeps audits of a crowd quick.
func crowded() tiaptest.Options {
	return tiaptest.Options{tiaptest.Metrics(mrr), tiaptest.Resamples(100)}
}

func changed(b *tiaptest.Bundle, change func(*tiaptest.Bundle)) *tiaptest.Bundle {
	change(b)
	return b
}

// unlinked takes the lineage of a form out of a system.
func unlinked(b *tiaptest.Bundle, system int, form string) *tiaptest.Bundle {
	memories := b.Systems[system].Ingests[0].Memories
	for i := range memories {
		if form == "" || memories[i].Form == form {
			memories[i].Sources = nil
		}
	}
	return b
}

// unlinkedAll takes all lineage out.
func unlinkedAll(b *tiaptest.Bundle) *tiaptest.Bundle {
	for i := range b.Systems {
		unlinked(b, i, "")
	}
	return b
}

func family(b *tiaptest.Bundle) *tiaptest.Bundle {
	for _, s := range b.Systems {
		s.Family = "density"
	}
	return b
}

func finding(targets [2]tiaptest.Target, until string) tiaptest.Finding {
	return tiaptest.Finding{A: "B", B: "A", Metric: mrr, Targets: targets, Reason: "we serve facts", Until: until}
}

var (
	rawSource    = [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source}
	rawCanonical = [2]tiaptest.Target{tiaptest.Raw, tiaptest.Canonical}
)

// ruleCase is an audit with rules. What they find is compared with
// testdata/rules/<name>.golden, unless they find nothing.
type ruleCase struct {
	name   string
	bundle *tiaptest.Bundle
	open   func(dir string) (*tiaptest.Bundle, error) // in place of bundle, of files in dir
	opts   tiaptest.Options
	rules  tiaptest.Rules

	passes bool // nothing fails; there may be notes
}

var noWinnerFlip = tiaptest.Rules{tiaptest.NoWinnerFlip(mrr)}

// two leaves the flip between raw and source alone.
func two(more ...tiaptest.Option) tiaptest.Options {
	return append(tiaptest.Options{tiaptest.Targets(tiaptest.Raw, tiaptest.Source), tiaptest.Headline(tiaptest.Raw)}, more...)
}

func ruleCases() []ruleCase {
	return slices.Concat(winnerFlipCases(), conventionFlipCases(), reportingCases(), scoreCases(), stabilityCases(), nothingCases(),
		scoreEdgeCases(), stabilityEdgeCases(), queryEdgeCases())
}

func winnerFlipCases() []ruleCase {
	always := func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true }
	return []ruleCase{
		{name: "winner-same", bundle: same(), rules: noWinnerFlip, passes: true},
		{name: "winner-flip-likely", bundle: flipped(6), rules: noWinnerFlip},
		{name: "winner-flip-decisive", bundle: spread(), rules: noWinnerFlip},
		{name: "winner-flip-fragile", bundle: flipped(2), rules: noWinnerFlip, opts: two()},
		{name: "winner-flip-one-query", bundle: flipped(1), rules: noWinnerFlip, opts: two()},
		{name: "winner-flip-clustered", bundle: flipped(6), rules: noWinnerFlip, opts: two(tiaptest.Cluster())},
		{name: "winner-flip-alpha", bundle: flipped(6), rules: noWinnerFlip, opts: two(tiaptest.Alpha(0.3))},
		{
			// q3 and q4 are covered by one system alone.
			name:   "winner-flip-subset",
			bundle: contest(system("A", ".r.f", ".r.f", "r|", "rf"), system("B", "f.r", "f.r", "rf", "f|")),
			rules:  noWinnerFlip, opts: two(),
		},
		{
			name:   "winner-flip-all",
			bundle: contest(system("A", ".r.f", ".r.f", ".....|"), system("B", "f.r", "f.r", "...rf")),
			rules:  noWinnerFlip, opts: tiaptest.Options{tiaptest.Population("all")},
		},
		{
			name:   "winner-flip-covered",
			bundle: contest(system("A", ".r.f", ".r.f", "....|"), system("B", "f.r", "f.r", "...rf")),
			rules:  tiaptest.Rules{tiaptest.NoWinnerFlip(mrr), tiaptest.NoWinnerFlip(mrr, tiaptest.From(tiaptest.Likely))},
			opts:   two(tiaptest.Population("covered")),
		},
		{name: "winner-flip-counted", bundle: flipped(3), rules: noWinnerFlip, opts: two(tiaptest.Uncovered("counted"))},
		{name: "winner-flip-by-memory", bundle: flipped(3), rules: noWinnerFlip, opts: two(tiaptest.Credit(tiaptest.ByMemory))},
		{
			// By memory B's three facts lower its recall.
			name:   "winner-flip-denominators",
			bundle: contest(system("A", ".r.f", ".r.f"), system("B", "f.r|rfg", "f.r|rfg")),
			rules:  noWinnerFlip, opts: tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)},
		},
		{
			name:   "winner-flip-micro-recall",
			bundle: contest(system("A", times(3, ".r...f")...), system("B", times(3, "f....r")...)),
			rules:  tiaptest.Rules{tiaptest.NoWinnerFlip(micro)},
		},
		{
			name: "winner-flip-repeats",
			bundle: contest(
				system("A", times(3, ".r.f")...).again(times(3, "r..f")...).again(times(3, "r...f")...),
				system("B", times(3, "f.r")...).again(times(3, "f..r")...)),
			rules: noWinnerFlip,
		},
		{
			name:   "winner-flip-one-repeats",
			bundle: contest(system("A", times(3, ".r.f")...).again(times(3, ".r..f")...), system("B", times(3, "f.r")...)),
			rules:  noWinnerFlip, opts: two(),
		},
		{name: "winner-flip-unavailable", bundle: unlinked(contest(system("A", times(3, ".r|")...), system("B", times(3, "f.r")...)), 1, ""), rules: noWinnerFlip},
		{
			// A stores no fact of a gold turn: canonical covers nothing there.
			name: "winner-flip-covered-0", bundle: contest(system("A", times(3, ".r|")...), system("B", times(3, "f.r")...)), rules: noWinnerFlip,
		},
		{
			// A's facts have no lineage.
			name: "winner-flip-no-lineage", bundle: unlinked(flipped(3), 0, "fact"), rules: noWinnerFlip,
		},
		{name: "winner-same-covered-0", bundle: contest(system("A", times(3, "r|")...), system("B", times(3, ".r")...)), rules: noWinnerFlip, passes: true},
		{
			// Canonical would flip, but stands beside.
			name: "winner-beside", bundle: contest(system("A", ".rf", ".rf"), system("B", "..r..f", "..r..f")), rules: noWinnerFlip, passes: true,
			opts: two(tiaptest.Beside(tiaptest.Canonical)),
		},
		{
			name: "winner-flip-beside", bundle: flipped(2), rules: noWinnerFlip,
			opts: two(tiaptest.Beside(tiaptest.Canonical)),
		},
		{
			name: "winner-flip-own-target", bundle: flipped(2), rules: noWinnerFlip,
			opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw, tiaptest.NewTarget("any form", always)), tiaptest.Headline(tiaptest.Raw)},
		},
		{
			// A leads by 1/30 under raw.
			name: "winner-tie", bundle: contest(system("A", ".r.f", ".r.f", "...r", "r"), system("B", ".r.f", ".r.f", "r...f", "....r")), rules: noWinnerFlip, passes: true,
			opts: tiaptest.Options{tiaptest.MinEffect(0.1)},
		},
		{name: "winner-flip-min-effect", bundle: flipped(2), rules: noWinnerFlip, opts: two(tiaptest.MinEffect(0.1))},
		{name: "winner-flip-25-systems", bundle: crowd(25), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr), tiaptest.NoWinnerFlip(mrr, tiaptest.From(tiaptest.Likely))}, opts: two(crowded())},
		{name: "winner-flip-20-systems", bundle: crowd(20), rules: noWinnerFlip, opts: two(crowded())},
		{name: "winner-from-decisive", bundle: likelyFlip(), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.From(tiaptest.Decisive))}, passes: true},
		{name: "winner-flip-from-likely", bundle: flipped(6), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.From(tiaptest.Likely))}, opts: two()},
		{name: "winner-between", bundle: crowd(4), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.Between("S01", "S03"), tiaptest.Between("S04", "S02"))}, passes: true},
		{name: "winner-flip-between", bundle: crowd(4), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.Between("S02", "S01"))}, opts: two()},
		{
			// S02 has no lineage under canonical, which the rule does not look at.
			name: "winner-between-beside-excluded", bundle: unlinked(crowd(3), 1, "fact"), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.Between("S01", "S03"))}, passes: true,
		},
		{
			name: "winner-between-excluded", bundle: unlinked(crowd(3), 2, "fact"), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.Between("S01", "S03"))}, passes: true,
		},
		{
			// A fact of q6 has no label: what flips by it has no grade.
			name: "winner-ungraded", bundle: flipped(6), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.From(tiaptest.Likely))}, passes: true,
			opts: tiaptest.Options{
				tiaptest.Targets(tiaptest.Raw, tiaptest.Labelled("right", tiaptest.Source, 5, labelsOf(map[string]bool{"f1": true, "f2": true, "f3": true, "f4": true, "f5": true}))),
				tiaptest.Headline(tiaptest.Raw),
			},
		},
		{name: "winner-above", bundle: flipped(6), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.Above(0.2))}, passes: true},
		{name: "winner-flip-above", bundle: flipped(6), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.Above(0.1))}, opts: two()},
		{
			name: "winner-known", bundle: flipped(6), rules: noWinnerFlip, passes: true,
			opts: tiaptest.Options{tiaptest.Known(finding(rawSource, ""), finding([2]tiaptest.Target{tiaptest.Canonical, tiaptest.Raw}, "9999-12-31"))},
		},
		{
			name: "winner-flip-known-in-part", bundle: flipped(6), rules: noWinnerFlip,
			opts: tiaptest.Options{tiaptest.Known(finding(rawSource, ""))},
		},
		{
			name: "winner-flip-known-once", bundle: flipped(6), rules: noWinnerFlip,
			opts: tiaptest.Options{tiaptest.Known(finding(rawSource, "2001-12-31"), finding(rawCanonical, ""))},
		},
		{
			name: "winner-known-no-more", bundle: same(), rules: noWinnerFlip, passes: true,
			opts: tiaptest.Options{tiaptest.Known(
				finding(rawSource, ""),
				finding(rawCanonical, "2001-12-31"),
				finding([2]tiaptest.Target{tiaptest.Raw, tiaptest.Exact(tiaptest.Source)}, ""),
				tiaptest.Finding{A: "A", B: "C", Metric: mrr, Targets: rawSource, Reason: "not here"},
				tiaptest.Finding{A: "A", B: "B", Metric: ndcg, Targets: rawSource, Reason: "another metric"},
				finding([2]tiaptest.Target{tiaptest.Raw, tiaptest.Raw}, ""), // of another rule
			)},
		},
		{
			// The rule does not look at the pair that the finding is about.
			name: "winner-known-elsewhere", bundle: crowd(3), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr, tiaptest.Between("S01", "S03"))}, passes: true,
			opts: tiaptest.Options{tiaptest.Known(tiaptest.Finding{A: "S01", B: "S02", Metric: mrr, Targets: rawSource, Reason: "known"})},
		},
		{name: "winner-flip-of-files", open: saved(flipped(2)), rules: noWinnerFlip},
		{name: "winner-flip-of-files-own-target", open: saved(flipped(2)), rules: noWinnerFlip, opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical, tiaptest.NewTarget("mine", func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true }))}},
		{
			name: "winner-flip-odd-names", rules: noWinnerFlip,
			open: saved(changed(flipped(2), func(b *tiaptest.Bundle) {
				b.Scenario.Queries[0].ID = "q\n1"
				b.Scenario.Queries[0].Text = "Wann fährt der\tZug, und " + strings.Repeat("warum ", 20) + "?"
				b.Scenario.Queries[1].ID = "it's 2"
				b.Scenario.Queries[1].Evidence[0].Turns = append(b.Scenario.Queries[1].Evidence[0].Turns, "t2.1b")
				b.Systems[0].Name, b.Systems[1].Name = "größer", "B 2"
				for _, s := range b.Systems {
					var run tiaptest.Run
					for i := range b.Scenario.Queries {
						k, _ := s.Ingests[0].Run.Ranking(fmt.Sprintf("q%d", i+1))
						k.Query = b.Scenario.Queries[i].ID
						if err := run.Add(k); err != nil {
							panic(err)
						}
					}
					s.Ingests[0].Run = run
				}
			})),
		},
		{name: "winner-flip-mtel-mem", open: openMTELMem(
			`{"query_id":"q1","query_text":"Where?","raw_ids":["r1"],"source_ids":["r1","f1"],"canonical_ids":["f1"]}`,
			"A x r1 x f1", "B f1 x r1"), rules: noWinnerFlip, opts: two()},
		{name: "winner-flip-trec", open: openTREC(map[string]string{"raw": "r1", "source": "r1 f1", "canonical": "f1"}, "x r1 x f1", "f1 x r1"), rules: noWinnerFlip, opts: two()},
	}
}

func conventionFlipCases() []ruleCase {
	rule := func(m tiaptest.Metric, opts ...tiaptest.RuleOption) tiaptest.Rules {
		return tiaptest.Rules{tiaptest.NoConventionFlip(m, opts...)}
	}
	// By memory B finds three of three, A one of two.
	byMemory := func() *tiaptest.Bundle { return contest(system("A", "r", "r"), system("B", ".rfg", ".rfg")) }
	// A does not cover what B is good at.
	overAll := func() *tiaptest.Bundle {
		return contest(system("A", "r", "r", ".|", ".|"), system("B", ".r|", ".r|", "r|", "r|"))
	}
	return []ruleCase{
		{name: "convention-same", bundle: same(), rules: rule(ndcg), passes: true},
		{name: "convention-flip-by-memory", bundle: byMemory(), rules: rule(ndcg)},
		{name: "convention-flip-by-evidence", bundle: byMemory(), rules: rule(ndcg), opts: tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory)}},
		{name: "convention-flip-all", bundle: overAll(), rules: rule(mrr)},
		{name: "convention-flip-shared", open: saved(overAll()), rules: rule(mrr), opts: tiaptest.Options{tiaptest.Population("all"), tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw)}},
		{name: "convention-flip-covered", bundle: overAll(), rules: rule(mrr), opts: tiaptest.Options{tiaptest.Population("covered"), tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw)}},
		{
			// B stores nothing of the second unit, so that dropping it helps B.
			name:   "convention-flip-counted",
			bundle: contest(system("A", "....r|rs", "rs", "rs"), system("B", "r|", "r|", "r|")),
			rules:  rule(recall), opts: tiaptest.Options{tiaptest.Depth(4), tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw)},
		},
		{
			// A tie is no flip.
			name: "convention-tie", bundle: contest(system("A", "rf", "r|", "....|"), system("B", "rf", "r|", "r|")), rules: rule(mrr), passes: true,
		},
		{name: "convention-above", bundle: byMemory(), rules: rule(ndcg, tiaptest.Above(0.2)), passes: true},
		{name: "convention-between", bundle: byMemory(), rules: rule(ndcg, tiaptest.Between("A", "B"))},
		{
			name: "convention-known", bundle: overAll(), rules: rule(mrr), passes: true,
			opts: tiaptest.Options{tiaptest.Known(finding([2]tiaptest.Target{tiaptest.Raw, tiaptest.Raw}, ""), finding([2]tiaptest.Target{tiaptest.Source, tiaptest.Source}, ""), finding(rawSource, ""))},
		},
		{
			name: "convention-flip-known-once", bundle: overAll(), rules: rule(mrr),
			opts: tiaptest.Options{tiaptest.Known(finding([2]tiaptest.Target{tiaptest.Raw, tiaptest.Raw}, "2001-12-31"), finding([2]tiaptest.Target{tiaptest.Source, tiaptest.Source}, ""))},
		},
		{name: "convention-25-systems", bundle: crowd(25), rules: rule(mrr), opts: crowded()},
		{
			// Judgements are compared by two conventions alone.
			name: "convention-mtel-mem", open: openMTELMem(`{"query_id":"q1","raw_ids":["r1"],"source_ids":["r1","f1"],"canonical_ids":["f1"]}`, "A r1 f1", "B x r1 f1"),
			rules: rule(mrr), passes: true,
		},
		{
			// A and B share no query, A and C do.
			name: "convention-flip-behind-strangers", rules: rule(mrr), opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw)},
			bundle: contest(system("A", "r", ".|", ".|"), system("B", ".|", "r", "r"), system("C", ".r|", "r|", "r|")),
		},
		{
			// Over what each covers A leads, over all queries B does; they share none.
			name: "convention-flip-shares-nothing", rules: rule(mrr), opts: tiaptest.Options{tiaptest.Population("covered")},
			bundle: contest(system("A", ".fr", "....|", "....|"), system("B", "....|", "..fr", "..fr")),
		},
		{
			// Over all queries A and B are level however they are scored; they share none.
			name: "convention-all-shares-nothing", rules: rule(mrr), opts: tiaptest.Options{tiaptest.Population("all")}, passes: true,
			bundle: contest(system("A", "rf", "....|"), system("B", "....|", "rf")),
		},
		{
			// Over all queries A leads, but by memory B does, as in byMemory; they share none.
			name: "convention-flip-all-shares-nothing", rules: rule(ndcg), opts: tiaptest.Options{tiaptest.Population("all"), tiaptest.Targets(tiaptest.Source), tiaptest.Headline(tiaptest.Source)},
			bundle: contest(system("A", "r", "....|"), system("B", "....|", ".rfg")),
		},
		{
			// Judgements are credited by memory alone, so that nothing is left to compare.
			name: "convention-mtel-mem-shares-nothing", rules: rule(mrr), opts: tiaptest.Options{tiaptest.Population("all"), tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical), tiaptest.Headline(tiaptest.Raw)},
			open: openMTELMem(`{"query_id":"q1","raw_ids":["r1"],"canonical_ids":[]}`+"\n"+`{"query_id":"q2","raw_ids":[],"canonical_ids":["f2"]}`, "A r1", "B x r1"),
		},
		{
			// A's gold turn stands fourth, and first in the second of its lists.
			name: "convention-flip-lists", bundle: inLists(contest(system("A", "...rf"), system("B", "..rf")), 0, 3), rules: rule(mrr),
			opts: tiaptest.Options{tiaptest.Merge("order"), tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw)},
		},
	}
}

// inLists cuts each ranking of a system into two lists, the first of n ids.
func inLists(b *tiaptest.Bundle, system, n int) *tiaptest.Bundle {
	in := b.Systems[system].Ingests[0]
	var run tiaptest.Run
	for _, q := range b.Scenario.Queries {
		k, _ := in.Run.Ranking(q.ID)
		k.IDs, k.Lists = nil, []tiaptest.List{{Name: "edges", IDs: k.IDs[:n]}, {Name: "nodes", IDs: k.IDs[n:]}}
		if err := run.Add(k); err != nil {
			panic(err)
		}
	}
	in.Run = run
	return b
}

func reportingCases() []ruleCase {
	targets := func(ts ...tiaptest.Target) tiaptest.Options { return tiaptest.Options{tiaptest.Targets(ts...)} }
	all := func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true }
	silent := func(b *tiaptest.Bundle) {
		b.Scenario.Headline = ""
		b.Systems[0].Unit, b.Systems[0].Forms = "", nil
		b.Systems[1].Lineage = ""
	}
	reported, nested, complete := tiaptest.Rules{tiaptest.TargetsReported()}, tiaptest.Rules{tiaptest.Nested()}, tiaptest.Rules{tiaptest.CompleteRuns()}
	gappy := contest(system("A", "r|", "r|", "rf", "r"), system("B", "f|", "f", "r", "f"))
	return []ruleCase{
		{name: "targets-reported", bundle: same(), rules: reported, passes: true},
		{name: "targets-unreported", bundle: changed(same(), silent), rules: reported},
		{name: "targets-unreported-one", bundle: changed(same(), func(b *tiaptest.Bundle) { b.Systems[0].Unit = "" }), rules: reported},
		{name: "targets-unreported-in-files", open: saved(changed(same(), silent)), rules: reported},
		{name: "targets-unreported-single-system", open: singleSystem, rules: reported},
		{name: "targets-unreported-trec", open: openTREC(map[string]string{"raw": "r1"}, "r1", "r1"), rules: reported},
		{name: "targets-alone", bundle: same(), rules: reported, opts: targets(tiaptest.Canonical)},
		{name: "targets-alone-with-scores", bundle: contest(system("A", "r|"), system("B", ".r|")), rules: reported, opts: append(targets(tiaptest.Raw, tiaptest.Canonical), tiaptest.Headline(tiaptest.Raw))},
		{name: "targets-headline-unavailable", bundle: unlinked(same(), 1, "fact"), rules: reported},
		{name: "targets-without-lineage", bundle: unlinkedAll(same()), rules: reported},
		{
			// The store holds a fact before the event.
			name: "targets-unreported-forms", rules: reported,
			bundle: changed(same(), func(b *tiaptest.Bundle) {
				b.Scenario.Headline, b.Systems[0].Forms = "", nil
				memories := b.Systems[0].Ingests[0].Memories
				memories[slices.IndexFunc(memories, func(m tiaptest.Memory) bool { return m.ID == "f2" })].Form = "event"
			}),
		},
		// The headline target is the first one.
		{name: "targets-first-unavailable", bundle: unlinked(same(), 1, "fact"), rules: reported, opts: targets(tiaptest.Canonical, tiaptest.Raw)},
		{name: "targets-first-covers-nothing", bundle: contest(system("A", "r|"), system("B", "rf")), rules: reported, opts: targets(tiaptest.Canonical, tiaptest.Raw)},
		{
			name: "targets-first-without-labels", bundle: same(), rules: reported,
			opts: append(targets(tiaptest.Labelled("right", tiaptest.Canonical, 0, labelsOf(nil)), tiaptest.Raw), tiaptest.Headline(tiaptest.NewTarget("right(canonical)", nil))),
		},

		{name: "shared-subset", bundle: gappy, rules: tiaptest.Rules{tiaptest.SharedSubset(2)}, passes: true},
		{name: "shared-subset-small", bundle: gappy, rules: tiaptest.Rules{tiaptest.SharedSubset(3)}},
		{name: "shared-subset-empty", bundle: contest(system("A", "rf", "....|"), system("B", "....|", "rf")), rules: tiaptest.Rules{tiaptest.SharedSubset(1)}},
		{name: "shared-subset-below-one", bundle: gappy, rules: tiaptest.Rules{tiaptest.SharedSubset(0), tiaptest.SharedSubset(-5)}},
		{
			// B costs two queries, A one.
			name: "shared-subset-costs", rules: tiaptest.Rules{tiaptest.SharedSubset(2)},
			bundle: contest(system("A", "rf", "rf", "rf", "....|"), system("B", "rf", "....|", "....|", "rf")),
		},
		{name: "shared-subset-left-out", bundle: unlinked(same(), 1, "fact"), rules: tiaptest.Rules{tiaptest.SharedSubset(4)}},
		{name: "shared-subset-covered", bundle: gappy, rules: tiaptest.Rules{tiaptest.SharedSubset(1)}, opts: tiaptest.Options{tiaptest.Population("covered")}},
		{name: "shared-subset-covered-alike", bundle: same(), rules: tiaptest.Rules{tiaptest.SharedSubset(3)}, opts: tiaptest.Options{tiaptest.Population("covered")}, passes: true},
		{name: "shared-subset-without-lineage", bundle: unlinkedAll(same()), rules: tiaptest.Rules{tiaptest.SharedSubset(1)}},

		{name: "nested", bundle: same(), rules: nested, passes: true},
		{name: "nested-own-target", bundle: same(), rules: nested, opts: targets(tiaptest.NewTarget("raw", all), tiaptest.Source, tiaptest.Canonical)},
		{
			name: "nested-narrow-source", bundle: contest(system("A", "rf", "rf").again("rf", "rf")), rules: nested,
			opts: targets(tiaptest.Raw, tiaptest.NewTarget("source", func(m tiaptest.Memory, _ []tiaptest.Link, _ tiaptest.Unit) bool { return m.Form == "raw" }), tiaptest.Canonical),
		},
		{name: "nested-mtel-mem", open: openMTELMem(
			`{"query_id":"q1","raw_ids":["r1"],"source_ids":["r1","f1"],"canonical_ids":["f1"]}`+"\n"+
				`{"query_id":"q2","raw_ids":["r2"],"source_ids":["f2"],"canonical_ids":["f2","r2"]}`,
			"A x r1 x f1", "B f1 x r1"), rules: nested},
		{
			// Of the breaches the first by name is told: r2 is read after r1 and r3.
			name: "nested-mtel-mem-breaches", rules: nested,
			open: openMTELMem(`{"query_id":"q1","raw_ids":["r1","r3","r2","r4"],"source_ids":["r1","f1"],"canonical_ids":["f1"]}`, "A x r1 x f1", "B f1 x r1"),
		},
		{
			name: "nested-source-first", bundle: same(), rules: nested,
			opts: targets(tiaptest.NewTarget("source", func(m tiaptest.Memory, _ []tiaptest.Link, _ tiaptest.Unit) bool { return m.Form == "raw" }), tiaptest.Raw, tiaptest.Canonical),
		},
		{name: "nested-trec", open: openTREC(map[string]string{"raw": "r1", "canonical": "r1 f1"}, "r1", "f1"), rules: nested},
		{name: "nested-one-target", bundle: same(), rules: nested, opts: append(targets(tiaptest.Canonical, tiaptest.Current(tiaptest.Source)), tiaptest.Headline(tiaptest.Canonical))},
		{name: "nested-without-lineage", bundle: unlinkedAll(same()), rules: nested},

		{name: "complete-runs", bundle: same(), rules: complete, passes: true},
		{name: "complete-runs-empty-ranking", bundle: contest(system("A", "", "r")), rules: complete, passes: true},
		{name: "incomplete-runs", bundle: contest(system("A", "-", "-", "rf", "!"), system("B", slices.Concat(times(3, "r"), []string{"-"})...)), rules: complete},
		{name: "incomplete-runs-repeats", bundle: contest(system("A", "-", "r", "!").again("-", "-", "r")), rules: complete},
		{name: "incomplete-runs-many", bundle: contest(system("A", append(times(12, "-"), "r")...)), rules: complete},
	}
}

func scoreCases() []ruleCase {
	each := func(min float64, opts ...tiaptest.RuleOption) tiaptest.Rules {
		return tiaptest.Rules{tiaptest.EachQuery(mrr, tiaptest.Canonical, min, opts...)}
	}
	before := auditOf(contest(system("A", "rf", "rf", "....f"), system("B", "rf", "....f", "rf")))
	after := contest(system("A", "....f", "f", "....f"), system("B", "f", "....f", "f"), system("C", "....f", "....f", "....f"))
	return []ruleCase{
		{name: "min-coverage", bundle: same(), rules: tiaptest.Rules{tiaptest.MinCoverage(tiaptest.Canonical, 1)}, passes: true},
		{name: "min-coverage-missed", bundle: contest(system("A", "rf", "r|", "r|"), system("B", "rf", "rf", "rf")), rules: tiaptest.Rules{tiaptest.MinCoverage(tiaptest.Canonical, 0.5)}},
		{name: "min-coverage-unavailable", bundle: unlinked(same(), 1, "fact"), rules: tiaptest.Rules{tiaptest.MinCoverage(tiaptest.Canonical, 0.5)}},

		{name: "min-score", bundle: same(), rules: tiaptest.Rules{tiaptest.MinScore("A", tiaptest.Raw, mrr, 1)}, passes: true},
		{name: "min-score-missed", bundle: flipped(3), rules: tiaptest.Rules{tiaptest.MinScore("B", tiaptest.Raw, mrr, 0.34)}},
		{name: "min-score-missed-all", bundle: flipped(3), rules: tiaptest.Rules{tiaptest.MinScore("B", tiaptest.Raw, mrr, 0.34)}, opts: tiaptest.Options{tiaptest.Population("all")}},

		{name: "winner", bundle: same(), rules: tiaptest.Rules{tiaptest.Winner("A", tiaptest.Raw, mrr)}, passes: true},
		{name: "winner-other", bundle: flipped(3), rules: tiaptest.Rules{tiaptest.Winner("A", tiaptest.Canonical, mrr)}},
		{name: "winner-level", bundle: contest(system("A", "r"), system("B", "r")), rules: tiaptest.Rules{tiaptest.Winner("B", tiaptest.Raw, mrr)}},
		{name: "winner-apart", bundle: contest(system("A", "rf", "....|"), system("B", "....|", "rf"), system("C", ".rf", ".rf")), rules: tiaptest.Rules{tiaptest.Winner("A", tiaptest.Raw, mrr)}},

		{name: "each-query", bundle: same(), rules: each(0.3), passes: true},
		{name: "each-query-missed", bundle: flipped(3), rules: each(0.3)},
		{name: "each-query-missed-many", bundle: flipped(12), rules: each(0.3)},
		{name: "each-query-missed-in-files", open: saved(flipped(1)), rules: each(0.3)},
		{name: "each-query-unretrieved", bundle: contest(system("A", "r")), rules: each(0.3)},
		{name: "each-query-repeats", bundle: contest(system("A", "f", ".....f").again(".....f", ".....f")), rules: each(0.5)},
		{name: "each-query-except", bundle: flipped(3), rules: each(0.3, tiaptest.Except("q1", "q2"), tiaptest.Except("q3")), passes: true},
		{name: "each-query-except-some", bundle: flipped(3), rules: each(0.3, tiaptest.Except("q1", "q3"))},
		{name: "each-query-except-passing", bundle: same(), rules: each(0.3, tiaptest.Except("q1", "q3")), passes: true},
		{name: "each-query-except-unknown", bundle: same(), rules: each(0.3, tiaptest.Except("q1", "q9"))},
		{name: "each-query-against", bundle: after, rules: each(0.5, tiaptest.Against(before))},
		{name: "each-query-against-others", bundle: same(), rules: each(0.3, tiaptest.Against(auditOf(contest(system("C", "f")))))},
		{name: "each-query-against-itself", bundle: flipped(3), rules: each(0.3, tiaptest.Against(auditOf(flipped(3)))), passes: true},
	}
}

func stabilityCases() []ruleCase {
	recommendation := tiaptest.Rules{tiaptest.StableRecommendation("density", mrr)}
	order := tiaptest.Rules{tiaptest.StableTargetOrder(mrr)}
	// B leads at rank 2 alone.
	deep := contest(system("A", "..rf", "rf", "..rf"), system("B", ".rf", ".rf", ".rf"))
	return []ruleCase{
		{name: "recommendation", bundle: family(same()), rules: recommendation, passes: true},
		{name: "recommendation-flip", bundle: family(flipped(3)), rules: recommendation},
		{name: "recommendation-tie", bundle: family(contest(system("A", "rf"), system("B", "rf"))), rules: recommendation, passes: true},
		{name: "recommendation-flip-tie", bundle: family(contest(system("A", ".rf"), system("B", "...rf"), system("C", "f..r"))), rules: recommendation},
		{
			name: "recommendation-known", bundle: family(flipped(3)), rules: recommendation, passes: true,
			opts: tiaptest.Options{tiaptest.Known(finding(rawSource, ""), finding(rawCanonical, ""))},
		},
		{name: "target-order", bundle: same(), rules: order, passes: true},
		{name: "target-order-other", bundle: flipped(3), rules: order},
		{name: "target-order-of-common-targets", bundle: unlinked(contest(system("A", "rf", "rf"), system("B", ".rf", ".rf")), 1, "fact"), rules: order, passes: true},

		{name: "depth", bundle: same(), rules: tiaptest.Rules{tiaptest.NoDepthFlip(mrr, 1, 3, 5)}, passes: true},
		{name: "depth-flip", bundle: deep, rules: tiaptest.Rules{tiaptest.NoDepthFlip(ndcg, 1, 2)}},
	}
}

func nothingCases() []ruleCase {
	other := tiaptest.NDCG(10)
	always := func(metric tiaptest.Metric) tiaptest.Rules {
		return tiaptest.Rules{
			tiaptest.NoWinnerFlip(metric), tiaptest.NoConventionFlip(metric), tiaptest.Winner("A", tiaptest.Raw, metric),
			tiaptest.StableRecommendation("density", metric), tiaptest.StableTargetOrder(metric), tiaptest.NoDepthFlip(metric, 2),
		}
	}
	return []ruleCase{
		{name: "nothing-no-rule", bundle: same(), rules: tiaptest.Rules{}},
		{name: "nothing-empty-rules", bundle: same(), rules: tiaptest.Rules{tiaptest.Nested(), tiaptest.Rules{tiaptest.Rules{}}, nil}},
		{name: "nothing-one-system", bundle: contest(system("A", "rf")), rules: always(mrr)},
		{name: "nothing-one-target", bundle: family(flipped(2)), rules: always(mrr), opts: tiaptest.Options{tiaptest.Targets(tiaptest.Canonical)}},
		{name: "nothing-one-target-trec", open: openTREC(map[string]string{"raw": "r1"}, "x r1", "r1 x"), rules: tiaptest.Rules{tiaptest.NoWinnerFlip(mrr), tiaptest.StableTargetOrder(mrr)}},
		{name: "nothing-shared", bundle: family(contest(system("A", "rf", "....|"), system("B", "....|", "rf"))), rules: always(mrr)},
		{name: "nothing-without-lineage", bundle: unlinkedAll(family(flipped(1))), rules: append(always(mrr), tiaptest.MinScore("A", tiaptest.Raw, mrr, 0.5), tiaptest.EachQuery(mrr, tiaptest.Raw, 0.5))},
		{
			name: "nothing-metric", bundle: family(same()),
			rules: append(always(other), tiaptest.MinScore("A", tiaptest.Raw, other, 0.5), tiaptest.EachQuery(other, tiaptest.Raw, 0.5)),
		},
		{
			name: "nothing-target", bundle: same(), opts: tiaptest.Options{tiaptest.Targets(tiaptest.Source), tiaptest.Headline(tiaptest.Source)},
			rules: tiaptest.Rules{
				tiaptest.MinCoverage(tiaptest.Raw, 0.5), tiaptest.MinScore("A", tiaptest.Raw, mrr, 0.5), tiaptest.Winner("A", tiaptest.Raw, mrr),
				tiaptest.EachQuery(mrr, tiaptest.Raw, 0.5),
			},
		},
		{
			name: "nothing-system", bundle: same(),
			rules: tiaptest.Rules{
				tiaptest.MinScore("C", tiaptest.Raw, mrr, 0.5), tiaptest.Winner("C", tiaptest.Raw, mrr),
				tiaptest.NoWinnerFlip(mrr, tiaptest.Between("A", "C")), tiaptest.NoConventionFlip(mrr, tiaptest.Between("C", "B")),
			},
		},
		{
			name: "nothing-arguments", bundle: same(),
			rules: tiaptest.Rules{
				tiaptest.NoWinnerFlip(mrr, tiaptest.From("certain")), tiaptest.NoWinnerFlip(mrr, tiaptest.Above(-1)), tiaptest.NoWinnerFlip(mrr, tiaptest.Above(1)), tiaptest.NoWinnerFlip(mrr, tiaptest.Except("q1")),
				tiaptest.NoWinnerFlip(mrr, tiaptest.Between("A", "A")), tiaptest.NoConventionFlip(mrr, tiaptest.From(tiaptest.Likely)),
				tiaptest.MinCoverage(tiaptest.Raw, 0), tiaptest.MinScore("A", tiaptest.Raw, mrr, 2),
				tiaptest.NoDepthFlip(mrr), tiaptest.NoDepthFlip(mrr, 5), tiaptest.NoDepthFlip(mrr, 6), tiaptest.NoDepthFlip(mrr, 0), tiaptest.NoDepthFlip(tiaptest.Top1(), 2),
				tiaptest.EachQuery(mrr, tiaptest.Raw, 0), tiaptest.EachQuery(micro, tiaptest.Raw, 0.5), tiaptest.EachQuery(mrr, tiaptest.Raw, 0.5, tiaptest.Against(nil)),
				tiaptest.EachQuery(mrr, tiaptest.Raw, 0.5, tiaptest.Against(auditOf(same(), tiaptest.Targets(tiaptest.Canonical)))),
				tiaptest.ReportedIn("no-such-file.json"),
			},
		},
	}
}

// audit rescores a bundle that is known to be sound.
func auditOf(b *tiaptest.Bundle, opts ...tiaptest.Option) *tiaptest.Audit {
	a, err := tiaptest.Rescore(b, contestOptions, tiaptest.Options(opts))
	if err != nil {
		panic(err)
	}
	return a
}

// saved opens a bundle from files.
func saved(b *tiaptest.Bundle) func(dir string) (*tiaptest.Bundle, error) {
	return func(dir string) (*tiaptest.Bundle, error) {
		if err := b.WriteDir(dir); err != nil {
			return nil, err
		}
		return tiaptest.Open(dir)
	}
}

func putFiles(dir string, contents map[string]string) error {
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func singleSystem(dir string) (*tiaptest.Bundle, error) {
	err := putFiles(dir, map[string]string{
		"queries.jsonl": `{"id":"q1","evidence":["t1"]}`,
		"store.jsonl":   `{"id":"r1","form":"raw","sources":["t1"]}` + "\n" + `{"id":"f1","form":"fact","sources":["t1"]}`,
		"run.jsonl":     `{"query":"q1","ranking":["r1"]}`,
	})
	if err != nil {
		return nil, err
	}
	return tiaptest.Open(dir)
}

// openMTELMem opens records and rankings of q1, each a system with its ids.
func openMTELMem(records string, rankings ...string) func(dir string) (*tiaptest.Bundle, error) {
	return func(dir string) (*tiaptest.Bundle, error) {
		var trace strings.Builder
		for _, ranking := range rankings {
			words := strings.Fields(ranking)
			for i, id := range words[1:] {
				if id == "x" {
					id = fmt.Sprintf("x%d", i)
				}
				fmt.Fprintf(&trace, `{"system":%q,"query_id":"q1","retrieved_id":%q,"rank":%d}`+"\n", words[0], id, i+1)
			}
		}
		if err := putFiles(dir, map[string]string{"records.jsonl": records, "trace.jsonl": trace.String()}); err != nil {
			return nil, err
		}
		return tiaptest.MTELMem{Records: filepath.Join(dir, "records.jsonl"), Traces: []string{filepath.Join(dir, "trace.jsonl")}}.Open()
	}
}

// openTREC opens qrels and the rankings of the systems A and B for q1.
func openTREC(qrels map[string]string, a, b string) func(dir string) (*tiaptest.Bundle, error) {
	return func(dir string) (*tiaptest.Bundle, error) {
		in := tiaptest.TREC{Qrels: make(map[string]string), Runs: make(map[string]string)}
		contents := make(map[string]string)
		for target, ids := range qrels {
			in.Qrels[target] = filepath.Join(dir, target)
			for _, id := range strings.Fields(ids) {
				contents[target] += "q1 0 " + id + " 1\n"
			}
		}
		for name, ids := range map[string]string{"A": a, "B": b} {
			in.Runs[name] = filepath.Join(dir, name)
			for i, id := range strings.Fields(ids) {
				if id == "x" {
					id = fmt.Sprintf("x%d", i)
				}
				contents[name] += fmt.Sprintf("q1 Q0 %s %d %d %s\n", id, i+1, 100-i, name)
			}
		}
		if err := putFiles(dir, contents); err != nil {
			return nil, err
		}
		return in.Open()
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	want := make(map[string]bool)
	for _, c := range ruleCases() {
		require.False(t, want[c.name], "two cases are named %s", c.name)
		want[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if c.open != nil {
				var err error
				c.bundle, err = c.open(dir)
				require.NoError(t, err)
			}
			a, err := tiaptest.Rescore(c.bundle, contestOptions, c.opts)
			require.NoError(t, err)
			text, broken := foundText(t, c.rules.Verify(a), dir)
			if c.passes {
				assert.Zero(t, broken, "violations:\n%s", text)
			} else {
				assert.NotZero(t, broken, "violations:\n%s", text)
			}
			if text != "" {
				compareGolden(t, filepath.Join("testdata", "rules", c.name+".golden"), text)
			} else {
				assert.NoFileExists(t, filepath.Join("testdata", "rules", c.name+".golden"), "nothing was found")
			}
		})
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "rules"))
	require.NoError(t, err)
	for _, e := range entries {
		assert.True(t, want[strings.TrimSuffix(e.Name(), ".golden")], "no case writes testdata/rules/%s", e.Name())
	}
}

// foundText writes violations and checks their form; broken counts those that are
// no notes. The folder dir is written DIR.
func foundText(t *testing.T, found []tiaptest.Violation, dir string) (text string, broken int) {
	t.Helper()
	var b strings.Builder
	for _, v := range found {
		checkText(t, v.Text)
		kind := "note"
		if !v.Note {
			kind = "FAIL"
			broken++
		}
		fmt.Fprintf(&b, "-- %s %s [%s] [%s]\n%s\n\n", kind, v.Rule, strings.Join(v.Systems, ", "), strings.Join(v.Targets, ", "), v.Text)
	}
	return strings.ReplaceAll(b.String(), dir, "DIR"), broken
}

// checkText checks the form of a message: a sentence, details indented below it,
// aligned by spaces.
func checkText(t *testing.T, text string) {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		assert.False(t, strings.ContainsAny(line, "\t\r"), "tab or carriage return in %q", line)
		assert.Equal(t, strings.TrimRight(line, " "), line, "spaces end a line")
		if i == 0 {
			assert.NotRegexp(t, `^\s|^$|[.:]$`, line, "the first line is a sentence")
		} else {
			assert.Regexp(t, `^$|^    `, line, "details are indented")
		}
	}
}

// compareGolden compares a text with a file. TIAP_UPDATE=1 writes the file, but not in CI.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("TIAP_UPDATE") == "1" {
		require.Empty(t, os.Getenv("CI"), "golden files are not written in CI")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n\nTIAP_UPDATE=1 go test ./tiaptest -run %s records it:\n\n%s", err, test, got)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s\nTIAP_UPDATE=1 go test ./tiaptest -run %s accepts it", file, diff, test)
	}
}

func TestVerifyJoinsViolations(t *testing.T) {
	t.Parallel()
	a := auditOf(contest(system("A", ".r.f", "-"), system("B", "f.r", "....")), tiaptest.Known(finding(rawCanonical, "")))
	err := a.Verify(tiaptest.Rules{tiaptest.CompleteRuns(), tiaptest.TargetsReported()}, tiaptest.NoWinnerFlip(mrr))
	require.Error(t, err)

	first, ok := errors.AsType[*tiaptest.Violation](err)
	require.True(t, ok, "a violation can be had from the error")
	assert.Equal(t, "CompleteRuns()", first.Rule)

	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	var texts []string
	var found []tiaptest.Violation
	for _, part := range joined.Unwrap() {
		v, ok := part.(*tiaptest.Violation)
		require.True(t, ok, "%T", part)
		assert.False(t, v.Note, "notes do not fail")
		texts = append(texts, v.Error())
		found = append(found, tiaptest.Violation{Rule: v.Rule, Systems: v.Systems, Targets: v.Targets})
	}
	assert.Equal(t, strings.Join(texts, "\n\n"), err.Error())
	want := []tiaptest.Violation{
		{Rule: "CompleteRuns()", Systems: []string{"A"}},
		{Rule: "NoWinnerFlip(mrr@5)", Systems: []string{"A", "B"}, Targets: []string{"raw", "source"}},
	}
	assert.Empty(t, cmp.Diff(want, found))
}

func TestVerifyPasses(t *testing.T) {
	t.Parallel()
	known := tiaptest.Known(finding(rawSource, ""), finding(rawCanonical, ""))
	assert.NoError(t, auditOf(same()).Verify(tiaptest.CompleteRuns()))
	assert.NoError(t, auditOf(flipped(2), known).Verify(tiaptest.NoWinnerFlip(mrr)), "known findings do not fail")
	assert.Error(t, auditOf(same()).Verify(), "no rule verifies nothing")
	assert.Error(t, auditOf(same()).Verify(tiaptest.Rules{}), "nor does an empty list")
}

// ownRule is a rule of a user.
type ownRule struct{ found []tiaptest.Violation }

func (ownRule) String() string                                { return "ownRule" }
func (r ownRule) Verify(*tiaptest.Audit) []tiaptest.Violation { return r.found }

func TestRulesCompose(t *testing.T) {
	t.Parallel()
	own := ownRule{[]tiaptest.Violation{{Rule: "ownRule", Text: "one"}, {Rule: "ownRule", Text: "two", Note: true}}}
	house := tiaptest.Rules{tiaptest.Nested(), tiaptest.Rules{own, tiaptest.MinScore("B", tiaptest.Raw, mrr, 0.9)}}
	assert.Equal(t, "Nested(); ownRule; MinScore(B, raw, mrr@5, 0.9)", house.String())
	var got []string
	for _, v := range house.Verify(auditOf(same())) {
		got = append(got, v.Rule)
	}
	assert.Equal(t, []string{"ownRule", "ownRule", "MinScore(B, raw, mrr@5, 0.9)"}, got, "in the order of the rules")
	err := auditOf(same()).Verify(house)
	assert.ErrorContains(t, err, "one\n\nmrr@5 of B under raw is 0.5, below 0.9")
	assert.NotContains(t, err.Error(), "two", "a note of a user's rule does not fail either")
}

// recorder keeps what a test is told.
type recorder struct {
	testing.TB
	logged, failed []string
	ended          bool
}

func (r *recorder) Helper()           {}
func (r *recorder) Attr(_, _ string)  {}
func (r *recorder) Log(args ...any)   { r.logged = append(r.logged, fmt.Sprint(args...)) }
func (r *recorder) Error(args ...any) { r.failed = append(r.failed, fmt.Sprint(args...)) }
func (r *recorder) Fatal(args ...any) { r.Error(args...); r.FailNow() }
func (r *recorder) FailNow()          { r.ended = true }

func TestCheck(t *testing.T) {
	t.Parallel()
	flip := auditOf(flipped(2), two(), tiaptest.Known(tiaptest.Finding{A: "A", B: "C", Metric: mrr, Targets: rawSource, Reason: "gone"}))

	r := &recorder{TB: t}
	assert.True(t, tiaptest.Check(r, auditOf(same()), tiaptest.Nested()))
	assert.Empty(t, r.logged)
	assert.Empty(t, r.failed)

	r = &recorder{TB: t}
	assert.False(t, tiaptest.Check(r, flip, tiaptest.NoWinnerFlip(mrr), tiaptest.SharedSubset(3)))
	require.Len(t, r.failed, 1, "one message holds everything")
	assert.Regexp(t, `(?s)^winner flip on mrr@5: .*\n\nthe shared subset has 2 of 2 queries, fewer than 3\n`, r.failed[0])
	require.Len(t, r.logged, 1, "what is known is logged")
	assert.Contains(t, r.logged[0], "the audit has no system C")
	assert.False(t, r.ended)

	r = &recorder{TB: t}
	tiaptest.Require(r, flip, tiaptest.NoWinnerFlip(mrr))
	assert.Len(t, r.failed, 1)
	assert.True(t, r.ended)

	r = &recorder{TB: t}
	tiaptest.Require(r, auditOf(same()), tiaptest.Nested())
	assert.Empty(t, r.failed)
	assert.False(t, r.ended)
}

func TestCheckWithoutRules(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	assert.False(t, tiaptest.Check(r, auditOf(same())))
	assert.Equal(t, []string{"no rule given: nothing was verified"}, r.failed)
}

// TestStrings lists every rule and option with its String.
func TestStrings(t *testing.T) {
	t.Parallel()
	base := auditOf(same())
	custom := tiaptest.NewTarget("mine", func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true })
	for _, c := range []struct {
		value fmt.Stringer
		want  string
	}{
		{tiaptest.TargetsReported(), "TargetsReported()"},
		{tiaptest.SharedSubset(3), "SharedSubset(3)"},
		{tiaptest.Nested(), "Nested()"},
		{tiaptest.CompleteRuns(), "CompleteRuns()"},
		{tiaptest.MinCoverage(tiaptest.Current(tiaptest.Canonical), 0.25), "MinCoverage(current(canonical), 0.25)"},
		{tiaptest.NoWinnerFlip(ndcg), "NoWinnerFlip(ndcg@5)"},
		{tiaptest.NoWinnerFlip(tiaptest.NDCG(0), tiaptest.From(tiaptest.Decisive), tiaptest.Between("A", "B"), tiaptest.Above(0.005)), "NoWinnerFlip(ndcg, From(decisive), Between(A, B), Above(0.005))"},
		{tiaptest.NoConventionFlip(recall), "NoConventionFlip(recall@5)"},
		{tiaptest.NoConventionFlip(recall, nil), "NoConventionFlip(recall@5)"},
		{tiaptest.StableRecommendation("density", tiaptest.RPrec()), "StableRecommendation(density, rprec)"},
		{tiaptest.StableTargetOrder(micro), "StableTargetOrder(micro_recall@5)"},
		{tiaptest.NoDepthFlip(tiaptest.Hit(10), 1, 3), "NoDepthFlip(hit@10, 1, 3)"},
		{tiaptest.Winner("A", custom, tiaptest.Top1()), "Winner(A, mine, top1)"},
		{tiaptest.MinScore("A", tiaptest.Raw, tiaptest.AP(3), 0.125), "MinScore(A, raw, ap@3, 0.125)"},
		{tiaptest.EachQuery(tiaptest.All(2), tiaptest.Source, 1, tiaptest.Except("q1", "q2"), tiaptest.Against(base)), "EachQuery(all@2, source, 1, Except(q1, q2), Against(contest))"},
		{tiaptest.ReportedIn("README.md"), "ReportedIn(README.md)"},
		{tiaptest.Rules{tiaptest.Nested(), nil}, "Nested(); nil"},
		{tiaptest.Rules{}, ""},

		{tiaptest.From(tiaptest.Fragile), "From(fragile)"},
		{tiaptest.Between("A", "B"), "Between(A, B)"},
		{tiaptest.Above(1e-9), "Above(1e-09)"},
		{tiaptest.Except("q1"), "Except(q1)"},
		{tiaptest.Against(base), "Against(contest)"},
		{tiaptest.Against(nil), "Against(nil)"},

		{tiaptest.Depth(5), "depth 5"},
		{tiaptest.Targets(tiaptest.Raw, tiaptest.Exact(tiaptest.Inferred(tiaptest.Source)), custom), "targets raw,exact(inferred(source)),mine"},
		{tiaptest.Beside(tiaptest.Current(tiaptest.Raw)), "beside current(raw)"},
		{tiaptest.Headline(tiaptest.Canonical), "headline canonical"},
		{tiaptest.Credit(tiaptest.ByMemory), "credit memory"},
		{tiaptest.Credit(tiaptest.ByEvidence), "credit evidence"},
		{tiaptest.Metrics(mrr, tiaptest.Precision(5)), "metrics mrr@5,precision@5"},
		{tiaptest.Uncovered("counted"), "uncovered counted"},
		{tiaptest.Population("all"), "population all"},
		{tiaptest.Where("2", "3"), "where category 2,3"},
		{tiaptest.Cluster(), "cluster by scope"},
		{tiaptest.Merge("rrf"), "merge rrf"},
		{tiaptest.MinEffect(0.01), "min effect 0.01"},
		{tiaptest.Alpha(0.1), "alpha 0.1"},
		{tiaptest.Seed(7), "seed 7"},
		{tiaptest.Resamples(200), "resamples 200"},
		{tiaptest.Systems("A", "B"), "systems A,B"},
		{tiaptest.Known(finding(rawSource, "")), "1 known finding"},
		{tiaptest.Options{tiaptest.Depth(5), tiaptest.Options{tiaptest.Cluster()}, nil}, "depth 5; cluster by scope; nil"},

		{finding(rawSource, ""), "winner flip of A and B on mrr@5 between raw and source"},
		{finding([2]tiaptest.Target{tiaptest.Raw, tiaptest.Raw}, ""), "convention flip of A and B on mrr@5 under raw"},
	} {
		assert.Equal(t, c.want, c.value.String())
	}
}
