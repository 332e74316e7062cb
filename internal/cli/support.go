package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// Support reads support labels for an input, and targets such as
// supported(canonical) that need them.
type Support struct {
	Always bool // look for labels though no target asks for them

	// Undecided lets the rules name an adjudicator without a label.
	Undecided bool

	Labels *semantic.Labels // those last read; nil without any
	Rules  semantic.Options // how they are counted

	in    *Input
	file  string // as given by -labels
	wrong bool   // there are labels that cannot be read
}

// NewSupport defines the flags -labels and -label-rule of an input, and lets the
// names of its targets be supported(...).
func NewSupport(in *Input) *Support {
	s := &Support{in: in}
	in.Target = s.target
	in.Set.StringVar(&s.file, "labels", "", "support labels `FILE`, for targets such as supported(canonical), which credits only what a label supports, supported+partial(canonical), for which partial support does, and supported+unlabelled(canonical), which also credits what has no label; default DIR/labels.jsonl when a target asks for labels")
	in.Set.Var(&s.Rules, "label-rule", "count labels by `FIELD=VALUE` (repeatable): judge=NAME, model=NAME, sample=NAME, kind=human or kind=model count only such labels; adjudicator=NAME lets one judge decide alone; repeats=each counts every label of a judge who labelled a memory more than once; ties=lower takes the label with less support. For one target it stands in its name, as in supported[kind=human](canonical)")
	return s
}

// Read reads the labels that are given, or the bundle's own when a target or Always
// asks for some.
func (s *Support) Read(dirs []string) error {
	s.Labels, s.wrong = nil, false
	asked := s.Always || slices.ContainsFunc([]string{"targets", "beside", "headline"}, func(name string) bool {
		return strings.Contains(s.in.Set.Lookup(name).Value.String(), supported)
	})
	if !asked {
		var faults []error
		for _, name := range []string{"labels", "label-rule"} {
			if v := s.in.Set.Lookup(name).Value.String(); v != "" {
				faults = append(faults, fmt.Errorf("%s: -%s %s: no target asks for labels; name one such as supported(canonical)", s.in.Set.Name(), name, v))
			}
		}
		return errors.Join(faults...)
	}
	file := s.in.path(s.file)
	if file == "" && len(dirs) == 1 {
		var err error
		if file, err = Besides(s.in.path(dirs[0]), "labels.jsonl"); err != nil {
			s.wrong = true
			return err
		}
	}
	if file == "" {
		if rules := s.Rules.String(); rules != "" && s.Always {
			return fmt.Errorf("%s: -label-rule %s: there are no labels; name them with -labels FILE or put labels.jsonl into the bundle", s.in.Set.Name(), rules)
		}
		return nil
	}
	var err error
	s.Labels, err = semantic.OpenLabels(file)
	if rules := s.Rules.String(); err == nil && rules != "" {
		err = s.check(s.in.Set.Name()+": -label-rule", s.Rules)
	}
	s.wrong = err != nil
	return err
}

// check refuses rules that name what no label has: a typing error would leave labels
// out unseen. Messages begin with where the rules stand.
func (s *Support) check(where string, rules semantic.Options) error {
	var faults []error
	for _, c := range []struct {
		field string
		named []string
		of    func(semantic.Judgement) string
	}{
		{"judge", rules.Judges, func(j semantic.Judgement) string { return j.Judge }},
		{"model", rules.Models, func(j semantic.Judgement) string { return j.Model }},
		{"sample", rules.Samples, func(j semantic.Judgement) string { return j.Sample }},
		{"kind", some(string(rules.Kind)), func(j semantic.Judgement) string { return string(j.Kind) }},
		{"adjudicator", some(rules.Adjudicator), func(j semantic.Judgement) string { return j.Judge }},
	} {
		if len(c.named) == 0 || c.field == "adjudicator" && s.Undecided {
			continue
		}
		found := make(map[string]bool)
		for j := range s.Labels.All() {
			found[c.of(j)] = true
		}
		delete(found, "")
		for _, name := range c.named {
			if !found[name] {
				mend := "the labels name none"
				if len(found) > 0 {
					mend = "there are labels of " + strings.Join(slices.Sorted(maps.Keys(found)), ", ")
				}
				faults = append(faults, fmt.Errorf("%s: no label is of %s %s; %s", where, c.field, name, mend))
			}
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	a, err := semantic.Agree(s.Labels, semantic.ThreeClass, rules)
	if err == nil && a.Labels == 0 {
		err = fmt.Errorf("%s: no label is of all of %s; ask for less", where, rules)
	}
	return err
}

// some is a list of what is not empty.
func some(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// Besides returns the one file of a bundle of that name, plain or compressed; "" when
// it has none. Several, and a folder of that name, are errors.
func Besides(dir, name string) (string, error) {
	var found []string
	for _, ending := range []string{"", ".gz", ".zst"} {
		file := filepath.Join(dir, name+ending)
		info, err := os.Stat(file)
		switch {
		case err != nil: // what there is and cannot be read fails when it is opened
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
		case info.IsDir():
			return "", &problem.Problem{File: file, What: "it is a folder", Mend: "give a file in its place"}
		}
		found = append(found, file)
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return "", &problem.Problem{File: filepath.Join(dir, name), What: "the file exists as " + strings.Join(found, " and "), Mend: "keep one of them"}
}

// supported begins the name of every target that needs labels.
const supported = "supported"

// cutTarget takes the name of a target apart at the parenthesis that is not within
// brackets.
func cutTarget(name string) (modifier, inner string, wraps bool) {
	from := 0
	if strings.HasPrefix(name, supported+"[") {
		from = max(0, strings.LastIndex(name, "]"))
	}
	modifier, inner, wraps = strings.Cut(name[from:], "(")
	return name[:from] + modifier, inner, wraps
}

// target reads the name of a target: one of the bundle's or supported(...) around
// one, with the choices that its name holds.
func (s *Support) target(b *tiaptest.Bundle, name string) (tiaptest.Target, error) {
	own, err := b.Target(name)
	if err == nil || !strings.Contains(name, supported) {
		return own, err
	}
	modifier, inner, wraps := cutTarget(name)
	inner, closed := strings.CutSuffix(inner, ")")
	choices, supports := strings.CutPrefix(modifier, supported)
	if !supports {
		return own, fmt.Errorf("target %q: write supported(...) around all other modifiers, as in supported(current(canonical))", name)
	}
	o := s.Rules
	choices, unlabelled := strings.CutSuffix(choices, "+unlabelled")
	choices, partial := strings.CutSuffix(choices, "+partial")
	if rules, ok := strings.CutPrefix(choices, "["); ok && strings.HasSuffix(rules, "]") {
		o, choices = semantic.Options{}, ""
		for _, rule := range splitList(strings.TrimSuffix(rules, "]")) {
			if err := o.Set(rule); err != nil {
				return own, fmt.Errorf("target %s: %w", name, err)
			}
		}
	}
	o.Partial, o.Unlabelled = partial, unlabelled
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
	if err := s.check("target "+name, o); err != nil {
		return t, err
	}
	return semantic.Supported(t, s.Labels, o), nil
}
