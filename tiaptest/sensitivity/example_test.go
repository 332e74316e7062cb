package sensitivity_test

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// published is a table of published scores: two variants of a system, three
// queries, the answers to which are judged too.
func published() *sensitivity.Table {
	var t sensitivity.Table
	for _, s := range []struct {
		system, target string
		values         [3]float64
		sizes          [3]int
	}{
		{"D1", "raw", [3]float64{0.5, 0.75, 0.25}, [3]int{1, 1, 1}},
		{"D1", "source", [3]float64{0.5, 0.75, 0.5}, [3]int{1, 2, 2}},
		{"D5", "raw", [3]float64{0.25, 0.5, 0.25}, [3]int{1, 1, 1}},
		{"D5", "source", [3]float64{0.75, 1, 0.5}, [3]int{3, 4, 2}},
	} {
		for i, v := range s.values {
			err := t.Add(sensitivity.Score{
				System: s.system, Family: "density", Target: s.target, Query: fmt.Sprint("q", i+1),
				Metric: "ndcg@60", Value: &v, Size: &s.sizes[i],
			})
			if err != nil {
				log.Fatal(err)
			}
		}
	}
	err := t.ReadAnswers("answers.jsonl", strings.NewReader(`{"query":"q1","system":"D1","f1":0.25}
{"query":"q2","system":"D1","f1":1}
{"query":"q3","system":"D1","f1":0}
{"query":"q1","system":"D5","f1":0.5}
{"query":"q2","system":"D5","f1":1}
{"query":"q3","system":"D5","f1":0}
`))
	if err != nil {
		log.Fatal(err)
	}
	return &t
}

// What the target changes, from an audit.
func Example() {
	a := must(tiaptest.Rescore(garden(), tiaptest.Metrics(tiaptest.MRR(10))))
	r := must(sensitivity.Analyze(must(sensitivity.FromAudit(a))))
	for _, c := range r.Changes {
		if c.Category == "" {
			fmt.Printf("%s %s: %d of %d queries change, mean shift %+.2f\n", c.System, c.Targets, c.Changed, c.N, *c.MeanShift)
		}
	}
	// Output:
	// D1 [raw source]: 0 of 2 queries change, mean shift +0.00
	// D1 [raw canonical]: 1 of 1 queries change, mean shift -0.50
	// D1 [source canonical]: 1 of 1 queries change, mean shift -0.50
	// D5 [raw source]: 2 of 2 queries change, mean shift +0.67
	// D5 [raw canonical]: 2 of 2 queries change, mean shift +0.67
	// D5 [source canonical]: 0 of 2 queries change, mean shift +0.00
}

// A table takes scores from anywhere: here published ones, with the quality of the
// answers.
func ExampleTable() {
	var t *sensitivity.Table = published()
	r := must(sensitivity.Analyze(t))
	fmt.Println(r.Systems, r.Targets)
	// Output: [D1 D5] [raw source]
}

// A report is data, and text for people.
func ExampleReport() {
	var r *sensitivity.Report = must(sensitivity.Analyze(published()))
	for _, c := range r.Changes {
		fmt.Println(c.System, c.Targets, c.Metric, c.Changed)
	}
	// Output:
	// D1 [raw source] ndcg@60 1
	// D5 [raw source] ndcg@60 3
}

// Scores may be given in code. What is not covered has no value.
func ExampleTable_Add() {
	var t sensitivity.Table
	one := 1.0
	err := t.Add(
		sensitivity.Score{System: "D1", Target: "raw", Query: "q1", Metric: "hit@10", Value: &one},
		sensitivity.Score{System: "D1", Target: "canonical", Query: "q1", Metric: "hit@10"},
		sensitivity.Score{System: "D1", Target: "raw", Query: "q1", Metric: "hit@10", Value: &one},
	)
	fmt.Println(err)
	// Output: hit@10 of query "q1" under raw in system "D1" stands twice; keep one of them; repeated ingests of a system need their mean or names of their own
}

