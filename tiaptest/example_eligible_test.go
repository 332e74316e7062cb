package tiaptest_test

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Only facts that a list of checked ones names may earn. The others still count
// as stored.
func ExamplePassing() {
	checked := tiaptest.Passing("checked", tiaptest.Source, func(_ string, q tiaptest.Query, m tiaptest.Memory) bool {
		return m.Form == "raw" || strings.HasPrefix(m.ID, "checked/")
	})
	b := new(tiaptest.Bundle)
	b.AddTurn("t1", "We planted a pear tree in March.").AddQuery("q1", "When was the tree planted?", "March")
	b.AddSystem("A", "").AddMemory("fact", "fact", "t1").AddMemory("turn", "raw", "t1").AddRanking("q1", "fact", "turn")
	a := must(tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Source, checked)))
	fmt.Println(a.Score("A", tiaptest.Source, tiaptest.MRR(60)))
	fmt.Println(a.Score("A", checked, tiaptest.MRR(60)))
	// Output:
	// 1 <nil>
	// 0.5 <nil>
}

// Which memories could D1 have answered with, and which of them earned?
func ExampleAudit_Eligible() {
	a := must(tiaptest.Rescore(density()))
	for e := range must(a.Eligible("D1", tiaptest.Source)) {
		fmt.Printf("%s: %s at rank %d, %d of its %d units credited\n", e.Query.ID, e.Memory.ID, e.Rank, e.Credited, len(e.Units))
	}
	// Output:
	// q1: raw1 at rank 2, 1 of its 1 units credited
	// q1: fact1 at rank 3, 0 of its 1 units credited
	// q2: raw2 at rank 1, 1 of its 1 units credited
	// q2: fact2 at rank 2, 0 of its 1 units credited
}

func ExampleEligible() {
	a := must(tiaptest.Rescore(density()))
	retrieved, stored := 0, 0
	for e := range must(a.Eligible("D1", tiaptest.Canonical)) {
		stored++
		if e.Rank > 0 {
			retrieved++
		}
	}
	fmt.Printf("%d of %d eligible memories retrieved\n", retrieved, stored)
	// Output: 2 of 2 eligible memories retrieved
}
