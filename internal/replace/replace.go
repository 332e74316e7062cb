// Package replace writes files and folders whole or not at all. What is unfinished
// has a hidden name beside its place, .NAME.NUMBER.tmp. When the process is killed it
// stays, and the next writing of the same place removes it: a lock, which ends with
// its process, tells it from what another process is writing just now.
package replace

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/lock"
)

// Faults makes steps fail, in tests; nil lets all succeed.
type Faults func(step string) error

// At is called before a step.
func (f Faults) At(step string) error {
	if f == nil {
		return nil
	}
	return f(step)
}

// File writes a file beside its place, syncs it and renames it, so that the place
// holds the old content or the new one at any moment. A file that exists keeps
// its mode, and a new one has that of any new file of the user.
func File(file string, data []byte, f Faults) (err error) {
	dir := filepath.Dir(file)
	if err := f.At("create"); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	before, missing := os.Stat(file)
	if missing == nil {
		mode = 0o600 // until it has that of the file before, nobody else may read it
	}
	var w *os.File
	beside, release, err := begin(file, func(dir, pattern string) (name string, err error) {
		w, name, err = create(dir, pattern, mode)
		return name, err
	})
	if err != nil {
		return err
	}
	defer release()
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreClosed(w.Close()), os.Remove(beside))
		}
	}()
	// In parts, so that a fault may hit between two.
	for part := range slices.Chunk(data, max(1, (len(data)+1)/2)) {
		if err := f.At("write"); err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	if err := f.At("sync"); err != nil {
		return err
	}
	if missing == nil {
		err = w.Chmod(before.Mode().Perm())
	}
	if err := errors.Join(err, w.Sync(), w.Close()); err != nil {
		return err
	}
	if err := f.At("rename"); err != nil {
		return err
	}
	if err := os.Rename(beside, file); err != nil {
		return err
	}
	// From here on the new content stands.
	if f.At("sync folder") == nil {
		syncFolder(dir)
	}
	return nil
}

// create is [os.CreateTemp] with a mode, of which the user's mask is taken.
func create(dir, pattern string, mode fs.FileMode) (w *os.File, name string, err error) {
	before, after, _ := strings.Cut(pattern, "*")
	for range 10_000 {
		name = filepath.Join(dir, before+strconv.FormatUint(uint64(rand.Uint32()), 10)+after)
		w, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return w, name, err
}

// Folder has fill write a folder under a hidden name beside the path near, mostly the
// place itself, and renames what fill returns, that folder or one in it, so that the
// place appears complete or not at all. A place that holds more than an empty folder
// is an error. fill syncs its files. An error that is not of fill is a [*fs.PathError]
// that names the place.
func Folder(place, near string, fill func(dir string) (made string, err error)) (err error) {
	beside, release, err := begin(near, os.MkdirTemp)
	if err != nil {
		return Fault(place, err)
	}
	defer release()
	defer func() { err = errors.Join(err, os.RemoveAll(beside)) }()
	if err := os.Chmod(beside, 0o755); err != nil {
		return Fault(place, err)
	}
	made, err := fill(beside)
	if err != nil {
		return err
	}
	syncFolder(made)
	// Not every system renames over an empty folder.
	if info, err := os.Lstat(place); err == nil && info.IsDir() {
		if err := os.Remove(place); err != nil {
			return Fault(place, err)
		}
	}
	if err := os.Rename(made, place); err != nil {
		return Fault(place, err)
	}
	syncFolder(filepath.Dir(place))
	return nil
}

// begin makes a file or folder under a hidden name beside its place, and locks it. It
// removes those that killed processes left there.
func begin(place string, make func(dir, pattern string) (string, error)) (beside string, release func(), err error) {
	dir, base := filepath.Split(filepath.Clean(place))
	if dir == "" {
		dir = "."
	}
	sweep(dir, base)
	// Another process may sweep between the two steps. The loop ends by chance alone.
	for range 100 {
		if beside, err = make(dir, "."+base+".*.tmp"); err != nil {
			return "", nil, err
		}
		if release, err = lock.Try(beside); err == nil {
			return beside, release, nil
		}
	}
	return "", nil, err
}

// sweep removes what killed processes left beside a place. What cannot be removed
// hinders nobody.
func sweep(dir, base string) {
	left := regexp.MustCompile(`^\.` + regexp.QuoteMeta(base) + `\.[0-9]+\.tmp$`)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !left.MatchString(e.Name()) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if release, err := lock.Try(name); err == nil {
			_ = os.RemoveAll(name)
			release()
		}
	}
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// syncFolder makes a rename last through a loss of power, where that can be asked
// for.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