func ExampleTable_AddAnswers() {
	t := published()
	f1 := 50.0
	fmt.Println(t.AddAnswers(sensitivity.Answer{System: "D1", Query: "q9", F1: &f1}))
	// Output: the answer of system "D1" to query "q9" has f1 50; f1 lies in [0, 1]; divide percentages by 100
}

// Answers of a system or to a query without scores count nowhere, and are named.
func ExampleStrangers() {
	t := published()
	f1 := 0.5
	if err := t.AddAnswers(sensitivity.Answer{System: "D7", Query: "q1", F1: &f1}); err != nil {
		log.Fatal(err)
	}
	s := must(sensitivity.Analyze(t)).Strangers
	fmt.Println(s.N, s.Of, s.First)
	// Output: 1 7 ["q1" of "D7"]
}

// Score files that somebody published need no rankings.
func ExampleTable_ReadScores() {
	var t sensitivity.Table
	err := t.ReadScores("scores.jsonl", strings.NewReader(`
{"system":"D1","target":"raw","query":"q1","metric":"hit@10","value":0}
{"system":"D1","target":"source","query":"q1","metric":"hit@10","value":1}
`))
	fmt.Println(err)
	fmt.Println(must(sensitivity.Analyze(&t)).Changes[0].Changed)
	// Output:
	// <nil>
	// 1
}

func ExampleTable_ReadAnswers() {
	t := published()
	fmt.Println(t.ReadAnswers("more.jsonl", strings.NewReader(`{"query":"q1","system":"D1"}`)))
	// Output: more.jsonl:1: the answer of system "D1" to query "q1" has no quality; give "f1", "correct" or both
}

func ExampleFromAudit() {
	a := must(tiaptest.Rescore(garden()))
	r := must(sensitivity.Analyze(must(sensitivity.FromAudit(a))))
	fmt.Println(r.Systems, r.Targets, r.Credit, r.Population)
	// Output: [D1 D5] [raw source canonical] evidence shared
}

func ExampleAnalyze() {
	var empty sensitivity.Table
	_, err := sensitivity.Analyze(&empty)
	fmt.Println(err)
	// Output: the table has no scores; add some
}

func ExampleChange() {
	c := must(sensitivity.Analyze(published())).Changes[1]
	fmt.Printf("%s: %d of %d change (%.0f%%), %d by at least 0.1\n", c.System, c.Changed, c.N, 100**c.ChangedShare, c.Large)
	// Output: D5: 3 of 3 change (100%), 3 by at least 0.1
}

// The scores of D5 grow with the number of memories that may earn credit.
func ExampleSizeShift() {
	s := must(sensitivity.Analyze(published())).SizeShifts[1]
	fmt.Printf("%s: r %.2f, R2 %.2f\n", s.System, *s.Correlation, *s.R2)
	for _, b := range s.Bins {
		if b.N > 0 {
			fmt.Printf("%s more: n %d, mean shift %+.2f\n", b.Difference, b.N, *b.MeanShift)
		}
	}
	// Output:
	// D5: r 0.87, R2 0.75
	// 1 more: n 1, mean shift +0.25
	// 2 more: n 1, mean shift +0.50
	// 3 more: n 1, mean shift +0.50
}

// The bins say how many more memories may earn credit under the second target.
func ExampleSizeBin() {
	for _, b := range must(sensitivity.Analyze(published())).SizeShifts[0].Bins {
		if b.N > 0 {
			fmt.Printf("%s more: n %d, mean shift %+.3f\n", b.Difference, b.N, *b.MeanShift)
		}
	}
	// Output:
	// 0 more: n 1, mean shift +0.000
	// 1 more: n 2, mean shift +0.125
}

