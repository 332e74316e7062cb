//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Try takes the lock of a file or folder, which must exist, or fails with an error
// that wraps [ErrHeld]. An error that wraps [fs.ErrNotExist] says that the file is
// gone, or was replaced in the meantime.
func Try(path string) (release func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	// Closing alone does not do: a process that is being started just now has the file
	// open too, until it runs its own program.
	unlock := func() {
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		_ = f.Close()
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", path, ErrHeld)
	}
	// Any other error is of a file system that knows no locks, as some of a network.
	mine, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(mine, now) {
		return nil, &fs.PathError{Op: "lock", Path: path, Err: fs.ErrNotExist}
	}
	return unlock, nil
}
