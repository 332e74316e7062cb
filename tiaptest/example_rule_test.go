package tiaptest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiaptest/tiap/tiaptest"
)

// printer stands for the *testing.T of a test. It prints the first line of what
// it is told.
type printer struct{ testing.TB }

func (printer) Helper()                {}
func (printer) Attr(key, value string) {}
func (printer) Name() string           { return "Example" }
func (printer) ArtifactDir() string    { return must(os.MkdirTemp("", "tiap")) } // under -artifacts only
func (printer) Log(args ...any)        { fmt.Println("log:", firstLine(args...)) }
func (printer) Error(args ...any)      { fmt.Println("error:", firstLine(args...)) }
func (printer) FailNow()               { fmt.Println("the test ends") }

// firstLine is the sentence that a message starts with.
func firstLine(message ...any) string {
	line, _, _ := strings.Cut(fmt.Sprint(message...), "\n")
	return line
}

// In a test, t is its *testing.T.
func ExampleCheck() {
	var t testing.TB = printer{}
	a := must(tiaptest.Rescore(density()))
	ok := tiaptest.Check(t, a, tiaptest.SharedSubset(2), tiaptest.NoWinnerFlip(tiaptest.NDCG(60)))
	fmt.Println(ok)
	// Output:
	// error: winner flip on ndcg@60: raw picks D1, source and canonical pick D5 (fragile)
	// false
}

// Where the rest of a test has no meaning without the rule.
func ExampleRequire() {
	var t testing.TB = printer{}
	a := must(tiaptest.Rescore(density()))
	tiaptest.Require(t, a, tiaptest.SharedSubset(500))
	// Output:
	// error: the shared subset has 2 of 2 queries, fewer than 500
	// the test ends
}

// factsPay is a rule of one's own: what a system made of the turns must find
// the evidence at least as well as the turns themselves.
type factsPay struct{ system string }

func (r factsPay) String() string { return "factsPay(" + r.system + ")" }

func (r factsPay) Verify(a *tiaptest.Audit) []tiaptest.Violation {
	raw, err1 := a.Score(r.system, tiaptest.Raw, tiaptest.NDCG(60))
	facts, err2 := a.Score(r.system, tiaptest.Canonical, tiaptest.NDCG(60))
	v := tiaptest.Violation{Rule: r.String(), Systems: []string{r.system}}
	switch err := errors.Join(err1, err2); {
	case err != nil:
		v.Text = r.String() + " compared nothing: " + err.Error()
	case facts < raw:
		v.Text = fmt.Sprintf("facts of %s do not pay: canonical %.4f, raw %.4f", r.system, facts, raw)
	default:
		return nil
	}
	return []tiaptest.Violation{v}
}

func ExampleRule() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(a.Verify(factsPay{"D1"}, factsPay{"D5"}))
	// Output: facts of D1 do not pay: canonical 0.5655, raw 0.8155
}

// What every suite of a house asks for.
func ExampleRules() {
	house := tiaptest.Rules{tiaptest.CompleteRuns(), tiaptest.Nested(), tiaptest.SharedSubset(2)}
	a := must(tiaptest.Rescore(density()))
	fmt.Println(a.Verify(house, tiaptest.NoWinnerFlip(tiaptest.Recall(60))))
	// Output: <nil>
}

func ExampleRules_String() {
	fmt.Println(tiaptest.Rules{tiaptest.Nested(), tiaptest.SharedSubset(500)}.String())
	// Output: Nested(); SharedSubset(500)
}

func ExampleRules_Verify() {
	a := must(tiaptest.Rescore(density()))
	house := tiaptest.Rules{tiaptest.SharedSubset(500), tiaptest.NoWinnerFlip(tiaptest.NDCG(60))}
	for _, v := range house.Verify(a) {
		fmt.Println(v.Rule, v.Targets)
	}
	// Output:
	// SharedSubset(500) [raw source canonical]
	// NoWinnerFlip(ndcg@60) [raw source]
	// NoWinnerFlip(ndcg@60) [raw canonical]
}

