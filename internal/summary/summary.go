// Package summary says what a run of go test found, for the summary of a step of CI,
// for a comment on a pull request, and as annotations of its files. What tests with
// package tiaptest or golden say comes first: findings, verdicts, scores by target.
package summary

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/annotation"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/testjson"
)

// limit is the size in bytes of the Markdown, below the 65,536 characters
// that GitHub takes for a comment, less a margin for what a poster adds.
const limit = 60_000

// How many characters of a name and of a line are shown, and how many bytes a
// table may have.
const (
	shownName  = 120
	shownLine  = 300
	shownTable = 7_000
)

// Summary is what is to be said about a run.
type Summary struct {
	name     string
	run      *testjson.Run
	places   Places
	unusable error               // what is wrong with the input
	builds   map[string]bool     // that failed, by path
	listed   map[findingRow]bool // those that follow

	findings                  []findingRow
	audits, goldens, packages [][]string
	scores                    []scored
	noScores                  int // tests whose artifacts cannot be read
	failures                  []failure

	passed, failedTests, unended, skipped int // tests
	badPackages, testedPackages           int // testedPackages have tests that passed
	flips                                 int // that fail
}

type findingRow struct{ state, text, test string }

type scored struct {
	test string
	scores
}

// failure is a test, a build or a package that failed or did not end.
type failure struct {
	what  string // in words, with its name
	text  string // what it printed
	see   string // the test above that printed something, when it did not; "" for none
	place place
}

// New summarizes a run under a name. Unusable says what is wrong with its input; nil
// is nothing.
func New(name string, run *testjson.Run, p Places, unusable error) *Summary {
	s := &Summary{name: name, run: run, places: p, unusable: unusable, builds: make(map[string]bool), listed: make(map[findingRow]bool)}
	var flips, builds, packages, others, mute []failure
	var good [][]string                   // packages
	untested := make(map[string][]string) // packages without tests run, by the build that failed
	for _, pkg := range run.Packages {
		if pkg.FailedBuild != "" {
			untested[pkg.FailedBuild] = append(untested[pkg.FailedBuild], pkg.Path)
		}
	}
	for _, b := range run.Builds {
		s.builds[b.Path] = true
		text := b.Output.String()
		if left := untested[b.Path]; len(left) > 0 {
			text += "no test was run in " + strings.Join(left, ", ")
		}
		builds = append(builds, failure{what: "build of " + p.short(b.Path), text: text, place: p.build(b.Output.String())})
	}
	for _, pkg := range run.Packages {
		if pkg.Passed > 0 {
			s.testedPackages++
		}
		s.passed += pkg.Passed
		s.failedTests += pkg.Failed
		s.unended += pkg.Unended
		s.skipped += pkg.Skipped
		result := pkg.Result.String()
		switch {
		case pkg.FailedBuild != "":
			result = "not built"
		case pkg.Cached && pkg.Result == testjson.Passed:
			result = "passed (cached)"
		case pkg.Result == testjson.Skipped:
			result = "no tests"
		}
		row := []string{p.short(pkg.Path), result, fmt.Sprint(pkg.Passed), fmt.Sprint(pkg.Failed + pkg.Unended), fmt.Sprint(pkg.Skipped), seconds(pkg.Elapsed)}
		if pkg.Result == testjson.Failed || pkg.Result == testjson.Unended {
			s.packages = append(s.packages, row)
			s.badPackages++
		} else {
			good = append(good, row)
		}
		for _, t := range pkg.Tests {
			s.say(pkg, t)
		}
		heard := speakersOf(pkg)
		for _, t := range pkg.Failures() {
			text := t.Output.String()
			f := failure{what: s.label(pkg, t), text: text, place: p.test(pkg.Path, text)}
			if t.Output.Empty() {
				f.see = heard.above(t)
			}
			if t.Result == testjson.Unended {
				f.what += " did not end"
			}
			checks, records := said(t)
			switch {
			case len(checks)+len(records)+len(t.Notes) > 0:
				flips = append(flips, f)
			case t.Output.Empty():
				mute = append(mute, f)
			default:
				others = append(others, f)
			}
		}
		if f, ok := s.packageFailure(pkg); ok {
			packages = append(packages, f)
		}
	}
	s.packages = append(s.packages, good...)
	slices.SortStableFunc(s.findings, func(a, b findingRow) int { return stateOrder(a.state) - stateOrder(b.state) })
	s.failures = slices.Concat(flips, builds, packages, others, mute)
	return s
}

