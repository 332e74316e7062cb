package unprivileged_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/unprivileged"
)

// What is forbidden to others is so to the user that tests are run by.
func TestRun(t *testing.T) {
	t.Parallel()
	unprivileged.Run(t, "TestForbidden", "TestForbidden/a_file_(of_root's)")
}

func TestForbidden(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may do all")
	}
	t.Run("a file (of root's)", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0))
		_, err := os.ReadFile(file)
		assert.ErrorIs(t, err, os.ErrPermission)
	})
}
