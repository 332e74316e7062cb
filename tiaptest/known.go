package tiaptest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
)

// Finding states a winner flip that is known and accepted. Rules do not fail
// for it, and report it when it no longer occurs or its end date has passed. It
// says that the two targets disagree, not which system wins under which: that is
// held fast by [Winner] and by golden.Check.
type Finding struct {
	A, B    string    // the systems, in any order
	Metric  Metric    // by which the winner flips
	Targets [2]Target // between which it flips, in any order; for a flip between conventions both are the same
	Reason  string    // why it is accepted
	Until   string    // last day on which it holds, as 2027-03-01; empty for no end
}

// Known states findings that are accepted, beside those of the bundle's
// accepted.json and of the same option given before. They change no number:
//
//	tiaptest.Known(tiaptest.Finding{
//		A: "D1", B: "D5", Metric: tiaptest.NDCG(60), Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source},
//		Reason: "D5 replaces turns by facts", Until: "2027-03-01",
//	})
func Known(findings ...Finding) Option {
	return option{english.Count(len(findings), "known finding", "known findings"), func(s *settings) error {
		var errs []error
		for _, f := range findings {
			errs = append(errs, f.check())
		}
		s.known = slices.Concat(s.known, findings)
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
	if f.Metric.m.Kind == 0 {
		return fmt.Errorf("the known finding on %s and %s needs a metric", f.A, f.B)
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
	if f.ofConvention() {
		return fmt.Sprintf("convention flip of %s and %s on %s under %s", a, b, f.Metric, f.Targets[0])
	}
	first, second := f.Targets[0].name, f.Targets[1].name
	return fmt.Sprintf("winner flip of %s and %s on %s between %s and %s", a, b, f.Metric, min(first, second), max(first, second))
}

// about reports whether the finding is about the systems, metric and targets of a flip.
func (f Finding) about(flip *Flip) bool {
	sameSystems := f.A == flip.A && f.B == flip.B || f.A == flip.B && f.B == flip.A
	t0, t1 := f.Targets[0].name, f.Targets[1].name
	sameTargets := t0 == flip.Targets[0] && t1 == flip.Targets[1] || t0 == flip.Targets[1] && t1 == flip.Targets[0]
	return sameSystems && sameTargets && f.Metric.String() == flip.Metric
}

// ofConvention reports whether the finding is a flip between conventions.
func (f Finding) ofConvention() bool { return f.Targets[0].name == f.Targets[1].name }

// ended reports whether the last day of the finding is before today.
func (f Finding) ended(today string) bool { return f.Until != "" && f.Until < today }

// outlasts reports whether the finding holds longer than another one.
func (f Finding) outlasts(other *Finding) bool {
	return other.Until != "" && (f.Until == "" || f.Until > other.Until)
}

// findingFile is an entry of accepted.json.
type findingFile struct {
	A       string   `json:"a"`
	B       string   `json:"b"`
	Metric  string   `json:"metric"`
	Targets []string `json:"targets"` // two, or one for a flip between conventions
	Reason  string   `json:"reason"`
	Until   string   `json:"until,omitempty"`
}

// findingMembers are the members that an entry of accepted.json may have.
var findingMembers = []string{"a", "b", "metric", "targets", "reason", "until"}

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

// why is the reason as it is printed.
func (f Finding) why() string { return printable(f.Reason) }

// knownFindings are the findings that an audit was told of, code first.
func (a *Audit) knownFindings() []Finding {
	return slices.Concat(a.r.settings.known, a.r.bundle.known)
}

// known returns the known finding that is about a flip, nil if there is none, and
// whether it holds: it has not ended. Of several it is the one that holds longest. A
// target beside the headline has none: no rule looks at its flips.
func (a *Audit) known(flip *Flip) (found *Finding, holds bool) {
	if slices.ContainsFunc(flip.Targets[:], func(t string) bool { return !slices.Contains(a.r.mainTargets(), a.r.target(t)) }) {
		return nil, false
	}
	for _, list := range [][]Finding{a.r.settings.known, a.r.bundle.known} {
		for i := range list {
			if f := &list[i]; f.about(flip) && (found == nil || f.outlasts(found)) {
				found = f
			}
		}
	}
	return found, found != nil && !found.ended(a.today)
}

// countKnown counts those of some flips that are known.
func (a *Audit) countKnown(flips []*Flip) int {
	n := 0
	for _, f := range flips {
		if _, holds := a.known(f); holds {
			n++
		}
	}
	return n
}

// Known says what the known findings of the audit say of a flip: "known: " and the
// reason, or "was known until ", the last day and the reason where that finding has
// ended and no longer holds; "" if none is about the flip. The flip is told by its
// systems, metric and targets; a flip between conventions has the same target twice.
// Rules decide by the same. They look at no flip between the headline and a target
// beside it, so that nothing is known of one.
func (a *Audit) Known(f Flip) (text string, holds bool) {
	switch known, holds := a.known(&f); {
	case known == nil:
		return "", false
	case holds:
		return "known: " + known.why(), true
	default:
		return fmt.Sprintf("was known until %s: %s", known.Until, known.why()), false
	}
}

// advice says how to accept a flip that a rule fails for, or that it was accepted
// once.
func (a *Audit) advice(f *Flip) string {
	if text := a.endedText(f); text != "" {
		return text
	}
	return a.acceptance([]findingFile{f.entry()})
}

// endedText says that a flip was known once, "" if it was not.
func (a *Audit) endedText(f *Flip) string {
	known, holds := a.known(f)
	if known == nil || holds {
		return ""
	}
	return fmt.Sprintf("    this was known until %s (%s); if it still is, set a later end", known.Until, known.why())
}

// entry is what would make a flip known.
func (f *Flip) entry() findingFile {
	return findingFile{A: f.A, B: f.B, Metric: f.Metric, Targets: slices.Compact(slices.Clone(f.Targets[:])), Reason: "..."}
}

// acceptance says where entries for flips that are known are to be added.
func (a *Audit) acceptance(entries []findingFile) string {
	if a.r.bundle.dir == "" {
		return "    if this is known, state it with tiaptest.Known and a reason"
	}
	return fmt.Sprintf("    if this is known, add it with a reason to the list in %s:%s", a.file("accepted.json"), phrase.Entries(entries, "        "))
}

// knownSet are the known findings that one rule is about.
type knownSet struct {
	findings []Finding
	occurred []bool
	audit    *Audit
}

func newKnownSet(a *Audit, metric Metric, about func(Finding) bool) *knownSet {
	k := &knownSet{audit: a}
	for _, f := range a.knownFindings() {
		if f.Metric == metric && about(f) {
			k.findings = append(k.findings, f)
		}
	}
	k.occurred = make([]bool, len(k.findings))
	return k
}

// of is [Audit.known] of a flip that occurs.
func (k *knownSet) of(flip *Flip) (found *Finding, holds bool) {
	for i, f := range k.findings {
		k.occurred[i] = k.occurred[i] || f.about(flip)
	}
	return k.audit.known(flip)
}

// report notes the findings that no longer hold, and those that this audit
// cannot speak about.
func (k *knownSet) report(v *verdicts) {
	var notes []string
	for i, f := range k.findings {
		if text := k.audit.stale(f, k.occurred[i]); text != "" {
			notes = append(notes, text)
		}
	}
	slices.Sort(notes)
	for _, text := range notes {
		v.note(nil, nil, text)
	}
}

// stale says why a known finding does nothing for the audit, "" if it does.
func (a *Audit) stale(f Finding, occurs bool) string {
	what := fmt.Sprintf("%s (%s)", printable(f.String()), f.why())
	switch lacks := a.lacks(f); {
	case lacks != "":
		return fmt.Sprintf("known finding is not looked for, the audit has no %s: %s", lacks, what)
	case f.ended(a.today):
		return fmt.Sprintf("known finding ended on %s: %s", f.Until, what)
	case !occurs:
		return "known finding does not occur any more, remove it: " + what
	}
	return ""
}

// StaleFindings says, in a sentence each, which known findings of the audit do
// nothing: those that ended, that name what the audit has not, or, of winner
// flips, that do not occur any more. Whether flips between conventions occur is
// for [NoConventionFlip] to say.
func (a *Audit) StaleFindings() []string {
	var out []string
	for _, f := range a.knownFindings() {
		if text := a.stale(f, f.ofConvention() || a.occurs(f)); text != "" {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// occurs reports whether the winner flip of a finding does.
func (a *Audit) occurs(f Finding) bool {
	for i := range a.report().Pairs {
		p := &a.report().Pairs[i]
		for j := range p.Flips {
			if p.Beside == "" && p.Flips[j].Verdict == verdictFlip && f.about(&p.Flips[j]) {
				return true
			}
		}
	}
	return false
}

// lacks names the first metric, system or target of a finding that the audit has
// not.
func (a *Audit) lacks(f Finding) string {
	if err := a.hasMetric(f.Metric); err != nil {
		return "metric " + f.Metric.String()
	}
	for _, s := range []string{f.A, f.B} {
		if a.r.system(s) == nil {
			return "system " + printable(s)
		}
	}
	for _, t := range f.Targets {
		if a.r.target(t.name) < 0 {
			return "target " + printable(t.name)
		}
	}
	return ""
}
