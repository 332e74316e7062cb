package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/internal/table"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// contestedFlags are those of the command contested beside the input's.
type contestedFlags struct {
	*inputFlags
	ask                          *askFlags
	sample                       int
	assign, disputed             string
	overlap                      float64
	filled, judge, model, madeAs string
}

func newContestedFlags() *contestedFlags {
	f := &contestedFlags{inputFlags: newInputFlags("contested")}
	f.Set = without(f.Set, "metrics", "uncovered", "population", "cluster", "min-effect", "alpha", "resamples")
	s := f.Set
	s.IntVar(&f.sample, "sample", 0, "draw at most `N` of the retrieved memories for each target and range of ranks, by -seed; 0 takes all. How many there are goes to standard error")
	s.StringVar(&f.assign, "assign", "", "deal the cases out to these `people`, separated by commas, each a file of their own: ann gets FILE.ann.csv for -o FILE.csv")
	s.Float64Var(&f.overlap, "overlap", 0.2, "`share` of the cases that all people of -assign get, so that their agreement can be measured")
	s.StringVar(&f.disputed, "disputed", "", "keep the cases on which judges differ, and which the adjudicator of -label-rule has not decided; the `view` says what is a difference: three compares all three classes, relevant takes partial for support, strict does not. How far judges agree goes to standard error")
	s.StringVar(&f.filled, "filled", "", "read the filled `FILE` back and add its labels to the file of labels that -o names")
	s.StringVar(&f.judge, "judge", "", "`NAME` of who filled the file of -filled, or of the judge behind -ask; without it that is the model")
	s.StringVar(&f.model, "model", "", "`name` of the model that -ask asks, or that filled the file of -filled; without it a person did")
	s.StringVar(&f.madeAs, "sample-name", "", "`name` of the sample that is judged; it is kept in the labels")
	f.ask = newAskFlags(s)
	s.Usage = func() {
		fmt.Fprint(s.Output(), `usage: tiaptest contested [flags] DIR -o FILE.csv
       tiaptest contested [flags] DIR -assign NAMES -o FILE.csv
       tiaptest contested [flags] DIR -filled FILE.csv -judge NAME -o labels.jsonl
       tiaptest contested [flags] DIR -disputed VIEW -o FILE.csv
       tiaptest contested [flags] DIR -ask URL -model NAME -o labels.jsonl
Writes what is to be judged: each retrieved memory that a target may credit and Raw
does not, with its question and answer, and an empty label to be filled with
supports, partial or does_not_support. A file named .csv is a table for a
spreadsheet, any other one has a JSON object a line. A file that exists is not
written over, since it may be filled. Labels are added to those of -o. Cases whose
memory or query has no text are left out, and named on standard error.
`)
		s.PrintDefaults()
	}
	return f
}

// without is a set of flags but for some, which have no effect on the list of cases.
func without(all *flag.FlagSet, names ...string) *flag.FlagSet {
	kept := flag.NewFlagSet(all.Name(), flag.ContinueOnError)
	all.VisitAll(func(g *flag.Flag) {
		if !slices.Contains(names, g.Name) {
			kept.Var(g.Value, g.Name, g.Usage)
		}
	})
	return kept
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
	if f.disputed != "" {
		f.support.Always, f.support.Undecided = true, true
	}
	defer f.watch(stderr)()
	a, err := f.Rescore(dirs)
	if err != nil {
		return err
	}
	f.status.Say("listing contested credits")
	cases, err := f.cases(a)
	if err != nil {
		return err
	}
	f.status.Stop()
	if f.filled != "" {
		return f.keepFilled(cases, stdout)
	}
	if f.disputed != "" {
		if cases, err = f.keepDisputed(a, cases, stderr); err != nil || len(cases) == 0 {
			return err
		}
	}
	if cases, err = f.keepJudgeable(cases, stderr); err != nil {
		return err
	}
	all := cases
	var strata []semantic.Stratum
	if f.sample > 0 {
		cases, strata = semantic.Sample(all, f.sample, f.seed())
	}
	switch {
	case f.ask.url != "":
		err = f.ask.run(&semantic.Endpoint{Model: f.model, Name: f.judge, Sample: f.madeAs}, cases, f.output, stdout, stderr)
	case f.assign != "":
		err = f.writeAssigned(cases, stderr)
	default:
		err = f.writeList(cases, all, stdout, stderr)
	}
	if err != nil || strata == nil {
		return err
	}
	// A share over the sample is one over all only with these as weights.
	if _, err := io.WriteString(stderr, "retrieved memories drawn for each target and range of ranks; those of one query and text are one case:\n"); err != nil {
		return err
	}
	rows := [][]string{{"target", "ranks", "drawn", "of"}}
	for _, s := range strata {
		rows = append(rows, []string{phrase.Name(s.Target), s.Bucket, fmt.Sprint(s.Drawn), fmt.Sprint(s.Size)})
	}
	return table.Write(stderr, "", rows)
}

