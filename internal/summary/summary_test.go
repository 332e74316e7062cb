package summary_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/annotation"
	"github.com/tiaptest/tiap/internal/summary"
	"github.com/tiaptest/tiap/internal/testjson"
)

// event is a line of go test -json.
type event struct {
	Action      string
	Package     string  `json:",omitempty"`
	Test        string  `json:",omitempty"`
	Output      string  `json:",omitempty"`
	Key         string  `json:",omitempty"`
	Value       string  `json:",omitempty"`
	Path        string  `json:",omitempty"`
	ImportPath  string  `json:",omitempty"`
	FailedBuild string  `json:",omitempty"`
	Elapsed     float64 `json:",omitempty"`
}

// log collects the events of a run.
type log struct{ strings.Builder }

func (l *log) add(e event) {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	l.Write(append(text, '\n'))
}

// pkg adds a package with what its tests add.
func (l *log) pkg(name, result string, tests func()) {
	l.add(event{Action: "start", Package: name})
	if tests != nil {
		tests()
	}
	l.add(event{Action: result, Package: name, Elapsed: 1.5})
}

// test adds a test that prints lines; a line "key=value" is an attribute.
func (l *log) test(pkg, name, result string, lines ...string) {
	l.add(event{Action: "run", Package: pkg, Test: name})
	l.add(event{Action: "output", Package: pkg, Test: name, Output: "=== RUN   " + name + "\n"})
	for _, line := range lines {
		if key, value, ok := strings.Cut(line, "="); ok && strings.HasPrefix(key, "tiap.") {
			l.add(event{Action: "attr", Package: pkg, Test: name, Key: key, Value: value})
		} else {
			l.add(event{Action: "output", Package: pkg, Test: name, Output: line + "\n"})
		}
	}
	if result != "" {
		l.add(event{Action: result, Package: pkg, Test: name})
	}
}

// repository is a folder with the files of a module, in a repository one level up.
func repository(t testing.TB, files ...string) string {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".git"), 0o755))
	module := filepath.Join(root, "memory")
	for _, name := range append(files, "go.mod") {
		require.NoError(t, os.MkdirAll(filepath.Join(module, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(module, name), []byte("// A module.\nmodule example.com/user // of a user\n"), 0o644))
	}
	return module
}

func summarize(t require.TestingT, events, dir string) *summary.Summary {
	r := testjson.Reader{Note: summary.IsFinding}
	n, err := r.Read(strings.NewReader(events))
	if n == 0 {
		err = errors.New("no event")
	}
	var places summary.Places
	if dir != "" {
		places = summary.FindPlaces(dir, "")
	}
	return summary.New("go test", r.Run(), places, err)
}

func annotations(t require.TestingT, s *summary.Summary) string {
	var b strings.Builder
	require.NoError(t, annotation.Write(&b, s.Annotations()))
	return b.String()
}

// golden compares with a file of testdata. TIAP_UPDATE=1 writes it, where CI is set
// only TIAP_UPDATE=force.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	switch update, ci := os.Getenv("TIAP_UPDATE"), os.Getenv("CI"); {
	case update == "" || update == "0":
	case update == "1" && ci != "" && ci != "false":
		t.Fatalf("TIAP_UPDATE=1 while CI=%s: use TIAP_UPDATE=force", ci)
	default:
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "record it with TIAP_UPDATE=1")
	if got != string(want) {
		t.Errorf("%s (-recorded +now); TIAP_UPDATE=1 records it:\n%s", file, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")))
	}
}

const report = `{"schema":"tiap.audit/v1","scenario":{"name":"talk"},
"settings":{"depth":5,"credit":"evidence","uncovered":"dropped","population":"shared","targets":["raw","canonical"],"beside":["current(canonical)"],"headline":"canonical","metrics":["mrr@5","ndcg@5"]},
"systems":[{"name":"A"},{"name":"B"}],
"scores":[{"system":"A","target":"raw","subset":"shared","metric":"mrr@5","n":6,"value":0.5},
{"system":"A","target":"raw","subset":"shared","metric":"ndcg@5","n":6,"value":0.6},
{"system":"A","target":"canonical","subset":"shared","metric":"mrr@5","n":6,"value":0.25},
{"system":"B","target":"raw","subset":"shared","metric":"mrr@5","n":6,"value":0.33333},
{"system":"B","target":"canonical","subset":"shared","metric":"mrr@5","n":0,"value":null},
{"system":"A","target":"raw","subset":"covered","metric":"mrr@5","n":9,"value":0.9}]}`

