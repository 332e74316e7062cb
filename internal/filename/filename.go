// Package filename says which names files and folders can have on every system, and
// how a file is named that more than one package knows.
//
// Names are compared as they are written but for case. macOS takes some for one that
// are written with other characters: "é" is one character or an e with a combining
// accent, and 한 one or three. [Same] does not tell, since it would need the tables of
// Unicode normalization, which the standard library has not, and [Check] refuses no
// combining character, without which many languages cannot be written. So two names
// that differ in that alone pass, and are one folder there: who makes both can ask the
// file system.
package filename

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Journal is the file, beside the run of an ingest, that holds the answers of a
// recording that has not ended, or in which queries failed.
const Journal = "run.jsonl.part"

// Check refuses a name that cannot be that of a folder within another one, on this
// system or on Windows, where a repository with it could not be checked out. The
// message goes on where the name stands: "cannot name a folder: ...".
func Check(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, `/\:`) {
		return errors.New("cannot name a folder; use a plain name")
	}
	const why = ", so that a repository with it could not be checked out there; use another name"
	base, _, _ := strings.Cut(name, ".")
	switch at := strings.IndexFunc(name, unfit); {
	case at >= 0:
		return fmt.Errorf("cannot name a folder: Windows takes no %q in names"+why, []rune(name[at:])[0])
	case strings.HasSuffix(name, "."), strings.HasSuffix(name, " "):
		return errors.New("cannot name a folder: Windows takes no name that ends in a dot or a blank" + why)
	case device(strings.ToUpper(strings.TrimRight(base, " "))):
		return errors.New("cannot name a folder: Windows keeps that name for a device" + why)
	case !filepath.IsLocal(name): // whatever else this system refuses
		return errors.New("cannot name a folder; use a plain name")
	}
	return nil
}

// Same reports whether two names are those of one folder where case does not tell
// names apart, as on Windows and macOS: whether their characters fold to the same ones,
// each to one. "ß" and "ss" are not the same.
func Same(a, b string) bool { return strings.EqualFold(a, b) }

// unfit reports whether a character can stand in no name on Windows.
func unfit(r rune) bool { return r < ' ' || strings.ContainsRune(`<>"|?*`, r) }

// device reports whether Windows has a device of a name in capital letters, with
// whatever ending.
func device(name string) bool {
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, ok := strings.CutPrefix(name, "COM")
	if !ok {
		number, ok = strings.CutPrefix(name, "LPT")
	}
	return ok && len([]rune(number)) == 1 && strings.Contains("123456789¹²³", number)
}
