package tiaptest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/tiaptest/tiap/tiaptest"
)

// must returns v, and panics on an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// flipping holds two systems and n questions. Source puts D5 ahead in all of
// them; Raw puts D1 ahead in the first m, and neither in the others.
func flipping(n, m int) *tiaptest.Bundle {
	b := new(tiaptest.Bundle)
	d1 := b.AddSystem("D1", "").AddMemory("chatter", "raw", "t")
	d5 := b.AddSystem("D5", "").AddMemory("chatter", "raw", "t")
	for i := range n {
		turn := fmt.Sprintf("t%02d", i)
		raw, fact, query := "raw/"+turn, "fact/"+turn, "q/"+turn
		b.AddTurn(turn, "turn "+turn).AddQuery(query, "", turn)
		d1.AddMemory(raw, "raw", turn).AddMemory(fact, "fact", turn)
		d5.AddMemory(raw, "raw", turn).AddMemory(fact, "fact", turn)
		d5.AddRanking(query, fact, "chatter", raw)
		if i < m {
			d1.AddRanking(query, "chatter", raw, fact)
		} else {
			d1.AddRanking(query, "chatter", fact, raw)
		}
	}
	return b
}

// An audit is asked by name for what it holds.
func ExampleAudit() {
	a, err := tiaptest.Rescore(density())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Score("D1", tiaptest.Canonical, tiaptest.Recall(60)))
	fmt.Println(a.Shared().N, len(a.Flips(tiaptest.Top1())))
	_, err = a.Pair("D1", "D8", tiaptest.Top1())
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// 2 2
	// the audit has no pair D1 and D8; it has the systems [D1 D5]
}

// Rankings are saved once and scored as often as there are questions to them.
func ExampleRescore() {
	b := density()
	for _, k := range []int{1, 2} {
		a, err := tiaptest.Rescore(b, tiaptest.Depth(k), tiaptest.Metrics(tiaptest.Hit(k)))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(a.Score("D1", tiaptest.Raw, tiaptest.Hit(k)))
	}
	// Output:
	// 0.5 <nil>
	// 1 <nil>
}

// Another convention scores no ranking again.
func ExampleAudit_With() {
	a := must(tiaptest.Rescore(density()))
	all, err := a.With(tiaptest.Population("all"))
	fmt.Println(all.Score("D1", tiaptest.Raw, tiaptest.Recall(60)))
	_, err = a.With(tiaptest.Population("judged"))
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// population judged exists for TREC qrels only; use shared, all or covered
}

// A target that the lineage of a store cannot speak about has no score, which
// is not a score of 0.
func ExampleAudit_Score() {
	b := density()
	for i := range b.Systems[0].Ingests[0].Memories {
		m := &b.Systems[0].Ingests[0].Memories[i]
		if m.Form == "fact" {
			m.Sources = nil
		}
	}
	a := must(tiaptest.Rescore(b))
	fmt.Println(a.Score("D1", tiaptest.Raw, tiaptest.MRR(60)))
	_, err := a.Score("D1", tiaptest.Canonical, tiaptest.MRR(60))
	fmt.Println(err)
	// Output:
	// 0.75 <nil>
	// mrr@60 of D1 under canonical is undefined over shared queries: the target is unavailable, its store has no lineage for it
}

func ExampleAudit_PerQuery() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(a.PerQuery("D1", tiaptest.Canonical, tiaptest.Top1()))
	_, err := a.PerQuery("D1", tiaptest.Canonical, tiaptest.MicroRecall(60))
	fmt.Println(err)
	// Output:
	// map[q1:0 q2:0] <nil>
	// micro_recall@60 is a ratio of sums over queries; it has no value for a single query
}

func ExampleAudit_Values() {
	a := must(tiaptest.Rescore(density()))
	for query, v := range must(a.Values("D5", tiaptest.Raw, tiaptest.MRR(60))) {
		fmt.Printf("%s %.2f\n", query, v)
	}
	// Output:
	// q1 0.33
	// q2 0.50
}

// Seen from D5 the gap is the other way round.
func ExampleAudit_Pair() {
	a := must(tiaptest.Rescore(density()))
	ndcg := tiaptest.NDCG(60)
	fmt.Printf("%+.4f\n", *must(a.Pair("D1", "D5", ndcg)).Gaps["raw"].Value)
	fmt.Printf("%+.4f\n", *must(a.Pair("D5", "D1", ndcg)).Gaps["raw"].Value)
	// Output:
	// +0.2500
	// -0.2500
}

