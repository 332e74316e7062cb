package memsys

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Files are the files of an export, by what they hold. Each format says which of
// them it takes; one that it has no use for is an error.
type Files struct {
	Store   []string // what is stored: files or folders
	History string   // how stored items changed
	Log     string   // what was written at ingest, and from which turns
	Search  []string // what was answered: search logs or result files
}

// role is a kind of file.
type role struct {
	name  string // before = on the command line
	field string
	given func(Files) bool
}

var roles = []role{
	{"store", "Files.Store", func(f Files) bool { return len(f.Store) > 0 }},
	{"history", "Files.History", func(f Files) bool { return f.History != "" }},
	{"log", "Files.Log", func(f Files) bool { return f.Log != "" }},
	{"search", "Files.Search", func(f Files) bool { return len(f.Search) > 0 }},
}

// check reports which files a format misses and which it has no use for. needs
// and takes are names of roles.
func (f Files) check(format string, needs, takes []string) error {
	var errs []error
	for _, r := range roles {
		switch needed, taken := slices.Contains(needs, r.name), slices.Contains(takes, r.name); {
		case needed && !r.given(f):
			errs = append(errs, fmt.Errorf("%s: no %s is given; name its file with %s=FILE, in Go in %s", format, r.name, r.name, r.field))
		case !needed && !taken && r.given(f):
			errs = append(errs, fmt.Errorf("%s: a %s is given, which the format does not have; it takes %s", format, r.name, strings.Join(append(slices.Clone(needs), takes...), ", ")))
		}
	}
	return errors.Join(errs...)
}
