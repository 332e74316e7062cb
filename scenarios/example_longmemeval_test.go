package scenarios_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

func ExampleLongMemEval() {
	b, err := scenarios.LongMemEval("testdata/longmemeval/longmemeval_s_sample.json")
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range b.Scenario.Queries {
		fmt.Println(q.ID, q.Category, q.Evidence)
	}
	for _, n := range b.Summary.Notes {
		fmt.Printf("%d x %s, first in %s\n", n.Count, n.Kind, n.First)
	}
	// Output:
	// a1b2c3d4 multi-session [{ [a1b2c3d4/s1/t0]} { [a1b2c3d4/s3/t2]}]
	// 0862e8bf_abs single-session-user []
	// 1568aaaa single-session-assistant [{ [1568aaaa/s1/t1]}]
	// 1 x abstention, first in instance 2 (0862e8bf_abs)
	// 1 x answer is an integer, first in instance 1 (a1b2c3d4)
	// 1 x session id repeated, first in instance 3 (1568aaaa), session 3
}

func ExampleGold() {
	for _, level := range []string{"turn", "user-turn", "session"} {
		b, err := scenarios.LongMemEval("testdata/longmemeval/longmemeval_s_sample.json", scenarios.Gold(level))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d scorable queries, %d without gold\n", level, b.Summary.Scorable, b.Summary.Count("no gold"))
	}
	// Output:
	// turn: 2 scorable queries, 0 without gold
	// user-turn: 1 scorable queries, 1 without gold
	// session: 2 scorable queries, 0 without gold
}

func ExampleFallback() {
	b, err := scenarios.LongMemEval("testdata/longmemeval/longmemeval_s_sample.json", scenarios.Gold("user-turn"), scenarios.Fallback())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Scenario.Queries[2].Evidence)
	fmt.Println(b.Summary.Count("fallback to answer sessions"))
	// Output:
	// [{1568aaaa/s1 [1568aaaa/s1/t0 1568aaaa/s1/t1]}]
	// 1
}

// The ranking of a log of upstream, scored against the turns that have the answer.
// Upstream prints 0.8155 here, by a nDCG of its own.
func ExampleRetrievalLog() {
	b, err := scenarios.LongMemEval("testdata/longmemeval/longmemeval_s_sample.json")
	if err != nil {
		log.Fatal(err)
	}
	system, _, err := scenarios.RetrievalLog("testdata/longmemeval/retrievallog_turn_flat-bm25.jsonl", &b.Scenario, "turn")
	if err != nil {
		log.Fatal(err)
	}
	bundle := b.Bundle()
	bundle.Systems = append(bundle.Systems, system)
	a, err := tiaptest.Rescore(bundle, tiaptest.Metrics(tiaptest.NDCG(3)))
	if err != nil {
		log.Fatal(err)
	}
	values, err := a.PerQuery(system.Name, tiaptest.Raw, tiaptest.NDCG(3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", values["a1b2c3d4"])
	// Output: 0.6934
}

func ExampleImport() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	summary, err := scenarios.Import(context.Background(), "longmemeval", "testdata/longmemeval/longmemeval_s_sample.json", dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Turns, "turns,", summary.Queries, "queries")
	fmt.Println(summary.Rules[0])
	scenario, err := tiaptest.OpenScenario(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scenario.Turns[0].ID, scenario.Turns[0].Time)
	// Output:
	// 18 turns, 3 queries
	// gold turn: each turn with has_answer is an evidence unit
	// a1b2c3d4/s0/t0 2031-05-20T02:21:00
}
