package memsys_test

import (
	"fmt"

	"github.com/tiaptest/tiap/scenarios/memsys"
)

func ExampleFormats() {
	for _, name := range memsys.Formats() {
		fmt.Print(name, " ")
	}
	// Output: amem evermemos graphiti langgraph letta mem0 memorybench memoryos mtel-mem premem trpc
}

// The format is named, as on the command line.
func ExampleRead() {
	show(memsys.Read("langgraph", pears(), memsys.Files{
		Store:  []string{"testdata/example/langgraph.json"},
		Search: []string{"testdata/example/langgraph_search.jsonl"},
		Log:    "testdata/example/langgraph_log.jsonl",
	}))
	_, err := memsys.Read("diary", pears(), memsys.Files{})
	fmt.Println(err)
	// Output:
	// Memory memories/conv-90/k1 "Ada planted a pear tree." conv-90/D1:3
	// conv-90/qa0: memories/conv-90/k1
	// unknown format "diary"; use amem, evermemos, graphiti, langgraph, letta, mem0, memorybench, memoryos, mtel-mem, premem, trpc
}