// Queries that D1 made facts for are not the easier ones by their raw turns.
func ExampleCoverageBias() {
	a := must(tiaptest.Rescore(garden(), tiaptest.Metrics(tiaptest.MRR(10))))
	for _, b := range must(sensitivity.Analyze(must(sensitivity.FromAudit(a)))).CoverageBias {
		if b.System == "D1" && b.Target == "canonical" {
			fmt.Printf("%s under %s: covered %.1f (n %d), others %.1f (n %d)\n", b.Metric, b.Base, *b.CoveredMean, b.Covered, *b.UncoveredMean, b.Uncovered)
		}
	}
	// Output: mrr@10 under raw: covered 1.0 (n 1), others 0.5 (n 1)
}

func ExampleTargetOrder() {
	for _, o := range must(sensitivity.Analyze(published())).TargetOrders {
		fmt.Println(o.System, strings.Join(o.Order, " > "))
	}
	// Output:
	// D1 source > raw
	// D5 source > raw
}

// Raw picks D1 and source D5. A way to join the two that picks a winner hides one.
func ExampleAggregation() {
	for _, a := range must(sensitivity.Analyze(published())).Aggregations {
		winner := "tie"
		if a.Winner != nil {
			winner = *a.Winner
		}
		fmt.Println(a.Rule, winner, a.Overrules)
	}
	// Output:
	// mean tie []
	// min D1 [source]
	// geometric D1 [source]
	// rank tie []
}

func ExampleAgreement() {
	for _, a := range must(sensitivity.Analyze(published())).Agreement {
		fmt.Printf("agree by %s: %d of %d queries remain\n", a.By, a.Kept, a.N)
	}
	// Output:
	// agree by credit: 3 of 3 queries remain
	// agree by 0.1: 0 of 3 queries remain
}

// Without the queries that the targets score differently nothing is left to differ.
func ExampleAgreementSystem() {
	for _, s := range must(sensitivity.Analyze(published())).Agreement[0].Systems {
		fmt.Printf("%s: raw %.2f, source %.2f, spread %.2f\n", s.System, *s.Scores["raw"], *s.Scores["source"], *s.Spread)
	}
	// Output:
	// D1: raw 0.50, source 0.58, spread 0.08
	// D5: raw 0.33, source 0.75, spread 0.42
}

func ExampleAlignment() {
	for _, a := range must(sensitivity.Analyze(published())).Alignment {
		for _, t := range a.Targets {
			fmt.Printf("%s %s: Spearman with %s %.2f (n %d)\n", a.System, t.Target, a.Answer, *t.Spearman, t.N)
		}
	}
	// Output:
	// D1 raw: Spearman with f1 1.00 (n 3)
	// D1 source: Spearman with f1 0.87 (n 3)
	// D5 raw: Spearman with f1 0.87 (n 3)
	// D5 source: Spearman with f1 1.00 (n 3)
}

// The lift says how much better the answers are where something was found.
func ExampleTargetAlignment() {
	t := published()
	zero := 0.0
	if err := t.Add(sensitivity.Score{System: "D1", Target: "raw", Query: "q4", Metric: "ndcg@60", Value: &zero}); err != nil {
		log.Fatal(err)
	}
	if err := t.AddAnswers(sensitivity.Answer{System: "D1", Query: "q4", F1: &zero}); err != nil {
		log.Fatal(err)
	}
	raw := must(sensitivity.Analyze(t)).Alignment[0].Targets[0]
	fmt.Printf("%s: %d hits, %d miss, lift %.2f\n", raw.Target, raw.Hits, raw.Misses, *raw.Lift.Value)
	// Output: raw: 3 hits, 1 miss, lift 0.42
}

func ExampleWinnerMatch() {
	m := must(sensitivity.Analyze(published())).WinnerMatches[0]
	fmt.Printf("%s answers better; raw agrees: %v, source agrees: %v\n", *m.AnswerWinner, *m.Matches["raw"], *m.Matches["source"])
	// Output: D5 answers better; raw agrees: false, source agrees: true
}

// Three queries show little.
func ExamplePower() {
	for _, p := range must(sensitivity.Analyze(published())).Power {
		fmt.Printf("%s: gap %+.2f, smallest that %d queries show %.2f, needed %d\n", p.Target, *p.Gap, p.N, *p.Smallest, *p.Needed)
	}
	// Output:
	// raw: gap +0.17, smallest that 3 queries show 0.45, needed 8
	// source: gap -0.17, smallest that 3 queries show 0.45, needed 8
}

