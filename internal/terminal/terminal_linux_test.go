package terminal_test

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/terminal"
)

func TestTerminal(t *testing.T) {
	t.Parallel()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	defer f.Close()
	resize := func(columns uint16) {
		size := [4]uint16{24, columns}
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
		require.Zero(t, errno)
	}
	require.True(t, terminal.Is(f))
	resize(77)
	assert.Equal(t, 77, terminal.Width(f, ""))
	assert.Equal(t, 50, terminal.Width(f, "50"), "COLUMNS wins")
	for _, columns := range []string{"0", "-1", "wide"} {
		assert.Equal(t, 77, terminal.Width(f, columns), columns)
	}
	resize(0)
	assert.Equal(t, 100, terminal.Width(f, ""), "a terminal that does not know")

	assert.True(t, terminal.Watched(f, environment("TERM", "xterm")))
	assert.False(t, terminal.Watched(f, environment("TERM", "dumb")))
	assert.False(t, terminal.Watched(f, environment("CI", "true")))
}
