package tiaptest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/tiaptest"
)

// smallFS is the file system of a bundle with the system s.
func smallFS() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"queries.jsonl":         file(`{"id":"q","evidence":["t"]}`),
		"systems/s/store.jsonl": file(`{"id":"m","form":"raw","sources":["t"]}`),
		"systems/s/run.jsonl":   file(`{"query":"q","ranking":["m"]}`),
	}
}

// What is no regular file is not opened: that might wait for ever.
func TestOpenIrregular(t *testing.T) {
	t.Parallel()
	_, err := tiaptest.OpenFS(smallFS())
	require.NoError(t, err)
	for mode, kind := range map[fs.FileMode]string{
		fs.ModeNamedPipe: "a pipe", fs.ModeSocket: "a socket",
		fs.ModeDevice: "a device", fs.ModeDevice | fs.ModeCharDevice: "a device", fs.ModeIrregular: "something else",
	} {
		for _, name := range []string{"scenario.json", "queries.jsonl", "turns.jsonl", "accepted.json", "systems/s/system.json", "systems/s/store.jsonl", "systems/s/run.jsonl"} {
			fsys := smallFS()
			fsys[name] = &fstest.MapFile{Mode: mode | 0o644}
			_, err := tiaptest.OpenFS(unopened{fsys, name})
			assert.EqualError(t, err, name+": it is no regular file but "+kind+"; give a file in its place")
		}
	}
}

// unopened is a file system of which one file cannot be opened.
type unopened struct {
	fstest.MapFS
	name string
}

func (u unopened) Open(name string) (fs.File, error) {
	if name == u.name {
		return nil, errors.New("opened")
	}
	return u.MapFS.Open(name)
}

func TestOpenManySystems(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"systems", "systems/s/repeats"} {
		fsys := smallFS()
		for i := range limit.Systems + 1 {
			fsys[fmt.Sprintf("%s/%d/system.json", dir, i)] = &fstest.MapFile{}
		}
		_, err := tiaptest.OpenFS(fsys)
		require.EqualError(t, err, dir+": the folder has more than 4096 entries; compare fewer at once")
	}
}

// A file with a fault in each line is read no further than some of them.
func TestOpenManyProblems(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	fsys := smallFS()
	fsys["queries.jsonl"] = &fstest.MapFile{Data: []byte(strings.Repeat("{}\n", 5_000_000))}
	_, err := tiaptest.OpenFS(fsys)
	require.ErrorContains(t, err, "queries.jsonl:1: the query has no \"id\"")
	var more int
	_, last, _ := strings.Cut(err.Error(), "and ")
	_, err = fmt.Sscanf(last, "%d more problems", &more)
	require.NoError(t, err)
	assert.Less(t, more, 1_000_000, "of 5,000,000 lines")
}

func TestOpenLargeSettings(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"scenario.json", "accepted.json", "systems/s/system.json"} {
		fsys := smallFS()
		fsys[name] = &fstest.MapFile{Data: []byte(`"` + strings.Repeat("x", limit.Settings) + `"`)}
		_, err := tiaptest.OpenFS(fsys)
		require.EqualError(t, err, name+": it has more than 16 MiB; give the file that is meant, or leave out what is not needed")
	}
}

// A million systems named in the lines of a trace are too many to compare.
func TestTraceOfManySystems(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range limit.Systems + 1 {
		fmt.Fprintf(&b, `{"system":"s%d","query_id":"q","retrieved_id":"m","rank":1}`+"\n", i)
	}
	dir := t.TempDir()
	records, trace := filepath.Join(dir, "records.jsonl"), filepath.Join(dir, "trace.jsonl")
	require.NoError(t, os.WriteFile(records, []byte(`{"query_id":"q","raw_ids":["m"],"source_ids":["m"],"canonical_ids":["m"]}`), 0o600))
	require.NoError(t, os.WriteFile(trace, []byte(b.String()), 0o600))
	_, err := tiaptest.MTELMem{Records: records, Traces: []string{trace}}.Open()
	require.ErrorContains(t, err, "trace.jsonl: the trace has more than 4096 systems; ")
}
