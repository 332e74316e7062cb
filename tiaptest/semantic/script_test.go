package semantic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestScript runs go test in the module of a user. It builds offline, with the
// caches of this one.
func TestScript(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	text, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE").Output()
	require.NoError(t, err)
	var caches map[string]string
	require.NoError(t, json.Unmarshal(text, &caches))
	mod := fmt.Sprintf("module example.com/user\n\ngo 1.26\n\nrequire github.com/tiaptest/tiap v0.0.0\n\nreplace github.com/tiaptest/tiap => %q\n", root)

	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			for name, value := range map[string]string{
				"GOCACHE": caches["GOCACHE"], "GOMODCACHE": caches["GOMODCACHE"],
				"GOENV": "off", "GOFLAGS": "-mod=mod -vet=off", "GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOWORK": "off",
			} {
				e.Setenv(name, value)
			}
			return errors.Join(
				os.WriteFile(filepath.Join(e.WorkDir, "go.mod"), []byte(mod), 0o666),
				os.WriteFile(filepath.Join(e.WorkDir, "go.sum"), sum, 0o666),
			)
		},
	})
}
