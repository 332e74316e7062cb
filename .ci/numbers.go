// Numbers writes docs/trust.md: what the tests are, what they cover, and what the
// checks that take long found.
//
//	.ci/long >long.txt
//	go run .ci/numbers.go -o docs/trust.md long.txt
//
// It runs all tests once, with coverage, unless -events and -profile give what
// such a run wrote:
//
//	go test -json -coverpkg=./... -coverprofile=PROFILE ./... >EVENTS
//
// Arguments are files that hold the output of .ci/long, .ci/fuzz or .ci/mutate, or
// several of them; of what they do not hold the page says nothing.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	out     = flag.String("o", "", "`file` to write the page to, in place of standard output")
	events  = flag.String("events", "", "`file` with the events of a run of all tests")
	profile = flag.String("profile", "", "`file` with the coverage of the same run")
)

func main() {
	flag.Parse()
	if err := numbers(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "numbers:", err)
		os.Exit(1)
	}
}

func numbers(outputs []string) error {
	if (*events == "") != (*profile == "") {
		return errors.New("give -events and -profile, or neither")
	}
	if *events == "" {
		dir, err := os.MkdirTemp("", "tiap-numbers-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		*events, *profile = filepath.Join(dir, "events"), filepath.Join(dir, "profile")
		if err := runTests(); err != nil {
			return err
		}
	}
	module, err := module()
	if err != nil {
		return err
	}
	source, err := readSource()
	if err != nil {
		return err
	}
	ran, err := readEvents(source, module)
	if err != nil {
		return err
	}
	covered, err := readProfile(module)
	if err != nil {
		return err
	}
	long, err := readOutputs(outputs, module)
	if err != nil {
		return err
	}

	var b bytes.Buffer
	b.WriteString("# Trust\n\nMade by `go run .ci/numbers.go`, which says how.\n\n")
	table(&b, "what", "number")
	for _, row := range []struct {
		what string
		n    int
	}{
		{"tests that pass, with their subtests", ran.passed},
		{"tests that are skipped", ran.skipped},
		{"functions that are tests", source.tests},
		{"of them, with properties of random input", source.properties},
		{"Examples", source.examples},
		{"fuzz targets", source.targets},
		{"cases of bad input, in files named after it", ran.bad},
		{"cases against published data", ran.conformance},
		{"scripts", source.scripts},
		{"cases of each property, in a long run", long.cases},
	} {
		if row.n > 0 {
			fmt.Fprintf(&b, "| %s | %d |\n", row.what, row.n)
		}
	}
	covered.write(&b)
	long.write(&b)
	if *out == "" {
		_, err = os.Stdout.Write(b.Bytes())
		return err
	}
	return os.WriteFile(*out, b.Bytes(), 0o666)
}

// runTests runs all tests, which must pass.
func runTests() error {
	f, err := os.Create(*events)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "test", "-count=1", "-timeout=2h", "-json", "-coverpkg=./...", "-coverprofile="+*profile, "./...")
	cmd.Stdout, cmd.Stderr = f, os.Stderr
	if err := errors.Join(cmd.Run(), f.Close()); err != nil {
		return fmt.Errorf("go test: %w; mend what fails first", err)
	}
	return nil
}

// module is the path of the module.
func module() (string, error) {
	text, err := exec.Command("go", "list", "-m").Output()
	return strings.TrimSpace(string(text)), err
}

// table writes the head of a table, whose columns but the first are numbers.
func table(b *bytes.Buffer, head ...string) {
	fmt.Fprintf(b, "| %s |\n| ---%s |\n", strings.Join(head, " | "), strings.Repeat(" | ---:", len(head)-1))
}

// source is what stands in the files of the module.
type source struct {
	tests, properties, examples, targets, scripts int

	bad map[string]bool // tests in files about bad input, as "folder name"
}

// badFile is the name of a file whose tests are about input that must be refused.
var badFile = regexp.MustCompile(`(^|_)(bad[a-z]*|fail|hostile|limit|permission|refuses)(_[a-z]+)*_test\.go$`)