// artifacts writes the folder that a test leaves.
func artifacts(t testing.TB, report string) string {
	dir := filepath.Join(t.TempDir(), "a[b]*")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	index := `{"schema":"tiap.artifacts/v1","package":"p","test":"T","files":["audit.json","audit.txt","../audit.json"]}`
	for name, text := range map[string]string{"index.json": index, "index-2.json": `{"schema":"other","files":["audit.json"]}`, "audit.json": report, "audit.txt": "x"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func red(t testing.TB) string {
	var l log
	l.add(event{Action: "build-output", ImportPath: "example.com/user/broken [example.com/user/broken.test]", Output: "# example.com/user/broken\n"})
	l.add(event{Action: "build-output", ImportPath: "example.com/user/broken [example.com/user/broken.test]", Output: "broken/a.go:2:23: cannot use \"x\" as int value\n"})
	l.add(event{Action: "build-fail", ImportPath: "example.com/user/broken [example.com/user/broken.test]"})
	l.WriteString("go: downloading example.com/x v1.0.0\n")
	l.add(event{Action: "start", Package: "example.com/user/broken"})
	l.add(event{Action: "fail", Package: "example.com/user/broken", FailedBuild: "example.com/user/broken [example.com/user/broken.test]"})
	const p = "example.com/user"
	l.pkg(p, "fail", func() {
		l.test(p, "TestLogs", "pass", "    suite_test.go:30: would fail with", "        depth flip under raw: mrr@1 picks A, mrr@5 picks B")
		l.add(event{Action: "run", Package: p, Test: "TestTalk"})
		l.add(event{Action: "artifacts", Package: p, Test: "TestTalk", Path: artifacts(t, report)})
		l.test(p, "TestTalk", "fail",
			"tiap.verdict=fail", "tiap.headline=canonical", "tiap.credit=evidence", "tiap.n=6", "tiap.winner=B on mrr@5 under canonical", "tiap.broken=NoWinnerFlip(mrr@5)",
			"    suite_test.go:11: winner flip on mrr@5: raw picks A, source picks B (likely: shift +0.6667 [+0.6667, +0.6667])",
			"            shared subset: 6 of 6 queries; 0 have different denominators", "            ", "            target     A       B",
			"        winner flip on mrr@5: raw picks A, canonical picks B (likely: shift +0.9167 [+0.9167, +0.9167])",
			"tiap.golden=talk and more winner-flip")
		l.test(p, "TestGolden", "fail", "tiap.golden=garden missing", "    suite_test.go:20: missing: there is no golden file testdata/golden/garden.json; it would record:")
		l.test(p, "TestKnown", "pass", "tiap.verdict=pass", "tiap.headline=undeclared", "tiap.credit=memory", "tiap.n=3", "tiap.winner=tie on mrr@5 under raw",
			"    suite_test.go:30: known: convention flip on mrr@5 under source: A leads, but B by memory: a reason", "    suite_test.go:31: nothing to see")
		l.test(p, "TestPlain", "fail", "    suite_test.go:40: 50% wrong", "        and more", "    suite_test.go:41: wrong again")
		l.test(p, "TestMute", "fail")
		l.test(p, "TestSkip", "skip")
	})
	l.pkg(p+"/slow", "fail", func() {
		l.test(p+"/slow", "TestSlow", "", "panic: test timed out after 2s", "", "goroutine 1 [sleep]:", "\t/usr/lib/go/src/time/sleep.go:1 +0x1d")
	})
	l.pkg(p+"/main", "fail", func() {
		l.test(p+"/main", "TestFine", "pass")
		l.add(event{Action: "output", Package: p + "/main", Output: "exit status 3\n"})
	})
	l.pkg(p+"/none", "skip", nil)
	l.add(event{Action: "start", Package: p + "/cut"})
	return l.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	s := summarize(t, red(t), repository(t, "suite_test.go", "broken/a.go"))
	assert.True(t, s.Failed())
	assert.Equal(t, "failed: 2 flips in failed tests, 5 of 9 tests failed, 1 build failed, 5 of 6 packages failed", s.Line())
	golden(t, "red.md", s.Markdown())
	golden(t, "red.txt", annotations(t, s))

	var l log
	for _, p := range []string{"example.com/user/a", "example.com/other/b"} {
		l.pkg(p, "pass", func() {
			l.test(p, "TestOne", "pass", "tiap.golden=talk same")
			l.test(p, "TestTwo", "pass", "    a_test.go:1: ::error::nothing", "text")
		})
	}
	s = summarize(t, l.String(), repository(t))
	assert.False(t, s.Failed())
	assert.Equal(t, "passed: 4 tests in 2 packages", s.Line())
	golden(t, "green.md", s.Markdown())
	assert.Empty(t, annotations(t, s))
}

func TestFailed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		line string
		log  func(l *log)
	}{
		{"no event", "failed: an input cannot be used, no test ran", func(*log) {}},
		{"no test", "failed: no test ran", func(l *log) { l.pkg("p", "pass", nil) }},
		{"no test files", "failed: no test ran", func(l *log) { l.pkg("p", "skip", nil) }},
		{"all skipped", "failed: no test ran", func(l *log) { l.pkg("p", "pass", func() { l.test("p", "T", "skip") }) }},
		{"a build", "failed: 1 build failed", func(l *log) {
			l.add(event{Action: "build-fail", ImportPath: "q"})
			l.pkg("p", "pass", func() { l.test("p", "T", "pass") })
		}},
		{"cut short", "failed: 1 of 2 tests failed, 1 of 1 package failed", func(l *log) { l.test("p", "T", "pass"); l.test("p", "U", "") }},
		{"a test that did not end", "failed: 1 of 1 test failed, 1 of 1 package failed", func(l *log) { l.pkg("p", "fail", func() { l.test("p", "T", "", "panic: test timed out") }) }},
		{"a package", "failed: 1 of 1 package failed", func(l *log) { l.pkg("p", "fail", func() { l.test("p", "T", "pass") }) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var l log
			tt.log(&l)
			s := summarize(t, l.String(), "")
			assert.True(t, s.Failed())
			assert.Equal(t, tt.line, s.Line())
			assert.Contains(t, s.Markdown(), "> [!CAUTION]\n> "+tt.line+"\n")
			assert.NotEmpty(t, annotations(t, s))
		})
	}
}