// The parts of what Verify returns are violations.
func ExampleViolation() {
	a := must(tiaptest.Rescore(density()))
	err := a.Verify(tiaptest.NoWinnerFlip(tiaptest.NDCG(60)))
	if v, ok := errors.AsType[*tiaptest.Violation](err); ok {
		fmt.Println(v.Rule, v.Systems, v.Targets)
	}
	// Output: NoWinnerFlip(ndcg@60) [D1 D5] [raw source]
}

func ExampleViolation_Error() {
	v := &tiaptest.Violation{Rule: "CompleteRuns()", Text: "the run of D5 is incomplete"}
	fmt.Println(v.Error())
	// Output: the run of D5 is incomplete
}

// D5 has no ranking for the third question.
func ExampleCompleteRuns() {
	b := density()
	b.AddQuery("q3", "Where are the hives?", "by the wall")
	b.Systems[0].AddRanking("q3", "fact2")
	a := must(tiaptest.Rescore(b))
	fmt.Println(firstLine(a.Verify(tiaptest.CompleteRuns())))
	// Output: the run of D5 is incomplete: 1 query is absent from the run and counts as 0: q3
}

// Relevance sets from files may contradict the targets that they are for.
func ExampleNested() {
	dir := folder(map[string]string{
		"raw.qrels":    "q1 0 turn1 1\nq2 0 turn2 1\n",
		"source.qrels": "q1 0 turn1 1\nq1 0 fact1 1\nq2 0 fact2 1\n",
		"bm25.run":     "q1 Q0 turn1 1 2.5 bm25\nq2 Q0 fact2 1 2.1 bm25\n",
	})
	defer os.RemoveAll(dir)
	b := must(tiaptest.TREC{
		Qrels: map[string]string{"raw": filepath.Join(dir, "raw.qrels"), "source": filepath.Join(dir, "source.qrels")},
		Runs:  map[string]string{"bm25": filepath.Join(dir, "bm25.run")},
	}.Open())
	a := must(tiaptest.Rescore(b))
	fmt.Println(firstLine(a.Verify(tiaptest.Nested())))
	// Output: targets do not nest: raw credits a memory that source does not, in 1 query: q2 (memory turn2)
}

// The whole message. Check reports it in the same words.
func ExampleNoWinnerFlip() {
	ndcg := tiaptest.NDCG(60)
	a := must(tiaptest.Rescore(density(), tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)))
	fmt.Println(a.Verify(tiaptest.NoWinnerFlip(ndcg)))
	// Output:
	// winner flip on ndcg@60: raw picks D1, canonical picks D5 (fragile: shift +0.6845 [+0.6309, +0.7381])
	//     shared subset: 2 of 2 queries; 0 have different denominators
	//     credit by evidence, uncovered units dropped, depth 60, headline canonical
	//
	//     target     D1      D5      gap D1-D5  95% CI              p adj
	//     raw        0.8155  0.5655  +0.2500    [+0.1309, +0.3691]  1
	//     canonical  0.5655  1.0000  -0.4345    [-0.5000, -0.3691]  1
	//
	//     fragile: at 0.05 neither the shift (p 0.5) nor both gaps are significant
	//     carried by 2 queries:
	//         q2 "How many hives are there?" gold t2: D1 raw rank 1, canonical rank 2 (fact); D5 raw rank 2, canonical rank 1 (fact)
	//         q1 "When was the pear tree planted?" gold t1: D1 raw rank 2, canonical rank 3 (fact); D5 raw rank 3, canonical rank 1 (fact)
	//     if this is known, state it with tiaptest.Known and a reason
}

// D5 made more facts of each turn than it returned, which only counts by
// memory.
func ExampleNoConventionFlip() {
	b := density()
	for _, turn := range []string{"t1", "t2"} {
		for _, fact := range []string{"c", "d", "e"} {
			b.Systems[1].AddMemory(turn+fact, "fact", turn)
		}
	}
	a := must(tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Canonical)))
	fmt.Println(a.Verify(tiaptest.NoConventionFlip(tiaptest.NDCG(60))))
	// Output:
	// convention flip on ndcg@60 under canonical: D5 leads, but D1 by memory
	//     credit by evidence, uncovered units dropped, depth 60, headline canonical, population shared
	//
	//     credit by  uncovered units  population  queries  gap D1-D5  winner
	//     evidence   dropped          shared      2        -0.4345    D5
	//     memory     -                shared      2        +0.0345    D1
	//     evidence   counted          shared      2        -0.4345    D5
	//     evidence   dropped          all         2        -0.4345    D5
	//
	//     the first row is the audit's own; report these choices with the score
	//     if this is known, state it with tiaptest.Known and a reason
}

