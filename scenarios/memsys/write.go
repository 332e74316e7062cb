package memsys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tiaptest/tiap/internal/filename"
	"github.com/tiaptest/tiap/internal/replace"
	"github.com/tiaptest/tiap/tiaptest"
)

// WriteDir adds the system to a bundle, under systems and its name. The folder
// appears complete or not at all; a system of that name that is there already is
// left alone, which is an error. A process that is killed leaves a hidden folder in
// the bundle, .import.<number>.tmp, which the next one removes.
func (i *Import) WriteDir(bundle string) error {
	name := i.System.Name
	if err := filename.Check(name); err != nil {
		return fmt.Errorf("system %q %w", name, err)
	}
	place := filepath.Join(bundle, "systems", name)
	if _, err := os.Lstat(place); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s: there is a system of that name; remove it, or name this one otherwise", place)
		}
		return err
	}
	// Not in systems, where a folder that a killed process leaves would be read.
	err := replace.Folder(place, filepath.Join(bundle, "import"), func(beside string) (string, error) {
		err := (&tiaptest.Bundle{Systems: []*tiaptest.System{i.System}}).WriteDir(beside)
		return filepath.Join(beside, "systems", name), errors.Join(err, os.MkdirAll(filepath.Dir(place), 0o777))
	})
	if replace.Refused(err) {
		err = fmt.Errorf("%w; make the folder of the bundle writable, or add the system to a copy of it", err)
	}
	return err
}
