package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/table"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// contestedFlags are those of the command contested beside the input's.
type contestedFlags struct {
	*inputFlags
	ask                          *askFlags
	sample                       int
	filled, judge, model, madeAs string
}

func newContestedFlags() *contestedFlags {
	f := &contestedFlags{inputFlags: newInputFlags("contested")}
	s := f.Set
	s.IntVar(&f.sample, "sample", 0, "draw at most `N` memories for each target and range of ranks, by -seed; 0 draws all")
	s.StringVar(&f.filled, "filled", "", "read the filled `FILE` back and write its labels, for labels.jsonl")
	s.StringVar(&f.judge, "judge", "", "`NAME` of who filled -filled, or of the judge behind -ask, which is its model otherwise")
	s.StringVar(&f.model, "model", "", "`name` of the model to -ask, or of the one that filled -filled; without it a human did")
	s.StringVar(&f.madeAs, "sample-name", "", "`name` of the sample that is judged, kept in the labels")
	f.ask = newAskFlags(s)
	s.Usage = func() {
		fmt.Fprint(s.Output(), `usage: tiaptest contested [flags] DIR -o FILE.csv
       tiaptest contested [flags] DIR -filled FILE.csv -judge NAME -o labels.jsonl
       tiaptest contested [flags] DIR -ask URL -model NAME -o labels.jsonl
Writes what is to be judged: each retrieved memory that a target may credit and Raw
does not, with its question and answer, and an empty label to be filled with
supports, partial or does_not_support. A file named .csv is a table for a
spreadsheet, any other one has a JSON object a line.
`)
		s.PrintDefaults()
	}
	return f
}

func contested(args []string, stdout, stderr io.Writer) error {
	f := newContestedFlags()
	dirs, err := cli.Parse(f.Set, args, stdout)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	a, err := f.Rescore(dirs)
	if err != nil {
		return err
	}
	cases, err := f.cases(a)
	if err != nil {
		return err
	}
	if f.filled != "" {
		labels, err := f.readFilled(cases)
		if err != nil {
			return err
		}
		return write(f.output, stdout, labels.Write)
	}
	render := semantic.WriteJSONL
	if strings.HasSuffix(strings.ToLower(f.output), ".csv") {
		render = semantic.WriteCSV
	}
	var strata []semantic.Stratum
	if f.sample > 0 {
		seed, _ := f.Set.Lookup("seed").Value.(flag.Getter).Get().(uint64)
		cases, strata = semantic.Sample(cases, f.sample, seed)
	}
	if f.ask.url != "" {
		err = f.ask.run(&semantic.Endpoint{Model: f.model, Name: f.judge, Sample: f.madeAs}, cases, f.output, stdout, stderr)
	} else {
		err = write(f.output, stdout, func(w io.Writer) error { return render(w, cases) })
	}
	if err != nil || strata == nil {
		return err
	}
	// A share over the sample is one over all cases only with these as weights.
	rows := [][]string{{"target", "ranks", "drawn", "of"}}
	for _, s := range strata {
		rows = append(rows, []string{printable(s.Target), s.Bucket, fmt.Sprint(s.Drawn), fmt.Sprint(s.Size)})
	}
	return table.Write(stderr, "", rows)
}

func (f *contestedFlags) check() error {
	var faults []error
	refuse := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("tiaptest contested: "+format, args...))
	}
	if f.sample < 0 {
		refuse("-sample %d: it must be at least 0", f.sample)
	}
	asks := f.ask.url != ""
	switch {
	case f.filled != "" && asks:
		refuse("-filled and -ask: use one")
	case f.filled != "" && f.judge == "":
		refuse("-filled %s: say who filled it with -judge NAME", f.filled)
	case asks && f.model == "":
		refuse("-ask %s: name the model with -model NAME", f.ask.url)
	}
	if f.filled != "" && f.sample > 0 {
		refuse("-sample: not with -filled, whose rows are the sample")
	}
	if asks && (f.output == "" || f.output == "-") {
		refuse("-ask %s: name the file of labels with -o labels.jsonl", f.ask.url)
	}
	f.Set.Visit(func(g *flag.Flag) {
		switch g.Name {
		case "judge", "model", "sample-name":
			if f.filled == "" && !asks {
				refuse("-%s: only with -filled or -ask", g.Name)
			}
		case "key-env", "workers", "per-minute", "dry-run", "v":
			if !asks {
				refuse("-%s: only with -ask", g.Name)
			}
		}
	})
	if f.ask.workers < 1 {
		refuse("-workers %d: it must be at least 1", f.ask.workers)
	}
	if f.ask.perMinute < 0 {
		refuse("-per-minute %d: it must be at least 0", f.ask.perMinute)
	}
	return errors.Join(faults...)
}

// cases lists what the targets of an audit may credit and Raw does not.
func (f *contestedFlags) cases(a *tiaptest.Audit) ([]semantic.Case, error) {
	var all []semantic.Case
	var names []string
	var faults []error
	for _, t := range a.Targets() {
		if !mayContest(t) {
			continue
		}
		names = append(names, t.String())
		cases, err := semantic.Contested(a, t)
		if err != nil {
			faults = append(faults, fmt.Errorf("tiaptest contested: %w", err))
		}
		all = append(all, cases...)
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("tiaptest contested: no target contests Raw; add source or canonical to -targets")
	case len(faults) == len(names):
		return nil, faults[0]
	case len(all) == 0:
		return nil, fmt.Errorf("tiaptest contested: nothing to judge: no memory is retrieved that only %s may credit", strings.Join(names, " or "))
	}
	return all, nil
}

func (f *contestedFlags) readFilled(cases []semantic.Case) (*semantic.Labels, error) {
	by := semantic.Judgement{Judge: f.judge, Kind: semantic.Human, Sample: f.madeAs}
	if f.model != "" {
		by.Kind, by.Model = semantic.Model, f.model
	}
	file, err := os.Open(f.filled)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w; name the file that was filled", f.filled, e.Err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return semantic.ReadAnswers(f.filled, file, cases, by)
}
