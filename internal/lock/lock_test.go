package lock_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/lock"
)

func locks(t *testing.T) {
	t.Helper()
	switch runtime.GOOS {
	case "darwin", "dragonfly", "freebsd", "linux", "netbsd", "openbsd", "windows":
	default:
		t.Skip("this system has no locks that end with their process")
	}
}

func TestTry(t *testing.T) {
	t.Parallel()
	locks(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	for _, path := range []string{dir, file} {
		release, err := lock.Try(path)
		require.NoError(t, err)
		_, err = lock.Try(path)
		require.ErrorIs(t, err, lock.ErrHeld)
		require.ErrorContains(t, err, path)
		release()
		release, err = lock.Try(path)
		require.NoError(t, err, "a lock that was released is free")
		release()
	}
	_, err := lock.Try(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestStarting: processes that are started meanwhile do not keep a lock.
func TestStarting(t *testing.T) {
	t.Parallel()
	locks(t)
	dir := t.TempDir()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for range 10 {
			_ = exec.Command(os.Args[0], "-test.run=^$").Run()
		}
	}()
	for {
		select {
		case <-ended:
			return
		default:
		}
		release, err := lock.Try(dir)
		require.NoError(t, err)
		release()
	}
}

// TestWait counts with several goroutines, which the lock keeps apart.
func TestWait(t *testing.T) {
	t.Parallel()
	locks(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "n")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	var errs [4]error
	var all sync.WaitGroup
	const each = 25
	for i := range errs {
		all.Go(func() {
			for range each {
				release, err := lock.Wait(dir)
				if err != nil {
					errs[i] = err
					return
				}
				text, err := os.ReadFile(file)
				errs[i] = errors.Join(errs[i], err, os.WriteFile(file, append(text, 'x'), 0o666))
				release()
			}
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs[:]...))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Len(t, text, each*len(errs))
}