func readSource() (*source, error) {
	s := &source{bad: make(map[string]bool)}
	return s, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != ".":
			return fs.SkipDir
		case d.IsDir() && d.Name() == "testdata":
			scripts, err := filepath.Glob(filepath.Join(path, "*", "*.txtar"))
			here, err2 := filepath.Glob(filepath.Join(path, "*.txtar"))
			s.scripts += len(scripts) + len(here)
			return cmp.Or(err, err2, fs.SkipDir)
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			name := f.Name.Name
			switch {
			case strings.HasPrefix(name, "Fuzz"):
				s.targets++
			case strings.HasPrefix(name, "Example"):
				s.examples++
			case strings.HasPrefix(name, "Test") && name != "TestMain":
				s.tests++
				if checksProperty(f) {
					s.properties++
				}
				if badFile.MatchString(d.Name()) {
					s.bad[filepath.ToSlash(filepath.Dir(path))+" "+name] = true
				}
			}
		}
		return nil
	})
}

// checksProperty reports whether a test calls rapid.Check.
func checksProperty(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "rapid" && (sel.Sel.Name == "Check" || sel.Sel.Name == "MakeCheck") {
				found = true
			}
		}
		return !found
	})
	return found
}

// ran counts the tests that a run of all tests ended.
type ran struct{ passed, skipped, bad, conformance int }

func readEvents(s *source, module string) (*ran, error) {
	f, err := os.Open(*events)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	type test struct{ pkg, name string }
	ended, parents := make(map[test]string), make(map[test]bool)
	for d := json.NewDecoder(bufio.NewReader(f)); d.More(); {
		var e struct{ Action, Package, Test string }
		if err := d.Decode(&e); err != nil {
			return nil, fmt.Errorf("%s: %w", *events, err)
		}
		if e.Action == "fail" {
			return nil, fmt.Errorf("%s: %s %s fails; mend it first", *events, e.Package, e.Test)
		}
		if e.Test == "" || e.Action != "pass" && e.Action != "skip" {
			continue
		}
		ended[test{e.Package, e.Test}] = e.Action
		if i := strings.LastIndexByte(e.Test, '/'); i > 0 {
			parents[test{e.Package, e.Test[:i]}] = true
		}
	}
	var r ran
	for t, action := range ended {
		if action == "skip" {
			r.skipped++
			continue
		}
		r.passed++
		if parents[t] {
			continue
		}
		top, _, _ := strings.Cut(t.name, "/")
		if s.bad[within(t.pkg, module)+" "+top] {
			r.bad++
		}
		if strings.Contains(top, "Conformance") {
			r.conformance++
		}
	}
	return &r, nil
}

// within is the path of a package in its module.
func within(pkg, module string) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/"), ".")
}

// coverage counts the statements of packages that any test runs.
type coverage map[string]*share

type share struct{ part, of int }

func (s share) percent() string { return fmt.Sprintf("%.1f", 100*float64(s.part)/float64(s.of)) }

// readProfile reads a coverage profile, in which each test binary has counted all
// packages: what one of them has run is covered.
func readProfile(module string) (coverage, error) {
	text, err := os.ReadFile(*profile)
	if err != nil {
		return nil, err
	}
	type block struct {
		n   int // statements
		run bool
	}
	blocks := make(map[string]block)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line) // file:from,to statements count
		if len(fields) != 3 {
			continue // the mode
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %q is no line of a profile", *profile, line)
		}
		blocks[fields[0]] = block{n, blocks[fields[0]].run || fields[2] != "0"}
	}
	c := make(coverage)
	for place, b := range blocks {
		file, _, _ := strings.Cut(place, ":")
		pkg := within(file[:strings.LastIndexByte(file, '/')], module)
		if c[pkg] == nil {
			c[pkg] = new(share)
		}
		c[pkg].of += b.n
		if b.run {
			c[pkg].part += b.n
		}
	}
	return c, nil
}