// Unusable input fails even beside input in which all passes.
func TestUnusable(t *testing.T) {
	t.Parallel()
	var l log
	l.pkg("p", "pass", func() { l.test("p", "T", "pass") })
	var r testjson.Reader
	_, err := r.Read(strings.NewReader(l.String()))
	require.NoError(t, err)
	s := summary.New("x", r.Run(), summary.Places{}, errors.New("b.json: no such file\n::error::x"))
	assert.True(t, s.Failed())
	assert.Contains(t, s.Markdown(), "```\nb.json: no such file\n\\::error::x\n```\n")
	assert.Equal(t, "::error title=x::b.json: no such file%0A::error::x\n", annotations(t, s))
}

func TestUnreadableScores(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		dir  string
		want string
	}{
		"gone":          {filepath.Join(t.TempDir(), "gone"), "### Scores\n\nThe scores of 1 test cannot be read: the artifacts are not where the tests left them.\n"},
		"no report":     {artifacts(t, "x"), "The scores of 1 test cannot be read"},
		"another file":  {artifacts(t, `{"schema":"tiap.audit/v2","settings":{"metrics":["x"]}}`), ""},
		"no metrics":    {artifacts(t, `{"schema":"tiap.audit/v1"}`), ""},
		"wrong numbers": {artifacts(t, `{"schema":"tiap.audit/v1","scores":[{"value":"x"}]}`), "The scores of 1 test cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l log
			l.pkg("p", "pass", func() {
				l.add(event{Action: "artifacts", Package: "p", Test: "T", Path: tt.dir})
				l.test("p", "T", "pass", "tiap.verdict=pass")
			})
			text := summarize(t, l.String(), "").Markdown()
			if tt.want == "" {
				assert.NotContains(t, text, "Scores")
			} else {
				assert.Contains(t, text, tt.want)
			}
		})
	}
}

// A file that fails in several builds is annotated once.
func TestBuiltTwice(t *testing.T) {
	t.Parallel()
	var l log
	for _, path := range []string{"example.com/user/a", "example.com/user/a [example.com/user/a.test]"} {
		for _, line := range []string{"# " + path, "a/a.go:2:23: wrong", "a/a.go:3:1: wrong too"} {
			l.add(event{Action: "build-output", ImportPath: path, Output: line + "\n"})
		}
		l.add(event{Action: "build-fail", ImportPath: path})
	}
	got := annotations(t, summarize(t, l.String(), repository(t, "a/a.go")))
	assert.Equal(t, "::error title=go test::no test ran\n::error file=memory/a/a.go,line=2,title=build of a::wrong\n", got)
}

