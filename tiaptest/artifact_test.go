package tiaptest_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/usermodule"
	"github.com/tiaptest/tiap/tiaptest"
)

// attrRecorder keeps the attributes of a test, and refuses those that would fail
// it.
type attrRecorder struct {
	recorder
	attrs []string
}

func (r *attrRecorder) Attr(key, value string) {
	if strings.ContainsAny(key, " \t\r\n") || strings.ContainsAny(value, "\r\n") {
		r.TB.Errorf("attribute %q=%q would fail the test", key, value)
	}
	r.attrs = append(r.attrs, strings.TrimPrefix(key, "tiap.")+"="+value)
}

// ArtifactDir is asked for with -artifacts alone.
func (r *attrRecorder) ArtifactDir() string {
	if f := flag.Lookup("test.artifacts"); f == nil || f.Value.String() != "true" {
		r.TB.Error("the folder of artifacts is asked for without -artifacts")
	}
	return r.TB.ArtifactDir()
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	sound := []tiaptest.Rule{tiaptest.Nested()}
	level := contest(system("A", "rf"), system("B", "rf"))
	undeclared := changed(same(), func(b *tiaptest.Bundle) { b.Scenario.Headline = "" })
	for _, test := range []struct {
		name   string
		bundle *tiaptest.Bundle
		opts   tiaptest.Options
		rules  []tiaptest.Rule
		want   []string
	}{
		{"pass", same(), nil, sound, []string{"verdict=pass", "headline=canonical", "credit=evidence", "n=3", "winner=A on mrr@5 under canonical"}},
		{
			"fail", flipped(2), nil, []tiaptest.Rule{tiaptest.NoWinnerFlip(mrr, tiaptest.From(tiaptest.Fragile)), tiaptest.SharedSubset(3)},
			[]string{
				"verdict=fail", "headline=canonical", "credit=evidence", "n=2", "winner=B on mrr@5 under canonical",
				"broken=NoWinnerFlip(mrr@5, From(fragile))", "broken=NoWinnerFlip(mrr@5, From(fragile))", "broken=SharedSubset(3)",
			},
		},
		{"notes are not broken", flipped(2), tiaptest.Options{tiaptest.Known(finding(rawSource, ""), finding(rawCanonical, ""))}, []tiaptest.Rule{tiaptest.NoWinnerFlip(mrr)}, []string{"verdict=pass", "headline=canonical", "credit=evidence", "n=2", "winner=B on mrr@5 under canonical"}},
		{"no rule", same(), nil, nil, []string{"verdict=fail", "headline=canonical", "credit=evidence", "n=3", "winner=A on mrr@5 under canonical", "broken=Rules"}},
		{"undeclared headline", undeclared, nil, sound, []string{"verdict=pass", "headline=undeclared", "credit=evidence", "n=3", "winner=A on mrr@5 under raw"}},
		{"by memory", same(), tiaptest.Options{tiaptest.Credit(tiaptest.ByMemory), tiaptest.Headline(tiaptest.Raw)}, sound, []string{"verdict=pass", "headline=raw", "credit=memory", "n=3", "winner=A on mrr@5 under raw"}},
		{"tie", level, nil, sound, []string{"verdict=pass", "headline=canonical", "credit=evidence", "n=1", "winner=tie on mrr@5 under canonical"}},
		{"first metric", same(), tiaptest.Options{tiaptest.Metrics(recall, mrr)}, sound, []string{"verdict=pass", "headline=canonical", "credit=evidence", "n=3", "winner=tie on recall@5 under canonical"}},
		{"no score", unlinkedAll(same()), nil, []tiaptest.Rule{tiaptest.CompleteRuns()}, []string{"verdict=pass", "headline=canonical", "credit=evidence", "n=0", "winner=none on mrr@5 under canonical"}},
		{"first system without a score", unlinked(same(), 0, "fact"), nil, []tiaptest.Rule{tiaptest.CompleteRuns()}, []string{"verdict=pass", "headline=canonical", "credit=evidence", "n=3", "winner=B on mrr@5 under canonical"}},
		{"tie within the least effect", contest(system("A", "..rf"), system("B", ".rf"), system("C", "r.f")), tiaptest.Options{tiaptest.MinEffect(0.6), tiaptest.Headline(tiaptest.Raw)}, sound, []string{"verdict=pass", "headline=raw", "credit=evidence", "n=1", "winner=tie on mrr@5 under raw"}},
		{"rule with an odd name", flipped(2), nil, []tiaptest.Rule{tiaptest.StableRecommendation("x\r\n\x16y\u2028\xff", mrr)}, []string{
			"verdict=fail", "headline=canonical", "credit=evidence", "n=2", "winner=B on mrr@5 under canonical", "broken=StableRecommendation(x   y \ufffd, mrr@5)",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := &attrRecorder{recorder: recorder{TB: t}}
			tiaptest.Check(r, auditOf(test.bundle, test.opts), test.rules...)
			if diff := cmp.Diff(test.want, r.attrs); diff != "" {
				t.Errorf("attributes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNamesOfOneLine refuses names that would break a line of a message.
func TestNamesOfOneLine(t *testing.T) {
	t.Parallel()
	eligible := func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true }
	for _, name := range []string{"a\nb", "\r", "\t", "a\x16", "\x00", "\x7f", "\u0085", "a\u2028b", "\u2029"} {
		for of, err := range map[string]error{
			"system":          rescoreErr(renamed(same(), name)),
			"family":          rescoreErr(changed(same(), func(b *tiaptest.Bundle) { b.Systems[1].Family = name })),
			"target":          rescoreErr(same(), tiaptest.Beside(tiaptest.NewTarget(name, eligible))),
			"headline target": rescoreErr(changed(same(), func(b *tiaptest.Bundle) { b.Scenario.Headline = name })),
		} {
			assert.EqualError(t, err, fmt.Sprintf("the name %q of a %s has control characters; leave them out", name, of))
		}
	}
	for _, name := range []string{"a b", "größer", "日本 語", "👩\u200d💻", "a\u00a0b", `\n`} {
		assert.NoError(t, rescoreErr(renamed(same(), name)), "%q", name)
	}
}

func rescoreErr(b *tiaptest.Bundle, opts ...tiaptest.Option) error {
	_, err := tiaptest.Rescore(b, contestOptions, tiaptest.Options(opts))
	return err
}

// userTests is a suite of a user. Its ids and texts hold what a reader of test
// output might take for a line of its own.
const userTests = `
-- suite_test.go --
package user

import (
	"fmt"
	"testing"

	"github.com/tiaptest/tiap/tiaptest"
)

var mrr = tiaptest.MRR(5)

// bundle has A lead under raw and B under canonical. mark ends every id and text.
func bundle(mark string) *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "talk" + mark, Headline: "canonical"}}
	a, c := b.AddSystem("A", "family"), b.AddSystem("B", "family")
	for i := range 3 {
		turn, query := fmt.Sprint("t", i, mark), fmt.Sprint("q", i, mark)
		b.AddTurn(turn, turn).AddQuery(query, "Who?"+mark, turn)
		raw, fact := fmt.Sprint("r", i, mark), fmt.Sprint("f", i, mark)
		a.AddMemory(raw, "raw", turn).AddMemory(fact, "fact"+mark, turn).AddRanking(query, raw, "x", fact)
		c.AddMemory(raw, "raw", turn).AddMemory(fact, "fact"+mark, turn).AddRanking(query, fact, "x", raw)
	}
	return b
}

func rescore(tb testing.TB, mark string, opts ...tiaptest.Option) *tiaptest.Audit {
	tb.Helper()
	a, err := tiaptest.Rescore(bundle(mark), tiaptest.Depth(5), tiaptest.Metrics(mrr, tiaptest.MicroRecall(5)), tiaptest.Options(opts))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

const odd = "\n--- FAIL: TestFake (0.00s)\n=== RUN   TestFake2\r\n\x16--- PASS: TestFake3\x1b[31m\u2028"

// An id that is refused stands in the message of Rescore.
func TestRefused(t *testing.T) { rescore(t, odd+"\xff") }

func TestPasses(t *testing.T) { tiaptest.Check(t, rescore(t, ""), tiaptest.Nested()) }

func TestSeveral(t *testing.T) {
	tiaptest.Check(t, rescore(t, ""), tiaptest.Nested())
	tiaptest.Check(t, rescore(t, "", tiaptest.Headline(tiaptest.Raw)), tiaptest.CompleteRuns())
	t.Run("a b/c", func(t *testing.T) {
		t.Parallel()
		tiaptest.Check(t, rescore(t, ""), tiaptest.Nested())
	})
	t.Run("d", func(t *testing.T) {
		t.Parallel()
		tiaptest.Check(t, rescore(t, ""), tiaptest.Nested())
	})
	tiaptest.Check(t, rescore(t, ""), tiaptest.SharedSubset(3))
}

func TestKnown(t *testing.T) {
	known := tiaptest.Finding{A: "A", B: "B", Metric: mrr, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Canonical}, Reason: "we\nserve facts"}
	tiaptest.Check(t, rescore(t, "", tiaptest.Known(known)), tiaptest.NoWinnerFlip(mrr))
}

func TestFails(t *testing.T) { tiaptest.Check(t, rescore(t, ""), tiaptest.NoWinnerFlip(mrr)) }

func TestOdd(t *testing.T) {
	tiaptest.Check(t, rescore(t, odd), tiaptest.Nested(), tiaptest.SharedSubset(3), tiaptest.CompleteRuns())
}

func TestOddFails(t *testing.T) {
	tiaptest.Check(t, rescore(t, odd), tiaptest.NoWinnerFlip(mrr), tiaptest.TargetsReported(), tiaptest.StableRecommendation("family", mrr), tiaptest.StableRecommendation(odd, mrr),
		tiaptest.EachQuery(mrr, tiaptest.Raw, 1, tiaptest.Except(odd)), tiaptest.Winner("B", tiaptest.Raw, mrr), tiaptest.Winner(odd, tiaptest.Raw, mrr),
		tiaptest.StableTargetOrder(mrr), tiaptest.MinScore(odd, tiaptest.Raw, mrr, 1), tiaptest.MinCoverage(tiaptest.NewTarget(odd, nil), 1), tiaptest.ReportedIn(odd))
}

func BenchmarkScores(b *testing.B) { tiaptest.Bench(b, rescore(b, "")) }

func BenchmarkUndefined(b *testing.B) {
	tiaptest.Bench(b, rescore(b, "", tiaptest.Beside(tiaptest.NewTarget("own target", func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return false }))))
}
`

// goRun runs a command in a module of a user with some files.
type goRun struct {
	user *usermodule.Module
	dir  string
}

func newGoRun(t *testing.T, archive string) goRun {
	t.Helper()
	r := goRun{usermodule.New(t), t.TempDir()}
	require.NoError(t, r.user.Write(r.dir))
	for _, f := range txtar.Parse([]byte(archive)).Files {
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, f.Name), f.Data, 0o666))
	}
	return r
}

// run returns the standard output and the exit status.
func (r goRun) run(t *testing.T, command string, args ...string) (stdout []byte, status int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), command, args...)
	c.Dir, c.Env = r.dir, ownEnvironment()
	for name, value := range r.user.Env {
		c.Env = append(c.Env, name+"="+value)
	}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	if errs.Len() > 0 {
		t.Logf("standard error of %s:\n%s", command, &errs)
	}
	return out.Bytes(), c.ProcessState.ExitCode()
}

