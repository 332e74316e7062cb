package record_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	text, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE", "CC").Output()
	require.NoError(t, err)
	var goenv map[string]string
	require.NoError(t, json.Unmarshal(text, &goenv))
	gotestsum, err := exec.CommandContext(t.Context(), "go", "tool", "-n", "gotestsum").Output()
	require.NoError(t, err)
	mod := fmt.Sprintf("module example.com/user\n\ngo 1.26\n\nrequire github.com/tiaptest/tiap v0.0.0\n\nreplace github.com/tiaptest/tiap => %q\n", root)

	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			for name, value := range map[string]string{
				"GOCACHE": goenv["GOCACHE"], "GOMODCACHE": goenv["GOMODCACHE"], "GOTESTSUM": strings.TrimSpace(string(gotestsum)),
				"GOENV": "off", "GOFLAGS": "-mod=mod -vet=off", "GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOWORK": "off",
			} {
				e.Setenv(name, value)
			}
			if err := os.WriteFile(filepath.Join(e.WorkDir, "go.mod"), []byte(mod), 0o666); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "go.sum"), sum, 0o666)
		},
		Condition: func(name string) (bool, error) {
			if name != "cgo" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			compiler, _, _ := strings.Cut(goenv["CC"], " ")
			_, err := exec.LookPath(compiler)
			return err == nil, nil
		},
	})
}
