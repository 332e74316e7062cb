// Package replace writes files whole or not at all.
package replace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
// its mode.
func File(file string, data []byte, f Faults) (err error) {
	dir := filepath.Dir(file)
	if err := f.At("create"); err != nil {
		return err
	}
	w, err := os.CreateTemp(dir, "."+filepath.Base(file)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreClosed(w.Close()), os.Remove(w.Name()))
		}
	}()
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
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
	if err := errors.Join(w.Chmod(mode), w.Sync(), w.Close()); err != nil {
		return err
	}
	if err := f.At("rename"); err != nil {
		return err
	}
	if err := os.Rename(w.Name(), file); err != nil {
		return err
	}
	// From here on the new content stands.
	if f.At("sync folder") == nil {
		SyncFolder(dir)
	}
	return nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// SyncFolder makes a rename last through a loss of power, where that can be asked
// for.
func SyncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
