package tiaptest_test

import (
	"fmt"
	"os"

	"github.com/tiaptest/tiap/tiaptest"
)

// A reader marked which facts are right, and has not come to all of them.
func ExampleLabelled() {
	right := map[string]bool{"f1": false}
	checked := tiaptest.Labelled("right", tiaptest.Source, len(right), labelsOf(right))
	b := new(tiaptest.Bundle)
	b.Scenario.Headline = "source"
	b.AddTurn("t1", "I moved to Lisbon in May.").AddQuery("q1", "Where do I live?", "Lisbon").AddQuery("q2", "When did I move?", "May")
	b.AddSystem("mine", "").AddMemory("f1", "fact", "t1").AddMemory("f2", "fact", "t1").AddRanking("q1", "f1", "f2").AddRanking("q2", "f2", "f1")
	a, err := tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Source, checked), tiaptest.Metrics(tiaptest.Top1()), tiaptest.Depth(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = a.WriteTable(os.Stdout)
	// Output:
	// unnamed scenario: 2 queries
	// credit by evidence, uncovered units dropped, depth 2, headline source, population shared
	// shared subset: 2 of 2 queries
	//
	// system  target         covered  n  top1
	// mine    source         2        2  1.0000
	// mine    right(source)  2        2  0.0000
	//
	// noticed
	//     mine: 1 of 2 contested credits has a label; the others earn nothing under right(source)
}

func ExampleLabelling() {
	look := labelsOf(map[string]bool{"f1": false})
	for _, m := range []tiaptest.Memory{{ID: "t1", Form: "raw"}, {ID: "f1", Form: "fact"}, {ID: "f2", Form: "fact"}} {
		fmt.Printf("%s %+v\n", m.ID, look("mine", tiaptest.Query{ID: "q1"}, m))
	}
	// Output:
	// t1 {Earns:true Contested:false Labels:[]}
	// f1 {Earns:false Contested:true Labels:[0]}
	// f2 {Earns:false Contested:true Labels:[]}
}

// labelsOf takes a raw memory as it is, and asks of the others whether they are right.
func labelsOf(right map[string]bool) func(system string, q tiaptest.Query, m tiaptest.Memory) tiaptest.Labelling {
	number := make(map[string]int)
	for id := range right {
		number[id] = len(number)
	}
	return func(_ string, _ tiaptest.Query, m tiaptest.Memory) tiaptest.Labelling {
		if m.Form == "raw" {
			return tiaptest.Labelling{Earns: true}
		}
		l := tiaptest.Labelling{Contested: true, Earns: right[m.ID]}
		if n, ok := number[m.ID]; ok {
			l.Labels = []int{n}
		}
		return l
	}
}
