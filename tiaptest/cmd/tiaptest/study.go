package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/terminal"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
	"github.com/tiaptest/tiap/tiaptest/semantic"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// studyFlags are those of audit that ask for more than the audit.
type studyFlags struct {
	set             *flag.FlagSet
	wanted          bool
	answers, depths string
	status          *terminal.Status // nil where nobody watches
}

func newStudyFlags(s *flag.FlagSet) *studyFlags {
	f := &studyFlags{set: s}
	s.BoolVar(&f.wanted, "sensitivity", false, "add what the target changes (queries, recommendations, coverage), the reporting card and, with labels, the support of contested credits")
	s.StringVar(&f.answers, "answers", "", "answers `FILE`: how good the answers were, for -sensitivity; default DIR/answers.jsonl when there is one")
	s.StringVar(&f.depths, "depths", "", "let -sensitivity compare these `depths`, as 5,10,20")
	return f
}

// check reads the depths and refuses flags that nothing would use.
func (f *studyFlags) check() (depths []int, err error) {
	var faults []error
	refuse := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(f.set.Name()+": "+format, args...))
	}
	for _, name := range []string{"answers", "depths"} {
		if v := f.set.Lookup(name).Value.String(); v != "" && !f.wanted {
			refuse("-%s %s: only with -sensitivity", name, v)
		}
	}
	if f.depths == "" {
		return nil, errors.Join(faults...)
	}
	deepest, _ := strconv.Atoi(f.set.Lookup("k").Value.String())
	for _, word := range strings.Split(f.depths, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(word))
		switch {
		case err != nil || k < 1:
			refuse("-depths %s: %q is no whole number from 1 on; write them as in -depths 5,10,20", f.depths, word)
		case k > deepest:
			refuse("-depths %s: %d is beyond the depth %d; raise it with -k", f.depths, k, deepest)
		case slices.Contains(depths, k):
			refuse("-depths %s: %d stands twice; name it once", f.depths, k)
		}
		depths = append(depths, k)
	}
	if len(depths) == 1 && len(faults) == 0 {
		refuse("-depths %s: one depth compares nothing; name two or more", f.depths)
	}
	return depths, errors.Join(faults...)
}

// run makes the study of an audit: what goes on where the audit ends. dirs are the
// arguments of the command.
func (f *studyFlags) run(a *tiaptest.Audit, dirs []string, depths []int, by *cli.Support) ([]report.Option, error) {
	judged := len(dirs) == 0 // qrels and records name no memories
	if judged && by.Labels != nil {
		return nil, fmt.Errorf("%s: -labels judge memories, and qrels and records name none; leave them out", f.set.Name())
	}
	t, err := sensitivity.FromAudit(a)
	if err != nil {
		return nil, fmt.Errorf("%s: -sensitivity: %w; leave -sensitivity out to see the audit alone", f.set.Name(), err)
	}
	answers, err := f.readAnswers(t, dirs)
	if err != nil {
		return nil, err
	}
	f.status.Say("comparing targets")
	r, err := sensitivity.Analyze(t)
	switch {
	case err != nil && answers != "":
		return nil, fmt.Errorf("%s: %w", answers, err)
	case err != nil:
		return nil, err
	}
	f.status.Say("comparing conventions")
	if r.Conventions, err = sensitivity.Conventions(a); err != nil {
		return nil, err
	}
	if len(depths) > 0 {
		f.status.Say("comparing depths")
		if r.Depths, err = sensitivity.Depths(a, depths); err != nil {
			return nil, err
		}
	}
	compositions := []*semantic.Composition{}
	if !judged {
		f.status.Say("composition")
		if compositions, err = compose(a); err != nil {
			return nil, err
		}
	}
	return []report.Option{report.Sensitivity(r), report.Composition(compositions...)}, nil
}

// compose returns the composition of every system under each target that it has.
func compose(a *tiaptest.Audit) ([]*semantic.Composition, error) {
	card, err := sensitivity.NewCard(a)
	if err != nil {
		return nil, err
	}
	list := []*semantic.Composition{}
	for _, t := range a.Targets() {
		for _, system := range card.Systems {
			if slices.Contains(system.Unavailable, t.String()) {
				continue
			}
			c, err := semantic.Compose(a, system.System, t)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// readAnswers adds the answers that are given, or the bundle's own, and returns the
// name of their file; "" for none.
func (f *studyFlags) readAnswers(t *sensitivity.Table, dirs []string) (name string, err error) {
	name = f.answers
	if name == "" && len(dirs) == 1 {
		if name, err = cli.Besides(dirs[0], "answers.jsonl"); err != nil {
			return "", err
		}
	}
	if name == "" {
		return "", nil
	}
	file, err := os.Open(name)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return "", fmt.Errorf("%s: %w; name a file of answers", name, e.Err)
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	return name, t.ReadAnswers(name, file)
}

// studyLabels says what the labels are worth that may judge the contested cases of
// an audit.
func studyLabels(a *tiaptest.Audit, by *cli.Support) (labelText, error) {
	added, err := report.Add(a, report.Support(by.Labels, by.Rules))
	if err != nil {
		return labelText{}, err
	}
	return labelText{added.Labels}, nil
}