// seconds is how long a package took; what no run takes is no number.
func seconds(s float64) string {
	if !(s >= 0 && s < 1e9) {
		return "-"
	}
	return fmt.Sprintf("%.1f", s)
}

// speakers are the names of the tests of a package that failed and printed something.
type speakers map[string]bool

func speakersOf(p *testjson.Package) speakers {
	out := make(speakers)
	for _, t := range p.Failures() {
		if !t.Output.Empty() {
			out[t.Name] = true
		}
	}
	return out
}

// above is the nearest test above a subtest that is one of them, or "". What a subtest
// that panics prints is output of such a test, since test2json takes the subtest for
// ended by then.
func (s speakers) above(t *testjson.Test) string {
	for name := range t.Above() {
		if s[name] {
			return name
		}
	}
	return ""
}

// packageFailure is the failure of a package that none of its tests or builds
// explains.
func (s *Summary) packageFailure(p *testjson.Package) (failure, bool) {
	f := failure{what: "package " + s.places.short(p.Path), text: p.Output.String()}
	switch {
	case p.Result == testjson.Unended:
		f.what += " did not end"
		f.text = "the events stop before its end: go test was stopped, or a test left the process\n" + f.text
	case p.Result != testjson.Failed || len(p.Failures()) > 0:
		return f, false
	case s.builds[p.FailedBuild]:
		return f, false
	}
	f.place = s.places.test(p.Path, f.text)
	return f, true
}

// label names a test with its package.
func (s *Summary) label(p *testjson.Package, t *testjson.Test) string {
	if p.Path == "" {
		return t.Name
	}
	return t.Name + " in " + s.places.short(p.Path)
}

// say takes in what a test says of audits.
func (s *Summary) say(p *testjson.Package, t *testjson.Test) {
	test := s.label(p, t)
	for _, line := range t.Notes {
		text, known := findingText(line)
		row := findingRow{t.Result.String(), text, test}
		if known {
			row.state = "known"
		}
		if s.listed[row] {
			continue
		}
		s.listed[row] = true
		s.findings = append(s.findings, row)
		if row.state != "known" && t.Result == testjson.Failed && strings.Contains(text, " flip ") {
			s.flips++
		}
	}
	checks, records := said(t)
	for _, c := range checks {
		s.audits = append(s.audits, []string{test, c.verdict, c.headline, c.winner, c.n, c.credit, strings.Join(c.broken, ", ")})
	}
	for _, r := range records {
		s.goldens = append(s.goldens, []string{test, r.key, r.verdict})
	}
	for _, dir := range t.Artifacts {
		all, err := readScores(dir)
		if err != nil && (len(checks) > 0 || !errors.Is(err, errNoArtifacts)) {
			s.noScores++
		}
		for _, one := range all {
			s.scores = append(s.scores, scored{test, one})
		}
	}
}

// stateOrder orders findings: first those of tests that failed, last those known.
func stateOrder(state string) int {
	return slices.Index([]string{testjson.Failed.String(), testjson.Unended.String(), testjson.Passed.String(), testjson.Skipped.String(), "known"}, state)
}

// Failed reports whether not every package passed, or no test ran.
func (s *Summary) Failed() bool { return s.unusable != nil || !s.run.OK() || s.run.Ran() == 0 }

// noTest reports whether no test was run, not even one that did not end.
func (s *Summary) noTest() bool { return s.run.Ran() == 0 && s.unended == 0 }

// Line is the outcome in one line.
func (s *Summary) Line() string {
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, english.Count(n, one, many))
		}
	}
	tests := s.passed + s.failedTests + s.unended + s.skipped
	if s.unusable != nil {
		parts = append(parts, "an input cannot be used")
	}
	add(s.flips, "flip in failed tests", "flips in failed tests")
	if n := s.failedTests + s.unended; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s failed", n, english.Count(tests, "test", "tests")))
	}
	add(len(s.run.Builds), "build failed", "builds failed")
	if s.badPackages > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s failed", s.badPackages, english.Count(len(s.run.Packages), "package", "packages")))
	}
	if s.noTest() {
		parts = append(parts, "no test ran")
	}
	if s.Failed() {
		return "failed: " + strings.Join(parts, ", ")
	}
	text := fmt.Sprintf("passed: %s in %s", english.Count(s.passed, "test", "tests"), english.Count(s.testedPackages, "package", "packages"))
	if s.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", s.skipped)
	}
	return text
}

