// Speed measures what audits cost, and writes it into docs/speed.md:
//
//	go run ./.ci/speed -o docs/speed.md                 # all of it, on a machine where nothing else runs
//	go run ./.ci/speed -only statements -o docs/speed.md
//	go run ./.ci/speed -check                           # is it still what docs/speed.md says?
//	go run ./.ci/speed -only times -trec_eval PATH -mtelmem 'python3 SCRIPT RECORDS TRACE'
//
// It measures three things, which -only names:
//
//	times       wall time, CPU time and memory of whole audits, beside sha256sum
//	statements  executed statements, which are the same on every machine
//	import      what a test pays for the import of tiaptest
//
// -check is a guard of speed without a clock. It counts statements and bytes, and
// fails when one of them differs from what docs/speed.md records by more than its
// room: above, something got slower; below, it is to be recorded, so that the guard
// stays narrow. The second command does that.
//
// The input of audits is synthetic (internal/synth, seed 1).
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/synth"
)

var (
	only  = flag.String("only", "times,statements,import", "what to measure, by commas")
	out   = flag.String("o", "", "`file` whose sections to write anew, in place of standard output")
	check = flag.Bool("check", false, "compare counts of statements and bytes with docs/speed.md, and write nothing")
)

// section is a part of docs/speed.md: the lines between <!-- name --> and
// <!-- /name -->.
type section struct {
	name    string
	measure func(dir string) (text string, figures []figure, err error)
}

var sections = []section{{"times", times}, {"statements", statements}, {"import", importing}}

// figure is a number that does not depend on the machine. It stands in the last
// column of the row of that name.
type figure struct {
	row   string
	value float64
	room  float64 // by how much of it another count may differ
}

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "tiap-speed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *check {
		return compare(dir)
	}
	for _, name := range strings.Split(*only, ",") {
		i := slices.IndexFunc(sections, func(s section) bool { return s.name == name })
		if i < 0 {
			return fmt.Errorf("-only %s: there are times, statements and import", name)
		}
		text, _, err := sections[i].measure(dir)
		if err != nil {
			return err
		}
		if *out == "" {
			fmt.Println(text)
			continue
		}
		if err := replace(*out, name, text); err != nil {
			return err
		}
	}
	return nil
}

// replace writes a section of a file anew.
func replace(file, name, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, after, ok := bytes.Cut(old, []byte("<!-- "+name+" -->\n"))
	_, after, closed := bytes.Cut(after, []byte("<!-- /"+name+" -->\n"))
	if !ok || !closed {
		return fmt.Errorf("%s has no section between <!-- %s --> and <!-- /%s -->", file, name, name)
	}
	return os.WriteFile(file, fmt.Appendf(nil, "%s<!-- %s -->\n\n%s\n<!-- /%s -->\n%s", before, name, text, name, after), 0o644)
}

// compare measures the figures and compares them with those recorded.
func compare(dir string) error {
	const record = "docs/speed.md"
	recorded, err := os.ReadFile(record)
	if err != nil {
		return err
	}
	values := make(map[string]string) // first column of a row: last one
	for line := range strings.Lines(string(recorded)) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); len(cells) > 1 {
			values[strings.TrimPrefix(cells[0], "| ")] = strings.TrimSuffix(cells[len(cells)-1], " |")
		}
	}
	var errs []error
	for _, s := range sections[1:] {
		_, figures, err := s.measure(dir)
		if err != nil {
			return err
		}
		for _, f := range figures {
			was, err := strconv.ParseFloat(values[f.row], 64)
			switch {
			case err != nil:
				errs = append(errs, fmt.Errorf("%s records nothing of %q; write it: go run ./.ci/speed -only %s -o %s", record, f.row, s.name, record))
				continue
			case f.value > (1+f.room)*was:
				errs = append(errs, fmt.Errorf("%s: %.2f, recorded are %.2f, with %g%% of room; make it cheaper, or record it: go run ./.ci/speed -only %s -o %s", f.row, f.value, was, 100*f.room, s.name, record))
			case f.value < (1-f.room)*was:
				errs = append(errs, fmt.Errorf("%s: %.2f, recorded are %.2f; record that it is cheaper: go run ./.ci/speed -only %s -o %s", f.row, f.value, was, s.name, record))
			}
			fmt.Printf("%-60s %10.2f of %.2f\n", f.row, f.value, was)
		}
	}
	return errors.Join(errs...)
}

// build builds a package of the module with flags.
func build(dir, name, pkg string, flags ...string) (path string, err error) {
	path = filepath.Join(dir, name)
	_, err = output(exec.Command("go", slices.Concat([]string{"build", "-o", path}, flags, []string{pkg})...))
	return path, err
}

// output runs a command and returns its standard output.
func output(c *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	c.Stderr = &stderr
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, stderr.Bytes())
	}
	return text, nil
}

// files writes synthetic input into a new folder, and returns the arguments that
// name it to the command tiaptest.
func files(dir string, shape synth.Shape, queries, depth, systems int) (data string, args []string, err error) {
	data = filepath.Join(dir, string(shape))
	if err := os.RemoveAll(data); err != nil {
		return "", nil, err
	}
	if err := synth.Write(data, synth.Config{Shape: shape, Queries: queries, Depth: depth, Systems: systems, Seed: 1}); err != nil {
		return "", nil, err
	}
	at := func(name string) string { return filepath.Join(data, name) }
	switch shape {
	case synth.MTELMem:
		args = []string{"-records", at("records.jsonl"), "-trace", at("trace.jsonl")}
	case synth.TREC:
		for _, t := range []string{"raw", "source", "canonical"} {
			args = append(args, "-qrels", t+"="+at("qrels."+t+".txt"))
		}
		args = append(args, "-run", at("run-D1.txt"))
	default:
		args = []string{data}
	}
	return data, args, nil
}
