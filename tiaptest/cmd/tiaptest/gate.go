package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/internal/shell"
	"github.com/tiaptest/tiap/tiaptest"
)

// errGate makes the exit status 1: the input is fine, and what it says is not.
var errGate = errors.New("the gate failed")

func gate(args []string, stdout, _ io.Writer) error {
	f := newInputFlags("gate")
	goldenFile := f.set.String("golden", "", "compare with the golden `FILE`; with TIAP_UPDATE=1 record it")
	base := f.set.String("base", "", "compare with the bundle `DIR` of the base branch")
	baseMissing := f.set.String("base-missing", "fail", "without a base, as on the first pull request: `fail` or report")
	format := f.set.String("format", "text", "output `format`: text, json or markdown")
	var opts []golden.Option
	f.set.Func("fail-on", "let these `verdicts` fail too, separated by commas", verdictFlag(&opts, golden.FailOn))
	f.set.Func("report-only", "report these `verdicts` without failing, separated by commas", verdictFlag(&opts, golden.ReportOnly))
	fixedRuns := f.set.Bool("fixed-runs", false, "require the recorded rankings: only the target may differ")
	tolerance := f.set.Float64("tolerance", 0.01, "`share` of its covered queries that a target may lose")
	effect := f.set.Float64("effect", 0.001, "largest `difference` from what is recorded that counts as none")
	dirs, err := parse(f.set, args, stdout)
	if err != nil {
		return err
	}
	var faults []error
	refuse := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("tiaptest gate: "+format, args...))
	}
	if (*goldenFile == "") == (*base == "") {
		refuse("name what to compare with: either -golden FILE or -base DIR")
	}
	if !slices.Contains([]string{"text", "json", "markdown"}, *format) {
		refuse("-format %s: use text, json or markdown", *format)
	}
	if *baseMissing != "fail" && *baseMissing != "report" {
		refuse("-base-missing %s: use fail or report", *baseMissing)
	}
	if *baseMissing == "report" && *goldenFile != "" {
		refuse("-base-missing report: only with -base; let a missing golden file pass by -report-only missing")
	}
	if !(*tolerance >= 0 && *tolerance <= 1) {
		refuse("-tolerance %g: it must lie between 0 and 1", *tolerance)
	}
	if !(*effect >= 0 && *effect < 1) {
		refuse("-effect %g: it must be at least 0 and less than 1", *effect)
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	opts = append(opts, golden.Tolerance(*tolerance), golden.MinEffect(*effect))
	if *fixedRuns {
		opts = append(opts, golden.FixedRuns())
	}
	head, err := f.rescore(dirs)
	var before *tiaptest.Audit
	if *base != "" {
		if _, missing := os.Stat(*base); !errors.Is(missing, fs.ErrNotExist) {
			var baseErr error
			before, baseErr = f.rescoreDir(*base)
			err = errors.Join(err, baseErr)
		} else if *baseMissing == "report" {
			opts = append(opts, golden.ReportOnly(golden.Missing))
		}
	}
	if err != nil {
		return err
	}
	var d *golden.Difference
	if *base != "" {
		d, err = golden.Compare(*base, before, head, opts...)
	} else {
		command := "TIAP_UPDATE=1 go tool tiaptest gate"
		for _, a := range args {
			command += " " + shell.Quote(a)
		}
		d, err = golden.CheckFile(*goldenFile, command, head, opts...)
	}
	if err != nil {
		return err
	}
	err = write(f.output, stdout, func(w io.Writer) error {
		switch *format {
		case "json":
			return d.WriteJSON(w)
		case "markdown":
			return d.WriteMarkdown(w, head)
		}
		return d.WriteText(w, head)
	})
	if err == nil && d.Failed() {
		err = errGate
	}
	return err
}

// verdictFlag reads a list of verdicts for an option.
func verdictFlag(opts *[]golden.Option, option func(...golden.Verdict) golden.Option) func(string) error {
	return func(list string) error {
		var vs []golden.Verdict
		for _, name := range strings.Split(list, ",") {
			v, err := golden.ParseVerdict(strings.TrimSpace(name))
			if err != nil {
				return err
			}
			vs = append(vs, v)
		}
		*opts = append(*opts, option(vs...))
		return nil
	}
}
