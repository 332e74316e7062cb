package cli

import (
	"errors"
	"flag"
	"fmt"

	"github.com/tiaptest/tiap/golden"
)

// Comparison holds the flags of whatever compares an audit with an earlier one.
type Comparison struct {
	set               *flag.FlagSet
	verdicts          []golden.Option
	fixedRuns         bool
	tolerance, effect float64
}

// NewComparison adds the flags to a set.
func NewComparison(s *flag.FlagSet) *Comparison {
	c := &Comparison{set: s}
	s.Func("fail-on", "let these `verdicts` fail too, separated by commas, as regressed; go doc github.com/tiaptest/tiap/golden.IdentityMismatch lists them", c.verdictFlag(golden.FailOn))
	s.Func("report-only", "let these `verdicts` pass, separated by commas, as new-flip; they are reported all the same", c.verdictFlag(golden.ReportOnly))
	s.BoolVar(&c.fixedRuns, "fixed-runs", false, "fail when a ranking is not the one compared with: only the target may differ")
	s.Float64Var(&c.tolerance, "tolerance", 0.01, "largest `share` of its covered queries that a target may lose")
	s.Float64Var(&c.effect, "effect", 0.001, "largest `difference` from the score compared with that counts as none")
	return c
}

// verdictFlag reads a list of verdicts for an option.
func (c *Comparison) verdictFlag(option func(...golden.Verdict) golden.Option) func(string) error {
	return func(list string) error {
		vs, err := each(list, golden.ParseVerdict)
		c.verdicts = append(c.verdicts, option(vs...))
		return err
	}
}

// Options turns the flags into options, all faults at once.
func (c *Comparison) Options() ([]golden.Option, error) {
	var faults []error
	if !(c.tolerance >= 0 && c.tolerance <= 1) {
		faults = append(faults, fmt.Errorf("%s: -tolerance %g: it must lie between 0 and 1", c.set.Name(), c.tolerance))
	}
	if !(c.effect >= 0 && c.effect < 1) {
		faults = append(faults, fmt.Errorf("%s: -effect %g: it must be at least 0 and less than 1", c.set.Name(), c.effect))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	opts := append(c.verdicts, golden.Tolerance(c.tolerance), golden.MinEffect(c.effect))
	if c.fixedRuns {
		opts = append(opts, golden.FixedRuns())
	}
	return opts, nil
}
