package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/tiaptest"
)

// Queries reads the queries of a bundle whose systems are still to be recorded:
// queries.jsonl in the folder, as [tiaptest.Open] reads it. The systems that the
// bundle has are left alone, sound or not.
func Queries(dir string) ([]tiaptest.Query, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: it is no folder; name the folder of a bundle", dir)
	}
	// Open wants a system: it gets one that has nothing.
	bundle := fstest.MapFS{
		"systems/none/store.jsonl": {Data: placeholder},
		"systems/none/run.jsonl":   {Data: []byte(`{"query":"none","ranking":[]}` + "\n")},
	}
	for _, ending := range []string{"", ".gz", ".zst"} {
		name := "queries.jsonl" + ending
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		bundle[name] = &fstest.MapFile{Data: text}
	}
	b, err := tiaptest.OpenFS(bundle)
	if err != nil {
		return nil, located(err, dir)
	}
	return b.Scenario.Queries, nil
}

// located names the folder of the files that problems are in.
func located(err error, dir string) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if p, ok := errors.AsType[*problem.Problem](e); ok {
				p.File = filepath.Join(dir, p.File)
			}
		}
	}
	return err
}
