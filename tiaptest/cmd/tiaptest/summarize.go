package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"

	"github.com/tiaptest/tiap/internal/annotation"
	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/summary"
	"github.com/tiaptest/tiap/internal/testjson"
)

func summarize(args []string, stdout, stderr io.Writer) error {
	return summarizeFrom(os.Stdin, args, stdout, stderr)
}

// summaryName is what a summary may be called: it stands in a comment of HTML.
var summaryName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9 ._]|-[A-Za-z0-9 ._])*$`)

// summarizeFrom summarizes files, or else what comes from in.
func summarizeFrom(in io.Reader, args []string, stdout, stderr io.Writer) error {
	s := flag.NewFlagSet("tiaptest summarize", flag.ContinueOnError)
	output := s.String("o", "", "write the Markdown to `FILE` instead of standard output")
	step := s.Bool("step-summary", false, "append the Markdown to the file that GITHUB_STEP_SUMMARY names, instead of standard output")
	annotate := s.Bool("annotations", false, "write GitHub's annotations to standard output")
	name := s.String("name", "go test", "`name` in the heading and in the marker, which tells the comments on a pull request apart")
	s.Usage = func() {
		fmt.Fprint(s.Output(), `usage: go test -json ./... | tiaptest summarize [flags]
       tiaptest summarize [flags] FILE...
Writes what the events of go test -json say as Markdown, for the summary of a step
of CI and for a comment on a pull request: findings, verdicts and scores by target
first, then what failed. It is shorter than the 65,536 characters that a comment may
have; what is left out is said. Standard output has the outcome in one line where it
does not have the Markdown. Files are named relative to the repository, which is
GITHUB_WORKSPACE where that is set, or else the nearest folder above with .git;
nothing else of the environment counts without a flag.

The exit status is 0 when every package passed and at least one test ran, 1 when a
build, a package or a test failed or did not end, or when no test ran, and 2 when
an input cannot be read, holds no event, or has one that is cut off or broken. Input
that ends between two packages cannot be told from whole input: let the exit status of
go test count too.
`)
		s.PrintDefaults()
	}
	files, err := cli.Parse(s, args, stdout)
	if err != nil {
		return err
	}
	stepFile := ""
	if *step {
		stepFile = os.Getenv("GITHUB_STEP_SUMMARY")
	}
	var faults []error
	if *step && stepFile == "" {
		faults = append(faults, errors.New("tiaptest summarize: -step-summary: GITHUB_STEP_SUMMARY names no file; use -o FILE outside of GitHub Actions"))
	}
	if !summaryName.MatchString(*name) {
		faults = append(faults, fmt.Errorf("tiaptest summarize: -name %q: use letters, digits, blanks, dots, underlines and single dashes, and begin with a letter or digit", *name))
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}

	r := testjson.Reader{Note: summary.IsFinding}
	if len(files) == 0 {
		faults = append(faults, readEvents(&r, "standard input", in))
	}
	for _, file := range files {
		faults = append(faults, readEventFile(&r, file))
	}
	unusable := errors.Join(faults...)
	sum := summary.New(*name, r.Run(), places(), unusable)

	// What is wrong with an input is said there too: on a runner nobody may read the log.
	markdown := sum.Markdown()
	var wrong error
	if stepFile != "" {
		wrong = appendFile(stepFile, markdown)
	}
	toStdout := *output == "-" || *output == "" && stepFile == ""
	if toStdout || *output != "" {
		wrong = errors.Join(wrong, write(*output, stdout, func(w io.Writer) error { _, err := io.WriteString(w, markdown); return err }))
	}
	if !toStdout {
		_, err := fmt.Fprintln(stdout, sum.Line())
		wrong = errors.Join(wrong, err)
	}
	if *annotate {
		wrong = errors.Join(wrong, annotation.Write(stdout, sum.Annotations()))
	}
	if err := errors.Join(unusable, wrong); err != nil {
		return err
	}
	if sum.Failed() {
		return errGate
	}
	return nil
}

// places are those around the current folder, where go test ran.
func places() summary.Places {
	dir, err := os.Getwd()
	if err != nil {
		return summary.Places{}
	}
	return summary.FindPlaces(dir, os.Getenv("GITHUB_WORKSPACE"))
}

func readEventFile(r *testjson.Reader, name string) error {
	f, err := os.Open(name)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w; name a file that go test -json wrote", name, e.Err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return readEvents(r, name, f)
}

func readEvents(r *testjson.Reader, name string, in io.Reader) error {
	n, err := r.Read(in)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case n == 0:
		return fmt.Errorf("%s: no event of go test -json; make it with go test -json, or with gotestsum --jsonfile", name)
	}
	return nil
}

func appendFile(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w; name a file that can be written", err)
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
