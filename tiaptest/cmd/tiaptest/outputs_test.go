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
