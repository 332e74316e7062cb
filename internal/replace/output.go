package replace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Output writes a file that a user named for output, as [File] does. Of a link it is
// the file at its end. What is no regular file, such as a pipe, a device or what
// /dev/stdout stands for, is written in place, and so is a file whose folder takes no
// other one. A file that is read-only is not replaced. The error is a [*fs.PathError]
// that names the file.
func Output(file string, data []byte) error {
	place, whole := regular(file)
	if !whole {
		return os.WriteFile(file, data, 0o666)
	}
	if err := writable(place); err != nil {
		return Fault(file, err)
	}
	err := File(place, data, nil)
	if err == nil {
		return nil
	}
	// A single file may be mounted, or be the one thing in its folder that can be
	// written.
	if Refused(err) || errors.Is(err, syscall.EBUSY) {
		if _, missing := os.Stat(place); missing == nil {
			return os.WriteFile(place, data, 0o666)
		}
	}
	return Fault(file, err)
}

// Fault is an error of what stands behind a file or beside it, with the name of the file.
func Fault(file string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	return &fs.PathError{Op: "write", Path: file, Err: err}
}

// Refused reports whether an error says that a place takes no files: the user may not
// write there, or its file system is read-only.
func Refused(err error) bool { return errors.Is(err, fs.ErrPermission) || errors.Is(err, readOnly) }

// writable is the error of a file that there is and that may not be written: its folder
// would let it be replaced.
func writable(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err == nil {
		return f.Close()
	}
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil // and File says what is wrong
}

// regular finds the place of a regular file, which need not exist, behind all links.
func regular(file string) (place string, ok bool) {
	info, err := os.Lstat(file)
	if err != nil {
		return file, true // and File says what is wrong
	}
	if info.Mode()&fs.ModeSymlink != 0 && opened(file) {
		return "", false
	}
	place, err = filepath.EvalSymlinks(file)
	if err != nil { // the link leads to no file yet
		return "", false
	}
	info, err = os.Stat(place)
	return place, err == nil && info.Mode().IsRegular()
}

// opened reports whether a link may be of a file that is open already, as /dev/stdout
// is: who else writes to it would go on with the old one.
func opened(link string) bool {
	link, err := filepath.Abs(link)
	return err == nil && (strings.HasPrefix(link, "/dev/") || strings.HasPrefix(link, "/proc/"))
}
