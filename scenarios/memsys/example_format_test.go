package memsys_test

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// show prints what an export became: memories with their turns and parents, the
// rankings, and the notes.
func show(in *memsys.Import, err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range in.System.Ingests[0].Memories {
		fmt.Printf("%s %s %q", m.Form, m.ID, m.Text)
		for _, l := range m.Sources {
			fmt.Print(" ", l.Turn)
			if how := strings.TrimSpace(l.Precision + " " + l.Origin); how != "" {
				fmt.Printf(" (%s)", how)
			}
		}
		for _, p := range m.Parents {
			fmt.Print(" of ", p)
		}
		fmt.Println()
	}
	for k := range in.System.Ingests[0].Run.All() {
		fmt.Print(k.Query, ": ", strings.Join(k.IDs, ", "), k.Error)
		for _, l := range k.Lists {
			fmt.Print(" ", l.Name, " ", strings.Join(l.IDs, ", "))
		}
		fmt.Println()
	}
	for _, n := range in.Notes {
		fmt.Printf("note: %s: %d\n", n.Kind, n.Count)
	}
}

// pears is a conversation of one turn and one question.
func pears() *tiaptest.Scenario {
	return &tiaptest.Scenario{
		Name: "locomo",
		Turns: []tiaptest.Turn{{
			ID: "conv-90/D1:3", Session: "conv-90/session_1", Speaker: "Ada", Time: "2031-03-12T09:05:00",
			Text: "I planted the pear tree yesterday.",
		}},
		Queries: []tiaptest.Query{{
			ID: "conv-90/qa0", Scope: "conv-90", Text: "When did Ada plant the pear tree?",
			Evidence: []tiaptest.Unit{{Turns: []string{"conv-90/D1:3"}}},
		}},
	}
}

// What an export became is audited as it is, or written to be read with the others.
func ExampleImport() {
	in, err := memsys.Letta(conv90(), memsys.Files{Store: []string{"testdata/letta/passages.json"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.System.Name, len(in.System.Ingests[0].Memories), "memories of form", in.System.Ingests[0].Memories[0].Form)
	for _, n := range in.Notes {
		fmt.Println(n.Count, n.Kind)
	}
	// Output:
	// letta 3 memories of form passage
	// 1 source named with the scenario's name
}

// An edge descends from its episode, which names its turn; the answer has two
// lists.
func ExampleGraphiti() {
	show(memsys.Graphiti(pears(), memsys.Files{
		Store:  []string{"testdata/example/graphiti.json"},
		Search: []string{"testdata/example/graphiti_search.jsonl"},
	}))
	// Output:
	// raw ep:00000001-0000-4000-8000-000000000000 "I planted the pear tree yesterday." conv-90/D1:3
	// edge edge:00000002-0000-4000-8000-000000000000 "Ada planted a pear tree." of ep:00000001-0000-4000-8000-000000000000
	// summary node:00000003-0000-4000-8000-000000000000 "Ada gardens." conv-90/D1:3 (container)
	// conv-90/qa0:  edges edge:00000002-0000-4000-8000-000000000000 nodes node:00000003-0000-4000-8000-000000000000
	// note: episode's turn named by its name: 1
}

// The store keeps no lineage; a log that was written at ingest does.
func ExampleLangGraph() {
	show(memsys.LangGraph(pears(), memsys.Files{
		Store:  []string{"testdata/example/langgraph.json"},
		Search: []string{"testdata/example/langgraph_search.jsonl"},
		Log:    "testdata/example/langgraph_log.jsonl",
	}))
	// Output:
	// Memory memories/conv-90/k1 "Ada planted a pear tree." conv-90/D1:3
	// conv-90/qa0: memories/conv-90/k1
}

// A tag names the turn of a passage.
func ExampleLetta() {
	show(memsys.Letta(pears(), memsys.Files{
		Store:  []string{"testdata/example/letta.json"},
		Search: []string{"testdata/example/letta_search.jsonl"},
	}))
	// Output:
	// passage passage-1 "Ada planted a pear tree." conv-90/D1:3
	// conv-90/qa0: passage-1
}

// Scores are distances; the list is the ranking.
func ExampleAMEM() {
	show(memsys.AMEM(pears(), memsys.Files{
		Store:  []string{"testdata/example/amem.json"},
		Search: []string{"testdata/example/amem_search.jsonl"},
	}))
	// Output:
	// raw n1 "Ada: I planted the pear tree yesterday."
	// note n2 "Ada gardens."
	// conv-90/qa0: n1, n2
	// note: memory without lineage: 2
	// note: scores left out, since they are distances: 1
}

// A search that timed out is a failed query, not an empty ranking.
func ExampleEverMemOS() {
	show(memsys.EverMemOS(pears(), memsys.Files{
		Store:  []string{"testdata/example/memcells.json"},
		Search: []string{"testdata/example/evermemos_search.json"},
	}))
	// Output:
	// memcell c1 "Ada planted a pear tree." conv-90/D1:3
	// conv-90/qa0: Search timeout after retries
}

// The metadata name a session; the store holds what the provider has.
func ExampleMemoryBench() {
	show(memsys.MemoryBench(pears(), memsys.Files{
		Store:  []string{"testdata/example/memorybench.json"},
		Search: []string{"testdata/example/memorybench"},
	}))
	// Output:
	// memory m1 "Ada planted a pear tree." conv-90/D1:3 (container)
	// conv-90/qa0: m1
}

// Clusters were made again, so that their links are inferred.
func ExamplePREMem() {
	show(memsys.PREMem(pears(), memsys.Files{
		Store:  []string{"testdata/example/premem.jsonl"},
		Search: []string{"testdata/example/premem_results.jsonl"},
	}))
	// Output:
	// raw raw_12 "I planted the pear tree yesterday." conv-90/D1:3
	// reasoning reason_4 "Ada planted a pear tree." conv-90/D1:3 (batch inferred)
	// conv-90/qa0: reason_4, raw_12
	// note: reasoning row linked by clusters that were made again: 1
}

// An update gives the memory a new id; a hit by the earlier one is a hit of it.
func ExampleTRPC() {
	show(memsys.TRPC(pears(), memsys.Files{Store: []string{"testdata/example/trpc.jsonl"}}))
	// Output:
	// memory conv-90/m2 "Ada planted a pear tree." conv-90/D1:3
	// conv-90/qa0: conv-90/m2
	// note: hit by an id that an update replaced: 1
}

func ExampleMTELMem() {
	_, err := memsys.MTELMem(pears(), memsys.Files{Store: []string{"testdata/mtelmem/target_mappings.jsonl"}})
	fmt.Println(err)
	// Output:
	// testdata/mtelmem/target_mappings.jsonl: target mappings are flat sets of ids, without the turns that a memory descends from; audit MTEL-Mem's files as they are: tiaptest audit -records MAPPINGS -trace TRACE
}
