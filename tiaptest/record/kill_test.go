package record_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/crash"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// A recorder that is killed again and again, in the middle of what it does, ends with
// the same files as one that is not; each time it loses only what was being asked.
func TestKill(t *testing.T) {
	const queries, repeats = 120, 2
	// ingest records and notes each question in a file beside the folder.
	ingest := func(dir, asked string) error {
		f, err := os.OpenFile(asked, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer f.Close()
		noted := record.SearchFunc(func(ctx context.Context, q record.Query) ([]record.Hit, error) {
			_, err := f.WriteString("x")
			return answers(q), err
		})
		_, _, err = record.Ingests(context.Background(), questions(queries), build(noted), here(record.Options{Dir: dir, K: 10, Repeats: repeats}))
		return err
	}
	at := func(dir string, n int) string { return filepath.Join(dir, fmt.Sprint("mine-", n)) }
	var calm map[string]string
	sound := 0    // recordings found so far
	untidied := 0 // kills that left an ingest without its journal, to be asked once more
	found := func(dir string) (int, error) {
		if calm == nil {
			calm = tree(t, recorded(t, ingest))
		}
		for ; ; sound++ {
			files := tree(t, at(dir, sound+1))
			complete, journals := true, 0
			for name := range calm {
				complete = complete && files[name] != ""
			}
			for name, text := range files {
				switch base := filepath.Base(name); {
				case strings.Contains(name, ".tiap-record"):
					complete = false
				case base == "run.jsonl.part":
					journals++
				case text != calm[name]:
					return 0, fmt.Errorf("%s of recording %d differs (-calm +killed):\n%s", name, sound+1, cmp.Diff(calm[name], text))
				}
			}
			if complete && journals == 1 {
				untidied++
			}
			if !complete || journals > 0 {
				return sound, nil
			}
		}
	}
	r := crash.Test(t, 10, crash.Work{
		Do: func(dir string, before int, done func(int) bool) error {
			for n := before + 1; ; n++ {
				if err := ingest(at(dir, n), filepath.Join(dir, "asked")); err != nil || !done(n) {
					return err
				}
			}
		},
		Found: found,
	})
	for n := range r.Done {
		if diff := cmp.Diff(calm, tree(t, at(r.Dir, n+1))); diff != "" {
			t.Errorf("recording %d differs (-calm +killed):\n%s", n+1, diff)
		}
	}
	// A kill costs what was being asked and the queries that are asked again to see
	// that the system is the same.
	const inFlight, again = 4, 5
	asked := len(read(t, r.Dir, "asked"))
	perRun := repeats * (queries + again)
	assert.LessOrEqual(t, asked, r.Done*perRun+r.Kills*(inFlight+again)+untidied*perRun/repeats)
}

// recorded is the folder of a recording that nothing disturbs.
func recorded(t *testing.T, ingest func(dir, asked string) error) string {
	t.Helper()
	parent := t.TempDir()
	require.NoError(t, ingest(filepath.Join(parent, "mine"), filepath.Join(parent, "asked")))
	return filepath.Join(parent, "mine")
}

// tree are the files of a folder with their texts.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return fs.SkipAll
		}
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			files[name] = read(t, path)
		}
		return err
	}))
	return files
}
