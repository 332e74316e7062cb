package tiaptest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// Links that lead out of a bundle are not followed, by whatever way.
func TestOpenLinksOut(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	require.NoError(t, os.CopyFS(outside, smallFS()))
	for name, target := range map[string]string{
		"systems/s/store.jsonl": filepath.Join(outside, "systems", "s", "store.jsonl"),
		"systems/s":             filepath.Join(outside, "systems", "s"),
		"systems":               filepath.Join(outside, "systems"),
		"queries.jsonl":         filepath.Join("..", filepath.Base(outside), "queries.jsonl"),
		"turns.jsonl":           os.DevNull,
	} {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, smallFS()))
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.RemoveAll(file))
		if err := os.Symlink(target, file); err != nil {
			t.Skip("symbolic links cannot be made here: ", err)
		}
		_, err := tiaptest.Open(dir)
		require.ErrorContains(t, err, file+": path escapes from parent; ")
		require.ErrorContains(t, err, "links must not lead out of the bundle")
	}
}
