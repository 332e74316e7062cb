package tiaptest_test

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Options say how they score, as messages and reports do.
func ExampleOption() {
	fmt.Println(tiaptest.Credit(tiaptest.ByMemory))
	fmt.Println(tiaptest.Population("all"))
	// Output:
	// credit memory
	// population all
}

// A house style that every suite starts from. A later option takes the place of
// an earlier one of its kind.
func ExampleOptions() {
	house := tiaptest.Options{tiaptest.Depth(10), tiaptest.Metrics(tiaptest.Recall(3), tiaptest.Recall(1))}
	a := must(tiaptest.Rescore(density(), house, tiaptest.Depth(1)))
	fmt.Println(a.Score("D1", tiaptest.Source, tiaptest.Recall(3)))
	// Output: 0.5 <nil>
}

func ExampleOptions_String() {
	house := tiaptest.Options{tiaptest.Depth(10), tiaptest.Seed(7)}
	fmt.Println(house.String())
	// Output: depth 10; seed 7
}

// D5 has a fact of the turn at rank 1, and the turn itself at rank 3 or 2.
func ExampleDepth() {
	for _, k := range []int{1, 2, 3} {
		a := must(tiaptest.Rescore(density(), tiaptest.Depth(k)))
		fmt.Println(k, must(a.Score("D5", tiaptest.Raw, tiaptest.Recall(k))))
	}
	// Output:
	// 1 0
	// 2 0.5
	// 3 1
}

// One fact that D5 returned is superseded.
func ExampleTargets() {
	current := tiaptest.Current(tiaptest.Canonical)
	b := density()
	b.Systems[1].Ingests[0].Memories[1].Status = "superseded" // fact1a
	a := must(tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Canonical, current)))
	fmt.Println(a.Score("D5", tiaptest.Canonical, tiaptest.Top1()))
	fmt.Println(a.Score("D5", current, tiaptest.Top1()))
	// Output:
	// 1 <nil>
	// 0.5 <nil>
}

// D1 has no current fact for one of the two questions. Among the targets that
// are compared, Current takes the question out of every comparison.
func ExampleBeside() {
	b := density()
	b.Systems[0].Ingests[0].Memories[1].Status = "superseded" // fact1
	current := tiaptest.Current(tiaptest.Canonical)
	among := must(tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Canonical, current)))
	beside := must(tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Canonical), tiaptest.Beside(current)))
	fmt.Println(among.Shared().N, beside.Shared().N)
	fmt.Println(beside.Score("D1", tiaptest.Canonical, tiaptest.MRR(60)))
	fmt.Println(beside.Score("D1", current, tiaptest.MRR(60)))
	// Output:
	// 1 2
	// 0.41666666666666663 <nil>
	// 0.5 <nil>
}

// Targets beside the headline need one to be compared with.
func ExampleHeadline() {
	b := density()
	b.Scenario.Headline = ""
	current := tiaptest.Beside(tiaptest.Current(tiaptest.Canonical))
	_, err := tiaptest.Rescore(b, current)
	fmt.Println(err)
	_, err = tiaptest.Rescore(b, current, tiaptest.Headline(tiaptest.Canonical))
	fmt.Println(err)
	// Output:
	// targets beside the headline, but no headline target is declared; declare one
	// <nil>
}

// D5 made two facts of each turn. One is enough by evidence; by memory the
// other is still to find.
func ExampleCredit() {
	for _, c := range []tiaptest.Crediting{tiaptest.ByEvidence, tiaptest.ByMemory} {
		a := must(tiaptest.Rescore(density(), tiaptest.Credit(c), tiaptest.Metrics(tiaptest.Recall(1))))
		fmt.Println(c, must(a.Score("D5", tiaptest.Canonical, tiaptest.Recall(1))))
	}
	// Output:
	// evidence 1
	// memory 0.5
}

// The summary earns one gain and credits both units. Nothing is left for the
// fact.
func ExampleByEvidence() {
	a := must(tiaptest.Rescore(summarized(), tiaptest.Credit(tiaptest.ByEvidence)))
	fmt.Printf("recall %.2f\n", must(a.Score("mine", tiaptest.Source, tiaptest.Recall(60))))
	fmt.Printf("ndcg   %.2f\n", must(a.Score("mine", tiaptest.Source, tiaptest.NDCG(60))))
	// Output:
	// recall 1.00
	// ndcg   0.61
}

// The summary and the fact are relevant items alike.
func ExampleByMemory() {
	a := must(tiaptest.Rescore(summarized(), tiaptest.Credit(tiaptest.ByMemory)))
	fmt.Printf("recall %.2f\n", must(a.Score("mine", tiaptest.Source, tiaptest.Recall(60))))
	fmt.Printf("ndcg   %.2f\n", must(a.Score("mine", tiaptest.Source, tiaptest.NDCG(60))))
	// Output:
	// recall 1.00
	// ndcg   1.00
}

