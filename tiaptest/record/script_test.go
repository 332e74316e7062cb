package record_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/usermodule"
)

// TestScript runs go test in the module of a user. It builds offline, with the
// caches of this one.
func TestScript(t *testing.T) {
	t.Parallel()
	user := usermodule.New(t)
	gotestsum, err := exec.CommandContext(t.Context(), "go", "tool", "-n", "gotestsum").Output()
	require.NoError(t, err)
	user.Env["GOTESTSUM"] = strings.TrimSpace(string(gotestsum))
	cc, err := exec.CommandContext(t.Context(), "go", "env", "CC").Output()
	require.NoError(t, err)

	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("testdata", "script"),
		Setup: user.Setup,
		Condition: func(name string) (bool, error) {
			if name != "cgo" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			compiler, _, _ := strings.Cut(strings.TrimSpace(string(cc)), " ")
			_, err := exec.LookPath(compiler)
			return err == nil, nil
		},
	})
}
