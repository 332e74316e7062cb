package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file that two flags name is refused before anything is written.
func TestRefusedOutputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied, "-- golden.json --\n{}\n")
	require.NoError(t, os.Link(filepath.Join(dir, "golden.json"), filepath.Join(dir, "link.json")))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"audit", "-json", "-o", "DIR/same.json", "-report", "DIR/same.json", "DIR"}, "tiaptest audit: -o DIR/same.json and -report DIR/same.json: one file twice; name another one\n"},
		{[]string{"audit", "-per-query", "DIR/same.json", "-report", "DIR/../" + filepath.Base(dir) + "/same.json", "DIR"}, "tiaptest audit: -per-query DIR/same.json and -report DIR/../" + filepath.Base(dir) + "/same.json: one file twice; name another one\n"},
		{[]string{"audit", "-o", "DIR/same.md", "-per-query", "DIR/same.md", "-report", "DIR/same.md", "DIR"}, "tiaptest audit: -o DIR/same.md and -per-query DIR/same.md: one file twice; name another one\ntiaptest audit: -o DIR/same.md and -report DIR/same.md: one file twice; name another one\n"},
		{[]string{"audit", "-report", "DIR/same.md", "-report", "DIR/same.md", "DIR"}, "tiaptest audit: -report DIR/same.md and -report DIR/same.md: one file twice; name another one\n"},
		{[]string{"audit", "-o", "DIR/golden.json", "-report", "DIR/link.json", "DIR"}, "tiaptest audit: -o DIR/golden.json and -report DIR/link.json: one file twice; name another one\n"},
		{[]string{"gate", "-golden", "DIR/golden.json", "-o", "DIR/same.md", "-report", "DIR/same.md", "DIR"}, "tiaptest gate: -o DIR/same.md and -report DIR/same.md: one file twice; name another one\n"},
	} {
		status, stdout, stderr := start(dir, c.args...)
		assert.Equal(t, 2, status, c.args)
		assert.Empty(t, stdout, c.args)
		assert.Equal(t, c.want, stderr, c.args)
		assert.NoFileExists(t, filepath.Join(dir, "same.json"))
		assert.NoFileExists(t, filepath.Join(dir, "same.md"))
	}
	mustRun(t, dir, "audit -o DIR/a.txt -per-query DIR/a.jsonl -report DIR/a.md -report DIR/b.md DIR")
	assert.NotEmpty(t, mustRun(t, dir, "audit -o - -per-query - DIR"), "standard output is no file")
}

// What a command writes is written as a whole, through a link to where it leads.
func TestOutputIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied)
	want := mustRun(t, dir, "audit DIR")
	there := filepath.Join(dir, "there")
	require.NoError(t, os.Mkdir(there, 0o777))
	var before []os.FileInfo
	for _, name := range []string{"a.txt", "a.jsonl", "a.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(there, name), []byte("old"), 0o666))
		symlink(t, filepath.Join("there", name), filepath.Join(dir, name))
		info, err := os.Stat(filepath.Join(there, name))
		require.NoError(t, err)
		before = append(before, info)
	}
	assert.Empty(t, mustRun(t, dir, "audit -o DIR/a.txt -per-query DIR/a.jsonl -report DIR/a.md DIR"))
	for _, info := range before {
		link, err := os.Lstat(filepath.Join(dir, info.Name()))
		require.NoError(t, err)
		assert.NotZero(t, link.Mode()&os.ModeSymlink, "%s is no link any more", info.Name())
		now, err := os.Stat(filepath.Join(there, info.Name()))
		require.NoError(t, err)
		assert.False(t, os.SameFile(info, now), "%s is written over", info.Name())
		assert.NotEqual(t, int64(len("old")), now.Size(), info.Name())
	}
	text, err := os.ReadFile(filepath.Join(there, "a.txt"))
	require.NoError(t, err)
	assert.Equal(t, want, string(text))
}
