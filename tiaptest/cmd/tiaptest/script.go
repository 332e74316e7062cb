package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/shell"
	"github.com/tiaptest/tiap/scenarios/script"
)

func runScripts(args []string, stdout, _ io.Writer) error {
	set := flag.NewFlagSet("tiaptest script", flag.ContinueOnError)
	update := set.Bool("update", false, "where cmp finds a difference, write what was found into the script")
	verbose := set.Bool("v", false, "print what passing scripts find too")
	pattern := set.String("run", "", "run the scripts whose name, without folder and ending, matches `regexp`")
	set.Usage = func() {
		fmt.Fprint(set.Output(), `usage: tiaptest script [flags] FILE...
Runs scenario scripts: bundles with the commands that audit them and what is to be
found. "go doc github.com/tiaptest/tiap/scenarios/script" describes them. With
TIAP_UPDATE=1 in the environment, lines that compare with a golden file record it. The
exit status is 0 when all pass, 1 when one fails, and 2 for bad usage.
`)
		set.PrintDefaults()
	}
	files, err := cli.Parse(set, args, stdout)
	if err != nil {
		return err
	}
	files, err = scriptFiles(files, *pattern)
	if err != nil {
		return err
	}
	command := "go tool tiaptest script"
	for _, a := range args {
		command += " " + shell.Quote(a)
	}
	t := &scriptRun{out: stdout, verbose: *verbose}
	if !t.catch(func() {
		script.RunT(t, command, testscript.Params{Files: files, UpdateScripts: *update})
	}) {
		return fmt.Errorf("tiaptest script: %s", strings.TrimSpace(t.log.String()))
	}
	if t.failed > 0 {
		fmt.Fprintf(stdout, "%d of %d failed\n", t.failed, len(files))
		return errGate
	}
	return nil
}

// scriptFiles are those of the files whose name matches, with the faults of all.
func scriptFiles(files []string, pattern string) (matching []string, err error) {
	matches, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("tiaptest script: -run: %w", err)
	}
	var faults []error
	for _, file := range files {
		info, err := os.Stat(file)
		switch e, isPath := errors.AsType[*fs.PathError](err); {
		case isPath:
			faults = append(faults, fmt.Errorf("%s: %w; name a scenario script", file, e.Err))
		case err != nil:
			faults = append(faults, err)
		case info.IsDir():
			faults = append(faults, fmt.Errorf("%s: it is a folder; name the scripts in it, as %s", file, shell.Quote(file)+"/*.txtar"))
		case matches.MatchString(lines.Stem(file)):
			matching = append(matching, file)
		}
	}
	switch {
	case len(faults) > 0:
		return nil, errors.Join(faults...)
	case len(files) == 0:
		return nil, errors.New("tiaptest script: no script; name the files of some")
	case len(matching) == 0:
		return nil, fmt.Errorf("tiaptest script: no script has a name that matches %s", pattern)
	}
	return matching, nil
}

// scriptRun is the T that scripts run under, one after the other.
type scriptRun struct {
	out     io.Writer
	verbose bool
	log     bytes.Buffer // of the script that runs
	outcome string       // of the script that runs
	failed  int
}

// endOfScript is what ends a script before its last line.
type endOfScript struct{}

// catch reports whether f came to its end.
func (t *scriptRun) catch(f func()) (ended bool) {
	defer func() {
		if v := recover(); v != nil && v != any(endOfScript{}) {
			panic(v)
		}
	}()
	f()
	return true
}

// Run runs one script and prints its outcome, with the log of one that failed.
func (t *scriptRun) Run(name string, f func(testscript.T)) {
	t.log.Reset()
	t.outcome = "ok"
	t.catch(func() { f(t) })
	fmt.Fprintf(t.out, "%-4s  %s\n", t.outcome, name)
	if t.outcome == "FAIL" {
		t.failed++
	}
	if t.outcome == "FAIL" || t.verbose {
		log := t.log.String()
		if t.verbose { // testscript begins with the environment
			_, log, _ = strings.Cut(log, "\n\n")
		}
		for line := range strings.Lines(strings.TrimSpace(log)) {
			fmt.Fprintln(t.out, strings.TrimRight("      "+line, " \n"))
		}
	}
}

func (t *scriptRun) Skip(args ...any) {
	t.outcome = "skip"
	panic(endOfScript{})
}

func (t *scriptRun) Fatal(args ...any) {
	t.Log(args...)
	t.FailNow()
}

func (t *scriptRun) FailNow() {
	t.outcome = "FAIL"
	panic(endOfScript{})
}

func (t *scriptRun) Log(args ...any) { fmt.Fprintln(&t.log, args...) }
func (t *scriptRun) Verbose() bool   { return t.verbose }
func (t *scriptRun) Parallel()       {}
