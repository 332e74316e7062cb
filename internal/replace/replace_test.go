package replace_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/replace"
)

func TestFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, replace.File(file, []byte("one"), nil))
	require.NoError(t, os.Chmod(file, 0o600))
	require.NoError(t, replace.File(file, []byte("two"), nil))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "two", string(text))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// TestFaults makes each step fail: the old content stands, or the new one after
// the rename, and nothing is left beside it.
func TestFaults(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, failing := range []string{"create", "write", "sync", "rename", "sync folder"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "f")
		require.NoError(t, os.WriteFile(file, []byte("old"), 0o666))
		met := false
		err := replace.File(file, []byte("new"), func(step string) error {
			if step == failing {
				met = true
				return broken
			}
			return nil
		})
		assert.True(t, met, failing)
		want := "old"
		if failing == "sync folder" {
			want = "new"
			assert.NoError(t, err, failing)
		} else {
			assert.ErrorIs(t, err, broken, failing)
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, want, string(text), failing)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1, failing)
	}
}