func TestManyScores(t *testing.T) {
	t.Parallel()
	dir := artifacts(t, report)
	var l log
	l.pkg("p", "pass", func() {
		for i := range 50 {
			name := fmt.Sprintf("Test%d", i)
			l.add(event{Action: "artifacts", Package: "p", Test: name, Path: dir})
			l.test("p", name, "pass", "tiap.verdict=pass")
		}
	})
	text := summarize(t, l.String(), "").Markdown()
	assert.Regexp(t, `\nAnd the scores of \d\d more audits, not shown here\.\n`, text)
	assert.Less(t, len(text), 20_000)
}

// A file is named only when it is one of the repository's.
func TestPlaces(t *testing.T) {
	t.Parallel()
	module := repository(t, "a_test.go", "sub/b_test.go", "sub/deep/c.go")
	outside := filepath.Join(t.TempDir(), "x.go")
	require.NoError(t, os.WriteFile(outside, nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(filepath.Dir(module)), "up.go"), nil, 0o644))
	for _, tt := range []struct{ pkg, line, want string }{
		{"example.com/user", "    a_test.go:7: broken", "file=memory/a_test.go,line=7"},
		{"example.com/user/sub", "    b_test.go:8: broken", "file=memory/sub/b_test.go,line=8"},
		{"example.com/user/sub", "    " + module + "/sub/b_test.go:9: by full path", "file=memory/sub/b_test.go,line=9"},
		{"example.com/user/sub", "\t" + module + "/sub/deep/c.go:3 +0x1d", "file=memory/sub/deep/c.go,line=3"},
		{"example.com/user", "    a_test.go:7: known: winner flip on x\n        more of it\n    a_test.go:9: broken", "file=memory/a_test.go,line=9,title=T in user::broken"},
		{"example.com/user", "    a_test.go:7: known: winner flip on x", "file=memory/a_test.go,line=7"},
		{"example.com/user/sub", "    a_test.go:7: of another folder", ""},
		{"example.com/user/sub", "    ../../../up.go:7: outside", ""},
		{"example.com/user/sub", "    " + outside + ":7: outside", ""},
		{"example.com/user/sub", "\t" + outside + ":7 +0x1d", ""},
		{"example.com/other", "    a_test.go:7: of another module", ""},
		{"example.com/users", "    a_test.go:7: of another module", ""},
		{"example.com/user/../..", "    up.go:7: outside", ""},
		{"example.com/user/sub", "    deep:7: a folder", ""},
		{"example.com/user", "a_test.go:7: not indented", ""},
		{"example.com/user", "    a_test.go:99999999999999999999: x", "file=memory/a_test.go"},
	} {
		var l log
		l.pkg(tt.pkg, "fail", func() { l.test(tt.pkg, "T", "fail", tt.line) })
		got := annotations(t, summarize(t, l.String(), module))
		if tt.want == "" {
			assert.NotContains(t, got, "file=", tt.line)
		} else {
			assert.Contains(t, got, tt.want, tt.line)
		}
	}

	// Without a repository its root is the module's; a workspace that is given goes before.
	lone := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(lone, "m", "p"), 0o755))
	for name, text := range map[string]string{"m/go.mod": "module \"example.com/user\"\n", "m/p/a_test.go": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(lone, name), []byte(text), 0o644))
	}
	var l log
	l.pkg("example.com/user/p", "fail", func() { l.test("example.com/user/p", "T", "fail", "    a_test.go:7: x") })
	for workspace, want := range map[string]string{"": "file=p/a_test.go", lone: "file=m/p/a_test.go"} {
		var r testjson.Reader
		_, err := r.Read(strings.NewReader(l.String()))
		require.NoError(t, err)
		s := summary.New("x", r.Run(), summary.FindPlaces(filepath.Join(lone, "m", "p"), workspace), nil)
		assert.Contains(t, annotations(t, s), want)
	}
}

