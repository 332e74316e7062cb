package tiaptest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tiaptest/tiap/internal/problem"
)

// MTELMem names the files of an audit over MTEL-Mem's own formats (the
// artifacts of arXiv 2605.24060). Records give the ids that earn credit for each
// query under each target; they carry no evidence units, so the crediting is
// [ByMemory], as in MTEL-Mem's packaged scorer.
type MTELMem struct {
	// Records is a JSONL file of query records with query_id, raw_ids,
	// source_ids and canonical_ids.
	Records string

	// Traces are JSONL files of ranked hits, one a line (system, query_id,
	// retrieved_id, rank, score), or of rankings as the paper's own traces
	// have them, one query a line (query or query_index, returned_ids_topk).
	// The latter are joined to the records by query_id, by the text of the
	// query or by its position; their system is named by the file.
	Traces []string
}

// Open reads the files. Problems name file and line and are reported together.
func (m MTELMem) Open() (*Bundle, error) {
	b := &Bundle{Scenario: Scenario{Name: "mtel-mem"}}
	if m.Records == "" || len(m.Traces) == 0 {
		return nil, errors.New("MTEL-Mem input needs a file of records and at least one trace")
	}
	var faults problem.List
	records := readRecords(m.Records, b, &faults)
	for _, file := range m.Traces {
		t := trace{file: file, records: records, byName: make(map[string]*traceSystem)}
		r := fileReader(file)
		parseFile(r, filepath.Base(file), t.block, t.merge)
		faults.Append(&r.faults)
		if t.lines == 0 && r.faults.Len() == 0 {
			faults.Add(file, 0, "the file is empty", "a trace needs one hit or one query a line")
		}
		for _, s := range t.systems(&faults) {
			if b.system(s.Name) != nil {
				faults.Add(file, 0, fmt.Sprintf("system %q stands in two traces", s.Name), "give every system one trace")
			}
			b.Systems = append(b.Systems, s)
		}
		b.reported = append(b.reported, t.notes...)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return b, nil
}

// fileReader reads a file outside a bundle.
func fileReader(file string) *reader {
	dir := filepath.Dir(file)
	r := &reader{fsys: os.DirFS(dir), dir: dir, readable: "name a readable file", pipes: true}
	if dir == "." && filepath.Base(file) == file {
		r.dir = ""
	}
	return r
}
