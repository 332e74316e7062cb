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

// What go test -json writes about one test.
const (
	passingEvents = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}
`
	failingEvents = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: 50% wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`
)

func TestSummarize(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"pass.json": passingEvents, "fail.json": failingEvents, "empty.json": "", "text.txt": "ok  \tp\t0.1s\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, tt := range []struct {
		name   string
		stdin  string
		args   string
		status int
		stdout []string
		stderr string
	}{
		{"passes", passingEvents, "", 0, []string{"<!-- tiaptest summarize: go test -->\n", "> passed: 1 test in 1 package\n"}, ""},
		{"fails", failingEvents, "", 1, []string{"> failed: 1 of 1 test failed, 1 of 1 package failed\n", "a_test.go:3: 50% wrong"}, ""},
		{"file", failingEvents, "DIR/pass.json", 0, []string{"> passed: 1 test in 1 package\n"}, ""},
		{"files", "", "DIR/pass.json DIR/fail.json", 1, []string{"> failed: 1 of 2 tests failed"}, ""},
		{"named", passingEvents, "-name nightly", 0, []string{"<!-- tiaptest summarize: nightly -->\n## nightly\n"}, ""},
		{"no annotation of what passes", passingEvents, "-o DIR/out.md -annotations", 0, []string{"passed: 1 test in 1 package\n"}, ""},
		{"annotations", failingEvents, "-annotations", 1, []string{"<details", "::error title=TestA in p::a_test.go:3: 50%25 wrong\n"}, ""},
		{"empty", "", "-annotations", 2, []string{"> failed: an input cannot be used, no test ran\n", "::error title=go test::standard input: no event"},
			"standard input: no event of go test -json; make it with go test -json, or with gotestsum --jsonfile\n"},
		{"no events", "", "DIR/text.txt", 2, []string{"Lines between the events"}, "DIR/text.txt: no event of go test -json; make it with go test -json, or with gotestsum --jsonfile\n"},
		{"cut off", passingEvents + `{"Time":"2026-01-02T03:04:05Z","Action":"start","Package":"ex.test/sum/`, "-annotations", 2,
			[]string{"> failed: an input cannot be used\n", "\nstandard input: line 5 is an event that is cut off or broken", "::error title=go test::standard input: line 5 is an event"},
			"standard input: line 5 is an event that is cut off or broken (1 such line); keep all that go test -json writes, and only that\n"},
		{"one of several cannot be used", "", "DIR/pass.json DIR/empty.json DIR/gone.json", 2, []string{"> failed: an input cannot be used\n"},
			"DIR/empty.json: no event of go test -json; make it with go test -json, or with gotestsum --jsonfile\nDIR/gone.json: no such file or directory; name a file that go test -json wrote\n"},
		{"a folder", "", "DIR", 2, nil, "DIR: read DIR: is a directory\n"},
		{"cannot be written", passingEvents, "-o DIR/no/out.md", 2, []string{"passed: 1 test in 1 package\n"}, "DIR/no/out.md: no such file or directory; name a file that can be written\n"},
		{"name", "", "-name a--b", 2, nil, `tiaptest summarize: -name "a--b": use letters, digits, blanks, dots, underlines and single dashes, and begin with a letter or digit` + "\n"},
		{"flag", "", "-junit x", 2, nil, "tiaptest summarize: flag provided but not defined: -junit; see tiaptest summarize -h\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			args := strings.Fields(strings.ReplaceAll(tt.args, "DIR", dir))
			status := exitStatus(summarizeFrom(strings.NewReader(tt.stdin), args, &stdout, &stderr), &stderr)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.stderr, strings.ReplaceAll(stderr.String(), dir, "DIR"))
			for _, want := range tt.stdout {
				assert.Contains(t, stdout.String(), want)
			}
			if strings.Contains(tt.args, "-o ") {
				assert.Equal(t, strings.Join(tt.stdout, ""), stdout.String())
			}
		})
	}
}

// A run that fails does not pass when its events are cut off, wherever that is, but for
// the end of the package that passes.
func TestSummarizeCut(t *testing.T) {
	t.Parallel()
	good := strings.ReplaceAll(passingEvents, `"p"`, `"ex.test/sum/good"`)
	all := good + strings.ReplaceAll(failingEvents, `"p"`, `"ex.test/sum/bad"`)
	for n := range len(all) + 1 {
		var stdout, stderr bytes.Buffer
		status := exitStatus(summarizeFrom(strings.NewReader(all[:n]), nil, &stdout, &stderr), &stderr)
		passed := n == len(good)-1 || n == len(good)
		if passed != (status == 0) || passed == strings.Contains(stdout.String(), "> [!CAUTION]\n> failed: ") {
			t.Fatalf("exit status %d for\n%s", status, all[:n])
		}
	}
}

// The summary of a step is appended to, and what else may be asked for is written
// beside.
func TestSummarizeStep(t *testing.T) {
	dir := t.TempDir()
	step := filepath.Join(dir, "step")
	t.Setenv("GITHUB_STEP_SUMMARY", step)
	require.NoError(t, os.WriteFile(step, []byte("before\n"), 0o644))
	var stdout, stderr bytes.Buffer
	require.ErrorIs(t, summarizeFrom(strings.NewReader(failingEvents), []string{"-step-summary", "-annotations"}, &stdout, &stderr), errGate)
	text, err := os.ReadFile(step)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "before\n<!-- tiaptest summarize: go test -->\n"), "%s", text)
	assert.Equal(t, "failed: 1 of 1 test failed, 1 of 1 package failed\n::error title=TestA in p::a_test.go:3: 50%25 wrong\n", stdout.String())

	stdout.Reset()
	file := filepath.Join(dir, "out.md")
	require.NoError(t, summarizeFrom(strings.NewReader(passingEvents), []string{"-step-summary", "-o", file}, &stdout, &stderr))
	assert.Equal(t, "passed: 1 test in 1 package\n", stdout.String())
	own, err := os.ReadFile(file)
	require.NoError(t, err)
	both, err := os.ReadFile(step)
	require.NoError(t, err)
	assert.Equal(t, string(text)+string(own), string(both))

	for _, name := range []string{"", filepath.Join(dir, "no", "step")} {
		t.Setenv("GITHUB_STEP_SUMMARY", name)
		err := summarizeFrom(strings.NewReader(passingEvents), []string{"-step-summary"}, &stdout, &stderr)
		require.Error(t, err)
		assert.NotErrorIs(t, err, errGate)
		assert.Contains(t, err.Error(), "GITHUB_STEP_SUMMARY")
	}
}

func TestSummarizeIsACommand(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "events.json")
	require.NoError(t, os.WriteFile(file, []byte(failingEvents), 0o644))
	var stdout, stderr bytes.Buffer
	assert.Equal(t, statusFailed, run([]string{"summarize", file}, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "> failed: 1 of 1 test failed")
	stdout.Reset()
	assert.Equal(t, statusFine, run([]string{"summarize", "-h"}, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "usage: go test -json ./... | tiaptest summarize [flags]")
	assert.Empty(t, stderr.String())
}
