package memsys_test

import (
	"testing"

	"github.com/tiaptest/tiap/scenarios/memsys"
)

func TestMTELMem(t *testing.T) {
	t.Parallel()
	const audit = "tiaptest audit -records MAPPINGS -trace TRACE"
	for file, words := range map[string][]string{
		"mtelmem/target_mappings.jsonl":      {"target mappings are flat sets of ids, without the turns", audit},
		"mtelmem/ranked_trace.jsonl":         {"a ranked trace has no store and no turns", audit},
		"mtelmem/paper_trace_mem0.jsonl":     {"ids of a store that is not saved with it", `an exporter must add the store: {"id", "form", "sources"`},
		"mtelmem/paper_trace_memoryos.jsonl": {"ids of a store that is not saved with it", `an exporter must add the store`},
	} {
		refuses(t, memsys.MTELMem, export{content: testdata(t, file), store: []string{file}}, append(words, file+": ")...)
		refuses(t, memsys.MTELMem, export{content: testdata(t, file), search: []string{file}}, words...)
		e := export{content: testdata(t, file), store: []string{file}}
		for n := 0; n < len(e.content[file]); n += 97 {
			refuses(t, memsys.MTELMem, e.with(file, e.content[file][:n]), file, audit)
		}
	}
	refuses(t, memsys.MTELMem, export{}, "mtel-mem: no file is given", audit)
	one := export{store: []string{"a.jsonl"}}
	refuses(t, memsys.MTELMem, one.with("a.jsonl", `{"id":"m"}`), "this is no file of MTEL-Mem")
	refuses(t, memsys.MTELMem, one.with("a.jsonl", "\nraw_ids"), "a.jsonl:2: this is no file of MTEL-Mem")
	refuses(t, memsys.MTELMem, one, "a.jsonl: ", "make it readable")
}
