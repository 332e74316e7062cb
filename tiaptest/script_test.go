package tiaptest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			for name, value := range user.env {
				e.Setenv(name, value)
			}
			return user.write(e.WorkDir)
		},
	})
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
