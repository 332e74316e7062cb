package replace_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/crash"
	"github.com/tiaptest/tiap/internal/lock"
	"github.com/tiaptest/tiap/internal/replace"
)

func TestFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, replace.File(file, []byte("one"), nil))
	require.NoError(t, os.Chmod(file, 0o600))
	require.NoError(t, replace.File(file, []byte("two"), nil))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "two", string(text))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// TestFaults makes each step fail: the old content stands, or the new one after
// the rename, and nothing is left beside it.
func TestFaults(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, failing := range []string{"create", "write", "sync", "rename", "sync folder"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "f")
		require.NoError(t, os.WriteFile(file, []byte("old"), 0o666))
		met := false
		err := replace.File(file, []byte("new"), func(step string) error {
			if step == failing {
				met = true
				return broken
			}
			return nil
		})
		assert.True(t, met, failing)
		want := "old"
		if failing == "sync folder" {
			want = "new"
			assert.NoError(t, err, failing)
		} else {
			assert.ErrorIs(t, err, broken, failing)
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, want, string(text), failing)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1, failing)
	}
}

// TestSweep: what a killed process left beside a place goes with the next writing, what
// another one is writing stays, whatever the clock says.
func TestSweep(t *testing.T) {
	t.Parallel()
	write := map[string]func(place string) error{
		"file": func(place string) error { return replace.File(place, []byte("new"), nil) },
		"folder": func(place string) error {
			return replace.Folder(place, place, func(dir string) (string, error) { return dir, nil })
		},
	}
	for name, write := range write {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, beside := range []string{".f.12.tmp", ".f.13.tmp", ".f.12.tmp.x", ".g.12.tmp", "f.12.tmp"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, beside), nil, 0o666))
			}
			for file, year := range map[string]int{".f.12.tmp": 2100, ".f.13.tmp": 1980} {
				when := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
				require.NoError(t, os.Chtimes(filepath.Join(dir, file), when, when))
			}
			left := filepath.Join(dir, ".f.14.tmp") // a folder
			require.NoError(t, os.MkdirAll(filepath.Join(left, "systems"), 0o777))
			busy := filepath.Join(dir, ".f.15.tmp")
			require.NoError(t, os.Mkdir(busy, 0o777))
			release, err := lock.Try(busy)
			require.NoError(t, err)
			require.NoError(t, write(filepath.Join(dir, "f")))
			assert.ElementsMatch(t, []string{".f.12.tmp.x", ".f.15.tmp", ".g.12.tmp", "f", "f.12.tmp"}, names(t, dir))
			release()
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "f")))
			require.NoError(t, write(filepath.Join(dir, "f")))
			assert.NotContains(t, names(t, dir), ".f.15.tmp")
		})
	}
}

// TestFolder: a folder appears with all that was written, or not at all.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	place := filepath.Join(dir, "f")
	broken := errors.New("broken")
	fill := func(err error) func(string) (string, error) {
		return func(beside string) (string, error) {
			assert.Equal(t, dir, filepath.Dir(beside))
			return filepath.Join(beside, "part"), errors.Join(os.Mkdir(filepath.Join(beside, "part"), 0o777),
				os.WriteFile(filepath.Join(beside, "part", "x"), nil, 0o666), err)
		}
	}
	require.ErrorIs(t, replace.Folder(place, place, fill(broken)), broken)
	require.Empty(t, names(t, dir))
	require.NoError(t, replace.Folder(place, filepath.Join(dir, "near"), fill(nil)))
	require.Equal(t, []string{"f"}, names(t, dir))
	require.Equal(t, []string{"x"}, names(t, place))

	// What holds something stays.
	require.Error(t, replace.Folder(place, place, func(beside string) (string, error) { return beside, nil }))
	require.Equal(t, []string{"x"}, names(t, place))
	file := filepath.Join(place, "x")
	require.Error(t, replace.Folder(file, file, func(beside string) (string, error) { return beside, nil }))
	require.FileExists(t, file)
	require.Equal(t, []string{"x"}, names(t, place))

	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o777))
	require.NoError(t, replace.Folder(empty, empty, fill(nil)))
	require.Equal(t, []string{"x"}, names(t, empty))

	nowhere := filepath.Join(dir, "none", "f")
	err := replace.Folder(nowhere, nowhere, fill(nil))
	require.ErrorIs(t, err, fs.ErrNotExist, "no folder to write in")
	require.EqualError(t, err, "write "+nowhere+": no such file or directory", "the place is named, and not what stands beside it")
	require.False(t, replace.Refused(err))
	require.True(t, replace.Refused(replace.Fault("f", fs.ErrPermission)))
}

// TestDisks: on a disk that is full, or read-only, the old file stands and nothing lies
// beside it.
func TestDisks(t *testing.T) {
	t.Parallel()
	old, large := []byte("old"), bytes.Repeat([]byte("new"), 5000)
	crash.Disks(t, func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "f"), old, 0o666)
	}, func(dir string) error {
		return replace.File(filepath.Join(dir, "f"), large, nil)
	}, func(t *testing.T, dir string, written bool) {
		want := old
		if written {
			want = large
		}
		got, err := os.ReadFile(filepath.Join(dir, "f"))
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, []string{"f"}, names(t, dir))
	})
}

// TestTogether has several processes, here goroutines, write one file at once: it is of
// one of them.
func TestTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	var all sync.WaitGroup
	for i := range 4 {
		content := bytes.Repeat([]byte{'a' + byte(i)}, 10_000)
		all.Go(func() {
			for range 20 {
				assert.NoError(t, replace.File(file, content, nil))
				got, err := os.ReadFile(file)
				assert.NoError(t, err)
				assert.Equal(t, bytes.Repeat(got[:1], 10_000), got)
			}
		})
	}
	all.Wait()
	assert.Equal(t, []string{"f"}, names(t, dir))
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
