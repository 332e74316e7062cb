package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
)

// reports is the flag -report: files to write reports to.
type reports []string

// newReports declares the flag. but is what its help says of formats that are
// refused, "" for nothing.
func newReports(s *flag.FlagSet, but string) *reports {
	r := new(reports)
	s.Func("report", "write a report to `FILE`, in the format of its ending: .html, .md, .tex, .txt or .json"+but+" (repeatable)", func(file string) error {
		_, err := report.FormatOf(file)
		*r = append(*r, file)
		return err
	})
	return r
}

// json names a file that is to be JSON, when there is one.
func (r reports) json() (file string, ok bool) {
	i := slices.IndexFunc(r, func(file string) bool { f, _ := report.FormatOf(file); return f == report.JSON })
	if i < 0 {
		return "", false
	}
	return r[i], true
}

// write writes the reports of an audit.
func (r reports) write(a *tiaptest.Audit, opts ...report.Option) error {
	return r.each(func(file string) error { return report.WriteFile(file, a, opts...) })
}

// compare writes the reports of an audit against an earlier one, both by further
// options.
func (r reports) compare(base, head *tiaptest.Audit, by ...tiaptest.Option) error {
	if len(r) == 0 {
		return nil
	}
	var err error
	for _, a := range []**tiaptest.Audit{&base, &head} {
		if *a, err = (*a).With(by...); err != nil {
			return err
		}
	}
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