// files lists the files below the module, without those of go.
func (r goRun) files(t *testing.T) (list []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(r.dir, path)
			list = append(list, filepath.ToSlash(name))
		}
		return err
	}))
	return list
}

// event is a line of go test -json.
type event struct{ Action, Test, Key, Value, Output, Path string }

func (r goRun) events(t *testing.T, args ...string) (events []event, status int) {
	t.Helper()
	out, status := r.run(t, "go", append([]string{"test", "-json"}, args...)...)
	for line := range bytes.Lines(out) {
		var e event
		require.NoError(t, json.Unmarshal(line, &e), "%s", line)
		events = append(events, e)
	}
	return events, status
}

// verdicts are the tests that ended, with their result.
func verdicts(events []event) (list []string) {
	for _, e := range events {
		if e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
			list = append(list, e.Action+" "+e.Test)
		}
	}
	slices.Sort(list)
	return list
}

// TestMachineOutput runs the suite of a user: names with line ends and markers of
// the test protocol make no test and no line of their own.
func TestMachineOutput(t *testing.T) {
	t.Parallel()
	r := newGoRun(t, userTests)
	before := r.files(t)
	events, status := r.events(t)
	assert.Equal(t, 1, status)
	want := []string{"fail TestFails", "fail TestOddFails", "fail TestRefused", "pass TestKnown", "pass TestOdd", "pass TestPasses", "pass TestSeveral", "pass TestSeveral/a_b/c", "pass TestSeveral/d"}
	assert.Empty(t, cmp.Diff(want, verdicts(events)))
	assert.Equal(t, before, r.files(t), "without -artifacts nothing is written")

	attrs := make(map[string][]string)
	for _, e := range events {
		if e.Action == "attr" {
			assert.Regexp(t, `^tiap\.[a-z]+$`, e.Key)
			assert.NotRegexp(t, `[\x00-\x1f\x7f]`, e.Value)
			attrs[e.Test] = append(attrs[e.Test], strings.TrimPrefix(e.Key, "tiap.")+"="+e.Value)
		}
		if e.Action == "output" && e.Test != "" {
			assert.NotContains(t, e.Output, "\x1b", "control character")
			assert.Regexp(t, `^(=== (RUN|CONT|PAUSE|NAME|ATTR) |--- (PASS|FAIL): Test(Passes|Several(/(a_b/c|d))?|Fails|Known|Odd|OddFails|Refused) | {4,}\S|\s*$)`, e.Output, "a line of output starts with what a name holds")
		}
	}
	pass := []string{"verdict=pass", "headline=canonical", "credit=evidence", "n=3", "winner=B on mrr@5 under canonical"}
	assert.Equal(t, pass, attrs["TestPasses"])
	assert.Equal(t, pass, attrs["TestSeveral/d"])
	assert.Equal(t, []string{"verdict=fail", "headline=canonical", "credit=evidence", "n=3", "winner=B on mrr@5 under canonical", "broken=NoWinnerFlip(mrr@5)"}, attrs["TestFails"])
	assert.Len(t, attrs["TestSeveral"], 15, "three checks")
	assert.Len(t, attrs["TestOdd"], 5)
	broken := map[string]bool{}
	for _, a := range attrs["TestOddFails"] {
		if rule, ok := strings.CutPrefix(a, "broken="); ok {
			name, _, _ := strings.Cut(rule, "(")
			broken[name] = true
		}
	}
	assert.Len(t, broken, 9, "every rule of the test is told as broken")
}