// One fact of D1 does not say what it descends from. That takes its query out
// of every comparison with D1.
func ExampleSharedSubset() {
	b := density()
	b.Systems[0].Ingests[0].Memories[1].Sources = nil // fact1
	a := must(tiaptest.Rescore(b))
	fmt.Println(firstLine(a.Verify(tiaptest.SharedSubset(2))))
	// Output: the shared subset has 1 of 2 queries, fewer than 2
}

// D1 says what its memories are, and not where their lineage is from.
func ExampleTargetsReported() {
	b := density()
	b.Systems = b.Systems[:1]
	b.Systems[0].Unit = "turn or fact"
	b.Systems[0].Forms = map[string]string{"fact": "one statement that the parser made of a turn"}
	a := must(tiaptest.Rescore(b))
	fmt.Println(a.Verify(tiaptest.TargetsReported()))
	// Output:
	// scores are reported without their target: 1 statement is missing
	//     system D1 does not say where its lineage comes from: set Lineage of the system, as in "recorded at ingest"
}

// A suite that lets fragile flips pass.
func ExampleFrom() {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Headline: "canonical"}}
	turnsFirst := map[string]int{"D1": 5, "D5": 4} // of 8 queries, the others have the fact first
	for name, n := range turnsFirst {
		s := b.AddSystem(name, "")
		for i := range 8 {
			turn, fact, query := fmt.Sprint("t", i), fmt.Sprint("f", i), fmt.Sprint("q", i)
			s.AddMemory(turn, "raw", turn).AddMemory(fact, "fact", turn)
			if i < n {
				s.AddRanking(query, turn, fact)
			} else {
				s.AddRanking(query, fact, turn)
			}
		}
	}
	for i := range 8 {
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: fmt.Sprint("q", i), Evidence: []tiaptest.Unit{{Turns: []string{fmt.Sprint("t", i)}}}})
	}
	a := must(tiaptest.Rescore(b))
	fmt.Println("grade:", a.Flips(tiaptest.NDCG(60))[0].Grade)
	fmt.Println(a.Verify(tiaptest.NoWinnerFlip(tiaptest.NDCG(60), tiaptest.From(tiaptest.Likely))))
	// Output:
	// grade: fragile
	// <nil>
}

func ExampleRuleOption() {
	o := tiaptest.From(tiaptest.Likely)
	fmt.Println(o)
	fmt.Println(tiaptest.NoWinnerFlip(tiaptest.NDCG(60), o))
	// Output:
	// From(likely)
	// NoWinnerFlip(ndcg@60, From(likely))
}

// D1 leads by 0.25 under Raw. A suite may ask for more before it fails.
func ExampleAbove() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(a.Verify(tiaptest.NoWinnerFlip(tiaptest.NDCG(60), tiaptest.Above(0.3))))
	// Output: <nil>
}

// Of all systems, the two that the decision is about.
func ExampleBetween() {
	b := density()
	b.Systems = append(b.Systems, &tiaptest.System{Name: "D8", Ingests: b.Systems[0].Ingests})
	a := must(tiaptest.Rescore(b))
	fmt.Println(a.Verify(tiaptest.NoWinnerFlip(tiaptest.NDCG(60), tiaptest.Between("D1", "D8"))))
	// Output: <nil>
}

// A query that is known to fail.
func ExampleExcept() {
	a := must(tiaptest.Rescore(density(), tiaptest.Systems("D1")))
	fmt.Println(a.Verify(tiaptest.EachQuery(tiaptest.Top1(), tiaptest.Raw, 1, tiaptest.Except("q1"))))
	// Output: <nil>
}

// The state before a change. What failed then may fail now.
func ExampleAgainst() {
	before := must(tiaptest.Rescore(density()))
	b := density()
	b.Systems[0].Ingests[0].Run = runOf(
		tiaptest.Ranking{Query: "q1", IDs: []string{"fact2", "raw1"}},
		tiaptest.Ranking{Query: "q2", IDs: []string{"fact1", "raw2"}},
	)
	after := must(tiaptest.Rescore(b, tiaptest.Systems("D1")))
	fmt.Println(firstLine(after.Verify(tiaptest.EachQuery(tiaptest.Top1(), tiaptest.Source, 1, tiaptest.Against(before)))))
	// Output: 1 query that passed before scored below 1 on top1 under source in D1, of 2 covered
}

