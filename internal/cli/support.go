package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// Support reads support labels for an input, and targets such as
// supported(canonical) that need them.
type Support struct {
	Always bool             // look for labels though no target asks for them
	Labels *semantic.Labels // those last read; nil without any

	in    *Input
	file  string // as given by -labels
	wrong bool   // there are labels that cannot be read
}

// NewSupport defines the flag -labels of an input, and lets the names of its targets
// be supported(...).
func NewSupport(in *Input) *Support {
	s := &Support{in: in}
	in.Target = s.target
	in.Set.StringVar(&s.file, "labels", "", "support labels `FILE` for targets such as supported(canonical); DIR/labels.jsonl when there is one")
	return s
}

// Read reads the labels that are given, or the bundle's own when a target or Always
// asks for some.
func (s *Support) Read(dirs []string) error {
	s.Labels, s.wrong = nil, false
	asked := s.Always || slices.ContainsFunc([]string{"targets", "beside", "headline"}, func(name string) bool {
		return strings.Contains(s.in.Set.Lookup(name).Value.String(), Supported)
	})
	file := s.in.path(s.file)
	switch {
	case file != "" && !asked:
		return fmt.Errorf("%s: -labels %s: no target asks for labels; name one such as supported(canonical)", s.in.Set.Name(), s.file)
	case file == "" && asked && len(dirs) == 1:
		file = Besides(s.in.path(dirs[0]), "labels.jsonl")
	}
	if file == "" {
		return nil
	}
	labels, err := semantic.OpenLabels(file)
	s.Labels, s.wrong = labels, err != nil
	return err
}

// Besides returns the file of a bundle of that name, plain or compressed; "" when
// it has none.
func Besides(dir, name string) string {
	for _, ending := range []string{"", ".gz", ".zst"} {
		file := filepath.Join(dir, name+ending)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
	}
	return ""
}

// Supported begins the name of every target that needs labels.
const Supported = "supported"

// target reads the name of a target: one of the bundle's or supported(...) around
// one, with the choices that its name holds.
func (s *Support) target(b *tiaptest.Bundle, name string) (tiaptest.Target, error) {
	own, err := b.Target(name)
	if err == nil || !strings.Contains(name, Supported) {
		return own, err
	}
	modifier, inner, wraps := strings.Cut(name, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	choices, supports := strings.CutPrefix(modifier, Supported)
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
	case s.wrong:
		return t, nil // reading them is what failed
	case s.Labels == nil:
		return t, fmt.Errorf("target %s needs support labels, and there are none; name them with -labels FILE or put labels.jsonl into the bundle", name)
	}
	return semantic.Supported(t, s.Labels, o), nil
}