// index is an index.json beside artifacts.
type index struct {
	Schema, Package, Test string
	Files                 []string
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	r := newGoRun(t, userTests)
	require.NoError(t, os.Mkdir(filepath.Join(r.dir, "out"), 0o777))
	const rounds = 2
	events, status := r.events(t, "-artifacts", "-outputdir", filepath.Join(r.dir, "out"), fmt.Sprintf("-count=%d", rounds), "-run", "TestPasses|TestSeveral|TestFails|TestKnown|TestOdd$")
	assert.Equal(t, 1, status)

	folders := make(map[string][]string) // by test
	said := make(map[string]bool)        // whether a test has said anything in this round
	for _, e := range events {
		switch e.Action {
		case "run":
			said[e.Test] = false
		case "artifacts":
			assert.False(t, said[e.Test], "%s: the folder is announced before all else, or gotestsum drops that", e.Test)
			folders[e.Test] = append(folders[e.Test], e.Path)
		case "attr":
			said[e.Test] = true
		case "output":
			said[e.Test] = said[e.Test] || !strings.HasPrefix(e.Output, "=== ")
		}
	}
	checks := map[string]int{"TestPasses": 1, "TestSeveral": 3, "TestSeveral/a_b/c": 1, "TestSeveral/d": 1, "TestFails": 1, "TestKnown": 1, "TestOdd": 1}
	assert.Len(t, folders, len(checks))
	written := 0
	for test, n := range checks {
		require.Len(t, folders[test], rounds, "a folder for each round of %s", test)
		assert.NotEqual(t, folders[test][0], folders[test][1])
		for _, dir := range folders[test] {
			var want []string
			for i := 1; i <= n; i++ {
				suffix := ""
				if i > 1 {
					suffix = fmt.Sprintf("-%d", i)
				}
				files := []string{"audit" + suffix + ".json", "audit" + suffix + ".txt"}
				want = append(append(want, files...), "index"+suffix+".json")
				text, err := os.ReadFile(filepath.Join(dir, "index"+suffix+".json"))
				require.NoError(t, err)
				var got index
				require.NoError(t, json.Unmarshal(text, &got))
				assert.Equal(t, index{"tiap.artifacts/v1", "example.com/user", test, files}, got)
				checkArtifacts(t, filepath.Join(dir, files[0]), filepath.Join(dir, files[1]))
			}
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			var got []string
			for _, e := range entries {
				got = append(got, e.Name())
			}
			slices.Sort(want)
			assert.Equal(t, want, got)
			written += len(got)
		}
	}
	total := 0
	for _, f := range r.files(t) {
		if strings.HasPrefix(f, "out/") {
			total++
		}
	}
	assert.Equal(t, written, total, "nothing is written elsewhere")

	// The second check of TestSeveral has a headline of its own.
	text, err := os.ReadFile(filepath.Join(folders["TestSeveral"][0], "audit-2.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "headline raw")
	first, err := os.ReadFile(filepath.Join(folders["TestSeveral"][0], "audit.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(first), "headline canonical")
}

// checkArtifacts reads an artifact: the JSON report and the table of one audit.
func checkArtifacts(t *testing.T, report, table string) {
	t.Helper()
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	var got struct {
		Schema   string
		Scenario struct{ Name string }
		Settings struct{ Headline string }
		Scores   []struct{ System string }
	}
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, "tiap.audit/v1", got.Schema)
	assert.NotEmpty(t, got.Scores)
	text, err = os.ReadFile(table)
	require.NoError(t, err)
	assert.Contains(t, string(text), ": 3 queries\ncredit by evidence, ")
	assert.Contains(t, string(text), "headline "+got.Settings.Headline)
}

// junit is the part of a JUnit file that is looked at.
type junit struct {
	Tests  int `xml:"tests,attr"`
	Suites []struct {
		Tests int `xml:"tests,attr"`
		Cases []struct {
			Name       string `xml:"name,attr"`
			Failure    string `xml:"failure"`
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func readJUnit(t *testing.T, file string) (j junit, cases map[string]map[string]string, failures map[string]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(text, &j))
	require.Len(t, j.Suites, 1)
	cases, failures = make(map[string]map[string]string), make(map[string]string)
	for _, c := range j.Suites[0].Cases {
		require.NotContains(t, cases, c.Name, "counted twice")
		cases[c.Name] = make(map[string]string)
		for _, p := range c.Properties {
			cases[c.Name][p.Name] = p.Value
		}
		if c.Failure != "" {
			failures[c.Name] = c.Failure
		}
	}
	return j, cases, failures
}

// ownEnvironment is the environment without the settings of a gotestsum that runs
// this test: another one would write to its files.
func ownEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOTESTSUM_") })
}

// gotestsum returns the file of the tool.
func gotestsum(t *testing.T) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", "tool", "-n", "gotestsum")
	c.Dir = ".."
	out, err := c.Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// TestGotestsum reads the JUnit files that gotestsum makes of the same suite with
// and without artifacts.
func TestGotestsum(t *testing.T) {
	t.Parallel()
	r := newGoRun(t, userTests)
	tool := gotestsum(t)
	require.NoError(t, os.Mkdir(filepath.Join(r.dir, "out"), 0o777))
	names := []string{"TestPasses", "TestSeveral", "TestSeveral/a_b/c", "TestSeveral/d", "TestFails", "TestKnown", "TestOdd", "TestOddFails", "TestRefused"}
	for _, artifacts := range []bool{false, true} {
		file := filepath.Join(r.dir, fmt.Sprintf("junit-%v.xml", artifacts))
		args := []string{"--junitfile", file, "--", "-count=1"}
		if artifacts {
			args = append(args, "-artifacts", "-outputdir", filepath.Join(r.dir, "out"))
		}
		_, status := r.run(t, tool, args...)
		assert.Equal(t, 1, status)
		j, cases, failures := readJUnit(t, file)
		assert.Len(t, cases, len(names))
		for _, name := range names {
			got := cases[name]
			require.NotNil(t, got, "%s is missing", name)
			if name == "TestRefused" {
				continue
			}
			verdict := "pass"
			if strings.HasSuffix(name, "Fails") {
				verdict = "fail"
			}
			assert.Equal(t, verdict, got["tiap.verdict"], name)
			for _, key := range []string{"tiap.headline", "tiap.credit", "tiap.n", "tiap.winner"} {
				assert.NotEmpty(t, got[key], "%s of %s with artifacts %v", key, name, artifacts)
			}
		}
		assert.Equal(t, "NoWinnerFlip(mrr@5)", cases["TestFails"]["tiap.broken"])
		assert.Len(t, failures, 3)
		assert.Contains(t, failures["TestFails"], "winner flip on mrr@5: raw picks A, canonical picks B")
		assert.Contains(t, failures["TestFails"], "carried by 3 queries")
		// gotestsum 1.13 adds one to the count for each folder of artifacts.
		if !artifacts {
			assert.Equal(t, len(names), j.Tests)
			assert.Equal(t, len(names), j.Suites[0].Tests)
		}
	}
}

// TestGotestsumQuickstart runs the suite that the README shows.
func TestGotestsumQuickstart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	dir := t.TempDir()
	var properties []map[string]string
	for _, extra := range [][]string{nil, {"-artifacts", "-outputdir", dir}} {
		file := filepath.Join(dir, "junit.xml")
		c := exec.CommandContext(t.Context(), "go", append([]string{"tool", "gotestsum", "--junitfile", file, "--", "-count=1", "-run=TestGarden|TestWhatWouldFail", "./scenarios/quickstart"}, extra...)...)
		c.Dir, c.Env = "..", ownEnvironment()
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		j, cases, failures := readJUnit(t, file)
		assert.Empty(t, failures)
		assert.Len(t, cases, 2)
		assert.Equal(t, "pass", cases["TestGarden"]["tiap.verdict"])
		properties = append(properties, cases["TestGarden"])
		if extra == nil {
			assert.Equal(t, 2, j.Tests)
			assert.Contains(t, string(out), "DONE 2 tests")
		}
	}
	assert.Len(t, properties[0], 5)
	assert.Equal(t, properties[0], properties[1], "artifacts change no attribute")
	indexes, err := filepath.Glob(filepath.Join(dir, "_artifacts", "*", "index.json"))
	require.NoError(t, err)
	if assert.Len(t, indexes, 1) {
		text, err := os.ReadFile(indexes[0])
		require.NoError(t, err)
		var got index
		require.NoError(t, json.Unmarshal(text, &got))
		assert.Equal(t, index{"tiap.artifacts/v1", "github.com/tiaptest/tiap/scenarios/quickstart", "TestGarden", []string{"audit.json", "audit.txt"}}, got)
	}
}

// benchLine is a line of results in the benchmark format.
type benchLine struct {
	name   string
	values map[string]float64 // by unit
}

// parseBench reads lines as golang.org/x/perf/benchfmt does: fields separated by
// blanks, a name, the number of iterations, then pairs of a value and its unit.
func parseBench(t *testing.T, out []byte) (lines []benchLine) {
	t.Helper()
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		iterations, err := strconv.Atoi(fields[1])
		require.NoError(t, err, "%s", line)
		assert.Positive(t, iterations)
		require.Zero(t, len(fields)%2, "%s", line)
		b := benchLine{fields[0], make(map[string]float64)}
		for i := 2; i < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			require.NoError(t, err, "%s", line)
			require.NotContains(t, b.values, fields[i+1])
			b.values[fields[i+1]] = value
		}
		lines = append(lines, b)
	}
	return lines
}

func TestBench(t *testing.T) {
	t.Parallel()
	r := newGoRun(t, userTests)
	out, status := r.run(t, "go", "test", "-run=^$", "-bench=Scores", "-benchtime=10x", "-cpu=1")
	assert.Zero(t, status, "%s", out)
	want := []benchLine{
		{"BenchmarkScores/system=A/target=raw", map[string]float64{"mrr@5_pct": 100, "micro_recall@5_pct": 100}},
		{"BenchmarkScores/system=A/target=source", map[string]float64{"mrr@5_pct": 100, "micro_recall@5_pct": 100}},
		{"BenchmarkScores/system=A/target=canonical", map[string]float64{"mrr@5_pct": 33.33, "micro_recall@5_pct": 100}},
		{"BenchmarkScores/system=B/target=raw", map[string]float64{"mrr@5_pct": 33.33, "micro_recall@5_pct": 100}},
		{"BenchmarkScores/system=B/target=source", map[string]float64{"mrr@5_pct": 100, "micro_recall@5_pct": 100}},
		{"BenchmarkScores/system=B/target=canonical", map[string]float64{"mrr@5_pct": 100, "micro_recall@5_pct": 100}},
	}
	if diff := cmp.Diff(want, parseBench(t, out), cmp.AllowUnexported(benchLine{})); diff != "" {
		t.Errorf("results (-want +got):\n%s\n%s", diff, out)
	}

	out, status = r.run(t, "go", "test", "-run=^$", "-bench=Undefined", "-benchtime=1x", "-cpu=1")
	assert.Equal(t, 1, status, "an undefined score fails the benchmark")
	assert.Contains(t, string(out), "--- FAIL: BenchmarkUndefined/system=A/target=own_target")
	assert.Contains(t, string(out), "mrr@5 of A under own target is undefined over shared queries: the target covers no query")
	for _, b := range parseBench(t, out) {
		assert.NotContains(t, b.name, "own_target")
		for unit, value := range b.values {
			assert.Regexp(t, `^[a-z_@0-9]+_pct$`, unit)
			assert.InDelta(t, 50, value, 50)
		}
	}
}
