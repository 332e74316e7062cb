package terminal_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/terminal"
)

// environment is one with a single variable.
func environment(name, value string) func(string) string {
	return func(n string) string {
		if n == name {
			return value
		}
		return ""
	}
}

func TestNoTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	assert.False(t, terminal.Is(new(bytes.Buffer)))
	assert.False(t, terminal.Is((*os.File)(nil)))
	assert.False(t, terminal.Is(nil))
	for _, f := range []*os.File{null, w} {
		assert.False(t, terminal.Is(f))
		assert.Zero(t, terminal.Width(f, "80"))
		assert.False(t, terminal.Watched(f, environment("", "")))
	}
}
