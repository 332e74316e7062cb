package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A report has what -sensitivity finds, by every convention and at the depths that
// were asked for.
func TestReportOfStudy(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	writeFiles(t, dir, studied, studiedLabels, studiedAnswers)
	report := func(args string) string {
		file := filepath.Join(out, "report.md")
		mustRun(t, dir, "audit DIR -report "+file+" "+args)
		return readFile(t, file)
	}
	with, without := report("-sensitivity -depths 1,2"), report("")
	for _, want := range []string{"## Conventions\n", "## Power\n", "## Composition\n", "## Support\n", "## Depths\n", "## Answers\n"} {
		assert.Contains(t, with, want)
		assert.NotContains(t, without, want)
	}
	for _, want := range []string{"| f | **differs** | memory/dropped/all | 2 |", "| a | canonical | 1 | 1 | 100.0% | 1 |"} {
		assert.Contains(t, with, want)
	}
}

// The JSON report has one form: to a file or to standard output, whatever it adds.
func TestOneJSONReport(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	writeFiles(t, dir, studied, studiedLabels, studiedAnswers)
	for _, args := range []string{
		"", "-sensitivity", "-sensitivity -depths 1,2", "-beside supported(canonical)", "-sensitivity -label-rule kind=human -beside supported(canonical)",
	} {
		file := filepath.Join(out, "r.json")
		printed := mustRun(t, dir, "audit DIR -json -report "+file+" "+args)
		assert.Equal(t, printed, readFile(t, file), args)
	}
}