// Marker is the line by which a poster finds its earlier comment.
func (s *Summary) Marker() string { return "<!-- tiaptest summarize: " + s.name + " -->" }

// Markdown writes GitHub Flavored Markdown below the limit.
func (s *Summary) Markdown() string {
	var b strings.Builder
	alert := "TIP"
	if s.Failed() {
		alert = "CAUTION"
	}
	fmt.Fprintf(&b, "%s\n## %s\n\n> [!%s]\n> %s\n\n", s.Marker(), harmless.Markdown(s.name), alert, s.Line())
	if s.unusable != nil {
		b.WriteString(block(s.unusable.Error(), shownTable) + "\n")
	}
	var open, known [][]string
	for _, f := range s.findings {
		if f.state == "known" {
			known = append(known, []string{f.text, f.test})
		} else {
			open = append(open, []string{f.state, f.text, f.test})
		}
	}
	section(&b, "Findings", "finding", []string{"test", "finding", "in"}, open)
	section(&b, "Golden files", "comparison", []string{"test", "golden file", "verdict"}, s.goldens)
	section(&b, "Audits", "audit", []string{"test", "rules", "headline", "winner", "n", "credit", "broken"}, s.audits)
	s.scoreTables(&b)
	rest := folded("known finding", []string{"finding", "in"}, known) +
		folded("package", []string{"package", "result", "passed", "failed", "skipped", "seconds"}, s.packages)
	if !s.run.Other.Empty() {
		rest += "<details><summary>Lines between the events</summary>\n\n" + block(s.run.Other.String(), 2_000) + "\n</details>\n\n"
	}
	b.WriteString(s.details(limit-b.Len()-len(rest)) + rest)
	return b.String()
}

// scoreTables shows the scores by target of each audit, as far as there is room.
func (s *Summary) scoreTables(b *strings.Builder) {
	start, left := b.Len(), 0
	heading := "### Scores\n\n"
	for _, one := range s.scores {
		head := append([]string{"system"}, one.targets...)
		var rows [][]string
		for i, system := range one.systems {
			rows = append(rows, append([]string{system}, one.cells[i]...))
		}
		text := fmt.Sprintf("%s%s of scenario %s in %s; %s\n\n%s", heading, shown(one.metric), shown(one.scenario), shown(one.test), shown(one.basis), tableOf("system", head, rows))
		if b.Len()+len(text)-start > shownTable {
			left++
			continue
		}
		b.WriteString(text)
		heading = ""
	}
	if left > 0 {
		fmt.Fprintf(b, "%sAnd the scores of %s, not shown here.\n\n", heading, english.Count(left, "more audit", "more audits"))
		heading = ""
	}
	if s.noScores > 0 {
		fmt.Fprintf(b, "%sThe scores of %s cannot be read: the artifacts are not where the tests left them.\n\n", heading, english.Count(s.noScores, "test", "tests"))
	}
}

// details shows what failed, in no more than room bytes: all of it cut by one
// measure, or as much of it as fits.
func (s *Summary) details(room int) string {
	if len(s.failures) == 0 {
		return ""
	}
	const heading, frame = "### Failures\n\n", 100
	for _, most := range []int{12_000, 4_000, 1_500, 600} {
		text := heading
		for i, f := range s.failures {
			next := f.details(most, len(s.failures) == 1)
			if len(text)+len(next)+frame > room {
				if most > 600 {
					break
				}
				return text + fmt.Sprintf("And %s, not shown here; see the log.\n\n", english.Count(len(s.failures)-i, "more failure", "more failures"))
			}
			text += next
			if i == len(s.failures)-1 {
				return text
			}
		}
	}
	panic("unreachable")
}

// details is a failure folded, or open when it is the only one.
func (f *failure) details(most int, open bool) string {
	attribute := ""
	if open {
		attribute = " open"
	}
	title := harmless.Element(harmless.Clean(f.what, shownName))
	if f.place.file != "" {
		title += ", " + harmless.Element(harmless.Clean(fmt.Sprintf("%s:%d", f.place.file, f.place.line), shownName))
	}
	text := "It printed nothing.\n"
	if f.see != "" {
		text = "It printed nothing itself; see " + shown(f.see) + ".\n"
	}
	if strings.TrimSpace(f.text) != "" {
		text = block(f.text, most)
	}
	return fmt.Sprintf("<details%s><summary>%s</summary>\n\n%s\n</details>\n\n", attribute, title, text)
}

