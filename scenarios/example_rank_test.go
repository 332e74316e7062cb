package scenarios_test

import (
	"fmt"
	"log"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
)

// The observations that LoCoMo itself carries, beside its turns, ranked by BM25.
func ExampleRank() {
	b, err := scenarios.LoCoMo("testdata/locomo/locomo_sample.json",
		scenarios.Rank(reference.Lexical, "raw", "observation"), scenarios.Headline(tiaptest.Canonical))
	if err != nil {
		log.Fatal(err)
	}
	a, err := tiaptest.Rescore(b.Bundle())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Shared().N, "queries are covered under every target")
	for _, target := range []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical} {
		score, err := a.Score("locomo", target, tiaptest.MRR(60))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.3f\n", target, score)
	}
	// Output:
	// 11 queries are covered under every target
	// raw 0.298
	// source 0.818
	// canonical 0.818
}

// The scenario says which target matches what the system under test serves.
func ExampleHeadline() {
	b, err := scenarios.LoCoMo("testdata/locomo/locomo_sample.json", scenarios.Headline(tiaptest.Canonical))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Scenario.Headline)
	// Output: canonical
}
