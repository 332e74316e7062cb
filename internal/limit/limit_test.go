package limit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
)

func TestReadAll(t *testing.T) {
	t.Parallel()
	text, err := limit.ReadAll(strings.NewReader("four"), 4)
	require.NoError(t, err)
	assert.Equal(t, "four", string(text))
	_, err = limit.ReadAll(strings.NewReader("fives"), 4)
	var over *limit.Error
	require.ErrorAs(t, err, &over)
	assert.Equal(t, "it has more than 4 bytes", over.What)
}

// A file that is too large is refused by its size: none of it is read.
func TestReadFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o644))
	text, err := limit.ReadFile(file, 4)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
	require.NoError(t, os.Truncate(file, 10<<30))
	_, err = limit.ReadFile(file, limit.Document)
	require.ErrorContains(t, err, "it has more than 1 GiB; ")

	_, err = limit.ReadFile(filepath.Dir(file), 4)
	require.ErrorContains(t, err, "it is a folder")
	_, err = limit.ReadFile(file+"x", 4)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestBytes(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "64 MiB", limit.Bytes(limit.Line))
	assert.Equal(t, "1 GiB", limit.Bytes(limit.Document))
	assert.Equal(t, "1048577 bytes", limit.Bytes(1<<20+1))
}
