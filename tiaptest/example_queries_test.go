package tiaptest_test

import (
	"fmt"

	"github.com/tiaptest/tiap/tiaptest"
)

func ExamplePair_Winner() {
	p := must(must(tiaptest.Rescore(density())).Pair("D1", "D5", tiaptest.NDCG(60)))
	fmt.Println(p.Winner(tiaptest.Raw))
	fmt.Println(p.Winner(tiaptest.Source))
	// Output:
	// D1 true
	// D5 true
}

func ExamplePair_Gap() {
	p := must(must(tiaptest.Rescore(density())).Pair("D1", "D5", tiaptest.NDCG(60)))
	raw, ok := p.Gap(tiaptest.Raw)
	fmt.Println(*raw.Value > 0, ok)
	// Output: true true
}

func ExampleAudit_SharedQueries() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(a.SharedQueries("D1", "D5"))
	// Output: [q1 q2] <nil>
}

func ExampleAudit_Bundle() {
	b := density()
	a := must(tiaptest.Rescore(b, tiaptest.Systems("D1")))
	fmt.Println(a.Bundle() == b, len(a.Systems()), len(a.Bundle().Systems))
	// Output: true 1 2
}

func ExampleAudit_PerIngest() {
	a := must(tiaptest.Rescore(density()))
	fmt.Println(a.PerIngest("D1", tiaptest.Raw, tiaptest.Hit(60)))
	// Output: [map[q1:1 q2:1]] <nil>
}

// A changed parser makes another store; here the rankings stay.
func ExampleAudit_Digests() {
	before := must(tiaptest.Rescore(density()))
	changed := density()
	changed.Systems[0].AddMemory("m9", "fact", "t2")
	after := must(tiaptest.Rescore(changed))
	store1, run1, _ := before.Digests("D1")
	store2, run2, _ := after.Digests("D1")
	fmt.Println(store1 == store2, run1 == run2)
	// Output: false true
}

func ExampleAudit_Query() {
	a := must(tiaptest.Rescore(density()))
	q, ok := a.Query("q1")
	fmt.Println(q.Text, ok)
	_, ok = a.Query("q9")
	fmt.Println(ok)
	// Output:
	// When was the pear tree planted? true
	// false
}

// A bundle built in code has no folder that a command could read.
func ExampleAudit_ExplainCommand() {
	fmt.Printf("%q\n", must(tiaptest.Rescore(density())).ExplainCommand("q1"))
	// Output: ""
}
