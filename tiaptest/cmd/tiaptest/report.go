package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
)

// reports is the flag -report: files to write reports to.
type reports []string

func newReports(s *flag.FlagSet) *reports {
	r := new(reports)
	s.Func("report", "write a report to `FILE`, in the format of its ending: .html, .md, .tex, .txt or .json (repeatable)", func(file string) error {
		_, err := report.FormatOf(file)
		*r = append(*r, file)
		return err
	})
	return r
}

// write writes the reports of an audit.
func (r reports) write(a *tiaptest.Audit, opts ...report.Option) error {
	return r.each(func(file string) error { return report.WriteFile(file, a, opts...) })
}

// compare writes the reports of an audit against an earlier one.
func (r reports) compare(base, head *tiaptest.Audit) error {
	return r.each(func(file string) error { return report.CompareFile(file, base, head) })
}

func (r reports) each(write func(file string) error) error {
	var errs []error
	for _, file := range r {
		if err := write(file); err != nil {
			errs = append(errs, fmt.Errorf("tiaptest: %w", err))
		}
	}
	return errors.Join(errs...)
}