// How large a gap must be for 453 queries to show it, when the queries' gaps
// have a standard deviation of 0.15.
func ExampleSmallestGap() {
	fmt.Printf("%.4f\n", must(sensitivity.SmallestGap(453, 0.15, 0.05, 0.8)))
	// Output: 0.0198
}

func ExampleDepths() {
	for _, d := range must(sensitivity.Depths(must(tiaptest.Rescore(garden())), []int{1, 3})) {
		if d.System == "D5" && d.Metric == "hit" {
			for _, c := range d.Cuts {
				fmt.Printf("hit@%d: raw %.1f, canonical %.1f\n", c.K, *c.Scores["raw"], *c.Scores["canonical"])
			}
		}
	}
	// Output:
	// hit@1: raw 0.0, canonical 1.0
	// hit@3: raw 1.0, canonical 1.0
}

func ExampleDepthCut() {
	for _, c := range must(sensitivity.Depths(must(tiaptest.Rescore(garden())), []int{1, 3}))[0].Cuts {
		fmt.Printf("depth %d, n %d: raw %.2f, canonical %.2f\n", c.K, c.N, *c.Scores["raw"], *c.Scores["canonical"])
	}
	// Output:
	// depth 1, n 1: raw 1.00, canonical 0.00
	// depth 3, n 1: raw 1.00, canonical 0.63
}

func ExampleRelativeShift() {
	cuts := must(sensitivity.Depths(must(tiaptest.Rescore(garden())), []int{1, 3}))[0].Cuts
	for _, s := range cuts[1].Shifts {
		fmt.Printf("%s to %s: %+.2f, %+.0f%%\n", s.Targets[0], s.Targets[1], *s.Shift, 100**s.Relative)
	}
	// Output:
	// raw to source: +0.00, +0%
	// raw to canonical: -0.37, -37%
	// source to canonical: -0.37, -37%
}

func ExampleConvention_String() {
	fmt.Println(sensitivity.Convention{Credit: "evidence", Uncovered: "dropped", Population: "shared"})
	fmt.Println(sensitivity.Convention{Credit: "evidence", Uncovered: "dropped", Population: "shared", Merge: "rrf"})
	// Output:
	// evidence/dropped/shared
	// evidence/dropped/shared/rrf
}

// Under Source, what is recommended depends on crediting and population.
// Each convention names the members that it recommends.
func ExampleConvention() {
	var c sensitivity.Convention = must(sensitivity.Conventions(must(tiaptest.Rescore(garden(), tiaptest.Metrics(tiaptest.NDCG(60))))))[0]
	fmt.Println(c, c.Family, c.Metric, "flip:", c.Flip)
	// Output: evidence/dropped/shared density ndcg@60 flip: true
}

func ExampleConventions() {
	for _, c := range must(sensitivity.Conventions(must(tiaptest.Rescore(garden(), tiaptest.Metrics(tiaptest.NDCG(60)))))) {
		fmt.Print(c, ":")
		for _, target := range []string{"raw", "source", "canonical"} {
			winner := "tie"
			if w := c.Recommended[target]; w != nil {
				winner = *w
			}
			fmt.Printf(" %s %s", target, winner)
		}
		fmt.Println()
	}
	// Output:
	// evidence/dropped/shared: raw D1 source tie canonical D5
	// evidence/dropped/all: raw D1 source D5 canonical D5
	// evidence/dropped/covered: raw D1 source D5 canonical D5
	// evidence/counted/shared: raw D1 source tie canonical D5
	// evidence/counted/all: raw D1 source D5 canonical D5
	// evidence/counted/covered: raw D1 source D5 canonical D5
	// memory/dropped/shared: raw D1 source D1 canonical D5
	// memory/dropped/all: raw D1 source D5 canonical D5
	// memory/dropped/covered: raw D1 source D5 canonical D5
}