// The leader under each target, or nobody.
func ExamplePair() {
	a := must(tiaptest.Rescore(density()))
	for _, metric := range []tiaptest.Metric{tiaptest.NDCG(60), tiaptest.Recall(60)} {
		p := must(a.Pair("D1", "D5", metric))
		for _, target := range []string{"raw", "source"} {
			leader := "nobody"
			if w := p.Winners[target]; w != nil {
				leader = *w
			}
			fmt.Printf("%s, %d queries: %s leads under %s\n", p.Metric, p.N, leader, target)
		}
	}
	// Output:
	// ndcg@60, 2 queries: D1 leads under raw
	// ndcg@60, 2 queries: D5 leads under source
	// recall@60, 2 queries: nobody leads under raw
	// recall@60, 2 queries: nobody leads under source
}

// A gap with its confidence interval. D5 is ahead in every question under
// Source, so all resamples have the same gap.
func ExampleGap() {
	a := must(tiaptest.Rescore(flipping(12, 6)))
	g := must(a.Pair("D1", "D5", tiaptest.MRR(60))).Gaps["source"]
	fmt.Printf("%+.2f [%+.2f, %+.2f] %t\n", *g.Value, g.CI[0], g.CI[1], *g.PAdj < 0.05)
	// Output: -0.50 [-0.50, -0.50] true
}

func ExampleAudit_Flips() {
	a := must(tiaptest.Rescore(density()))
	for _, f := range a.Flips(tiaptest.NDCG(60)) {
		fmt.Println(f.A, f.B, f.Targets)
	}
	// Output:
	// D1 D5 [raw source]
	// D1 D5 [raw canonical]
}

// How far a flip can be relied on: what the target shifts, and how few
// questions it hangs on.
func ExampleFlip() {
	a := must(tiaptest.Rescore(flipping(12, 3), tiaptest.Targets(tiaptest.Raw, tiaptest.Source)))
	for _, f := range a.Flips(tiaptest.MRR(60)) {
		fmt.Printf("%s: shift %+.4f, leave out %d\n", f.Grade, *f.Shift.Value, *f.LeaveOut)
	}
	// Output: likely: shift +0.5417, leave out 3
}

// The questions to look at first.
func ExampleCarrier() {
	a := must(tiaptest.Rescore(flipping(3, 1), tiaptest.Targets(tiaptest.Raw, tiaptest.Source)))
	for _, c := range a.Flips(tiaptest.MRR(60))[0].Carriers {
		fmt.Printf("%s %+.3f\n", c.Query, c.Shift)
	}
	// Output:
	// q/t00 +0.222
	// q/t01 +0.167
	// q/t02 +0.167
}

// Two questions bear no flip out, twelve that agree do.
func ExampleGrade() {
	for _, n := range []int{2, 12} {
		a := must(tiaptest.Rescore(flipping(n, n)))
		fmt.Println(n, a.Flips(tiaptest.MRR(60))[0].Grade)
	}
	// Output:
	// 2 fragile
	// 12 decisive
}

func ExampleFragile() {
	a := must(tiaptest.Rescore(flipping(2, 2)))
	fmt.Println(a.Flips(tiaptest.MRR(60))[0].Grade == tiaptest.Fragile)
	// Output: true
}

// D1 leads under Raw in one question of twelve, which may be chance. That the
// target shifts the gap is not.
func ExampleLikely() {
	a := must(tiaptest.Rescore(flipping(12, 1)))
	fmt.Println(a.Flips(tiaptest.MRR(60))[0].Grade == tiaptest.Likely)
	// Output: true
}

// Neither the lead of D1 under Raw nor that of D5 under Source is chance.
func ExampleDecisive() {
	a := must(tiaptest.Rescore(flipping(12, 12)))
	fmt.Println(a.Flips(tiaptest.MRR(60))[0].Grade == tiaptest.Decisive)
	// Output: true
}

// Two targets between which there is no flip have no grade.
func ExampleGrade_MarshalJSON() {
	a := must(tiaptest.Rescore(density(), tiaptest.Targets(tiaptest.Source, tiaptest.Canonical)))
	for _, f := range must(a.Pair("D1", "D5", tiaptest.NDCG(60))).Flips {
		fmt.Printf("%s %s\n", f.Verdict, must(json.Marshal(f.Grade)))
	}
	// Output: same null
}

func ExampleAudit_Recommendation() {
	a := must(tiaptest.Rescore(density()))
	r := must(a.Recommendation("density", tiaptest.NDCG(60)))
	fmt.Println(r.Flip, *r.Winners["raw"], *r.Winners["source"], *r.Winners["canonical"])
	_, err := a.Recommendation("retrieval", tiaptest.NDCG(60))
	fmt.Println(err)
	// Output:
	// true D1 D5 D5
	// no family "retrieval" with at least two systems; say which systems are its members (Family, in system.json "family")
}

// By recall the variants are tied, and no target recommends one.
func ExampleRecommendation() {
	a := must(tiaptest.Rescore(density()))
	r := must(a.Recommendation("density", tiaptest.Recall(60)))
	fmt.Println(r.Family, r.Metric, r.N, r.Winners["canonical"] == nil)
	// Output: density recall@60 2 true
}

