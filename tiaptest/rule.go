package tiaptest

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/internal/harmless"
)

// Rule is a requirement on an audit. The rules of this package are values with a
// String; packages and users add their own.
type Rule interface {
	fmt.Stringer

	// Verify returns what breaks the rule. A rule that finds nothing to
	// compare must return a violation that says so.
	Verify(a *Audit) []Violation
}

// Rules is a list of rules that is a rule itself.
type Rules []Rule

// String lists the rules.
func (rs Rules) String() string { return strings.Join(texts(rs), "; ") }

// Verify returns the violations of all rules, in their order. An empty list is a
// violation itself.
func (rs Rules) Verify(a *Audit) []Violation { return alone(violations(a, rs, false)) }

// Violation is one way in which an audit breaks a rule.
type Violation struct {
	Rule    string   // String of the rule
	Systems []string // concerned
	Targets []string // concerned
	Text    string   // first line a sentence, details indented below it

	// Note marks a violation that is reported and fails nothing, such as a
	// known finding.
	Note bool
}

// Error returns the text, in which no line is a command to the log of a CI runner.
func (v *Violation) Error() string { return harmless.Guard(v.Text) }

// Verify returns the violations of the rules as one joined error whose parts are
// *Violation, or nil. Without rules there is nothing to verify, which is an
// error too.
func (a *Audit) Verify(rules ...Rule) error {
	broken, _ := a.verify(rules, false)
	if len(broken) == 0 {
		return nil
	}
	return joined(broken)
}

// joined are violations as one error, with an empty line between their texts.
type joined []told

func (vs joined) Error() string { return message(vs, false) }

func (vs joined) Unwrap() []error {
	errs := make([]error, len(vs))
	for i := range vs {
		errs[i] = &vs[i].Violation
	}
	return errs
}

// verify separates what fails from what is only reported. With full, lists in
// the texts are not cut.
func (a *Audit) verify(rules []Rule, full bool) (broken, notes []told) {
	for _, v := range violations(a, rules, full) {
		if v.Note {
			notes = append(notes, v)
		} else {
			broken = append(broken, v)
		}
	}
	return broken, notes
}

// violations runs rules. No rule at all is a violation, in a list within a list
// too: a test that verifies nothing must not pass.
func violations(a *Audit, rules []Rule, full bool) []told {
	if len(rules) == 0 {
		return []told{{Violation: Violation{Rule: "Rules", Text: "no rule given: nothing was verified"}}}
	}
	var out []told
	for _, r := range rules {
		switch r := r.(type) {
		case nil:
			out = append(out, told{Violation: Violation{Rule: "nil", Text: "a rule is nil: nothing was verified by it"}})
		case Rules:
			out = append(out, violations(a, r, full)...)
		case rule:
			out = append(out, r.run(a, full)...)
		default:
			for _, v := range r.Verify(a) {
				out = append(out, told{Violation: v})
			}
		}
	}
	return out
}

// rule is a rule of this package.
type rule struct {
	name   string
	verify func(a *Audit, v *verdicts)
}

func (r rule) String() string { return r.name }

func (r rule) Verify(a *Audit) []Violation { return alone(r.run(a, false)) }

func (r rule) run(a *Audit, full bool) []told {
	v := &verdicts{rule: r.name, full: full}
	r.verify(a, v)
	return v.found
}

// verdicts collects what a rule finds.
type verdicts struct {
	rule  string
	full  bool // write lists to their end
	found []told
}

func (v *verdicts) add(systems, targets []string, text string) {
	v.found = append(v.found, told{Violation: Violation{Rule: v.rule, Systems: systems, Targets: targets, Text: strings.TrimRight(text, "\n")}})
}

func (v *verdicts) note(systems, targets []string, text string) {
	v.add(systems, targets, text)
	v.found[len(v.found)-1].Note = true
}

// shown is how many of n list entries a text shows when it is cut to most.
func (v *verdicts) shown(n, most int) int {
	if v.full {
		return n
	}
	return min(n, most)
}