// section writes a table below a heading, or nothing without rows.
func section(b *strings.Builder, heading, what string, head []string, rows [][]string) {
	if len(rows) > 0 {
		fmt.Fprintf(b, "### %s\n\n%s", heading, tableOf(what, head, rows))
	}
}

// folded is a table that is folded, or nothing without rows.
func folded(what string, head []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	return fmt.Sprintf("<details><summary>%s</summary>\n\n%s</details>\n\n", english.Count(len(rows), what, what+"s"), tableOf(what, head, rows))
}

// tableOf is a table of foreign texts, or nothing without rows. What makes it too
// long is left out and counted.
func tableOf(what string, head []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	for _, h := range head {
		b.WriteString("| " + shown(h) + " ")
	}
	b.WriteString("|\n" + strings.Repeat("| --- ", len(head)) + "|\n")
	for i, row := range rows {
		var line strings.Builder
		for _, cell := range row {
			if !number.MatchString(cell) {
				cell = shown(cell)
			}
			line.WriteString("| " + cell + " ")
		}
		if b.Len()+line.Len() > shownTable {
			fmt.Fprintf(&b, "\nAnd %s, not shown here.\n", english.Count(len(rows)-i, "more "+what, "more "+what+"s"))
			break
		}
		b.WriteString(line.String() + "|\n")
	}
	return b.String() + "\n"
}

// number is a cell that needs no quotes though it has more than letters and digits.
var number = regexp.MustCompile(`^(?:-|-?[0-9]+\.[0-9]+(?: \(n [0-9]+\))?)$`)

// shown is a foreign text in a cell or a sentence of Markdown.
func shown(s string) string { return harmless.Markdown(harmless.Clean(s, shownLine)) }

// block is a foreign text of several lines as a block of code, whose middle is left
// out when it is longer than most bytes. Of the first line that is not blank as much
// is kept as fits.
func block(text string, most int) string {
	var lines []string
	size := 0
	for line := range strings.Lines(harmless.Guard(strings.ReplaceAll(strings.TrimRight(text, " \t\r\n"), "\r\n", "\n"))) {
		line = strings.TrimRight(harmless.Clean(strings.TrimSuffix(line, "\n"), shownLine), " ")
		lines = append(lines, line)
		size += len(line) + 1
	}
	if size <= most {
		return harmless.Block(strings.Join(lines, "\n"))
	}
	for len(lines) > 1 && lines[0] == "" {
		lines = lines[1:]
	}
	lines[0] = cut(lines[0], most*2/3-1)
	head, tail := 0, len(lines)
	for room := most * 2 / 3; head < tail && len(lines[head]) < room; head++ {
		room -= len(lines[head]) + 1
	}
	for room := most / 3; tail > head && len(lines[tail-1]) < room; tail-- {
		room -= len(lines[tail-1]) + 1
	}
	kept := slices.Clone(lines[:head])
	if left := tail - head; left > 0 {
		kept = append(kept, fmt.Sprintf("[%s left out]", english.Count(left, "line", "lines")))
	}
	kept = append(kept, lines[tail:]...)
	return harmless.Block(strings.Join(kept, "\n"))
}

// cut shortens a line to at most n bytes, n > len("..."), and never within a
// character.
func cut(line string, n int) string {
	if len(line) <= n {
		return line
	}
	n -= len("...")
	for !utf8.RuneStart(line[n]) {
		n--
	}
	return line[:n] + "..."
}

// Annotations are those of what failed, in the order of the Markdown.
func (s *Summary) Annotations() []annotation.Annotation {
	var out []annotation.Annotation
	if s.unusable != nil {
		out = append(out, annotation.Annotation{Title: s.name, Message: s.unusable.Error()})
	} else if s.noTest() {
		out = append(out, annotation.Annotation{Title: s.name, Message: "no test ran"})
	}
	said := make(map[annotation.Annotation]bool) // without titles
	for _, f := range s.failures {
		silence := "it printed nothing"
		if f.see != "" {
			silence += " itself; see " + f.see
		}
		a := annotation.Annotation{File: f.place.file, Line: f.place.line, Title: f.what, Message: cmp.Or(f.place.message, silence)}
		// A file that is built for several tests fails in each of them.
		same := a
		same.Title = ""
		if a.File == "" || !said[same] {
			said[same] = true
			out = append(out, a)
		}
	}
	return out
}
