package memsys_test

import (
	"fmt"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// The first memory has the text of a turn; the second is new after a call. Credit
// needs the option.
func ExampleInferLineage() {
	s := &tiaptest.System{Name: "notes"}
	s.AddRanking("conv-90/qa0", "m1")
	s.Ingests[0].Memories = []tiaptest.Memory{
		{ID: "m1", Form: "raw", Text: "Ada: I planted the pear tree yesterday."},
		{ID: "m2", Form: "fact", Text: "Ada gardens."},
		{ID: "m3", Form: "fact", Text: "Ada planted a tree.", Sources: []tiaptest.Link{{Turn: "conv-90/D1:3"}}},
	}
	inferred, steps, err := memsys.InferLineage(pears(), s, memsys.Inference{
		Calls: []memsys.Call{{Turns: []string{"conv-90/D1:3"}, Before: []string{"m1"}, After: []string{"m1", "m2", "m3"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range inferred.Ingests[0].Memories {
		fmt.Println(m.ID, m.Sources)
	}
	for _, step := range steps {
		fmt.Println(step)
	}
	// Output:
	// m1 [{conv-90/D1:3  inferred}]
	// m2 [{conv-90/D1:3 batch inferred}]
	// m3 [{conv-90/D1:3  }]
	// exact text: linked 1 of 2 memories, precision not known
	// text with time: linked 0 of 1 memories, precision not known
	// before and after: linked 1 of 1 memories, precision 1.000 (1 of 1 links)
}

// Where memories of several conversations have the same text, a conversation that
// is known tells them apart.
func ExampleInference() {
	sc := pears()
	sc.Turns = append(sc.Turns, tiaptest.Turn{ID: "conv-91/D4:1", Text: sc.Turns[0].Text})
	s := &tiaptest.System{Name: "notes", Ingests: []*tiaptest.Ingest{{Memories: []tiaptest.Memory{{ID: "conv-91/m1", Form: "raw", Text: sc.Turns[0].Text}}}}}
	for _, how := range []memsys.Inference{
		{},
		{Conversation: func(m tiaptest.Memory) string { return m.ID[:len("conv-91")] }},
	} {
		inferred, _, err := memsys.InferLineage(sc, s, how)
		fmt.Println(inferred.Ingests[0].Memories[0].Sources, err)
	}
	// Output:
	// [] <nil>
	// [{conv-91/D4:1  inferred}] <nil>
}

// What is new after a call descends from all turns that the call was handed.
func ExampleCall() {
	s := &tiaptest.System{Name: "notes", Ingests: []*tiaptest.Ingest{{Memories: []tiaptest.Memory{{ID: "m1", Form: "fact"}, {ID: "m2", Form: "fact"}}}}}
	call := memsys.Call{Turns: []string{"conv-90/D1:3"}, Before: []string{"m1"}, After: []string{"m1", "m2"}}
	inferred, _, err := memsys.InferLineage(pears(), s, memsys.Inference{Calls: []memsys.Call{call}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range inferred.Ingests[0].Memories {
		fmt.Println(m.ID, m.Sources)
	}
	// Output:
	// m1 []
	// m2 [{conv-90/D1:3 batch inferred}]
}

func ExampleInferredStep() {
	fmt.Println(memsys.InferredStep{Step: "exact text", Applied: 10, Linked: 7, Links: 8, Checked: 40, Confirmed: 38})
	// Output:
	// exact text: linked 7 of 10 memories, precision 0.950 (38 of 40 links)
}

// Where no link could be checked, the precision is not known.
func ExampleInferredStep_Precision() {
	fmt.Println(memsys.InferredStep{Checked: 40, Confirmed: 38}.Precision())
	fmt.Println(memsys.InferredStep{Linked: 7, Links: 8}.Precision())
	// Output:
	// 0.95 true
	// 0 false
}

func ExampleInferredStep_String() {
	fmt.Println(memsys.InferredStep{Step: "text with time", Applied: 3, Linked: 1, Links: 1}.String())
	// Output:
	// text with time: linked 1 of 3 memories, precision not known
}
