package tiaptest_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tiaptest/tiap/internal/usermodule"
)

// TestScript runs the scripts of testdata/script. Each is a module of a user
// with its own bundle and tests, and runs go test there: it must fail where it
// should, with the right words at the right line, and pass without the fault.
// The modules build offline, with the caches of this one.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("testdata", "script"),
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"adds": adds},
		Setup: usermodule.New(t).Setup,
	})
}

// adds is the command "adds MOST OLD NEW": the file NEW adds lines to OLD, no more
// than MOST, and takes none away.
func adds(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 || neg {
		ts.Fatalf("usage: adds most old new")
	}
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	changes := string(diff.Diff(args[1], []byte(ts.ReadFile(args[1])), args[2], []byte(ts.ReadFile(args[2]))))
	_, lines, _ := strings.Cut(changes, "\n@@")
	added, removed := strings.Count(lines, "\n+"), strings.Count(lines, "\n-")
	if added == 0 || added > most || removed > 0 {
		ts.Fatalf("%d lines added, at most %d wanted, and %d removed, none wanted:\n%s", added, most, removed, changes)
	}
	ts.Logf("%d lines added", added)
}
