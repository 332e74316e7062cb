//go:build unix

package limit_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
)

// Nobody writes to the pipe, so that opening it would not end.
func TestOpenPipe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(file, 0o644))
	_, err := limit.Open(file)
	require.ErrorContains(t, err, "no regular file but a pipe")
	_, err = limit.Open(os.DevNull)
	require.ErrorContains(t, err, "no regular file but a device")
}
