package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		args   []string
		status int
		stderr string
	}{
		{"help", []string{"-h"}, 0, "-shape"},
		{"no folder", []string{"-shape", "trec"}, 2, "name one folder with -o"},
		{"an argument", []string{"-o", "unused", "trec"}, 2, "no arguments"},
		{"an unknown flag", []string{"-form", "trec"}, 2, "flag provided but not defined: -form"},
		{"an unknown shape", []string{"-o", "unused", "-shape", "csv"}, 2, `synth: unknown shape "csv"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			require.Equal(t, test.status, run(test.args, &stderr))
			require.Contains(t, stderr.String(), test.stderr)
		})
	}

	t.Run("success", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		var stderr bytes.Buffer
		status := run([]string{"-shape", "mtelmem", "-queries", "2", "-depth", "3", "-systems", "2", "-seed", "9", "-gz", "-o", dir}, &stderr)
		require.Zero(t, status, stderr.String())
		require.Empty(t, stderr.String())
		for _, name := range []string{"records.jsonl.gz", "trace.jsonl.gz"} {
			info, err := os.Stat(filepath.Join(dir, name))
			require.NoError(t, err)
			require.Positive(t, info.Size())
		}
	})
}
