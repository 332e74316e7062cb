package report

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// Added is what options add to the JSON report of an audit, as members behind its
// own. What no option asks for is nil.
type Added struct {
	Card        *sensitivity.Card       `json:"card,omitempty"` // comes with Sensitivity
	Sensitivity *sensitivity.Report     `json:"sensitivity,omitempty"`
	Composition []*semantic.Composition `json:"composition,omitzero"`

	// Support has the views Strict and Relevant of each system under each target
	// whose credits are contested: not Raw, and no target that labels have judged.
	Support []ViewSupport `json:"support,omitempty"`
	Labels  *LabelWorth   `json:"labels,omitempty"`
}

// ViewSupport is the support of contested credits in one view of the labels.
type ViewSupport struct {
	View semantic.View `json:"view"`
	semantic.Support
}

// LabelWorth says what support labels are worth.
type LabelWorth struct {
	Dataset     string                         `json:"dataset"` // that the labels are of: the scenario
	Digest      string                         `json:"digest"`  // of the labels, whatever their order
	Rules       string                         `json:"rules"`   // by which they are counted
	Labels      int                            `json:"labels"`
	Unused      int                            `json:"unused"` // of no retrieved memory as it is now
	Agreement   []*semantic.Agreement          `json:"agreement"`
	Buckets     map[string]*semantic.Agreement `json:"buckets"` // three classes, by ranks
	Prevalence  []*semantic.Prevalences        `json:"prevalence"`
	Uncorrected string                         `json:"uncorrected,omitempty"` // why a view has no prevalence
}

// Add computes what the options add to the JSON report of an audit, for those who
// want it in another form. It is an error when the options are of another audit, or
// when labels judge an audit that names no memories.
func Add(a *tiaptest.Audit, opts ...Option) (*Added, error) { return add(a, newOptions(opts)) }

func add(a *tiaptest.Audit, o options) (*Added, error) {
	more := &Added{Sensitivity: o.sensitivity, Composition: o.composition}
	var err error
	if o.sensitivity != nil {
		if more.Card, err = sensitivity.NewCard(a); err != nil {
			return nil, err
		}
	}
	if o.labels != nil {
		err = more.judge(a, o)
	}
	return more, err
}

// judge adds what labels say.
func (m *Added) judge(a *tiaptest.Audit, o options) error {
	p, err := parse(a)
	if err != nil {
		return err
	}
	b := &builder{parsed: p, a: a, o: o}
	strict, relevant := o.counting, o.counting
	strict.Partial, relevant.Partial = false, true
	var contested []tiaptest.Target // by some system
	for _, name := range b.targets() {
		target := b.target(name)
		if !semantic.Contests(target) {
			continue
		}
		available := false
		for _, sys := range b.Systems {
			if slices.Contains(sys.Unavailable, name) {
				continue
			}
			available = true
			for _, v := range []struct {
				view semantic.View
				o    semantic.Options
			}{{semantic.Strict, strict}, {semantic.Relevant, relevant}} {
				s, err := semantic.Measure(a, sys.Name, target, o.labels, v.o)
				if err != nil {
					return fmt.Errorf("support labels: %w", err)
				}
				m.Support = append(m.Support, ViewSupport{v.view, s})
			}
		}
		if available {
			contested = append(contested, target)
		}
	}
	var cases []semantic.Case
	if len(contested) > 0 {
		if cases, err = semantic.Contested(a, contested...); err != nil {
			return fmt.Errorf("support labels: %w", err)
		}
	}
	m.Labels, err = worth(a.Scenario(), o.labels, o.counting, cases)
	return err
}

// worth says what labels are worth that may judge those cases.
func worth(dataset string, labels *semantic.Labels, rules semantic.Options, cases []semantic.Case) (*LabelWorth, error) {
	l := &LabelWorth{
		Dataset: dataset, Digest: labels.Digest(), Rules: rules.String(),
		Labels: labels.Len(), Unused: labels.Unused(cases).Len(),
		Buckets: make(map[string]*semantic.Agreement), Prevalence: []*semantic.Prevalences{},
	}
	for _, v := range []semantic.View{semantic.ThreeClass, semantic.Relevant, semantic.Strict} {
		agreement, err := semantic.Agree(labels, v, rules)
		if err != nil {
			return nil, fmt.Errorf("support labels: %w", err)
		}
		l.Agreement = append(l.Agreement, agreement)
		switch p, err := semantic.Prevalence(labels, v, rules); {
		case err == nil:
			l.Prevalence = append(l.Prevalence, p)
		case l.Uncorrected == "":
			l.Uncorrected = err.Error()
		}
	}
	for bucket, part := range labels.Split(cases, semantic.Case.Bucket) {
		agreement, err := semantic.Agree(part, semantic.ThreeClass, rules)
		if err != nil {
			return nil, fmt.Errorf("support labels: %w", err)
		}
		l.Buckets[bucket] = agreement
	}
	return l, nil
}
