package tiaptest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/decide"
)

// RuleOption narrows a rule. A rule that has no use for an option says so.
type RuleOption interface {
	fmt.Stringer
	narrow(*ruleSettings)
}

// ruleSettings is what the options of a rule come to.
type ruleSettings struct {
	from    Grade
	pairs   [][2]string // none: every pair
	above   float64
	except  []string
	against bool
	base    *Audit
}

type ruleOption struct {
	name, args string
	set        func(*ruleSettings)
}

func (o ruleOption) String() string         { return o.name + "(" + o.args + ")" }
func (o ruleOption) narrow(s *ruleSettings) { o.set(s) }

// From makes a rule fail only for flips of at least a grade. Where there are too few
// queries for such a flip the rule compared nothing.
func From(g Grade) RuleOption {
	return ruleOption{"From", string(g), func(s *ruleSettings) { s.from = g }}
}

// Between makes a rule look at one pair of systems; given again, at that one too.
func Between(a, b string) RuleOption {
	return ruleOption{"Between", a + ", " + b, func(s *ruleSettings) { s.pairs = append(s.pairs, [2]string{a, b}) }}
}

// Above makes a rule fail only where both systems lead by more than a gap, which is
// at least 0 and less than 1.
func Above(gap float64) RuleOption {
	return ruleOption{"Above", strconv.FormatFloat(gap, 'g', -1, 64), func(s *ruleSettings) { s.above = gap }}
}

// Except names queries that [EachQuery] lets pass.
func Except(queries ...string) RuleOption {
	return ruleOption{"Except", strings.Join(queries, ", "), func(s *ruleSettings) { s.except = append(s.except, queries...) }}
}

// Against makes [EachQuery] fail only for queries that passed in an earlier
// audit.
func Against(base *Audit) RuleOption {
	name := "nil"
	if base != nil {
		name = base.report().Scenario.Name
	}
	return ruleOption{"Against", name, func(s *ruleSettings) { s.base, s.against = base, true }}
}

// newRule makes a rule that takes some of the rule options.
func newRule(name string, args []fmt.Stringer, opts []RuleOption, takes []string, verify func(*Audit, *verdicts, ruleSettings)) Rule {
	s := ruleSettings{from: Fragile}
	words := texts(args)
	var unfit []string
	for _, o := range opts {
		if o == nil {
			continue
		}
		words = append(words, o.String())
		if kind, ok := o.(ruleOption); ok && !slices.Contains(takes, kind.name) {
			unfit = append(unfit, o.String())
		}
		o.narrow(&s)
	}
	return rule{name + "(" + strings.Join(words, ", ") + ")", func(a *Audit, v *verdicts) {
		switch {
		case len(unfit) > 0:
			v.nothing(fmt.Sprintf("it does not take %s; it takes %s", strings.Join(unfit, ", "), strings.Join(takes, ", ")))
		case s.from.rank() < 0:
			v.nothing(fmt.Sprintf("unknown grade %q; use Fragile, Likely or Decisive", s.from))
		case s.against && s.base == nil:
			v.nothing("the audit that Against names is nil")
		case !(s.above >= 0 && s.above < 1):
			v.nothing(fmt.Sprintf("a gap of %v; it must be at least 0 and less than 1", s.above))
		default:
			for _, p := range s.pairs {
				if p[0] == p[1] {
					v.nothing(fmt.Sprintf("Between names %q twice; name two systems", p[0]))
					return
				}
				for _, name := range p {
					if a.r.system(name) == nil {
						v.nothing(fmt.Sprintf("the audit has no system %q; it has %s", name, strings.Join(a.systemNames(), ", ")))
						return
					}
				}
			}
			verify(a, v, s)
		}
	}}
}

// about reports whether a rule looks at a pair of systems.
func (s *ruleSettings) about(a, b string) bool {
	return len(s.pairs) == 0 || slices.Contains(s.pairs, [2]string{a, b}) || slices.Contains(s.pairs, [2]string{b, a})
}

// matters reports whether a flip of that grade between two gaps is one to fail
// for.
func (s *ruleSettings) matters(g Grade, first, second Gap) bool {
	return (s.from == Fragile || g.rank() >= s.from.rank()) && decide.Sign(*first.Value, s.above) != 0 && decide.Sign(*second.Value, s.above) != 0
}
