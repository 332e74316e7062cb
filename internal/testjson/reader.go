package testjson

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/limit"
)

// Bounds of what is kept.
const (
	longestLine = 1 << 20 // bytes; test2json splits longer ones of a test long before
	mostOutput  = 8 << 20 // bytes that all failures may have printed; what comes later is dropped
	mostSaid    = 200     // attributes, folders and notes of a test, each

	// About how many bytes a test and a package take beside their texts, with their
	// place in maps and lists.
	testSize    = 300
	packageSize = 600
)

// Reader reads runs of go test. The zero value is ready to use.
type Reader struct {
	// Note, unless nil, says which lines of what a test prints are to be noted,
	// whether the test passes or not.
	Note func(line string) bool

	packages map[string]*running
	builds   map[string]*build
	other    Text
	kept     int // bytes of output
	held     int // bytes of all that is kept, about
}

// running is a package with what is open of it.
type running struct {
	*Package
	open, ended bool // a run of it has begun; one has ended
	output      Text
	tests       map[string]*Test
	order       []*Test // as they began; those that have ended are not in tests
}

type build struct {
	Build
	failed bool
}

// event is a line of go test -json, of a test or of a build.
type event struct {
	Action      string
	Package     string
	Test        string
	Output      string
	Key, Value  string  // of an attribute
	Path        string  // of a folder of artifacts
	Elapsed     float64 // seconds
	FailedBuild string
	ImportPath  string // of a build
}

// Read reads the output of one go test -json to its end and counts its events. What
// has not ended by then never will. Input without any event says nothing about tests.
//
// An event that is cut off or broken may be one that says that something failed, so
// input with one is an error, which names the line; the rest is read all the same.
// Input that is cut off between two packages cannot be told from whole input.
//
// Reading stops with an error at the line where more would be kept than
// [limit.Events]; what tests print is dropped long before.
func (r *Reader) Read(in io.Reader) (events int, err error) {
	if r.packages == nil {
		r.packages, r.builds = make(map[string]*running), make(map[string]*build)
	}
	defer r.finish()
	b := bufio.NewReaderSize(in, 64<<10)
	broken, first := 0, 0 // lines
	for n := 1; ; n++ {
		line, err := readLine(b)
		if len(line) > 0 {
			if r.line(line) {
				events++
				if r.held > limit.Events {
					return events, fmt.Errorf("line %d: %w", n, &limit.Error{
						What: "the tests and packages until here that failed, have not ended or said something take more than " + limit.Bytes(limit.Events),
						Mend: "test fewer packages at once",
					})
				}
			} else if len(bytes.TrimSpace(line)) > 0 {
				r.other.add(string(bytes.TrimRight(line, "\r\n")) + "\n")
				if isBroken(line, err == io.EOF) {
					broken, first = broken+1, cmp.Or(first, n)
				}
			}
		}
		switch {
		case err != nil && err != io.EOF:
			return events, err
		case err == io.EOF && broken > 0:
			return events, fmt.Errorf("line %d is an event that is cut off or broken (%s); keep all that go test -json writes, and only that", first, english.Count(broken, "such line", "such lines"))
		case err == io.EOF:
			return events, nil
		}
	}
}

// isBroken reports whether a line that is no event was to be one: it begins as events
// do but is no JSON of one, or is the beginning of a line that does not end.
func isBroken(line []byte, last bool) bool {
	if last && line[0] == '{' {
		return true
	}
	for _, begin := range []string{`{"Time":`, `{"Action":`, `{"ImportPath":`} {
		if bytes.HasPrefix(line, []byte(begin)) {
			return json.Unmarshal(line, new(event)) != nil
		}
	}
	return false
}

// readLine reads a line of any length; what is too long is cut.
func readLine(b *bufio.Reader) ([]byte, error) {
	line, err := b.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	long := bytes.Clone(line)
	for err == bufio.ErrBufferFull {
		line, err = b.ReadSlice('\n')
		if len(long) < longestLine {
			long = append(long, line...)
		}
	}
	return long[:min(len(long), longestLine)], err
}

// line takes in a line and reports whether it is an event.
func (r *Reader) line(line []byte) bool {
	var e event
	if line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
		return false
	}
	switch e.Action {
	case "build-output", "build-fail":
		b := r.builds[e.ImportPath]
		if b == nil {
			b = &build{Build: Build{Path: e.ImportPath}}
			r.builds[e.ImportPath] = b
			r.held += packageSize + len(e.ImportPath)
		}
		b.failed = b.failed || e.Action == "build-fail"
		r.print(&b.Output, e.Output)
		return true
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &running{Package: &Package{Path: e.Package}, tests: make(map[string]*Test)}
		r.packages[e.Package] = p
		r.held += packageSize + len(e.Package)
	}
	if e.Test != "" {
		r.test(p, &e)
		return true
	}
	switch e.Action {
	case "start":
		p.open = true
	case "output":
		r.print(&p.output, e.Output)
		p.Cached = p.Cached || cached.MatchString(e.Output)
	case "pass", "fail", "skip":
		if p.FailedBuild == "" {
			p.FailedBuild = e.FailedBuild
			r.held += len(e.FailedBuild)
		}
		p.Elapsed += e.Elapsed
		r.end(p, map[string]Result{"pass": Passed, "fail": Failed, "skip": Skipped}[e.Action])
	}
	return true
}

