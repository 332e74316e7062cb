package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// checkOutputs refuses a file that is named twice among -o, -per-query and -report, by
// whatever path: what is written second would write over the first.
func checkOutputs(s *flag.FlagSet, files *reports) error {
	type output struct{ flag, file string }
	var outputs []output
	for _, name := range []string{"o", "per-query"} {
		if f := s.Lookup(name); f != nil && f.Value.String() != "" && f.Value.String() != "-" {
			outputs = append(outputs, output{name, f.Value.String()})
		}
	}
	for _, file := range *files {
		outputs = append(outputs, output{"report", file})
	}
	var faults []error
	for i, second := range outputs {
		for _, first := range outputs[:i] {
			if sameFile(first.file, second.file) {
				faults = append(faults, fmt.Errorf("%s: -%s %s and -%s %s: one file twice; name another one", s.Name(), first.flag, first.file, second.flag, second.file))
				break
			}
		}
	}
	return errors.Join(faults...)
}

// sameFile reports whether two names are of one file, which need not exist.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return first.Mode().IsRegular() && os.SameFile(first, second)
	}
	a, err = filepath.Abs(a)
	b, err2 = filepath.Abs(b)
	return err == nil && err2 == nil && a == b
}
