package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/shell"
	"github.com/tiaptest/tiap/tiaptest"
)

// errGate makes the exit status 1: the input is fine, and what it says is not.
var errGate = errors.New("the gate failed")

func gate(args []string, stdout, stderr io.Writer) error {
	f := newInputFlags("gate")
	f.Describe(" {-golden FILE | -base DIR}", `Compares an audit with what was recorded in a golden file, or with the audit of another
bundle, such as that of the base branch. It fails when another system leads under a
target, when targets come to name different winners, when another member of a family is
recommended, when a system gains under one target and loses under another, when a target
no longer covers its queries or the run does not answer them, and when the two cannot be
compared. What the audit noticed in the data is noted. The exit status is 0 when the gate
passes, 1 when it fails, and 2 for bad input or usage.
`)
	goldenFile := f.Set.String("golden", "", "compare with the golden `FILE`; with TIAP_UPDATE=1 in the environment record it")
	base := f.Set.String("base", "", "compare with the bundle `DIR` of the base branch")
	baseMissing := f.Set.String("base-missing", "fail", "what to do when the base does not exist, as on the first pull request: `fail`, or report and pass")
	format := f.Set.String("format", "text", "output `format`: text, json or markdown")
	files := newReports(f.Set, "; .json not with -base")
	comparison := cli.NewComparison(f.Set)
	dirs, err := cli.Parse(f.Set, args, stdout)
	if err != nil {
		return err
	}
	if err := checkOutputs(f.Set, files); err != nil {
		return err
	}
	var faults []error
	refuse := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("tiaptest gate: "+format, args...))
	}
	switch {
	case *goldenFile == "" && *base == "":
		refuse("name what to compare with: either -golden FILE or -base DIR")
	case *goldenFile != "" && *base != "":
		refuse("-golden %s and -base %s: it compares with one of them; leave one out", *goldenFile, *base)
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
	if file, ok := files.json(); ok && *base != "" {
		refuse("-report %s: a comparison has no JSON report; use .html, .md, .tex or .txt, or -format json for what the gate finds", file)
	}
	opts, err := comparison.Options()
	if err != nil {
		faults = append(faults, err)
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	defer f.watch(stderr)()
	head, err := f.Rescore(dirs)
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
	f.status.Say("comparing")
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
	if *base != "" && before == nil && d.Failed() {
		d.Notes = append(d.Notes, "where a base may be missing, as on the first pull request, -base-missing report lets it pass")
	}
	noticed, err := diagnostics(head)
	if err != nil {
		return err
	}
	d.Notes = append(d.Notes, noticed...)
	f.status.Stop()
	err = write(f.output, stdout, func(w io.Writer) error {
		switch *format {
		case "json":
			return d.WriteJSON(w)
		case "markdown":
			return d.WriteMarkdown(w, head)
		}
		return d.WriteText(w, head)
	})
	// The reports are wanted most when the gate fails.
	if before != nil {
		// What is a tie to the gate is one in the report.
		effect := tiaptest.MinEffect(f.Set.Lookup("effect").Value.(flag.Getter).Get().(float64))
		err = errors.Join(err, files.compare(before, head, effect))
	} else {
		err = errors.Join(err, files.write(head))
	}
	if err == nil && d.Failed() {
		err = errGate
	}
	return err
}

// diagnostics are what an audit noticed in its data.
func diagnostics(a *tiaptest.Audit) ([]string, error) {
	var report struct{ Diagnostics []auditjson.Diagnostic }
	err := auditjson.Read(a.WriteJSON, &report)
	var out []string
	for _, d := range report.Diagnostics {
		out = append(out, d.String())
	}
	return out, err
}
