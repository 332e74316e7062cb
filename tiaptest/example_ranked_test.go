package tiaptest_test

import (
	"fmt"

	"github.com/tiaptest/tiap/tiaptest"
)

func ExampleAudit_Ranked() {
	a := must(tiaptest.Rescore(density()))
	places, err := a.Ranked("D1", "q1")
	fmt.Println(a.Targets(), err)
	for _, p := range places {
		fmt.Println(p.Rank, p.Memory.ID, p.Memory.Form, p.Turns, p.Eligible, p.Gains)
	}
	// Output:
	// [raw source canonical] <nil>
	// 1 fact2 fact [t2] [false false false] [0 0 0]
	// 2 raw1 raw [t1] [true true false] [1 1 0]
	// 3 fact1 fact [t1] [false true true] [0 0 1]
}

func ExampleAudit_Turn() {
	a := must(tiaptest.Rescore(density()))
	t, ok := a.Turn("t2")
	fmt.Println(t.Text, ok)
	// Output: Now there are four hives by the wall. true
}

// What a system returned for a query, with a sign at what earns credit.
func ExampleRanked() {
	a := must(tiaptest.Rescore(density(), tiaptest.Targets(tiaptest.Canonical)))
	for _, p := range must(a.Ranked("D5", "q2")) {
		sign := "-"
		if p.Gains[0] > 0 {
			sign = "+"
		}
		fmt.Println(p.Rank, sign, p.Memory.ID)
	}
	// Output:
	// 1 + fact2b
	// 2 - raw2
	// 3 - fact2a
}
