package tiaptest

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

func (f *frame) chooseTargets() error {
	chosen := f.settings.targets
	j := f.bundle.judged
	if chosen == nil {
		chosen = []Target{Raw, Source, Canonical}
		if j != nil {
			chosen = j.targets
		}
	}
	f.main = len(chosen)
	f.targets = slices.Concat(chosen, f.beside)
	var errs []error
	if len(f.targets) > 64 {
		errs = append(errs, fmt.Errorf("%d targets; an audit takes at most 64", len(f.targets)))
	}
	for _, t := range f.targets {
		errs = append(errs, checkName("target", t.name))
	}
	if err := errors.Join(append(errs, checkName("headline target", f.bundle.Scenario.Headline))...); err != nil {
		return err
	}
	for i, t := range f.targets {
		switch {
		case t.base == baseNone || t.name == "":
			errs = append(errs, errors.New("a target has no name; use Raw, Source, Canonical or NewTarget"))
		case slices.ContainsFunc(f.targets[:i], func(u Target) bool { return u.name == t.name }):
			errs = append(errs, fmt.Errorf("target %s is named twice; name it once", t))
		case j != nil && f.judgedTarget(t) < 0:
			errs = append(errs, fmt.Errorf("no judgements for target %s; there are some for %s", t, join(j.targets)))
		case j == nil && (t.base == baseNamed || t.base == baseOwn && t.eligible == nil):
			errs = append(errs, fmt.Errorf("target %s has no rule; give NewTarget a function", t))
		}
	}
	where := ""
	if f.headline == "" {
		f.headline = f.bundle.Scenario.Headline
		if f.bundle.dir != "" {
			where = filepath.Join(f.bundle.dir, "scenario.json") + ": "
		}
	}
	if f.headline == "" {
		if len(f.beside) > 0 {
			errs = append(errs, errors.New("targets beside the headline, but no headline target is declared; declare one"))
		}
	} else if !slices.ContainsFunc(f.targets[:f.main], func(t Target) bool { return t.name == f.headline }) {
		errs = append(errs, fmt.Errorf("%sthe headline target %s is not among the targets %s; add it or declare one of them", where, f.headline, join(f.targets[:f.main])))
	}
	return errors.Join(errs...)
}

// judgedTarget is the number of the judgement set of a target, or -1.
func (f *frame) judgedTarget(t Target) int {
	return slices.IndexFunc(f.bundle.judged.targets, func(u Target) bool { return u.name == t.name })
}

func (f *frame) chooseSystems() error {
	var errs []error
	systems := f.bundle.Systems
	if len(systems) == 0 {
		errs = append(errs, errors.New("the bundle has no system; an audit needs at least one"))
	}
	for _, name := range f.settings.systems {
		if f.bundle.system(name) == nil {
			errs = append(errs, fmt.Errorf("unknown system %q; the bundle has %s", name, strings.Join(systemNames(systems), ", ")))
		}
	}
	for _, s := range systems {
		errs = append(errs, checkName("system", s.Name), checkName("family", s.Family))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, s := range systems {
		switch {
		case s.Name == "":
			errs = append(errs, errors.New("a system has no name; name it"))
		case slices.ContainsFunc(systems[:i], func(o *System) bool { return o.Name == s.Name }):
			errs = append(errs, fmt.Errorf("two systems are named %q; give each a name of its own", s.Name))
		case len(s.Ingests) == 0:
			errs = append(errs, fmt.Errorf("system %s has no ingest; it needs a store and a run", s.Name))
		}
		if f.settings.systems == nil || slices.Contains(f.settings.systems, s.Name) {
			f.compiled = append(f.compiled, &compiled{System: s})
		}
	}
	slices.SortFunc(f.compiled, func(a, b *compiled) int { return cmp.Compare(a.Name, b.Name) })
	return errors.Join(errs...)
}

func systemNames(systems []*System) []string {
	names := make([]string, len(systems))
	for i, s := range systems {
		names[i] = s.Name
	}
	slices.Sort(names)
	return names
}

// completeSettings fills in what no option chose, and refuses what the input cannot give.
func (f *frame) completeSettings() error {
	if k := f.depth; f.settings.metrics == nil {
		f.settings.metrics = usualMetrics(k)
	}
	j := f.bundle.judged
	var errs []error
	switch {
	case j == nil && f.credit == "":
		f.credit = ByEvidence
	case j != nil && f.credit == "":
		f.credit = ByMemory
	case j != nil && f.credit == ByEvidence:
		errs = append(errs, fmt.Errorf("crediting by evidence needs evidence units, and %s carry none; use crediting by memory", j.format))
	}
	if f.credit == ByMemory && f.uncovered == unitsCounted {
		errs = append(errs, errors.New("uncovered units can be counted by evidence only, by memory there are no units; leave them dropped"))
	}
	if (f.population == overJudged || f.population == overMatched) && (j == nil || !j.trec) {
		errs = append(errs, fmt.Errorf("population %s exists for TREC qrels only; use shared, all or covered", f.population))
	}
	return errors.Join(errs...)
}
