package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tiaptest/tiap/internal/usermodule"
)

// TestScript runs the scripts of testdata/script. Each is a module of a user that
// runs go test, or the command, on a bundle before and after a change. The
// modules build offline, with the caches of this one.
func TestScript(t *testing.T) {
	t.Parallel()
	user := usermodule.New(t)
	user.AddCommand(t)
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("testdata", "script"),
		Setup: user.Setup,
		// [cached:MODULE@VERSION] holds where the module cache has the module.
		Condition: func(cond string) (bool, error) {
			mod, ok := strings.CutPrefix(cond, "cached:")
			if !ok {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			_, err := os.Stat(filepath.Join(user.Env["GOMODCACHE"], filepath.FromSlash(mod)))
			if err != nil {
				t.Logf("%s is not in the module cache; what needs it is left out", mod)
			}
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"bundle": func(ts *testscript.TestScript, neg bool, args []string) {
				ts.Check(os.RemoveAll(ts.MkAbs(args[0])))
				ts.Check(writeTalk(ts.MkAbs(args[0]), args[1:]))
			},
			"accept": accept,
			"delete": deleteStale,
		},
	})
}

// accept runs, in a shell, the command that the last output says accepts a
// difference.
func accept(ts *testscript.TestScript, neg bool, _ []string) {
	line := acceptLine.FindStringSubmatch(ts.ReadFile("stdout"))
	if line == nil {
		ts.Fatalf("no command to accept in the output")
	}
	err := ts.Exec("sh", "-c", line[1])
	if err != nil && !neg {
		ts.Fatalf("%s: %v", line[1], err)
	}
}

// deleteStale runs, in a shell, the command that a report says deletes stale files.
func deleteStale(ts *testscript.TestScript, _ bool, args []string) {
	line := deleteLine.FindStringSubmatch(ts.ReadFile(args[0]))
	if line == nil {
		ts.Fatalf("no command to delete in %s", args[0])
	}
	ts.Check(ts.Exec("sh", "-c", line[1]))
}

var deleteLine = regexp.MustCompile(`(?m)^ *to delete: (.*)$`)