func ExampleEachQuery() {
	a := must(tiaptest.Rescore(density(), tiaptest.Systems("D1")))
	fmt.Println(firstLine(a.Verify(tiaptest.EachQuery(tiaptest.Top1(), tiaptest.Raw, 1))))
	// Output: 1 query scored below 1 on top1 under raw in D1, of 2 covered
}

// One fact of D1 does not say what it descends from.
func ExampleMinCoverage() {
	b := density()
	b.Systems[0].Ingests[0].Memories[1].Sources = nil // fact1
	a := must(tiaptest.Rescore(b))
	fmt.Println(firstLine(a.Verify(tiaptest.MinCoverage(tiaptest.Canonical, 0.9))))
	// Output: D1 covers 1 of 2 queries under canonical (0.5000), less than 0.9
}

func ExampleMinScore() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(firstLine(a.Verify(tiaptest.MinScore("D1", tiaptest.Canonical, tiaptest.NDCG(60), 0.6))))
	// Output: ndcg@60 of D1 under canonical is 0.565465, below 0.6
}

func ExampleWinner() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(a.Verify(tiaptest.Winner("D5", tiaptest.Canonical, tiaptest.NDCG(60))))
	fmt.Println(firstLine(a.Verify(tiaptest.Winner("D5", tiaptest.Raw, tiaptest.NDCG(60)))))
	// Output:
	// <nil>
	// D5 is not the winner on ndcg@60 under raw: D1 leads by 0.2500 [+0.1309, +0.3691]
}

func ExampleStableRecommendation() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(firstLine(a.Verify(tiaptest.StableRecommendation("density", tiaptest.NDCG(60)))))
	// Output: recommendation of family density on ndcg@60 depends on the target: raw recommends D1, source recommends D5, canonical recommends D5
}

// D1 is found by its turns, D5 by its facts.
func ExampleStableTargetOrder() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(firstLine(a.Verify(tiaptest.StableTargetOrder(tiaptest.NDCG(60)))))
	// Output: target order on ndcg@60 differs between systems
}

// One system finds one of two turns at once and the other never; the second
// system finds both, late.
func ExampleNoDepthFlip() {
	b := summarized()
	b.Systems = nil
	for _, name := range []string{"early", "late"} {
		b.AddSystem(name, "").AddMemory("raw1", "raw", "t1").AddMemory("raw2", "raw", "t2").AddMemory("raw3", "raw", "t3")
	}
	b.Systems[0].AddRanking("q1", "raw1", "raw3")
	b.Systems[1].AddRanking("q1", "raw3", "raw1", "raw2")
	a := must(tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Raw), tiaptest.Metrics(tiaptest.Recall(3))))
	fmt.Println(firstLine(a.Verify(tiaptest.NoDepthFlip(tiaptest.Recall(3), 1))))
	// Output: depth flip under raw: recall@3 picks late, recall@1 picks early (shift -1.0000)
}

// The second value of the page is not what the audit gives.
func ExampleReportedIn() {
	dir := folder(map[string]string{"results.md": `
Scores over 2 queries, credit by evidence.

| system | raw nDCG@10 | canonical nDCG@10 |
| ------ | ----------- | ----------------- |
| D5     | 0.57        | 0.99              |
`})
	defer os.RemoveAll(dir)
	a := must(tiaptest.Rescore(density()))
	err := a.Verify(tiaptest.ReportedIn(filepath.Join(dir, "results.md")))
	fmt.Println(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	// Output:
	// results.md reports 1 value that the audit does not give
	//     line 6, canonical nDCG@10: ndcg@10 of D5 under canonical is 0.99, in the audit 1
}

// In a benchmark, b is its *testing.B; benchstat then sets two audits side by
// side.
func ExampleBench() {
	_ = func(b *testing.B) {
		tiaptest.Bench(b, tiaptest.Load(b, "testdata/garden"))
	}
}
