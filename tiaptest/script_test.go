package tiaptest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestScript runs the scripts of testdata/script. Each is a module of a user
// with its own bundle and tests, and runs go test there: it must fail where it
// should, with the right words at the right line, and pass without the fault.
// The modules build offline, with the caches of this one.
func TestScript(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a test binary for each script")
	}
	user := newUserModule(t)
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"adds": adds},
		Setup: func(e *testscript.Env) error {
			for name, value := range user.env {
				e.Setenv(name, value)
			}
			return user.write(e.WorkDir)
		},
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

// userModule is a module that uses this one, and builds offline with its caches.
type userModule struct {
	mod, sum []byte
	env      map[string]string
}

func newUserModule(t *testing.T) userModule {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	text, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE").Output()
	require.NoError(t, err)
	var env map[string]string
	require.NoError(t, json.Unmarshal(text, &env))
	maps.Copy(env, map[string]string{
		"GOENV": "off", "GOFLAGS": "-mod=mod -vet=off", "GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOWORK": "off",
	})
	mod := fmt.Sprintf("module example.com/user\n\ngo 1.26\n\nrequire github.com/tiaptest/tiap v0.0.0\n\nreplace github.com/tiaptest/tiap => %q\n", root)
	return userModule{[]byte(mod), sum, env}
}

// write makes a folder the root of the module.
func (u userModule) write(dir string) error {
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), u.mod, 0o666),
		os.WriteFile(filepath.Join(dir, "go.sum"), u.sum, 0o666),
	)
}
