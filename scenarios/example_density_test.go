package scenarios_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// One memory system with at most one and at most five memories of a turn.
func ExampleDensity() {
	scenario := &tiaptest.Scenario{
		Name: "market", Unit: "dialogue turn", Headline: "canonical",
		Turns: []tiaptest.Turn{
			{ID: "c/1", Session: "c/s1", Speaker: "Ann", Time: "2023-05-08", Text: "My sister sold all her honey yesterday. The bicycle in the shed is still mine."},
			{ID: "c/2", Session: "c/s1", Speaker: "Ben", Time: "2023-05-08", Text: "Good for her! Who repaired the shed?"},
		},
		Queries: []tiaptest.Query{
			{ID: "c/q1", Scope: "c", Text: "What is in the shed?", Evidence: []tiaptest.Unit{{Turns: []string{"c/1"}}}},
		},
	}
	b, err := scenarios.Density(context.Background(), scenario, reference.MaxFacts, []int{1, 5}, reference.Lexical,
		record.Options{K: 10, Cacheable: true})
	if err != nil {
		log.Fatal(err)
	}
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10))
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range b.Systems {
		for _, target := range []tiaptest.Target{tiaptest.Raw, tiaptest.Canonical} {
			score, err := a.Score(s.Name, target, tiaptest.MRR(10))
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s, %d memories, %v: %.2f\n", s.Name, len(s.Ingests[0].Memories), target, score)
		}
	}
	// Output:
	// D1, 5 memories, raw: 0.33
	// D1, 5 memories, canonical: 0.00
	// D5, 8 memories, raw: 0.20
	// D5, 8 memories, canonical: 1.00
}

// A parser of one's own with a searcher of the reference system.
func ExampleBuild() {
	turns := []tiaptest.Turn{{ID: "c/1", Speaker: "Ann", Text: "My bicycle is in the shed."}}
	shout := record.ParseFunc(func(_ context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
		var out []tiaptest.Memory
		for _, t := range turns {
			out = append(out, tiaptest.Memory{ID: t.ID + "/fact", Form: "fact", Sources: []tiaptest.Link{{Turn: t.ID}}, Text: t.Text + " Bicycle!"})
		}
		return out, nil
	})
	searcher, _, err := scenarios.Build(turns, shout, reference.Lexical)(context.Background(), 1)
	if err != nil {
		log.Fatal(err)
	}
	hits, err := searcher.Search(context.Background(), record.Query{Text: "Where is the bicycle?", K: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Println(h.ID)
	}
	// Output:
	// c/1/fact
	// c/1
}
