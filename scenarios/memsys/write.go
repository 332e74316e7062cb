package memsys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tiaptest/tiap/internal/replace"
	"github.com/tiaptest/tiap/tiaptest"
)

// WriteDir adds the system to a bundle, under systems and its name. The folder
// appears complete or not at all; a system of that name that is there already is
// left alone, which is an error.
func (i *Import) WriteDir(bundle string) (err error) {
	name := i.System.Name
	if name == "" || name == "." || strings.ContainsAny(name, `/\:`) || !filepath.IsLocal(name) {
		return fmt.Errorf("system %q cannot name a folder; use a plain name", name)
	}
	place := filepath.Join(bundle, "systems", name)
	if _, err := os.Lstat(place); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s: there is a system of that name; remove it, or name this one otherwise", place)
		}
		return err
	}
	beside, err := os.MkdirTemp(bundle, ".import.*.tmp")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(beside)) }()
	if err := (&tiaptest.Bundle{Systems: []*tiaptest.System{i.System}}).WriteDir(beside); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o777); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(beside, "systems", i.System.Name), place); err != nil {
		return err
	}
	replace.SyncFolder(filepath.Dir(place))
	return nil
}
