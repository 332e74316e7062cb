package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/replace"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
)

func audit(args []string, stdout, stderr io.Writer) error {
	f := newInputFlags("audit")
	f.Describe("", `Rescores saved rankings under several targets: which stored memories may earn credit for
a gold turn. raw credits the turn itself, source all that descends from it, canonical
what descends from it in other forms and is served. Writes a table of scores, of winners
and where they depend on the target, and what was noticed in the data. DIR is a bundle:
see go doc github.com/tiaptest/tiap/tiaptest.Open.
`)
	json := f.Set.Bool("json", false, "write the JSON report instead of the table")
	text := f.Set.Bool("text", false, "write the whole report as text instead of the table; on a terminal it has its width and colours")
	perQuery := f.Set.String("per-query", "", "write the value of every query to `FILE` as JSONL")
	files := newReports(f.Set, "")
	more := newStudyFlags(f.Set)
	dirs, err := cli.Parse(f.Set, args, stdout)
	if err != nil {
		return err
	}
	if *json && *text {
		return errors.New("tiaptest audit: -json and -text: use one")
	}
	if err := checkOutputs(f.Set, files); err != nil {
		return err
	}
	depths, err := more.check()
	if err != nil {
		return err
	}
	f.support.Always = more.wanted
	defer f.watch(stderr)()
	b, opts, err := f.read(dirs, f.Open)
	if err != nil {
		return err
	}
	f.status.Say("scoring %s", nameOf(dirs))
	a, err := tiaptest.Rescore(b, opts...)
	if err != nil {
		return err
	}
	var extras []report.Option
	if more.wanted {
		more.status = f.status
		if extras, err = more.run(a, dirs, depths, f.support); err != nil {
			return err
		}
	}
	if f.support.Labels != nil {
		extras = append(extras, report.Support(f.support.Labels, f.support.Rules))
	}
	render := a.WriteTable
	switch {
	case *json:
		render = func(w io.Writer) error { return report.Write(w, report.JSON, a, extras...) }
	case *text:
		render = func(w io.Writer) error { return report.Write(w, report.Text, a, extras...) }
	case more.wanted:
		f.status.Say("support")
		added, err := report.Add(a, extras...)
		if err != nil {
			return err
		}
		render = func(w io.Writer) error { return study{added}.writeText(w, a) }
	}
	f.status.Say("writing")
	if *perQuery == "-" {
		f.status.Stop()
	}
	if *perQuery != "" {
		if err := write(*perQuery, stdout, a.WritePerQuery); err != nil {
			return err
		}
	}
	if err := files.write(a, extras...); err != nil {
		return err
	}
	f.status.Stop()
	return write(f.output, stdout, render)
}

// write renders to a file, or to standard output when the file is "" or "-". A file is
// written when rendering succeeded, as a whole or not at all.
func write(file string, stdout io.Writer, render func(io.Writer) error) error {
	if file == "" || file == "-" {
		return render(stdout)
	}
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	err := replace.Output(file, b.Bytes())
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w; name a file that can be written", file, e.Err)
	}
	return err
}