// summarized holds a question over two turns, answered by a summary of both and
// a fact of one.
func summarized() *tiaptest.Bundle {
	b := new(tiaptest.Bundle)
	b.AddTurn("t1", "We have bees now.").AddTurn("t2", "The bees are in the orchard.")
	b.AddQuery("q1", "Where are the bees?", "have bees", "in the orchard")
	b.AddSystem("mine", "").
		AddMemory("summary", "summary", "t1", "t2").AddMemory("fact", "fact", "t2").
		AddRanking("q1", "summary", "fact")
	return b
}

// A crediting may be the text of a flag. Rescore refuses one that does not
// exist.
func ExampleCrediting() {
	_, err := tiaptest.Rescore(density(), tiaptest.Credit(tiaptest.Crediting("turn")))
	fmt.Println(err)
	// Output: unknown crediting "turn"; use evidence or memory
}

func ExampleMetrics() {
	a := must(tiaptest.Rescore(density(), tiaptest.Metrics(tiaptest.MRR(10))))
	fmt.Println(a.Score("D1", tiaptest.Raw, tiaptest.MRR(10)))
	_, err := a.Score("D1", tiaptest.Raw, tiaptest.Top1())
	fmt.Println(err)
	// Output:
	// 0.75 <nil>
	// the audit has no metric top1; it has mrr@10; add it with Metrics
}

// One of two gold turns was never stored. Is that the fault of the retrieval?
func ExampleUncovered() {
	b := new(tiaptest.Bundle)
	b.AddTurn("t1", "We have bees now.").AddTurn("t2", "The bees are in the orchard.")
	b.AddQuery("q1", "Where are the bees?", "have bees", "in the orchard")
	b.AddSystem("mine", "").AddMemory("raw2", "raw", "t2").AddRanking("q1", "raw2")
	for _, rule := range []string{"dropped", "counted"} {
		a := must(tiaptest.Rescore(b, tiaptest.Uncovered(rule)))
		fmt.Println(rule, must(a.Score("mine", tiaptest.Raw, tiaptest.Recall(60))))
	}
	// Output:
	// dropped 1
	// counted 0.5
}

// Neither system stored anything of the turn that the third question is about.
func ExamplePopulation() {
	b := density()
	b.AddTurn("t3", "The roof of the shed is mended.")
	b.AddQuery("q3", "What was mended?", "roof of the shed")
	for _, population := range []string{"shared", "all"} {
		a := must(tiaptest.Rescore(b, tiaptest.Population(population)))
		fmt.Printf("%s %.2f\n", population, must(a.Score("D5", tiaptest.Source, tiaptest.Top1())))
	}
	// Output:
	// shared 1.00
	// all 0.67
}

func ExampleWhere() {
	b := density()
	b.Scenario.Queries[0].Category = "temporal"
	b.Scenario.Queries[1].Category = "single-hop"
	a := must(tiaptest.Rescore(b, tiaptest.Where("temporal")))
	fmt.Println(must(a.PerQuery("D1", tiaptest.Raw, tiaptest.MRR(60))))
	// Output: map[q1:0.5]
}

func ExampleSystems() {
	a := must(tiaptest.Rescore(density(), tiaptest.Systems("D5")))
	_, err := a.Score("D1", tiaptest.Raw, tiaptest.Top1())
	fmt.Println(err)
	// Output: the audit has no system "D1"; it has D5
}

// The answer is the first node. Reciprocal rank fusion puts what both lists
// name first.
func ExampleMerge() {
	b := new(tiaptest.Bundle)
	b.Scenario.Queries = []tiaptest.Query{{ID: "q1", Evidence: []tiaptest.Unit{{Turns: []string{"t1"}}}}}
	s := b.AddSystem("graph", "").AddMemory("a", "edge", "t2").AddMemory("b", "edge", "t3").AddMemory("c", "node", "t1")
	s.Ingests[0].Run = runOf(tiaptest.Ranking{Query: "q1", Lists: []tiaptest.List{
		{Name: "edges", IDs: []string{"a", "b", "c"}},
		{Name: "nodes", IDs: []string{"c"}},
	}})
	for _, rule := range []string{"order", "interleave", "rrf"} {
		a := must(tiaptest.Rescore(b, tiaptest.Merge(rule)))
		fmt.Printf("%s %.2f\n", rule, must(a.Score("graph", tiaptest.Source, tiaptest.MRR(60))))
	}
	// Output:
	// order 0.33
	// interleave 0.50
	// rrf 1.00
}

// A lead that nobody would notice is a tie.
func ExampleMinEffect() {
	for _, gap := range []float64{0.01, 0.2} {
		a := must(tiaptest.Rescore(density(), tiaptest.MinEffect(gap)))
		p := must(a.Pair("D1", "D5", tiaptest.NDCG(60)))
		fmt.Println(gap, p.Flips[0].Targets, p.Flips[0].Verdict)
	}
	// Output:
	// 0.01 [raw source] flip
	// 0.2 [raw source] tie
}

