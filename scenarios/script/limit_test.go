package script_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
)

// A script is read whole, and none is read that is too large for that.
func TestLargeScript(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "large.txtar")
	require.NoError(t, os.WriteFile(file, []byte("stop\n"), 0o600))
	failed, log := run(file, testscript.Params{})
	assert.False(t, failed, log)
	require.NoError(t, os.Truncate(file, limit.File+1))
	failed, log = run(file, testscript.Params{})
	assert.True(t, failed)
	assert.Contains(t, log, "large.txtar: it has more than 64 MiB; give a script")
}
