package script

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/tiaptest/tiap/internal/limit"
)

// scripts are those of one run, with what is kept of each from line to line.
type scripts struct {
	again  func(script string) string // the command that runs a script again
	states sync.Map                   // *state by *testscript.TestScript
	stated sync.Map                   // names of those in which a finding has held
}

// state is what a script keeps from line to line.
type state struct {
	audit    []string // arguments of the last audit line
	dirs     []string // its bundle, absolute
	findings int      // lines that stated one and held
}

func (s *scripts) state(ts *testscript.TestScript) *state {
	v, loaded := s.states.LoadOrStore(ts, new(state))
	if !loaded {
		ts.Defer(func() { s.states.Delete(ts) })
	}
	return v.(*state)
}

// held counts a finding of the script.
func (s *scripts) held(ts *testscript.TestScript) {
	s.state(ts).findings++
	s.stated.Store(ts.Name(), true)
}

// findings expects that so many lines above have stated a finding and held, so that
// none is taken out unnoticed.
func findings(l *line) {
	want, err := strconv.Atoi(l.args[0])
	if err != nil || want < 1 {
		l.ts.Fatalf("findings: %q is no number of lines; write how many lines above state a finding, as 3", l.args[0])
	}
	if n := l.state.findings; n != want {
		l.ts.Fatalf("findings: %d lines above have stated a finding that holds; expected %d", n, want)
	}
}

// prints expects that a line of what the last command printed matches.
func prints(l *line) {
	re, err := regexp.Compile("(?m)" + l.args[0])
	if err != nil {
		l.ts.Fatalf("prints: %v", err)
	}
	text := l.ts.ReadFile("stdout") + l.ts.ReadFile("stderr")
	found := re.FindString(text)
	switch matches := re.MatchString(text); {
	case !matches && !l.neg:
		l.ts.Fatalf("prints: nothing that the last command printed matches %s", l.args[0])
	case matches && l.neg:
		l.ts.Fatalf("prints: the last command printed %q, which matches %s; expected no match", found, l.args[0])
	}
}

// run runs scripts under t, each of which has to state something.
func (s *scripts) run(t testscript.T, p testscript.Params) {
	p = s.params(p)
	if p.Dir != "" || p.Files == nil {
		entries, _ := os.ReadDir(p.Dir) // testscript says what is wrong with it
		var files []string
		for _, e := range entries {
			if ext := filepath.Ext(e.Name()); ext == ".txtar" || ext == ".txt" {
				files = append(files, filepath.Join(p.Dir, e.Name()))
			}
		}
		if len(files) > 0 {
			p.Dir, p.Files = "", files
		}
	}
	testscript.RunT(&suite{T: t, scripts: s, files: p.Files}, p)
}

// suite is the T of several scripts, which testscript runs in the order of files.
type suite struct {
	testscript.T
	scripts *scripts
	files   []string
}

func (s *suite) Run(name string, f func(testscript.T)) {
	file := s.files[0]
	s.files = s.files[1:]
	s.T.Run(name, func(t testscript.T) {
		if info, err := os.Stat(file); err == nil && info.Size() > limit.File {
			t.Fatal(fmt.Sprintf("%s: it has more than %s; give a script", file, limit.Bytes(limit.File)))
		}
		one := &single{T: t, file: file, stated: func() bool {
			_, held := s.scripts.stated.Load(name)
			return held || statesOutput(file)
		}}
		f(one)
		if one.empty {
			t.FailNow()
		}
	})
}

// single is the T of a script.
type single struct {
	testscript.T
	file   string
	stated func() bool
	empty  bool // it came to its end and stated nothing
}

// Log writes the log of the script, which ends with PASS unless the script failed or
// ended itself by stop.
func (t *single) Log(args ...any) {
	if len(args) == 1 {
		text, _ := args[0].(string)
		if before, passed := strings.CutSuffix(text, "PASS\n"); passed && !t.stated() {
			t.empty = true
			args = []any{before + "FAIL: " + t.file + ": the script states nothing: no line that states a finding has run; add one, such as winner A B canonical mrr@5\n"}
		}
	}
	t.T.Log(args...)
}

// outputLine is a line about the output of a command, which runs in every script
// that comes to its end, since it has no condition.
var outputLine = regexp.MustCompile(`(?m)^[ \t]*(![ \t]+)?(stdout|stderr|cmp|cmpenv|grep)[ \t]`)

func statesOutput(file string) bool {
	a, err := txtar.ParseFile(file)
	return err == nil && outputLine.Match(a.Comment)
}

// goTest is the T of go test.
type goTest struct{ *testing.T }

func (t goTest) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(goTest{t}) })
}

func (goTest) Verbose() bool { return testing.Verbose() }