// Files of the modules that go.work uses are named too, from wherever tests are run.
func TestPlacesOfWorkspace(t *testing.T) {
	t.Parallel()
	tree := func(t *testing.T, work string) string {
		root := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(root, "go.work"), []byte(strings.ReplaceAll(work, "ROOT", root)), 0o644))
		for name, text := range map[string]string{
			"a/go.mod": "module example.com/a\n", "a/a_test.go": "", "a/deep/a_test.go": "", "a/in/go.mod": "module example.com/a/in\n", "a/in/a_test.go": "",
			"b b/go.mod": "module example.com/b\n", "b b/a_test.go": "", "user/go.mod": "module example.com/user\n", "user/a_test.go": "",
		} {
			require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
		}
		return root
	}
	file := func(t *testing.T, pkg, dir, workspace string) string {
		var l log
		l.pkg(pkg, "fail", func() { l.test(pkg, "T", "fail", "    a_test.go:7: x") })
		var r testjson.Reader
		_, err := r.Read(strings.NewReader(l.String()))
		require.NoError(t, err)
		return summary.New("x", r.Run(), summary.FindPlaces(dir, workspace), nil).Annotations()[0].File
	}
	const block = "go 1.26\n\nuse (\n\t./a // the first\n\t\"./b b\"\n\n\ta/in\n)\n\nreplace (\n\texample.com/x => ./user\n)\n"
	for _, tt := range []struct{ name, work, pkg, dir, want string }{
		{"a module", block, "example.com/a", ".", "a/a_test.go"},
		{"a folder of it", block, "example.com/a/deep", ".", "a/deep/a_test.go"},
		{"a quoted folder", block, "example.com/b", ".", "b b/a_test.go"},
		{"a module within another", block, "example.com/a/in", ".", "a/in/a_test.go"},
		{"from a module", block, "example.com/b", "a/deep", "b b/a_test.go"},
		{"its own module", block, "example.com/a", "a/deep", "a/a_test.go"},
		{"its own, which is not used", block, "example.com/user", "user", "user/a_test.go"},
		{"not used", block, "example.com/user", ".", ""},
		{"not there", "use ./gone\n", "example.com/gone", ".", ""},
		{"a like path", block, "example.com/ab", ".", ""},
		{"outside", block, "example.com/a/../..", ".", ""},
		{"in lines", "use ./a\nuse\t\"./b b\" // the second\n", "example.com/b", ".", "b b/a_test.go"},
		{"block without a blank", "use(\n./a\n)\n", "example.com/a", ".", "a/a_test.go"},
		{"by full path", "use ROOT/a\r\n", "example.com/a", ".", "a/a_test.go"},
		{"a comment", "// use ./a\n", "example.com/a", ".", ""},
		{"another directive", "used ./a\nuser (\n./a\n)\n(\n./a\n)\n", "example.com/a", ".", ""},
		{"none", "go 1.26\n", "example.com/a", ".", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, tt.work)
			for _, workspace := range []string{root, ""} {
				assert.Equal(t, tt.want, file(t, tt.pkg, filepath.Join(root, tt.dir), workspace), "workspace %q", workspace)
			}
		})
	}
}

func TestIsFinding(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"    a_test.go:1: winner flip on mrr@5: raw picks A":           true,
		"        winner flip on mrr@5: raw picks A":                    true,
		"        known: winner flip on mrr@5: raw picks A":             true,
		"    a_test.go:1: missing: there is no golden file x":          true,
		"    a_test.go:1: change flip on mrr@5: A gains":               true,
		"    a_test.go:1: recommendation of family x on y":             true,
		"winner flip on mrr@5":                                         false,
		"            winner flip on mrr@5":                             false,
		"    a_test.go:1: the winner flip on mrr@5":                    false,
		"    a_test.go:1: missing: nothing that tiaptest would say so": false,
		"": false,
	} {
		assert.Equal(t, want, summary.IsFinding(line), "%q", line)
	}
}

// The Markdown fits into a comment, whatever there is to say, and says what is left
// out.
func TestLimit(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 20, 60, 400} {
		var l log
		for i := range n {
			p := fmt.Sprintf("example.com/user/%s/p%d", strings.Repeat("x", 200), i)
			l.add(event{Action: "build-output", ImportPath: p, Output: strings.Repeat("b.go:1:1: broken\n", 500)})
			l.add(event{Action: "build-fail", ImportPath: p})
			l.WriteString(strings.Repeat("no event ", 100) + "\n")
			l.pkg(p, "fail", func() {
				l.test(p, "TestGood", "pass", "tiap.verdict=pass", "tiap.winner="+strings.Repeat("\u202e|`", 200), "tiap.golden="+strings.Repeat("key ", 100)+"same",
					"    a_test.go:1: known: winner flip on "+strings.Repeat("<|>", 200))
				for j := range 5 {
					l.test(p, fmt.Sprintf("Test%d/%s", j, strings.Repeat("*", 300)), "fail", "    a_test.go:1: winner flip on "+strings.Repeat("`|", 300), strings.Repeat("line\n", 4000))
				}
			})
		}
		s := summarize(t, l.String(), "")
		text := s.Markdown()
		assert.LessOrEqual(t, len(text), 60_000, "%d packages", n)
		assert.Contains(t, text, "left out]")
		assert.Equal(t, strings.Count(text, "<details"), strings.Count(text, "</details>"))
		if n > 20 {
			assert.Regexp(t, `\nAnd \d+ more failures, not shown here; see the log\.\n`, text)
			assert.Regexp(t, `\nAnd \d+ more packages, not shown here\.\n`, text)
		}
	}
}

