package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pseudoTerminal returns the two ends of one: what is written to the terminal is read
// from the controller.
func pseudoTerminal(t *testing.T) (controller, terminal *os.File) {
	t.Helper()
	controller, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	t.Cleanup(func() { controller.Close() })
	control := func(request uintptr, value *int32) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, controller.Fd(), request, uintptr(unsafe.Pointer(value)))
		require.Zero(t, errno)
	}
	var unlock, number int32
	control(syscall.TIOCSPTLCK, &unlock)
	control(syscall.TIOCGPTN, &number)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	return controller, terminal
}

// A command that takes long says so on a terminal, in a line that it takes away, and
// not in continuous integration.
func TestStatusOnTerminal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for more than two seconds")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(600 * time.Millisecond)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"partial"}}]}`)
	}))
	t.Cleanup(server.Close)
	for _, ci := range []string{"", "true"} {
		t.Run("CI="+ci, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFiles(t, dir, studied)
			controller, terminal := pseudoTerminal(t)
			cmd := exec.Command(os.Args[0], "contested", dir, "-ask", server.URL+"/v1", "-model", "m", "-o", filepath.Join(dir, "labels.jsonl"))
			cmd.Env = append(os.Environ(), roleEnv+"=command", "CI="+ci, "TERM=xterm", "COLUMNS=30")
			var stdout bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, terminal
			require.NoError(t, cmd.Start())
			require.NoError(t, terminal.Close())
			shown, _ := io.ReadAll(controller) // it ends with an error when nobody has the terminal any more
			require.NoError(t, cmd.Wait())
			assert.Equal(t, "4 cases: 0 labelled before, 4 labelled now, 0 without a label\n", stdout.String())
			if ci != "" {
				assert.Empty(t, string(shown))
				return
			}
			assert.Regexp(t, `^\r[23] of 4 have a label 2s\x1b\[K`, string(shown))
			assert.Regexp(t, `\r\x1b\[K$`, string(shown))
		})
	}
}

// On a terminal the text of an audit has its width and colours, and the table is what it
// is anywhere.
func TestAuditOnTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied)
	shown := func(args ...string) string {
		controller, terminal := pseudoTerminal(t)
		cmd := exec.Command(os.Args[0], append(args, dir)...)
		cmd.Env = append(os.Environ(), roleEnv+"=command", "TERM=xterm", "COLUMNS=60", "NO_COLOR=")
		cmd.Stdout = terminal
		require.NoError(t, cmd.Start())
		require.NoError(t, terminal.Close())
		text, _ := io.ReadAll(controller) // it ends with an error when nobody has the terminal any more
		require.NoError(t, cmd.Wait())
		return strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), dir, "DIR")
	}
	assert.Equal(t, mustRun(t, dir, "audit DIR"), shown("audit"))
	text := shown("audit", "-text")
	assert.Contains(t, text, "\n\x1b[1mSCORES\x1b[0m\n")
	for line := range strings.Lines(regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(text, "")) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 60, line)
	}
}