func (f *contestedFlags) seed() uint64 {
	seed, _ := f.Set.Lookup("seed").Value.(flag.Getter).Get().(uint64)
	return seed
}

// writeList writes cases, and says what a file of them holds: a label of a case is one
// of all retrieved memories with its query and text, drawn or not.
func (f *contestedFlags) writeList(cases, all []semantic.Case, stdout, stderr io.Writer) error {
	if err := writeCases(f.output, stdout, cases); err != nil || f.output == "" || f.output == "-" {
		return err
	}
	tasks := make(map[string]bool)
	for _, c := range cases {
		tasks[c.Task()] = true
	}
	judged, credits := 0, 0
	for _, c := range all {
		if c.Earns {
			credits++
			if tasks[c.Task()] {
				judged++
			}
		}
	}
	of := english.Count(credits, "contested credit", "contested credits")
	if judged < credits {
		of = fmt.Sprintf("%d of %s", judged, of)
	}
	_, err := fmt.Fprintf(stderr, "%s to judge, for %s, written to %s\n", english.Count(len(tasks), "case", "cases"), of, f.output)
	return err
}

// writeCases writes cases for people, in the format of the file's ending. What is
// there already may have been filled in, and is left alone.
func writeCases(file string, stdout io.Writer, cases []semantic.Case) error {
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		return fmt.Errorf("%s: the file exists, and its labels would be lost; remove it or name another one", file)
	}
	render := semantic.WriteJSONL
	if isTable(file) {
		render = semantic.WriteCSV
	}
	return write(file, stdout, func(w io.Writer) error { return render(w, cases) })
}

// isTable reports whether a file is named as a table for a spreadsheet.
func isTable(file string) bool { return strings.HasSuffix(strings.ToLower(file), ".csv") }

