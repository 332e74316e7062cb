package memsys

import (
	"encoding/json"

	"github.com/tiaptest/tiap/tiaptest"
)

// MTELMem says why files of MTEL-Mem are no export of a memory system; it never
// gives an Import.
//
// Target mappings and ranked traces have flat sets of ids for each query, and no
// lineage from which a store could be made. They are audited as they are:
//
//	tiaptest audit -records mappings.jsonl -trace trace.jsonl
//
// Traces of the paper's runs have ids of a store that is not in the bundle: the
// error says what must be added.
func MTELMem(sc *tiaptest.Scenario, f Files) (*Import, error) {
	in := newImporter(sc)
	files := append(append([]string(nil), f.Store...), f.Search...)
	for _, file := range append(files, f.Log, f.History) {
		if file == "" {
			continue
		}
		before := in.faults.Len()
		in.lines(file, func(n int, text []byte) {
			if in.faults.Len() == before {
				in.mtelMem(file, n, text)
			}
		})
		if in.faults.Len() == before {
			in.faults.Add(file, 0, "the file is empty", mtelMemAudit)
		}
	}
	if in.faults.Len() == 0 {
		in.faults.Add("", 0, "mtel-mem: no file is given", mtelMemAudit)
	}
	return nil, in.faults.Err()
}

const mtelMemAudit = "audit MTEL-Mem's files as they are: tiaptest audit -records MAPPINGS -trace TRACE"

// mtelMem says what a line of a file of MTEL-Mem lacks.
func (in *importer) mtelMem(file string, n int, line []byte) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		in.faults.Add(file, n, "this is no file of MTEL-Mem: "+err.Error(), mtelMemAudit)
		return
	}
	has := func(name string) bool { return len(members[name]) > 0 }
	switch {
	case has("raw_ids") || has("source_ids") || has("canonical_ids"):
		in.faults.Add(file, 0, "target mappings are flat sets of ids, without the turns that a memory descends from", mtelMemAudit)
	case has("retrieved_id"):
		in.faults.Add(file, 0, "a ranked trace has no store and no turns", mtelMemAudit)
	case has("returned_ids_topk"):
		in.faults.Add(file, 0, "a trace of the paper's runs has ids of a store that is not saved with it",
			`an exporter must add the store: {"id", "form", "sources": [ids of turns]} for each memory, as store.jsonl of a bundle; or `+mtelMemAudit)
	default:
		in.faults.Add(file, 0, "this is no file of MTEL-Mem", mtelMemAudit)
	}
}
