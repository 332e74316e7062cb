package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/script"
)

// talk puts the bundle of testdata/talk into the folder of a script.
func talk(e *testscript.Env) error { return os.CopyFS(e.WorkDir, os.DirFS("testdata/talk")) }

// TestScript runs a script for each command: what holds and what does not.
func TestScript(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{Dir: "testdata/script", Setup: talk, UpdateScripts: os.Getenv("TIAP_UPDATE") != ""})
}

// TestDocumented holds the table of the package documentation against the
// commands.
func TestDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for name := range script.Commands() {
		file := filepath.Join(t.TempDir(), "usage.txtar")
		require.NoError(t, os.WriteFile(file, []byte(name+" a b c d e f\n"), 0o666))
		_, log := run(file, testscript.Params{})
		if name == "subset" { // which takes any number of arguments
			log = "subset [flags] [N [SYSTEM...]]\n"
		}
		_, usage, _ := strings.Cut(log, name+" [flags] ")
		usage, _, _ = strings.Cut(usage, "\n")
		require.NotEmpty(t, usage, log)
		assert.Contains(t, string(doc), "//\t"+name+" "+usage+"   ")
	}
}

// TestOwnCommands checks that commands of one's own stand beside those of the
// package, and win.
func TestOwnCommands(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "own.txtar")
	require.NoError(t, os.WriteFile(file, []byte("score mine\nsubset 3\n"), 0o666))
	var got []string
	own := func(_ *testscript.TestScript, _ bool, args []string) { got = args }
	failed, log := run(file, testscript.Params{Setup: talk, Cmds: map[string]func(*testscript.TestScript, bool, []string){"score": own}})
	assert.False(t, failed, log)
	assert.Equal(t, []string{"mine"}, got)
}

// TestTwice checks that a script with two files of one name is refused.
func TestTwice(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "twice.txtar")
	require.NoError(t, os.WriteFile(file, []byte("-- a --\n-- a --\n"), 0o666))
	failed, log := run(file, testscript.Params{})
	assert.True(t, failed)
	assert.Contains(t, log, "twice.txtar")
}