// However many failures there are, each that is shown has its first line, if only the
// beginning of it.
func TestLimitFirstLine(t *testing.T) {
	t.Parallel()
	const place = "    a_test.go:7: broken "
	for _, tt := range []struct {
		name  string
		lines []string
		left  bool // whether lines are left out
	}{
		{"ascii", []string{place + strings.Repeat("x", 1000)}, false},
		{"wide", []string{place + strings.Repeat("\u65e5", 1000)}, false},
		{"escaped", []string{place + strings.Repeat("\u202e", 1000)}, false},
		{"after blank lines", []string{"", "  ", place + strings.Repeat("\u65e5", 1000)}, false},
		{"two", []string{place + strings.Repeat("\u65e5", 1000), strings.Repeat("\u65e5", 5000)}, true},
		{"with more", []string{place + strings.Repeat("\u65e5", 1000), strings.Repeat("and more\n", 500)}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var l log
			l.pkg("p", "fail", func() {
				for i := range 400 {
					l.test("p", fmt.Sprintf("Test/%d", i), "fail", tt.lines...)
				}
			})
			text := summarize(t, l.String(), "").Markdown()
			assert.LessOrEqual(t, len(text), 60_000)
			assert.True(t, utf8.ValidString(text))
			assert.Greater(t, strings.Count(text, "<details>"), 20)
			assert.Equal(t, strings.Count(text, "<details>")-1, strings.Count(text, "\n"+place))
			assert.Equal(t, tt.left, strings.Contains(text, " left out]"))
		})
	}
}

// Packages without a test that passed are not counted with those that have one.
func TestPassedPackages(t *testing.T) {
	t.Parallel()
	var l log
	l.pkg("p", "pass", func() { l.test("p", "T", "pass"); l.test("p", "U", "pass"); l.test("p", "V", "skip") })
	l.pkg("q", "skip", nil)
	l.pkg("r", "pass", nil)
	s := summarize(t, l.String(), "")
	assert.Equal(t, "passed: 2 tests in 1 package, 1 skipped", s.Line())
	assert.Contains(t, s.Markdown(), "<summary>3 packages</summary>")
}

// What a subtest that panics prints is output of a test above it, as go test says it.
func TestSilentSubtest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, above, markdown, annotation string }{
		{"panics", "panic: boom", "\nIt printed nothing itself; see TestP.\n", "::error title=TestP/s/u in p::it printed nothing itself; see TestP\n"},
		{"is silent", "", "\nIt printed nothing.\n", "::error title=TestP/s/u in p::it printed nothing\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var l log
			l.pkg("p", "fail", func() {
				l.test("p", "TestQ", "fail", "of another test")
				l.add(event{Action: "run", Package: "p", Test: "TestP"})
				l.add(event{Action: "run", Package: "p", Test: "TestP/s"})
				l.test("p", "TestP/s/u", "fail")
				l.add(event{Action: "fail", Package: "p", Test: "TestP/s"})
				l.test("p", "TestP", "fail", tt.above)
			})
			s := summarize(t, l.String(), "")
			assert.Equal(t, 1, strings.Count(s.Markdown(), "It printed nothing"))
			assert.Contains(t, s.Markdown(), tt.markdown)
			assert.Contains(t, annotations(t, s), tt.annotation)
		})
	}
}

// A time that no run takes is no number.
func TestElapsed(t *testing.T) {
	t.Parallel()
	for elapsed, want := range map[float64]string{12.34: "12.3", 1e300: "-", -1: "-", math.MaxFloat64: "-"} {
		var l log
		for range 2 {
			l.add(event{Action: "pass", Package: "p", Elapsed: elapsed / 2})
		}
		assert.Contains(t, summarize(t, l.String(), "").Markdown(), "| p | passed | 0 | 0 | 0 | "+want+" |\n")
	}
}
