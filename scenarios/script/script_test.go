package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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
			log = "usage: [!] subset [flags] [N [SYSTEM...]]\n"
		}
		_, usage, _ := strings.Cut(log, "usage: ")
		usage, _, _ = strings.Cut(strings.TrimPrefix(usage, "[!] "), "\n")
		usage = strings.TrimPrefix(strings.TrimPrefix(usage, name+" "), "[flags] ")
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

// TestDocScript runs the script of the package documentation.
func TestDocScript(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(doc), "//\n//\t#")
	require.True(t, found)
	text, _, found = strings.Cut(text, "// A test runs")
	require.True(t, found)
	text = strings.ReplaceAll(strings.ReplaceAll("//\t#"+text, "//\t", ""), "//\n", "\n")
	file := filepath.Join(t.TempDir(), "doc.txtar")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	failed, log := run(file, testscript.Params{})
	assert.False(t, failed, log)
	assert.Contains(t, text, "-- systems/D5/run.jsonl --\n")
}

// TestNeverBoth checks that a line and its opposite never both hold, whatever
// words they are made of.
func TestNeverBoth(t *testing.T) {
	t.Parallel()
	if os.Getenv("TIAP_UPDATE") != "" {
		t.Skip("TIAP_UPDATE is set: lines would record what they name")
	}
	system := []string{"D1", "D5", "D2"}
	target := []string{"raw", "source", "canonical", "exact(raw)"}
	metric := []string{"mrr@5", "hit@3", "micro_recall", "mrr@0"}
	number := []string{"0.5", "0.25", "0.75", "1", "3", ">=0.5", "<=4", "most"}
	verdict := []string{"", "same", "winner-flip", "weak"}
	flag := []string{"", "-population=all", "-systems=D1", "-where=first", "-credit=memory", "-targets=raw,source", "-beside=exact(raw)", "-k=0", "-z"}
	forms := [][][]string{
		{{"audit"}},
		{{"coverage"}, system, target, append(number, "")},
		{{"flip", "flip -from likely"}, system, system, target, target, metric},
		{{"gate"}, {".", "none"}, verdict},
		{{"golden"}, {"GOLDEN", "none"}, verdict},
		{{"recommend"}, {"density", "none"}, target, metric, append(system, "")},
		{{"score"}, system, target, metric, append(number, "")},
		{{"subset"}, number, append(system, "")},
		{{"winner"}, system, append(system, ""), target, metric},
	}
	dir := t.TempDir()
	held := 0
	rapid.Check(t, func(t *rapid.T) {
		line := "" // with few resamples, for speed
		for _, words := range append(rapid.SampledFrom(forms).Draw(t, "form"), flag) {
			line += rapid.SampledFrom(words).Draw(t, "word") + " "
		}
		// One process compares one content with a golden file.
		golden, err := os.MkdirTemp(dir, "golden")
		require.NoError(t, err)
		require.NoError(t, os.CopyFS(golden, os.DirFS("testdata/golden")))
		line = strings.ReplaceAll(line, "GOLDEN", filepath.Join(golden, "talk.json"))
		holds := 0
		for _, bang := range []string{"", "! "} {
			file := filepath.Join(dir, "line.txtar")
			require.NoError(t, os.WriteFile(file, []byte(bang+line+"-resamples=100\n"), 0o666))
			if failed, _ := run(file, testscript.Params{Setup: talk}); !failed {
				holds++
			}
		}
		require.LessOrEqual(t, holds, 1, line)
		held += holds
	})
	require.Positive(t, held, "hardly a line is a finding")
}