// cached is the last line of a package whose result is not new.
var cached = regexp.MustCompile(`^ok  \t\S+\t\(cached\)`)

// test takes in an event of a test.
func (r *Reader) test(p *running, e *event) {
	t := p.tests[e.Test]
	if t == nil {
		t = &Test{Name: e.Test}
		p.begin(t)
		r.held += testSize + len(t.Name)
	}
	switch e.Action {
	case "output":
		if !frame(e.Output) {
			r.print(&t.Output, e.Output)
			if line := strings.TrimRight(e.Output, "\r\n"); r.Note != nil && len(t.Notes) < mostSaid && r.Note(line) {
				t.Notes = append(t.Notes, line)
				r.held += len(line)
			}
		}
	case "attr":
		if len(t.Attrs) < mostSaid {
			t.Attrs = append(t.Attrs, Attr{e.Key, e.Value})
			r.held += len(e.Key) + len(e.Value)
		}
	case "artifacts":
		if len(t.Artifacts) < mostSaid {
			t.Artifacts = append(t.Artifacts, e.Path)
			r.held += len(e.Path)
		}
	case "pass", "bench":
		r.endTest(p, t, Passed)
	case "fail":
		r.endTest(p, t, Failed)
	case "skip":
		r.endTest(p, t, Skipped)
	}
}

// begin takes in a test. Of the list of those that began, the ones that have ended are
// dropped from time to time: tests that pass cost nothing, however many there are.
func (p *running) begin(t *Test) {
	p.tests[t.Name] = t
	if len(p.order) > 2*len(p.tests)+100 {
		p.order = slices.DeleteFunc(p.order, func(t *Test) bool { return p.tests[t.Name] != t })
	}
	p.order = append(p.order, t)
	p.open = true
}

// print adds to what is printed. Where all that is kept comes near its limit, what was
// printed before is dropped.
func (r *Reader) print(t *Text, s string) {
	before := t.size()
	t.add(s)
	if r.held > limit.Events/2 {
		t.drop()
	}
	r.held += t.size() - before
}

// frame reports whether a line is not what the test printed but what package testing
// prints around it. The events say the same.
func frame(line string) bool {
	if name, ok := strings.CutPrefix(line, "=== "); ok {
		for _, begin := range []string{"RUN  ", "PAUSE", "CONT ", "NAME ", "ATTR ", "ARTIFACTS"} {
			if strings.HasPrefix(name, begin) {
				return true
			}
		}
	}
	return result.MatchString(line)
}

var result = regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP|BENCH): .* \(\d+\.\d+s\)\r?\n?$`)

// endTest takes in how a test ended, and keeps it if it says something.
func (r *Reader) endTest(p *running, t *Test, result Result) {
	if p.tests[t.Name] == t {
		delete(p.tests, t.Name)
	}
	t.Result = result
	switch result {
	case Passed:
		if !isBenchmark(t.Name) {
			p.Passed++
		}
	case Failed:
		p.Failed++
	case Skipped:
		p.Skipped++
	case Unended:
		p.Unended++
	}
	if result == Passed || result == Skipped {
		r.held -= t.Output.size()
		t.Output = Text{}
		if len(t.Attrs)+len(t.Artifacts)+len(t.Notes) == 0 {
			r.held -= testSize + len(t.Name)
			return
		}
	}
	r.keep(&t.Output)
	p.Tests = append(p.Tests, t)
}

// keep bounds what is kept of all that is printed.
func (r *Reader) keep(t *Text) {
	if r.kept += t.size(); r.kept > mostOutput {
		r.held -= t.size()
		t.drop()
	}
}

// end takes in how a run of a package ended, and with it the tests that have not.
func (r *Reader) end(p *running, result Result) {
	for _, t := range p.order {
		switch {
		case p.tests[t.Name] != t: // it has ended
		case result == Passed && isBenchmark(t.Name): // go test does not say how these end
			r.endTest(p, t, Passed)
		default:
			r.endTest(p, t, Unended)
		}
	}
	p.order = nil
	p.Package.end(result, !p.ended)
	if p.Result == Failed || p.Result == Unended {
		r.keep(&p.output)
		r.print(&p.Output, p.output.String())
	}
	r.held -= p.output.size()
	p.output = Text{}
	p.open, p.ended = false, true
}

// isBenchmark reports whether a name is that of a benchmark or a part of one.
func isBenchmark(name string) bool { return strings.HasPrefix(name, "Benchmark") }

// finish ends what is open: nothing will end it any more.
func (r *Reader) finish() {
	for _, p := range r.packages {
		if p.open || !p.ended {
			r.end(p, Unended)
		}
	}
}

// Run returns what was read so far.
func (r *Reader) Run() *Run {
	out := &Run{Other: r.other}
	out.Packages = sorted(r.packages, func(p *running) *Package { return p.Package })
	for _, b := range sorted(r.builds, func(b *build) *build { return b }) {
		if b.failed {
			out.Builds = append(out.Builds, &b.Build)
		}
	}
	return out
}
