package tiaptest_test

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
)

// credited names the memories of one store that a target credits for a question
// whose evidence is turn t1. Each is the only answer to a question of its own.
func credited(target tiaptest.Target) []string {
	in := &tiaptest.Ingest{Memories: []tiaptest.Memory{
		{ID: "turn", Form: "raw", Sources: []tiaptest.Link{{Turn: "t1"}}},
		{ID: "another turn", Form: "raw", Sources: []tiaptest.Link{{Turn: "t2"}}},
		{ID: "fact", Form: "fact", Sources: []tiaptest.Link{{Turn: "t1"}}},
		{ID: "old fact", Form: "fact", Sources: []tiaptest.Link{{Turn: "t1"}}, Status: "superseded"},
		{ID: "index entry", Form: "keyword", Sources: []tiaptest.Link{{Turn: "t1"}}, NotServing: true},
		{ID: "batch fact", Form: "fact", Sources: []tiaptest.Link{{Turn: "t1", Precision: "batch"}, {Turn: "t2", Precision: "batch"}}},
		{ID: "summary", Form: "summary", Parents: []string{"fact", "batch fact"}},
		{ID: "guess", Form: "fact", Sources: []tiaptest.Link{{Turn: "t1", Origin: "inferred"}}},
	}}
	b := &tiaptest.Bundle{Systems: []*tiaptest.System{{Name: "one", Ingests: []*tiaptest.Ingest{in}}}}
	for _, m := range in.Memories {
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{ID: m.ID, Evidence: []tiaptest.Unit{{Turns: []string{"t1"}}}})
		b.Systems[0].AddRanking(m.ID, m.ID)
	}
	a := must(tiaptest.Rescore(b, tiaptest.Targets(target)))
	var ids []string
	for id, hit := range must(a.PerQuery("one", target, tiaptest.Top1())) {
		if hit == 1 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func ExampleRaw() {
	fmt.Printf("%q\n", credited(tiaptest.Raw))
	// Output: ["turn"]
}

func ExampleSource() {
	fmt.Printf("%q\n", credited(tiaptest.Source))
	// Output: ["batch fact" "fact" "index entry" "old fact" "summary" "turn"]
}

func ExampleCanonical() {
	fmt.Printf("%q\n", credited(tiaptest.Canonical))
	// Output: ["batch fact" "fact" "old fact" "summary"]
}

func ExampleCurrent() {
	fmt.Printf("%q\n", credited(tiaptest.Current(tiaptest.Canonical)))
	// Output: ["batch fact" "fact" "summary"]
}

// In spring there were three hives, and the question is about then.
func ExampleValidAt() {
	in := &tiaptest.Ingest{Memories: []tiaptest.Memory{
		{ID: "three hives", Form: "fact", Sources: []tiaptest.Link{{Turn: "t1"}}, Status: "superseded", ValidFrom: "2031-03-12", ValidTo: "2031-06-02"},
		{ID: "four hives", Form: "fact", Sources: []tiaptest.Link{{Turn: "t1"}}, ValidFrom: "2031-06-02"},
	}}
	b := &tiaptest.Bundle{Systems: []*tiaptest.System{{Name: "mine", Ingests: []*tiaptest.Ingest{in}}}}
	b.Scenario.Queries = []tiaptest.Query{{ID: "q1", Time: "2031-05-01T09:00:00Z", Evidence: []tiaptest.Unit{{Turns: []string{"t1"}}}}}
	b.Systems[0].AddRanking("q1", "four hives", "three hives")
	then := tiaptest.ValidAt(tiaptest.Source)
	a := must(tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Source, then), tiaptest.Metrics(tiaptest.MRR(10))))
	fmt.Println(a.Score("mine", tiaptest.Source, tiaptest.MRR(10)))
	fmt.Println(a.Score("mine", then, tiaptest.MRR(10)))
	// Output:
	// 1 <nil>
	// 0.5 <nil>
}

// The batch fact may owe nothing to the turn. The summary has a second way to
// it, through the fact, that is exact.
func ExampleExact() {
	fmt.Printf("%q\n", credited(tiaptest.Exact(tiaptest.Canonical)))
	// Output: ["fact" "old fact" "summary"]
}

func ExampleInferred() {
	fmt.Printf("%q\n", credited(tiaptest.Inferred(tiaptest.Canonical)))
	// Output: ["batch fact" "fact" "guess" "old fact" "summary"]
}

// A target of one's own: facts that were made of turns of the evidence alone.
func ExampleNewTarget() {
	facts := tiaptest.NewTarget("facts", func(m tiaptest.Memory, links []tiaptest.Link, u tiaptest.Unit) bool {
		return m.Form == "fact" && len(m.Sources) == len(links)
	})
	fmt.Printf("%q\n", credited(facts))
	// Output: ["fact" "old fact"]
}

// Targets are values: a suite can keep those that it compares in a variable.
func ExampleTarget() {
	targets := []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical}
	for _, t := range targets {
		fmt.Println(t, len(credited(t)))
	}
	// Output:
	// raw 1
	// source 6
	// canonical 4
}

func ExampleTarget_String() {
	fmt.Println(tiaptest.Current(tiaptest.Exact(tiaptest.Canonical)).String())
	// Output: current(exact(canonical))
}
