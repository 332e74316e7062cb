package memsys_test

import (
	"fmt"

	"github.com/tiaptest/tiap/scenarios/memsys"
)

// The history tells of a memory that was deleted, and the log of add calls from
// which turn it was made. The history can be history.db as well.
func ExampleMem0() {
	in, err := memsys.Mem0(pears(), memsys.Files{
		Store:   []string{"testdata/example/mem0.json"},
		History: "testdata/example/mem0_history.json",
		Log:     "testdata/example/mem0_add.jsonl",
		Search:  []string{"testdata/example/mem0_search.jsonl"},
	})
	show(in, err)
	deleted := in.System.Ingests[0].Memories[2]
	fmt.Println(deleted.ID, deleted.Status, deleted.ValidTo)
	// Output:
	// fact m1 "Ada planted a pear tree." conv-90/D1:3
	// raw m2 "I planted the pear tree yesterday." conv-90/D1:3
	// fact m3 "Ada dislikes pears." conv-90/D1:3
	// conv-90/qa0: m2, m1
	// m3 deleted 2031-03-13T09:05:00Z
}

// MemoryOS keeps no turn ids: the log tells them by the text and the time of what
// was said. Knowledge has no id either; it is named by what it says.
func ExampleMemoryOS() {
	show(memsys.MemoryOS(pears(), memsys.Files{
		Store:  []string{"testdata/example/memoryos"},
		Log:    "testdata/example/memoryos_log.jsonl",
		Search: []string{"testdata/example/memoryos_search.jsonl"},
	}))
	// Output:
	// knowledge user_knowledge_332ff829f2e2a088 "Ada has a pear tree."
	// raw page_00000001 "I planted the pear tree yesterday.\nGood." conv-90/D1:3
	// summary session_000000aa "Ada gardens." conv-90/D1:3 (container)
	// conv-90/qa0:  assistant_knowledge  pages page_00000001 user_knowledge user_knowledge_332ff829f2e2a088
	// note: knowledge without lineage: 1
	// note: text of a page that the log does not have: 1
}

// A format says which files it misses, and which it has no use for.
func ExampleFiles() {
	_, err := memsys.Letta(pears(), memsys.Files{History: "history.db"})
	fmt.Println(err)
	// Output:
	// letta: no store is given; name its file with store=FILE, in Go in Files.Store
	// letta: a history is given, which the format does not have; it takes store, search, log
}
