package lock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Try takes the lock of a file or folder, which must exist, or fails with an error
// that wraps [ErrHeld]. The lock is a file beside it, PATH.lock, that nobody else can
// open and that the system removes when it is closed.
func Try(path string) (release func(), err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	name, err := syscall.UTF16PtrFromString(path + ".lock")
	if err != nil {
		return nil, err
	}
	const (
		deleteOnClose    = 0x04000000
		sharingViolation = syscall.Errno(32)
	)
	h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, deleteOnClose, 0)
	switch {
	case err == nil:
		return func() { _ = syscall.CloseHandle(h) }, nil
	case errors.Is(err, sharingViolation):
		return nil, fmt.Errorf("%s: %w", path, ErrHeld)
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}