func ExampleReport_WriteText() {
	r := must(sensitivity.Analyze(published()))
	r.CoverageBias, r.TargetOrders, r.Aggregations, r.Agreement, r.WinnerMatches = nil, nil, nil, nil, nil // to be short
	if err := r.WriteText(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// what the target changes: 2 systems, 3 queries, targets raw, source
	//
	// changed queries between targets, of those covered under both
	//     system  metric   targets       n  changed  share   by 0.1  share   mean |shift|  mean shift
	//     D1      ndcg@60  raw - source  3  1        33.3%   1       33.3%   0.0833        +0.0833
	//     D5      ndcg@60  raw - source  3  3        100.0%  3       100.0%  0.4167        +0.4167
	//
	// shift against the difference of target-set sizes, ndcg@60
	//     system  targets       n  r        R2      size <0  size 0       size 1              size 2       size 3       size 4+
	//     D1      raw - source  3  +0.5000  0.2500  -        +0.0000 n=1  +0.1250 n=2 t=1.00  -            -            -
	//     D5      raw - source  3  +0.8660  0.7500  -        -            +0.2500 n=1         +0.5000 n=1  +0.5000 n=1  -
	//
	// alignment of scores with answers; lift is hit over miss
	//     system  metric   answer  target  n  Spearman  common n  Spearman  95% CI  lift  95% CI  p
	//     D1      ndcg@60  f1      raw     3  +1.0000   3         +1.0000   -       -     -       -
	//     D1      ndcg@60  f1      source  3  +0.8660   3         +0.8660   -       -     -       -
	//     D5      ndcg@60  f1      raw     3  +0.8660   3         +0.8660   -       -     -       -
	//     D5      ndcg@60  f1      source  3  +1.0000   3         +1.0000   -       -     -       -
	//
	// smallest gap that the shared queries show, ndcg@60, level 0.05, power 0.8
	//     pair     target  n  gap      sd      smallest  needed for the gap
	//     D1 - D5  raw     3  +0.1667  0.1443  0.4469    8
	//     D1 - D5  source  3  -0.1667  0.1443  0.4469    8
	//
	// recommended by convention
	//     family   metric   convention  n  raw  source
	//     density  ndcg@60  shared      3  D1   D5      flip
	//     density  ndcg@60  all         3  D1   D5      flip
	//     density  ndcg@60  covered     -  D1   D5      flip
}

// A line of a score file. A query without a value is not covered.
func ExampleScore() {
	value := 0.5
	for _, s := range []sensitivity.Score{
		{System: "D1", Target: "raw", Query: "q1", Metric: "ndcg@60", Value: &value},
		{System: "D1", Target: "raw", Query: "q2", Metric: "ndcg@60"},
	} {
		fmt.Println(string(must(json.Marshal(s))))
	}
	// Output:
	// {"system":"D1","target":"raw","query":"q1","metric":"ndcg@60","value":0.5}
	// {"system":"D1","target":"raw","query":"q2","metric":"ndcg@60","value":null}
}

func ExampleAnswer() {
	correct := true
	fmt.Println(string(must(json.Marshal(sensitivity.Answer{Query: "q1", System: "D1", Correct: &correct}))))
	// Output: {"query":"q1","system":"D1","correct":true}
}

// The shift between two targets at each depth.
func ExampleDepth() {
	for _, d := range must(sensitivity.Depths(must(tiaptest.Rescore(garden())), []int{1, 3})) {
		if d.Metric == "mrr" {
			for _, c := range d.Cuts {
				fmt.Printf("%s %s@%d: %v %+.2f\n", d.System, d.Metric, c.K, c.Shifts[1].Targets, *c.Shifts[1].Shift)
			}
		}
	}
	// Output:
	// D1 mrr@1: [raw canonical] -1.00
	// D1 mrr@3: [raw canonical] -0.50
	// D5 mrr@1: [raw canonical] +1.00
	// D5 mrr@3: [raw canonical] +0.67
}
