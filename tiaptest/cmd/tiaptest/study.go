package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
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
	s.BoolVar(&f.wanted, "sensitivity", false, "add what the target changes, the reporting card and, with labels, the support of contested credits")
	s.StringVar(&f.answers, "answers", "", "answers `FILE` for -sensitivity; DIR/answers.jsonl when there is one")
	s.StringVar(&f.depths, "depths", "", "`depths` that -sensitivity compares, as 5,10,20")
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

// study is what goes on where the audit ends. Its members stand beside those of
// the JSON report.
type study struct {
	Card        *sensitivity.Card        `json:"card"`
	Sensitivity *sensitivity.Report      `json:"sensitivity"`
	Conventions []sensitivity.Convention `json:"conventions_study"`
	Depths      []sensitivity.Depth      `json:"depths,omitempty"`
	Composition []*semantic.Composition  `json:"composition"` // none of qrels and records
	Support     []support                `json:"support,omitempty"`
	Labels      *labelStudy              `json:"labels,omitempty"`
}

// support is the support of contested credits in one view of the labels.
type support struct {
	View semantic.View `json:"view"`
	semantic.Support
}

// labelStudy says what the labels are worth.
type labelStudy struct {
	Dataset     string                         `json:"dataset"` // that the labels are of: the scenario
	Digest      string                         `json:"digest"`  // of the labels, whatever their order
	Rules       string                         `json:"rules"`   // given by -label-rule
	Labels      int                            `json:"labels"`
	Unused      int                            `json:"unused"` // of no retrieved memory as it is now
	Agreement   []*semantic.Agreement          `json:"agreement"`
	Buckets     map[string]*semantic.Agreement `json:"buckets"` // three classes, by ranks
	Prevalence  []*semantic.Prevalences        `json:"prevalence"`
	Uncorrected string                         `json:"uncorrected,omitempty"` // why there is no prevalence
}

// run makes the study of an audit. dirs are the arguments of the command.
func (f *studyFlags) run(a *tiaptest.Audit, dirs []string, depths []int, by *cli.Support) (*study, error) {
	var s study
	var err error
	if s.Card, err = sensitivity.NewCard(a); err != nil {
		return nil, err
	}
	t, err := sensitivity.FromAudit(a)
	if err != nil {
		return nil, err
	}
	answers, err := f.readAnswers(t, dirs)
	if err != nil {
		return nil, err
	}
	f.status.Say("comparing targets")
	s.Sensitivity, err = sensitivity.Analyze(t)
	switch {
	case err != nil && answers != "":
		return nil, fmt.Errorf("%s: %w", answers, err)
	case err != nil:
		return nil, err
	}
	f.status.Say("comparing conventions")
	if s.Conventions, err = sensitivity.Conventions(a); err != nil {
		return nil, err
	}
	if len(depths) > 0 {
		f.status.Say("comparing depths")
		if s.Depths, err = sensitivity.Depths(a, depths); err != nil {
			return nil, err
		}
	}
	s.Composition = []*semantic.Composition{}
	switch judged := len(dirs) == 0; { // qrels and records name no memories
	case judged && by.Labels != nil:
		return nil, fmt.Errorf("%s: -labels judge memories, and qrels and records name none; leave them out", f.set.Name())
	case judged:
		return &s, nil
	}
	f.status.Say("composition and support")
	return &s, s.judge(a, by)
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

// judge adds what needs the memories themselves.
func (s *study) judge(a *tiaptest.Audit, by *cli.Support) error {
	var contested []tiaptest.Target // by some target, in some system
	for _, t := range a.Targets() {
		available := false
		for _, system := range s.Card.Systems {
			if slices.Contains(system.Unavailable, t.String()) {
				continue
			}
			c, err := semantic.Compose(a, system.System, t)
			if err != nil {
				return err
			}
			s.Composition = append(s.Composition, c)
			available = true
		}
		if available && mayContest(t) {
			contested = append(contested, t)
		}
	}
	if by.Labels == nil {
		return nil
	}
	partial := by.Rules
	partial.Partial = true
	for _, t := range contested {
		for _, system := range s.Card.Systems {
			if slices.Contains(system.Unavailable, t.String()) {
				continue
			}
			for _, v := range []struct {
				view semantic.View
				o    semantic.Options
			}{{semantic.Strict, by.Rules}, {semantic.Relevant, partial}} {
				m, err := semantic.Measure(a, system.System, t, by.Labels, v.o)
				if err != nil {
					return err
				}
				s.Support = append(s.Support, support{v.view, m})
			}
		}
	}
	var cases []semantic.Case
	if len(contested) > 0 {
		var err error
		if cases, err = semantic.Contested(a, contested...); err != nil {
			return err
		}
	}
	var err error
	s.Labels, err = studyLabels(a, by, cases)
	return err
}

// mayContest reports whether credits of a target are to be judged: Raw's are not
// contested, and those of supported targets have been.
func mayContest(t tiaptest.Target) bool {
	return t.String() != tiaptest.Raw.String() && !strings.HasPrefix(t.String(), cli.Supported)
}

func studyLabels(a *tiaptest.Audit, by *cli.Support, cases []semantic.Case) (*labelStudy, error) {
	labels := by.Labels
	l := &labelStudy{
		Dataset: a.Scenario(), Digest: labels.Digest(), Rules: by.Rules.String(),
		Labels: labels.Len(), Unused: labels.Unused(cases).Len(),
		Buckets: make(map[string]*semantic.Agreement), Prevalence: []*semantic.Prevalences{},
	}
	for _, v := range []semantic.View{semantic.ThreeClass, semantic.Relevant, semantic.Strict} {
		agreement, err := semantic.Agree(labels, v, by.Rules)
		if err != nil {
			return nil, err
		}
		l.Agreement = append(l.Agreement, agreement)
		switch p, err := semantic.Prevalence(labels, v, by.Rules); {
		case err == nil:
			l.Prevalence = append(l.Prevalence, p)
		case l.Uncorrected == "":
			l.Uncorrected = err.Error()
		}
	}
	for bucket, part := range labels.Split(cases, semantic.Case.Bucket) {
		agreement, err := semantic.Agree(part, semantic.ThreeClass, by.Rules)
		if err != nil {
			return nil, err
		}
		l.Buckets[bucket] = agreement
	}
	return l, nil
}

// extras are what the study adds to a report.
func (s *study) extras() []report.Option {
	r := *s.Sensitivity
	r.Conventions = s.Conventions
	if s.Depths != nil {
		r.Depths = s.Depths
	}
	return []report.Option{report.Sensitivity(&r), report.Composition(s.Composition...)}
}

// writeJSON writes the report of an audit with the members of the study behind its
// own, so that the report's bytes stay as they are.
func (s *study) writeJSON(w io.Writer, a *tiaptest.Audit) error {
	return auditjson.WriteWith(w, a.WriteJSON, s)
}
