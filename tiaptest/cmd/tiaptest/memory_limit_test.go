//go:build linux && !race

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where the address space is bounded, the command takes no more of it than it needs.
// The race detector alone needs more than these bounds.
func TestLittleAddressSpace(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"-v 1500000", "-d 200000"} {
		cmd := exec.Command("sh", "-c", "ulimit "+limit+" && exec "+os.Args[0])
		cmd.Env = append(os.Environ(), smapsEnv+"=1", "GOGC=", "GOMEMLIMIT=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", limit, out)
		require.Equal(t, "0\n", string(out), limit)
	}
}
