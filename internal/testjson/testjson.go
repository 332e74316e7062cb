// Package testjson reads the events that go test -json prints (go doc
// cmd/test2json) and keeps what a summary of the run needs: how packages, builds
// and tests ended, what the failed ones printed, and what passing tests say for
// machines. What passing tests print is forgotten as soon as they pass.
//
// What does not end has not passed: a package or a test without an event that says
// how it ended counts as failed. A failure stays one, whatever a later run of the
// same test says.
package testjson

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Result says how a test or a package ended.
type Result int

// The results.
const (
	Unended Result = iota // the events stop before its end
	Passed
	Failed
	Skipped // for a package: it has no tests
)

// String names the result as in a sentence.
func (r Result) String() string {
	return [...]string{"did not end", "passed", "failed", "skipped"}[r]
}

// Run is what the events of one or several runs of go test say.
type Run struct {
	Packages []*Package // by path
	Builds   []*Build   // that failed, by path
	Other    Text       // lines that are no events
}

// Package is a package whose tests were run, or were to be.
type Package struct {
	Path    string // "" when the events do not say
	Result  Result
	Cached  bool    // the go command repeated an earlier result
	Elapsed float64 // seconds, over all its runs

	// Tests, subtests included, by how they ended; benchmarks that passed are not
	// counted.
	Passed, Failed, Skipped, Unended int

	FailedBuild string  // path of the build that failed, so that no test was run
	Output      Text    // of the package itself, when it failed or did not end
	Tests       []*Test // that failed, did not end or said something, in the order in which they ended
}

// Test is a test, an example, a fuzz target or a benchmark.
type Test struct {
	Name      string
	Result    Result
	Output    Text // unless it passed or was skipped; without the lines that frame tests
	Attrs     []Attr
	Artifacts []string // folders
	Notes     []string // lines of its output that the reader was asked to note
}

// deepest is how many tests a subtest is looked for in.
const deepest = 100

// Above yields the names of the tests that a subtest is within, from the inside and at
// most a hundred.
func (t *Test) Above() iter.Seq[string] {
	return func(yield func(string) bool) {
		name := t.Name
		for range deepest {
			i := strings.LastIndexByte(name, '/')
			if i <= 0 {
				return
			}
			if name = name[:i]; !yield(name) {
				return
			}
		}
	}
}

// Attr is an attribute of a test.
type Attr struct{ Key, Value string }

// Build is the build of a package.
type Build struct {
	Path   string
	Output Text
}

// Ran counts the tests that were run to an end and not skipped.
func (r *Run) Ran() int {
	n := 0
	for _, p := range r.Packages {
		n += p.Passed + p.Failed
	}
	return n
}

// OK reports whether every build, package and test ended well. A run without any
// is OK.
func (r *Run) OK() bool {
	return len(r.Builds) == 0 && !slices.ContainsFunc(r.Packages, func(p *Package) bool { return p.Result == Failed || p.Result == Unended })
}

// Failures lists the tests that failed or did not end and have something to say: a
// test that failed only since its subtests did is left out.
func (p *Package) Failures() []*Test {
	parents := make(map[string]bool)
	for _, t := range p.Tests {
		if t.Result == Failed || t.Result == Unended {
			for above := range t.Above() {
				parents[above] = true
			}
		}
	}
	var out []*Test
	for _, t := range p.Tests {
		if (t.Result == Failed || t.Result == Unended) && !(parents[t.Name] && t.Output.Empty()) {
			out = append(out, t)
		}
	}
	return out
}

// end takes in the result of one of its runs: a failure stays one.
func (p *Package) end(r Result, first bool) {
	if p.Failed+p.Unended > 0 && r != Unended {
		r = Failed
	}
	rank := map[Result]int{Skipped: 0, Passed: 1, Failed: 2, Unended: 3}
	if first || rank[r] > rank[p.Result] {
		p.Result = r
	}
}

// sorted returns the values of a map by their keys.
func sorted[K cmp.Ordered, V, W any](m map[K]V, value func(V) W) []W {
	var out []W
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, value(m[k]))
	}
	return out
}