// people are those of -assign.
func (f *contestedFlags) people() []string {
	names := strings.Split(f.assign, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return names
}

// assigned is the file of one of the people.
func (f *contestedFlags) assigned(name string) string {
	ending := filepath.Ext(f.output)
	return strings.TrimSuffix(f.output, ending) + "." + name + ending
}

// writeAssigned deals cases out.
func (f *contestedFlags) writeAssigned(cases []semantic.Case, stderr io.Writer) error {
	dealt, err := semantic.Assign(cases, f.people(), f.overlap, f.seed())
	if err != nil {
		return fmt.Errorf("tiaptest contested: -assign %s: %w", f.assign, err)
	}
	rows := [][]string{{"judge", "cases", "file"}}
	for _, name := range f.people() {
		if len(dealt[name]) == 0 {
			return fmt.Errorf("tiaptest contested: -assign %s: there are not enough cases for all; %s would get none", f.assign, name)
		}
		rows = append(rows, []string{name, fmt.Sprint(len(dealt[name])), f.assigned(name)})
	}
	for _, name := range f.people() {
		if err := writeCases(f.assigned(name), nil, dealt[name]); err != nil {
			return err
		}
	}
	return table.Write(stderr, "", rows)
}

// keepDisputed leaves the cases that are to be adjudicated, and says how far judges
// agree.
func (f *contestedFlags) keepDisputed(a *tiaptest.Audit, cases []semantic.Case, stderr io.Writer) ([]semantic.Case, error) {
	labels := f.support.Labels
	if labels == nil {
		return nil, fmt.Errorf("tiaptest contested: -disputed %s: there are no labels; name them with -labels FILE or put labels.jsonl into the bundle", f.disputed)
	}
	disputed, err := semantic.Disputed(cases, labels, semantic.View(f.disputed), f.support.Rules)
	if err != nil {
		return nil, fmt.Errorf("tiaptest contested: %w", err)
	}
	l, err := studyLabels(a, f.support)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	l.writeText(&b)
	fmt.Fprintf(&b, "\n%d disputed and not decided\n", len(disputed))
	_, err = io.WriteString(stderr, strings.TrimPrefix(b.String(), "\n"))
	return disputed, err
}

// keepJudgeable leaves out the cases that cannot be judged, and says so. None that can
// be is an error.
func (f *contestedFlags) keepJudgeable(cases []semantic.Case, stderr io.Writer) ([]semantic.Case, error) {
	fit, err := semantic.Judgeable(cases)
	if err == nil || len(fit) == 0 {
		return fit, err
	}
	_, err = fmt.Fprintf(stderr, "tiaptest contested: left out: %v\n", err)
	return fit, err
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
	case f.assign != "" && (asks || f.filled != ""):
		refuse("-assign %s: it deals cases out to people; leave out -ask and -filled", f.assign)
	case f.filled != "" && f.judge == "":
		refuse("-filled %s: say who filled it with -judge NAME", f.filled)
	case asks && f.model == "":
		refuse("-ask %s: name the model with -model NAME", f.ask.url)
	}
	if f.filled != "" && f.sample > 0 {
		refuse("-sample: not with -filled, whose rows are the sample")
	}
	if f.filled != "" && f.disputed != "" {
		refuse("-disputed: not with -filled, whose rows are the disputed ones")
	}
	if v := f.disputed; v != "" && !slices.Contains([]semantic.View{semantic.ThreeClass, semantic.Relevant, semantic.Strict}, semantic.View(v)) {
		refuse("-disputed %s: it must be three, relevant or strict", v)
	}
	if f.assign != "" {
		f.checkAssign(refuse)
	}
	if (asks || f.filled != "") && isTable(f.output) {
		refuse("-o %s: labels are no table for a spreadsheet but a JSON object a line; name it labels.jsonl", f.output)
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
		case "overlap":
			if f.assign == "" {
				refuse("-overlap: only with -assign")
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

// checkAssign refuses people whose files would be none or one.
func (f *contestedFlags) checkAssign(refuse func(format string, args ...any)) {
	if f.output == "" || f.output == "-" {
		refuse("-assign %s: name the files with -o FILE.csv, which becomes FILE.NAME.csv for each", f.assign)
	}
	people := f.people()
	for i, name := range people {
		switch {
		case name == "" || strings.ContainsAny(name, `/\:*?"<>|`) || strings.ContainsFunc(name, unicode.IsControl):
			refuse("-assign %s: %q cannot be a part of a file's name; use letters and digits", f.assign, name)
		case slices.ContainsFunc(people[:i], func(other string) bool { return strings.EqualFold(other, name) }):
			refuse("-assign %s: %s is named twice, in whatever case; name each once", f.assign, name)
		}
	}
	if !(f.overlap >= 0 && f.overlap <= 1) {
		refuse("-overlap %g: it must lie between 0 and 1", f.overlap)
	}
}

// cases lists what the targets of an audit may credit and Raw does not.
func (f *contestedFlags) cases(a *tiaptest.Audit) ([]semantic.Case, error) {
	var all []semantic.Case
	var names []string
	var faults []error
	for _, t := range a.Targets() {
		if !semantic.Contests(t) {
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

// keepFilled adds what was filled in to the labels of -o, or writes it to standard
// output.
func (f *contestedFlags) keepFilled(cases []semantic.Case, stdout io.Writer) error {
	labels, err := f.readFilled(cases)
	if err != nil {
		return err
	}
	if f.output == "" || f.output == "-" {
		return write(f.output, stdout, labels.Write)
	}
	added, err := labels.AppendTo(f.output)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "labels by %s: %d, of which %d added to %s and %d there before\n", phrase.Name(f.judge), labels.Len(), added, f.output, labels.Len()-added)
	return err
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