// The queries that all systems can be compared on, and how many more there
// would be without each.
func ExampleAudit_Shared() {
	b := density()
	b.Systems[0].Ingests[0].Memories[1].Sources = nil // fact1
	s := must(tiaptest.Rescore(b)).Shared()
	fmt.Println(s.N, s.Cost)
	// Output: 1 map[D1:1 D5:0]
}

// Equal digests mean the same shared subset, whatever else differs.
func ExampleShared() {
	all := must(tiaptest.Rescore(density())).Shared()
	cut := must(tiaptest.Rescore(density(), tiaptest.Depth(1))).Shared()
	b := density()
	b.Systems[0].Ingests[0].Memories[1].Sources = nil // fact1
	fewer := must(tiaptest.Rescore(b)).Shared()
	fmt.Println(all.Digest == cut.Digest, all.Digest == fewer.Digest)
	// Output: true false
}

// How a question is scored, and why it is missed under a target.
func ExampleAudit_Explain() {
	a := must(tiaptest.Rescore(density(), tiaptest.Systems("D1"), tiaptest.Depth(2), tiaptest.Metrics(tiaptest.NDCG(2))))
	text, err := a.Explain("q1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	// q1 "When was the pear tree planted?"
	//     gold t1 "I planted the pear tree on Sunday."
	//     credit by evidence, uncovered units dropped, depth 2, headline canonical
	//
	// D1: 3 ids returned
	//     rank  memory  form  descends from  raw  source  canonical
	//     1     fact2   fact  t2             -    -       -
	//     2     raw1    raw   t1             +1   +1      -
	//     target     ndcg@2
	//     raw        0.6309
	//     source     0.6309
	//     canonical  0.0000
	//     missed under canonical: t1: below the depth: fact1 at rank 3
}

func ExampleAudit_Verify() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(a.Verify(tiaptest.SharedSubset(2), tiaptest.CompleteRuns(), tiaptest.Nested()))
	fmt.Println(firstLine(a.Verify(tiaptest.SharedSubset(500))))
	fmt.Println(a.Verify())
	// Output:
	// <nil>
	// the shared subset has 2 of 2 queries, fewer than 500
	// no rule given: nothing was verified
}

// The report is for programs. This one reads the verdicts of it.
func ExampleAudit_WriteJSON() {
	var b bytes.Buffer
	if err := must(tiaptest.Rescore(density(), tiaptest.Metrics(tiaptest.NDCG(60)))).WriteJSON(&b); err != nil {
		log.Fatal(err)
	}
	var report struct {
		Schema string
		Pairs  []tiaptest.Pair
	}
	if err := json.Unmarshal(b.Bytes(), &report); err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Schema)
	for _, f := range report.Pairs[0].Flips {
		fmt.Println(f.Targets, f.Verdict)
	}
	// Output:
	// tiap.audit/v1
	// [raw source] flip
	// [raw canonical] flip
	// [source canonical] same
}

func ExampleAudit_WritePerQuery() {
	a := must(tiaptest.Rescore(density(), tiaptest.Metrics(tiaptest.MRR(60)), tiaptest.Targets(tiaptest.Canonical), tiaptest.Systems("D1")))
	if err := a.WritePerQuery(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"system":"D1","target":"canonical","query":"q1","metric":"mrr@60","value":0.3333333333333333}
	// {"system":"D1","target":"canonical","query":"q2","metric":"mrr@60","value":0.5}
}

func ExampleAudit_WriteTable() {
	a := must(tiaptest.Rescore(density(), tiaptest.Depth(3), tiaptest.Metrics(tiaptest.NDCG(3))))
	if err := a.WriteTable(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// garden: 2 queries
	// credit by evidence, uncovered units dropped, depth 3, headline canonical, population shared
	// shared subset: 2 of 2 queries
	//
	// system  target     covered  n  ndcg@3
	// D1      raw        2        2  0.8155
	// D1      source     2        2  0.8155
	// D1      canonical  2        2  0.5655
	// D5      raw        2        2  0.5655
	// D5      source     2        2  1.0000
	// D5      canonical  2        2  1.0000
	//
	// winners by target, with the gap
	//     pair     metric  n  raw         source      canonical   verdict
	//     D1 - D5  ndcg@3  2  D1 +0.2500  D5 -0.1845  D5 -0.4345  flip (fragile)
	// winner flip on ndcg@3: raw picks D1, source picks D5 (fragile: shift +0.4345 [+0.3691, +0.5000])
	// winner flip on ndcg@3: raw picks D1, canonical picks D5 (fragile: shift +0.6845 [+0.6309, +0.7381])
	//
	// recommended by family
	//     family   metric  n  raw  source  canonical  verdict
	//     density  ndcg@3  2  D1   D5      D5         flip
	//
	// target order differs on ndcg@3: D1 raw=source > canonical; D5 source=canonical > raw
}
