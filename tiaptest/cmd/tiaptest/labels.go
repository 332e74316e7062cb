package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// supportLabels are the labels that a command was given or found in the bundle.
type supportLabels struct {
	file   string // as given by -labels
	always bool   // look for labels though no target asks for them
	labels *semantic.Labels
	wrong  bool // there are labels that cannot be read
}

// readLabels reads the labels that are given, or the bundle's own when a target or
// the command asks for some.
func (f *inputFlags) readLabels(dirs []string) error {
	f.support.labels, f.support.wrong = nil, false
	asked := f.support.always || slices.ContainsFunc([]string{"targets", "beside", "headline"}, func(name string) bool {
		return strings.Contains(f.Set.Lookup(name).Value.String(), supported)
	})
	file := f.support.file
	switch {
	case file != "" && !asked:
		return fmt.Errorf("%s: -labels %s: no target asks for labels; name one such as supported(canonical)", f.Set.Name(), file)
	case file == "" && asked && len(dirs) == 1:
		file = besides(dirs[0], "labels.jsonl")
	}
	if file == "" {
		return nil
	}
	labels, err := semantic.OpenLabels(file)
	f.support.labels, f.support.wrong = labels, err != nil
	return err
}

// besides returns the file of a bundle of that name, plain or compressed; "" when
// it has none.
func besides(dir, name string) string {
	for _, ending := range []string{"", ".gz", ".zst"} {
		file := filepath.Join(dir, name+ending)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
	}
	return ""
}

const supported = "supported"

// target reads the name of a target: one of the bundle's or supported(...) around
// one, with the choices that its name holds.
func (f *inputFlags) target(b *tiaptest.Bundle, name string) (tiaptest.Target, error) {
	own, err := b.Target(name)
	if err == nil || !strings.Contains(name, supported) {
		return own, err
	}
	modifier, inner, wraps := strings.Cut(name, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	choices, supports := strings.CutPrefix(modifier, supported)
	if !supports {
		return own, fmt.Errorf("target %q: write supported(...) around all other modifiers, as in supported(current(canonical))", name)
	}
	var o semantic.Options
	choices, o.Unlabelled = strings.CutSuffix(choices, "+unlabelled")
	choices, o.Partial = strings.CutSuffix(choices, "+partial")
	if !wraps || !closed || choices != "" {
		return own, fmt.Errorf("unknown target %q; use supported(...), supported+partial(...), supported+unlabelled(...) or supported+partial+unlabelled(...) around one, as in supported(canonical)", name)
	}
	t, err := b.Target(inner)
	switch {
	case err != nil:
		return t, err
	case f.support.wrong:
		return t, nil // reading them is what failed
	case f.support.labels == nil:
		return t, fmt.Errorf("target %s needs support labels, and there are none; name them with -labels FILE or put labels.jsonl into the bundle", name)
	}
	return semantic.Supported(t, f.support.labels, o), nil
}
