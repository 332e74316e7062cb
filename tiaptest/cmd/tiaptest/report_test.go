package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReports(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bundle")
	status, _, stderr := imports(t, "locomo", sample("locomo", "locomo_sample.json"), "-o", dir, "-bm25", "-headline", "canonical")
	require.Equal(t, statusFine, status, stderr)
	out := t.TempDir()
	args := []string{"audit", dir}
	begins := map[string]string{"r.html": "<!DOCTYPE html>", "r.md": "# ", "r.tex": "%", "r.txt": "", "r.json": "{"}
	for name := range begins {
		args = append(args, "-report", filepath.Join(out, name))
	}
	for _, more := range [][]string{nil, {"-sensitivity"}} {
		var stdout, errs bytes.Buffer
		require.Equal(t, statusFine, run(append(args, more...), &stdout, &errs), errs.String())
		for name, begin := range begins {
			text, err := os.ReadFile(filepath.Join(out, name))
			require.NoError(t, err)
			assert.NotEmpty(t, text, name)
			assert.True(t, bytes.HasPrefix(bytes.ToLower(text), bytes.ToLower([]byte(begin))), "%s: %.40s", name, text)
		}
	}

	// The gate compares.
	var stdout, errs bytes.Buffer
	compared := filepath.Join(out, "gate.html")
	require.Equal(t, statusFine, run([]string{"gate", "-base", dir, "-report", compared, dir}, &stdout, &errs), errs.String())
	assert.FileExists(t, compared)

	// A failing gate writes it all the same.
	missing := filepath.Join(out, "missing.md")
	require.Equal(t, statusFailed, run([]string{"gate", "-golden", filepath.Join(out, "none.json"), "-report", missing, dir}, &stdout, &errs), errs.String())
	assert.FileExists(t, missing)

	errs.Reset()
	assert.Equal(t, statusWrong, run([]string{"audit", "-report", "r.pdf", dir}, &stdout, &errs))
	assert.Contains(t, errs.String(), `report "r.pdf": the name ends in no known format; use .html, .md, .tex, .txt or .json`)
	errs.Reset()
	assert.Equal(t, statusWrong, run([]string{"audit", "-report", filepath.Join(out, "no", "r.md"), dir}, &stdout, &errs))
	assert.Contains(t, errs.String(), "no such file or directory; name a file that can be written")
}

// A report of an audit that knows labels says what they support.
func TestReportSupport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied, studiedLabels)
	file := filepath.Join(t.TempDir(), "r.md")
	var stdout, errs bytes.Buffer
	require.Equal(t, statusFine, run([]string{"audit", "-sensitivity", "-report", file, dir}, &stdout, &errs), errs.String())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), "\n## Support\n")
}
