package tiaptest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Finding states a winner flip that is known and accepted. Rules do not fail
// for it, and report it when it no longer occurs or its end date has passed.
type Finding struct {
	A, B    string    // the systems, in any order
	Metric  Metric    // by which the winner flips
	Targets [2]Target // between which it flips, in any order; for a flip between conventions both are the same
	Reason  string    // why it is accepted
	Until   string    // last day on which it holds, as 2027-03-01; empty for no end
}

// Known states findings that are accepted, beside those of the bundle's
// accepted.json.
func Known(findings ...Finding) Option {
	return option{fmt.Sprintf("%d known findings", len(findings)), func(s *settings) error {
		var errs []error
		for _, f := range findings {
			errs = append(errs, f.check())
		}
		s.known = append(s.known, findings...)
		return errors.Join(errs...)
	}}
}

func (f Finding) check() error {
	if f.A == "" || f.B == "" || f.A == f.B {
		return fmt.Errorf("a known finding needs two systems, not %q and %q", f.A, f.B)
	}
	for _, t := range f.Targets {
		if t.name == "" {
			return fmt.Errorf("the known finding on %s and %s needs two targets; name one twice for a flip between conventions", f.A, f.B)
		}
	}
	if strings.TrimSpace(f.Reason) == "" {
		return fmt.Errorf("the known finding on %s and %s needs a reason", f.A, f.B)
	}
	if f.Until != "" {
		if _, err := time.Parse(time.DateOnly, f.Until); err != nil {
			return fmt.Errorf("the known finding on %s and %s ends on %q; write the date as 2027-03-01", f.A, f.B, f.Until)
		}
	}
	return nil
}

// String names the finding.
func (f Finding) String() string {
	a, b := f.A, f.B
	if a > b {
		a, b = b, a
	}
	if f.Targets[0].name == f.Targets[1].name {
		return fmt.Sprintf("convention flip of %s and %s on %s under %s", a, b, f.Metric, f.Targets[0])
	}
	first, second := f.Targets[0].name, f.Targets[1].name
	return fmt.Sprintf("winner flip of %s and %s on %s between %s and %s", a, b, f.Metric, min(first, second), max(first, second))
}

// covers reports whether the finding is about these systems, metric and targets.
func (f Finding) covers(a, b, metric string, targets [2]string) bool {
	sameSystems := f.A == a && f.B == b || f.A == b && f.B == a
	t0, t1 := f.Targets[0].name, f.Targets[1].name
	sameTargets := t0 == targets[0] && t1 == targets[1] || t0 == targets[1] && t1 == targets[0]
	return sameSystems && sameTargets && f.Metric.String() == metric
}

func (f Finding) expired(today string) bool { return f.Until != "" && f.Until < today }

// findingFile is an entry of accepted.json.
type findingFile struct {
	A       string   `json:"a"`
	B       string   `json:"b"`
	Metric  string   `json:"metric"`
	Targets []string `json:"targets"` // two, or one for a flip between conventions
	Reason  string   `json:"reason"`
	Until   string   `json:"until,omitempty"`
}

func (e findingFile) finding() (Finding, error) {
	f := Finding{A: e.A, B: e.B, Reason: e.Reason, Until: e.Until}
	var err error
	if f.Metric, err = ParseMetric(e.Metric); err != nil {
		return f, err
	}
	switch len(e.Targets) {
	case 1:
		f.Targets = [2]Target{{name: e.Targets[0]}, {name: e.Targets[0]}}
	case 2:
		f.Targets = [2]Target{{name: e.Targets[0]}, {name: e.Targets[1]}}
	default:
		return f, fmt.Errorf("%d targets; name two, or one for a flip between conventions", len(e.Targets))
	}
	return f, f.check()
}

func (f Finding) file() findingFile {
	e := findingFile{A: f.A, B: f.B, Metric: f.Metric.String(), Reason: f.Reason, Until: f.Until}
	e.Targets = slices.Compact([]string{f.Targets[0].name, f.Targets[1].name})
	return e
}

// knownFindings are the findings that an audit was told of, code first.
func (a *Audit) knownFindings() []Finding {
	return slices.Concat(a.r.settings.known, a.r.bundle.known)
}

// stale lists the known findings, of those that a rule looked for, that did not
// occur or have ended.
func stale(looked []Finding, occurred []bool, today string) []string {
	var out []string
	for i, f := range looked {
		switch {
		case f.expired(today):
			out = append(out, fmt.Sprintf("known finding ended on %s: %s (%s)", f.Until, f, f.Reason))
		case !occurred[i]:
			out = append(out, fmt.Sprintf("known finding does not occur any more, remove it: %s (%s)", f, f.Reason))
		}
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}
