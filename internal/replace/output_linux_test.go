package replace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/replace"
)

// TestOutputInPlace: a pipe, a device and a file that is open already stay what they
// are.
func TestOutputInPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	read := make(chan string)
	go func() {
		text, err := os.ReadFile(pipe)
		read <- fmt.Sprint(string(text), err)
	}()
	require.NoError(t, replace.Output(pipe, []byte("one")))
	assert.Equal(t, "one<nil>", <-read)
	require.NoError(t, replace.Output(os.DevNull, []byte("one")))
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeDevice)

	open, err := os.Create(filepath.Join(dir, "open"))
	require.NoError(t, err)
	defer open.Close()
	for _, folder := range []string{"/dev/fd", "/proc/self/fd"} {
		require.NoError(t, replace.Output(fmt.Sprintf("%s/%d", folder, open.Fd()), []byte("two")))
		now, err := os.Stat(open.Name())
		require.NoError(t, err)
		mine, err := open.Stat()
		require.NoError(t, err)
		assert.True(t, os.SameFile(mine, now))
		assert.Equal(t, "two", content(t, open.Name()))
	}
	assert.Equal(t, []string{"open", "pipe"}, names(t, dir))
}

// TestOutputOnMount: a file that is mounted alone cannot be replaced.
func TestOutputOnMount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, file := filepath.Join(dir, "from"), filepath.Join(dir, "file")
	for _, name := range []string{from, file} {
		require.NoError(t, os.WriteFile(name, []byte("old"), 0o666))
	}
	mount(t, from, file, "", syscall.MS_BIND)
	require.Error(t, replace.File(file, []byte("new"), nil))
	require.NoError(t, replace.Output(file, []byte("new")))
	assert.Equal(t, "new", content(t, from))
	assert.Equal(t, []string{"file", "from"}, names(t, dir))
}

// TestOutputOnReadOnly: a file that is mounted alone may be written where nothing beside
// it may, as in a container whose own files are read-only.
func TestOutputOnReadOnly(t *testing.T) {
	t.Parallel()
	dir, from := t.TempDir(), filepath.Join(t.TempDir(), "from")
	require.NoError(t, os.WriteFile(from, []byte("old"), 0o666))
	mount(t, "none", dir, "tmpfs", 0)
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	mount(t, from, file, "", syscall.MS_BIND)
	require.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	require.NoError(t, replace.Output(file, []byte("new")))
	assert.Equal(t, "new", content(t, from))
	require.ErrorIs(t, replace.Output(filepath.Join(dir, "other"), nil), syscall.EROFS)
}

// mount mounts something until the test ends, which is skipped where that is forbidden.
func mount(t *testing.T, from, place, kind string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount(from, place, kind, flags, ""); err != nil {
		t.Skipf("no mount: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(place, syscall.MNT_DETACH)) })
}

// TestOutputInClosedFolder: a file may be written in a folder that takes no other one.
func TestOutputInClosedFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o666))
	require.NoError(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { assert.NoError(t, os.Chmod(dir, 0o755)) })
	require.NoError(t, replace.Output(file, []byte("new")))
	assert.Equal(t, "new", content(t, file))
	require.ErrorIs(t, replace.Output(filepath.Join(dir, "g"), nil), os.ErrPermission)
}

// TestOutputOfReadOnly: a file that may not be written stays, though its folder would
// let it be replaced.
func TestOutputOfReadOnly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o444))
	require.ErrorIs(t, replace.Output(file, []byte("new")), os.ErrPermission)
	assert.Equal(t, "old", content(t, file))
	assert.Equal(t, []string{"f"}, names(t, dir))
}