func (c coverage) write(b *bytes.Buffer) {
	b.WriteString("\n## Coverage\n\nStatements that the tests of any package run, not counted in processes that they start.\n\n")
	table(b, "package", "statements", "covered %")
	var all share
	for _, pkg := range slices.Sorted(maps.Keys(c)) {
		s := *c[pkg]
		all.part, all.of = all.part+s.part, all.of+s.of
		fmt.Fprintf(b, "| %s | %d | %s |\n", pkg, s.of, s.percent())
	}
	fmt.Fprintf(b, "| all | %d | %s |\n", all.of, all.percent())
}

// long is what the checks that take long print.
type long struct {
	inputs  map[string]int   // by fuzz target
	mutants map[string]share // killed, by part
	kills   map[string][3]int
	cases   int
}

var (
	fuzzed  = regexp.MustCompile(`^(\S+) (Fuzz\w+): (\d+) inputs$`)
	mutated = regexp.MustCompile(`^([\w/. -]+): (\d+)/(\d+)$`)
	begun   = regexp.MustCompile(`^=== (?:RUN|CONT|NAME) +(\w+)`)
	killed  = regexp.MustCompile(`: (\d+) kills: after (\d+) there was what was done, after (\d+) one piece more, after none anything torn or lost`)
	passed  = regexp.MustCompile(`^ok  \t(\S+)`)
	checked = regexp.MustCompile(`^(\d+) cases of each property$`)
)

func readOutputs(files []string, module string) (*long, error) {
	l := &long{inputs: make(map[string]int), mutants: make(map[string]share), kills: make(map[string][3]int)}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		test, waiting := "", make(map[string][3]int) // kills of tests whose package has not ended
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\r\n")
			if m := fuzzed.FindStringSubmatch(line); m != nil {
				l.inputs[within(m[1], module)+" "+m[2]] += atoi(m[3])
			} else if m := mutated.FindStringSubmatch(line); m != nil {
				l.mutants[m[1]] = share{atoi(m[2]), atoi(m[3])}
			} else if m := begun.FindStringSubmatch(line); m != nil {
				test = m[1]
			} else if m := killed.FindStringSubmatch(line); m != nil {
				waiting[test] = [3]int{atoi(m[1]), atoi(m[2]), atoi(m[3])}
			} else if m := passed.FindStringSubmatch(line); m != nil {
				for test, kills := range waiting {
					l.kills[within(m[1], module)+" "+test] = kills
				}
				clear(waiting)
			} else if m := checked.FindStringSubmatch(line); m != nil {
				l.cases = atoi(m[1])
			}
		}
	}
	return l, nil
}

// atoi is the number that a pattern found.
func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		panic(err)
	}
	return n
}

func (l *long) write(b *bytes.Buffer) {
	if len(l.inputs) > 0 {
		all := 0
		for _, n := range l.inputs {
			all += n
		}
		fmt.Fprintf(b, "\n## Fuzzing\n\nInputs tried in a long run, %d in all. What failed before lies in testdata/fuzz and is tried by each go test.\n\n", all)
		table(b, "target", "inputs")
		for _, target := range slices.Sorted(maps.Keys(l.inputs)) {
			fmt.Fprintf(b, "| %s | %d |\n", target, l.inputs[target])
		}
	}
	if len(l.kills) > 0 {
		b.WriteString("\n## Kills\n\nProcesses that were killed at random moments. After none was anything torn or lost; after some there was one piece more than was said to be done.\n\n")
		table(b, "test", "kills", "as it was", "one piece more")
		for _, test := range slices.Sorted(maps.Keys(l.kills)) {
			k := l.kills[test]
			fmt.Fprintf(b, "| %s | %d | %d | %d |\n", test, k[0], k[1], k[2])
		}
	}
	if len(l.mutants) > 0 {
		b.WriteString("\n## Mutants\n\nChanges to the code, one at a time, and how many of them make a test fail (`.ci/mutate`).\n\n")
		table(b, "part", "mutants", "killed", "killed %")
		for _, part := range slices.Sorted(maps.Keys(l.mutants)) {
			s := l.mutants[part]
			fmt.Fprintf(b, "| %s | %d | %d | %s |\n", part, s.of, s.part, s.percent())
		}
	}
}
