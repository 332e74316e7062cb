package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
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

// -text is the report in place of the table, to standard output or a file.
func TestAuditText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied, studiedLabels)
	for _, more := range []string{"", "-sensitivity ", "-beside supported(canonical) "} {
		table := mustRun(t, dir, "audit "+more+"-report DIR/r.txt DIR")
		want := readFile(t, filepath.Join(dir, "r.txt"))
		assert.NotEqual(t, table, want)
		assert.Equal(t, want, mustRun(t, dir, "audit -text "+more+"DIR"), more)
		assert.Empty(t, mustRun(t, dir, "audit -text -o DIR/o.txt "+more+"DIR"))
		assert.Equal(t, want, readFile(t, filepath.Join(dir, "o.txt")), more)
	}
}

// Names in a list may have blanks around them.
func TestAuditLists(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied)
	want := mustRun(t, dir, "audit -systems a,b -metrics mrr@10,top1 DIR")
	var stdout, errs bytes.Buffer
	require.Equal(t, statusFine, run([]string{"audit", "-systems", " a, b", "-metrics", " mrr@10, top1", dir}, &stdout, &errs), errs.String())
	assert.Equal(t, want, strings.ReplaceAll(stdout.String(), dir, "DIR"))
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

// A comparison has no JSON report: the gate says so before it works.
func TestGateReportJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, studied)
	file := filepath.Join(t.TempDir(), "r.JSON")
	var stdout, errs bytes.Buffer
	assert.Equal(t, statusWrong, run([]string{"gate", "-base", dir, dir, "-report", file}, &stdout, &errs))
	assert.Equal(t, "tiaptest gate: -report "+file+": a comparison has no JSON report; use .html, .md, .tex or .txt, or -format json for what the gate finds\n", errs.String())
	assert.Empty(t, stdout.String(), "nothing was compared")

	// Against a golden file the report is that of the audit.
	errs.Reset()
	assert.Equal(t, statusFailed, run([]string{"gate", "-golden", filepath.Join(dir, "none.json"), dir, "-report", file}, &stdout, &errs), errs.String())
	assert.FileExists(t, file)

	var help bytes.Buffer
	_ = run([]string{"gate", "-h"}, &help, &help)
	assert.Contains(t, help.String(), ".json not with -base")
}

// What is a tie to the gate is one in its report.
func TestGateReportEffect(t *testing.T) {
	t.Parallel()
	base, head := t.TempDir(), t.TempDir()
	writeFiles(t, base, studied)
	writeFiles(t, head, strings.NewReplacer("systems/a/run", "systems/b/run", "systems/b/run", "systems/a/run", "systems/a/store", "systems/b/store", "systems/b/store", "systems/a/store").Replace(studied))
	file := filepath.Join(t.TempDir(), "r.md")
	for effect, lists := range map[string]bool{"0": true, "0.99": false} {
		var stdout, errs bytes.Buffer
		run([]string{"gate", "-base", base, head, "-effect", effect, "-report", file}, &stdout, &errs)
		assert.Equal(t, lists, strings.Contains(readFile(t, file), "Winners that changed"), "effect %s: %s", effect, errs.String())
	}
}
