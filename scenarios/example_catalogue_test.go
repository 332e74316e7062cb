package scenarios_test

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

// The contents of the manual.
func ExampleCatalogue() {
	for _, e := range scenarios.Catalogue() {
		fmt.Printf("%s\n    %s\n", e.Name, e.Phenomenon)
	}
	// Output:
	// raw_miss
	//     The turn is not retrieved, the fact made of it is: a miss under Raw, a hit under Canonical.
	// density_flip
	//     A denser parser pushes the turns down: Raw recommends D1, Canonical recommends D5.
	// target_order
	//     Which target scores higher depends on the architecture.
	// missing_lineage
	//     A store that does not say where its facts come from has no score, which is not 0.
	// inferred_lineage
	//     Lineage that was guessed afterwards earns no credit, unless the target says so.
	// many_turn_summary
	//     A summary of a whole session descends from every turn of it, and scores as if it answered them all.
	// graph_paths
	//     A path of a graph descends from the turns of all its edges, and credits them at one rank.
	// contested_credit
	//     A memory can descend from the gold turn and not support the answer.
	// coverage_hole
	//     A parser that skips the hard turns leads, until both are scored on the same queries.
	// population_flip
	//     Over all queries a query that is not covered counts as 0, and another system leads.
	// uncovered_units_flip
	//     Evidence that a system never stored is dropped from its score, or counted against it.
	// crediting_flip
	//     By evidence the richer store leads, by memory it owes more and falls behind.
	// duplicate_memories
	//     Copies of a memory earn nothing by evidence, and are rewarded by memory.
	// merge_flip
	//     A system that returns several lists has no ranking until a rule joins them.
	// depth_flip
	//     Another depth names another winner.
	// metric_flip
	//     Another metric names another winner, at one depth and under one target.
	// several_turns
	//     An answer that takes three turns is not found by finding one of them.
	// ties
	//     Where scores are equal, the reader of the file decides what stands first.
	// knowledge_update
	//     A fact that was replaced still earns the credit of the one that replaced it.
	// rotated_ids
	//     New ids after an ingest break saved rankings, and are no reason to score 0.
	// reingest_noise
	//     Ingesting anew can turn the winner round when nothing but chance was changed.
	// fragile_recommendation
	//     A recommendation that one query carries is gone without it.
}

// The script of an entry states what is to be found in its bundle.
func ExampleEntry() {
	e := scenarios.Catalogue()[0]
	for line := range strings.Lines(e.Text) {
		if strings.HasPrefix(line, "score ") {
			fmt.Print(line)
		}
	}
	// Output:
	// score mine raw hit@5 0
	// score mine canonical hit@5 1
	// score mine source hit@5 1
}

// A scenario is a bundle, too, for tests in Go.
func ExampleEntry_Bundle() {
	for _, e := range scenarios.Catalogue() {
		if e.Name != "density_flip" {
			continue
		}
		b, err := e.Bundle()
		if err != nil {
			fmt.Println(err)
			return
		}
		a, err := tiaptest.Rescore(b, tiaptest.Depth(5))
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, target := range []string{"raw", "canonical"} {
			rec, _ := a.Recommendation("density", tiaptest.MRR(5))
			fmt.Println(target, "recommends", *rec.Winners[target])
		}
	}
	// Output:
	// raw recommends D1
	// canonical recommends D5
}
