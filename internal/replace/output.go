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
// other one. The error is a [*fs.PathError] that names the file.
func Output(file string, data []byte) error {
	place, whole := regular(file)
	if !whole {
		return os.WriteFile(file, data, 0o666)
	}
	err := File(place, data, nil)
	if err == nil {
		return nil
	}
	// A single file may be mounted, or be the one thing in its folder that can be
	// written.
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, readOnly) {
		if _, missing := os.Stat(place); missing == nil {
			return os.WriteFile(place, data, 0o666)
		}
	}
	// What failed has the name of the file beside.
	reason := err
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		reason = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		reason = e.Err
	}
	return &fs.PathError{Op: "write", Path: file, Err: reason}
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
