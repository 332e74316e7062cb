package script_test

import (
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tiaptest/tiap/internal/usermodule"
)

// TestModule runs the story of a user: a module of their own, which is built
// offline with the caches of this one.
func TestModule(t *testing.T) {
	t.Parallel()
	user := usermodule.New(t)
	user.AddCommand(t)
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/module",
		Setup: user.Setup,
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"accept": accept},
	})
}

var acceptLine = regexp.MustCompile(`(?m)^ *to accept: (.*)$`)

// accept runs, in a shell, the command that the last output says accepts a
// difference.
func accept(ts *testscript.TestScript, _ bool, _ []string) {
	line := acceptLine.FindStringSubmatch(ts.ReadFile("stdout"))
	if line == nil {
		ts.Fatalf("no command to accept in the output")
	}
	ts.Check(ts.Exec("sh", "-c", line[1]))
}
