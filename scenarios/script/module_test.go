package script_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestModule runs the story of a user: a module of their own, which is built
// offline with the caches of this one.
func TestModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the tests of a module")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	text, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE").Output()
	require.NoError(t, err)
	var goenv map[string]string
	require.NoError(t, json.Unmarshal(text, &goenv))
	mod := fmt.Sprintf("module example.com/user\n\ngo 1.26\n\nrequire github.com/tiaptest/tiap v0.0.0\n\nreplace github.com/tiaptest/tiap => %q\n", root)
	command := filepath.Join(t.TempDir(), "tiaptest")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", command, "../../tiaptest/cmd/tiaptest").CombinedOutput()
	require.NoError(t, err, "%s", out)

	testscript.Run(t, testscript.Params{
		Dir: "testdata/module",
		Setup: func(e *testscript.Env) error {
			for name, value := range map[string]string{
				"GOCACHE": goenv["GOCACHE"], "GOMODCACHE": goenv["GOMODCACHE"],
				"GOENV": "off", "GOFLAGS": "-mod=mod -vet=off", "GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOWORK": "off",
				"PATH": filepath.Dir(command) + string(filepath.ListSeparator) + e.Getenv("PATH"),
			} {
				e.Setenv(name, value)
			}
			if err := os.WriteFile(filepath.Join(e.WorkDir, "go.mod"), []byte(mod), 0o666); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "go.sum"), sum, 0o666)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"accept": accept},
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
