package replace_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/crash"
	"github.com/tiaptest/tiap/internal/replace"
)

func TestOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, replace.Output(file, []byte("one")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "g"), nil, 0o666))
	assert.Equal(t, mode(t, filepath.Join(dir, "g")), mode(t, file), "a new file is as any other one")
	require.NoError(t, os.Chmod(file, 0o640))
	before, err := os.Stat(file)
	require.NoError(t, err)
	require.NoError(t, replace.Output(file, []byte("two")))
	after, err := os.Stat(file)
	require.NoError(t, err)
	assert.False(t, os.SameFile(before, after), "the file is replaced, not written over")
	assert.Equal(t, before.Mode(), after.Mode())
	assert.Equal(t, "two", content(t, file))
	assert.Equal(t, []string{"f", "g"}, names(t, dir))
}

// TestOutputOfLink: a link stays one, and what it leads to is written, there or not.
func TestOutputOfLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "there"), 0o777))
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join("there", "f"), link); err != nil {
		t.Skipf("no links: %v", err)
	}
	for _, text := range []string{"one", "two"} {
		require.NoError(t, replace.Output(link, []byte(text)))
		assert.Equal(t, text, content(t, filepath.Join(dir, "there", "f")))
		info, err := os.Lstat(link)
		require.NoError(t, err)
		assert.Equal(t, fs.ModeSymlink, info.Mode().Type())
		assert.Equal(t, []string{"f"}, names(t, filepath.Join(dir, "there")))
	}
}

// TestOutputFaults: the error names the file that was asked for, not the one beside it.
func TestOutputFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("old"), 0o666))
	for _, file := range []string{dir, filepath.Join(dir, "none", "f"), filepath.Join(dir, "f", "g"), dir + "/none/"} {
		err := replace.Output(file, nil)
		var e *fs.PathError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, file, e.Path)
		assert.NotContains(t, err.Error(), ".tmp")
	}
	assert.Equal(t, "old", content(t, filepath.Join(dir, "f")))
	assert.Equal(t, []string{"f"}, names(t, dir))
}

func TestOutputOnDisks(t *testing.T) {
	t.Parallel()
	old, large := []byte("old"), bytes.Repeat([]byte("new"), 5000)
	crash.Disks(t, func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "f"), old, 0o666)
	}, func(dir string) error {
		return replace.Output(filepath.Join(dir, "f"), large)
	}, func(t *testing.T, dir string, written bool) {
		want := old
		if written {
			want = large
		}
		require.Equal(t, string(want), content(t, filepath.Join(dir, "f")))
		require.Equal(t, []string{"f"}, names(t, dir))
	})
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

func mode(t *testing.T, file string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(file)
	require.NoError(t, err)
	return info.Mode()
}
