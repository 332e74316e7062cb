package memsys

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// readers are the formats by name.
var readers = map[string]func(*tiaptest.Scenario, Files) (*Import, error){
	"amem":        AMEM,
	"evermemos":   EverMemOS,
	"graphiti":    Graphiti,
	"langgraph":   LangGraph,
	"letta":       Letta,
	"mem0":        Mem0,
	"memorybench": MemoryBench,
	"memoryos":    MemoryOS,
	"mtel-mem":    MTELMem,
	"premem":      PREMem,
	"trpc":        TRPC,
}

// Formats lists the names that [Read] knows.
func Formats() []string { return slices.Sorted(maps.Keys(readers)) }

// Read reads an export of the format of that name, as the function of that format
// does.
func Read(format string, sc *tiaptest.Scenario, f Files) (*Import, error) {
	read, ok := readers[format]
	if !ok {
		return nil, fmt.Errorf("unknown format %q; use %s", format, strings.Join(Formats(), ", "))
	}
	return read(sc, f)
}
