package script

import (
	"maps"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tiaptest/tiap/internal/shell"
)

// Run runs scenario scripts as subtests, as [testscript.Run] does, with the
// commands of this package beside those of p, which win where both have one of a
// name. A script that holds two files of one name is refused, and one that comes to
// its end without having stated a finding fails; see the package documentation.
func Run(t *testing.T, p testscript.Params) {
	t.Helper()
	s := &scripts{again: func(name string) string { return testCommand(t.Name(), name) }}
	s.run(goTest{t}, p)
}

// RunT is [Run] outside go test. command runs the scripts again, as in "go tool
// tiaptest script a.txtar"; a golden line that fails shows it.
func RunT(t testscript.T, command string, p testscript.Params) {
	s := &scripts{again: func(string) string { return command }}
	s.run(t, p)
}

// Commands returns the commands, for Params of one's own. What runs them has to
// see to it that a script states something.
func Commands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	s := &scripts{again: func(string) string { return testCommand("", "") }}
	return s.commands()
}

func (s *scripts) params(p testscript.Params) testscript.Params {
	cmds := s.commands()
	maps.Copy(cmds, p.Cmds)
	p.Cmds = cmds
	p.RequireUniqueNames = true
	return p
}

// testCommand is the shell command that runs a script of a test again, or without
// a test the tests of the package.
func testCommand(test, script string) string {
	command := "go test -count=1"
	if test != "" {
		parts := strings.Split(test+"/"+script, "/")
		for i, p := range parts {
			parts[i] = "^" + regexp.QuoteMeta(p) + "$"
		}
		command += " -run " + shell.Quote(strings.Join(parts, "/"))
	}
	pkg := "."
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		pkg = strings.TrimSuffix(info.Path, ".test")
	}
	return command + " " + pkg
}