// A flip that is likely at the level 0.05 is decisive at 0.1.
func ExampleAlpha() {
	raw := tiaptest.Targets(tiaptest.Raw, tiaptest.Source)
	for _, alpha := range []float64{0.05, 0.1} {
		a := must(tiaptest.Rescore(flipping(6, 6), raw, tiaptest.Alpha(alpha)))
		fmt.Println(alpha, a.Flips(tiaptest.MRR(60))[0].Grade)
	}
	// Output:
	// 0.05 likely
	// 0.1 decisive
}

// The lead of D1 under Raw comes from one of two conversations. Resampled by
// conversation, its interval reaches 0.
func ExampleCluster() {
	b := flipping(20, 10)
	for i := range b.Scenario.Queries {
		b.Scenario.Queries[i].Scope = fmt.Sprintf("conv-%d", i/10)
	}
	for _, options := range []tiaptest.Options{{}, {tiaptest.Cluster()}} {
		a := must(tiaptest.Rescore(b, options))
		raw := must(a.Pair("D1", "D5", tiaptest.MRR(60))).Gaps["raw"]
		fmt.Printf("%+.3f %t\n", *raw.Value, raw.CI[0] > 0)
	}
	// Output:
	// +0.083 true
	// +0.083 false
}

// The same seed gives the same p value, bit by bit.
func ExampleSeed() {
	p := func(seed uint64) float64 {
		a := must(tiaptest.Rescore(flipping(20, 10), tiaptest.Seed(seed)))
		return *must(a.Pair("D1", "D5", tiaptest.MRR(60))).Gaps["raw"].P
	}
	fmt.Println(p(1) == p(1), p(1) == p(2))
	// Output: true false
}

// The bounds of an interval depend on the seed, less so with more resamples.
func ExampleResamples() {
	bound := func(resamples int, seed uint64) float64 {
		a := must(tiaptest.Rescore(flipping(30, 10), tiaptest.Resamples(resamples), tiaptest.Seed(seed)))
		return must(a.Pair("D1", "D5", tiaptest.MRR(60))).Gaps["raw"].CI[0]
	}
	fmt.Println(bound(100, 1) == bound(100, 2), bound(10_000, 1) == bound(10_000, 2))
	// Output: false true
}

// The flip stays in the audit and no longer fails the rule.
func ExampleKnown() {
	ndcg := tiaptest.NDCG(60)
	rule := tiaptest.NoWinnerFlip(ndcg)
	for _, options := range []tiaptest.Options{{}, {tiaptest.Known(tiaptest.Finding{
		A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Canonical},
		Reason: "we serve facts, so D5 it is",
	})}} {
		a := must(tiaptest.Rescore(density(), options, tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)))
		fmt.Println(len(a.Flips(ndcg)), a.Verify(rule) == nil)
	}
	// Output:
	// 1 false
	// 1 true
}

// A finding may hold for a time only. Then the flip fails the rule again, beside
// a note that says why.
func ExampleFinding() {
	ndcg := tiaptest.NDCG(60)
	known := tiaptest.Known(tiaptest.Finding{
		A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Canonical},
		Reason: "until the parser is replaced", Until: "2020-12-31",
	})
	a := must(tiaptest.Rescore(density(), known, tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)))
	for _, v := range tiaptest.NoWinnerFlip(ndcg).Verify(a) {
		sentence, _, _ := strings.Cut(v.Text, "\n")
		fmt.Println(v.Note, sentence)
	}
	// Output:
	// false winner flip on ndcg@60: raw picks D1, canonical picks D5 (fragile: shift +0.6845 [+0.6309, +0.7381])
	// true known finding ended on 2020-12-31: winner flip of D1 and D5 on ndcg@60 between canonical and raw (until the parser is replaced)
}

// What is known of each flip, as the table and the rules have it.
func ExampleAudit_Known() {
	ndcg := tiaptest.NDCG(60)
	known := tiaptest.Known(tiaptest.Finding{
		A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Canonical}, Reason: "we serve facts",
	}, tiaptest.Finding{
		A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source}, Reason: "until the parser is replaced", Until: "2020-12-31",
	})
	a := must(tiaptest.Rescore(density(), known))
	for _, f := range a.Flips(ndcg) {
		text, holds := a.Known(f)
		fmt.Println(f.Targets, holds, text)
	}
	// Output:
	// [raw source] false was known until 2020-12-31: until the parser is replaced
	// [raw canonical] true known: we serve facts
}

func ExampleFinding_String() {
	f := tiaptest.Finding{
		A: "D5", B: "D1", Metric: tiaptest.NDCG(60), Targets: [2]tiaptest.Target{tiaptest.Source, tiaptest.Raw},
	}
	fmt.Println(f)
	// Output: winner flip of D1 and D5 on ndcg@60 between raw and source
}
