package memsys_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/crash"
	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// TestKill: a system that is added to a bundle by a process that is killed is there
// whole or not at all, and the next one removes what is left.
func TestKill(t *testing.T) {
	system := func(n int) *tiaptest.System {
		s := &tiaptest.System{Name: fmt.Sprint("s", n), Unit: "fact"}
		in := new(tiaptest.Ingest)
		for i := range 200 {
			in.Memories = append(in.Memories, tiaptest.Memory{ID: fmt.Sprint("m", i), Form: "fact", Sources: []tiaptest.Link{{Turn: "t1"}}, Text: s.Name})
		}
		if err := in.Run.Add(tiaptest.Ranking{Query: "q1", IDs: []string{"m1", "m0"}}); err != nil {
			t.Fatal(err)
		}
		s.Ingests = []*tiaptest.Ingest{in}
		return s
	}
	files := []string{"run.jsonl", "store.jsonl", "system.json"}
	added := 0
	r := crash.Test(t, 10, crash.Work{
		Do: func(dir string, before int, done func(int) bool) error {
			for n := before + 1; ; n++ {
				if err := (&memsys.Import{System: system(n)}).WriteDir(dir); err != nil || !done(n) {
					return err
				}
			}
		},
		Found: func(dir string) (int, error) {
			for ; ; added++ {
				place := filepath.Join(dir, "systems", fmt.Sprint("s", added+1))
				if _, err := os.Stat(place); err != nil {
					return added, nil
				}
				whole := t.TempDir()
				require.NoError(t, (&tiaptest.Bundle{Systems: []*tiaptest.System{system(added + 1)}}).WriteDir(whole))
				for _, name := range files {
					want, err := os.ReadFile(filepath.Join(whole, "systems", filepath.Base(place), name))
					require.NoError(t, err)
					got, err := os.ReadFile(filepath.Join(place, name))
					if err != nil || string(got) != string(want) {
						return 0, fmt.Errorf("%s of %s is not whole: %w", name, place, err)
					}
				}
			}
		},
	})
	entries, err := os.ReadDir(r.Dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside the systems")
	entries, err = os.ReadDir(filepath.Join(r.Dir, "systems"))
	require.NoError(t, err)
	require.Len(t, entries, r.Done)
}

// TestDisks: a disk that is full, or read-only, gets no system, and the error names it.
func TestDisks(t *testing.T) {
	t.Parallel()
	s := &tiaptest.System{Name: "mine", Ingests: []*tiaptest.Ingest{{Memories: []tiaptest.Memory{{ID: "m", Form: "fact", Text: strings.Repeat("text ", 2000)}}}}}
	var last error // of the read-only disk
	crash.Disks(t, func(string) error { return nil }, func(dir string) error {
		last = (&memsys.Import{System: s}).WriteDir(dir)
		return last
	}, func(t *testing.T, dir string, written bool) {
		_, err := os.Stat(filepath.Join(dir, "systems", "mine", "run.jsonl"))
		require.Equal(t, written, err == nil)
		hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
		require.NoError(t, err)
		require.Empty(t, hidden)
	})
	require.Regexp(t, `^write .*/dir/systems/mine: read-only file system; make the folder of the bundle writable, or add the system to a copy of it$`, last.Error())
}
