package tiaptest_test

import (
	"encoding/json"
	"fmt"
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
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	text, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOVERSION").Output()
	require.NoError(t, err)
	var goenv map[string]string
	require.NoError(t, json.Unmarshal(text, &goenv))
	mod := fmt.Sprintf("module example.com/user\n\ngo 1.26\n\nrequire github.com/tiaptest/tiap v0.0.0\n\nreplace github.com/tiaptest/tiap => %q\n", root)

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
			if err := os.WriteFile(filepath.Join(e.WorkDir, "go.mod"), []byte(mod), 0o666); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "go.sum"), sum, 0o666)
		},
	})
}
