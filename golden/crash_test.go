package golden

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/crash"
)

// state is a golden file with its scores, of a version of an audit.
func state(t *testing.T, version int) files {
	t.Helper()
	q := &queryScores{ids: []string{"q1", "q2"}, sets: map[string][]bool{"A": {true, true}}, columns: map[columnKey][]column{}}
	c := make(column, 2)
	c[0] = 1 / float64(version+1)
	q.columns[columnKey{"A", "raw", "mrr"}] = []column{c}
	r := &Record{content: content{Schema: recordSchema, Identity: identity{Scenario: strings.Repeat(fmt.Sprint(version), 5000)}}, scores: q}
	out, err := r.files("talk.json", newSettings(nil))
	require.NoError(t, err)
	require.NotEmpty(t, out.scores)
	return out
}

// whole requires a folder to hold one of the states, whole.
func whole(t *testing.T, file string, versions ...int) (version int) {
	t.Helper()
	r, err := ReadRecord(file)
	require.NoError(t, err)
	require.NotNil(t, r.scores, "the scores that the record names are there: %s", r.note)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, v := range versions {
		if bytes.Equal(state(t, v).record, data) {
			require.InDelta(t, 1/float64(v+1), r.scores.columns[columnKey{"A", "raw", "mrr"}][0][0], 1e-12)
			return v
		}
	}
	t.Fatal("the golden file is neither the old one nor the new one")
	return 0
}

// An update that fails at any step leaves the old state or the new one, and the
// next update succeeds.
func TestFaultAtEachStep(t *testing.T) {
	t.Parallel()
	steps := 0
	for at := 0; ; at++ {
		file := filepath.Join(t.TempDir(), "talk.json")
		old := state(t, 1)
		_, err := save(file, old, nil)
		require.NoError(t, err)
		n, name := 0, ""
		content := state(t, 2)
		_, err = save(file, content, func(step string) error {
			if n++; n == at+1 {
				name = step
				return errors.New("fault")
			}
			return nil
		})
		got := whole(t, file, 1, 2)
		if name == "" {
			require.NoError(t, err)
			require.Equal(t, 2, got)
			break
		}
		steps++
		_, err = save(file, content, nil)
		require.NoError(t, err, "after a fault at %s", name)
		require.Equal(t, 2, whole(t, file, 2))
		entries, err := os.ReadDir(filepath.Dir(file))
		require.NoError(t, err)
		require.Len(t, entries, 2, "nothing is left behind after a fault at %s", name)
	}
	require.Equal(t, 13, steps, "create, two writes, sync, rename and sync of the folder for each file, and the removal of old scores")
}

// A process that is killed at any moment leaves the old state or the new one, and the
// next update removes what it left beside them.
func TestKill(t *testing.T) {
	r := crash.Test(t, 10, crash.Work{
		Do: func(dir string, before int, done func(int) bool) error {
			for v := before + 1; ; v++ {
				content := state(t, v)
				if _, err := save(filepath.Join(dir, "talk.json"), content, nil); err != nil || !done(v) {
					return err
				}
			}
		},
		Found: func(dir string) (int, error) {
			file := filepath.Join(dir, "talk.json")
			r, err := ReadRecord(file)
			if errors.Is(err, fs.ErrNotExist) {
				return 0, nil
			}
			if err != nil || r.scores == nil {
				return 0, fmt.Errorf("the record lacks its scores: %w", err)
			}
			v := int(math.Round(1/r.scores.columns[columnKey{"A", "raw", "mrr"}][0][0])) - 1
			return whole(t, file, v), nil
		},
	})
	entries, err := os.ReadDir(r.Dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing is left behind")
}

// An update on a disk that is full, or read-only, leaves the old state, which can still
// be read, and nothing beside it.
func TestDisks(t *testing.T) {
	t.Parallel()
	var last error // of the read-only disk
	update := func(version int) func(dir string) error {
		return func(dir string) error {
			content := state(t, version)
			_, last = save(filepath.Join(dir, "talk.json"), content, nil)
			return last
		}
	}
	crash.Disks(t, update(1), update(2), func(t *testing.T, dir string, written bool) {
		want := 1
		if written {
			want = 2
		}
		whole(t, filepath.Join(dir, "talk.json"), want)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		if written {
			require.Len(t, entries, 2, "nothing is left behind")
		}
	})
	require.Regexp(t, `^write .*/dir/talk\.[0-9a-f]{12}\.queries\.zst: read-only file system; make it writable, or record in another copy of the files$`, last.Error())
}

// Updates of one golden file that only the lock of its folder keeps apart, as those of
// two processes, leave the state of one of them.
func TestUpdateTogether(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "talk.json")
	var all sync.WaitGroup
	for v := 1; v <= 2; v++ {
		content := state(t, v)
		all.Go(func() {
			for range 20 {
				_, err := saveLocked(file, content, nil)
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	whole(t, file, 1, 2)
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing is left behind")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	content := state(t, 1)
	for _, place := range []string{"vendor/example.com/pkg/testdata", "pkg/mod/example.com@v1.0.0/testdata"} {
		dir := filepath.Join(t.TempDir(), place)
		require.NoError(t, os.MkdirAll(dir, 0o777))
		_, err := save(filepath.Join(dir, "talk.json"), content, nil)
		require.ErrorContains(t, err, "record it in the module's own repository")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o555))
	_, err := save(filepath.Join(dir, "talk.json"), content, nil)
	require.ErrorContains(t, err, "read-only")
	require.NoError(t, os.Chmod(dir, 0o777))

	for _, key := range []string{"", "../up", "a:b", "nul", "NUL.x", "a/", ".hidden"} {
		_, err := fileOf(key)
		require.ErrorContains(t, err, "makes no file name", key)
	}
	file := filepath.Join(dir, "talk.json")
	require.NoError(t, claimFile(file, "talk", "TestA", []byte("x")))
	require.NoError(t, claimFile(file, "talk", "TestA", []byte("x")), "the same again, with -count=2")
	require.ErrorContains(t, claimFile(file, "talk", "TestB", []byte("y")), "two contents")
	require.ErrorContains(t, claimFile(filepath.Join(dir, "Talk.json"), "Talk", "TestB", []byte("x")), "where case does not count")
}

// Files are written only when their content changes.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "talk.json")
	content := state(t, 1)
	written, err := save(file, content, nil)
	require.NoError(t, err)
	require.True(t, written)
	written, err = save(file, content, func(string) error { return errors.New("written") })
	require.NoError(t, err)
	require.False(t, written)
}
