package golden_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestScript runs the scripts of testdata/script. Each is a module of a user that
// runs go test, or the command, on a bundle before and after a change. The
// modules build offline, with the caches of this one.
func TestScript(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a test binary for each script")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	text, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE").Output()
	require.NoError(t, err)
	var goenv map[string]string
	require.NoError(t, json.Unmarshal(text, &goenv))
	mod := fmt.Sprintf("module example.com/user\n\ngo 1.26\n\nrequire github.com/tiaptest/tiap v0.0.0\n\nreplace github.com/tiaptest/tiap => %q\n", root)
	command := filepath.Join(t.TempDir(), "tiaptest")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", command, "../tiaptest/cmd/tiaptest").CombinedOutput()
	require.NoError(t, err, "%s", out)

	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOCACHE", goenv["GOCACHE"])
			e.Setenv("GOMODCACHE", goenv["GOMODCACHE"])
			e.Setenv("GOENV", "off")
			e.Setenv("GOFLAGS", "-mod=mod -vet=off")
			e.Setenv("GOPROXY", "off")
			e.Setenv("GOSUMDB", "off")
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("GOWORK", "off")
			e.Setenv("PATH", filepath.Dir(command)+string(filepath.ListSeparator)+e.Getenv("PATH"))
			if err := os.WriteFile(filepath.Join(e.WorkDir, "go.mod"), []byte(mod), 0o666); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "go.sum"), sum, 0o666)
		},
		// [cached:MODULE@VERSION] holds where the module cache has the module.
		Condition: func(cond string) (bool, error) {
			mod, ok := strings.CutPrefix(cond, "cached:")
			if !ok {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			_, err := os.Stat(filepath.Join(goenv["GOMODCACHE"], filepath.FromSlash(mod)))
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
