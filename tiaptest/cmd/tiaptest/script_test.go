package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scriptBundle is the bundle of the scripts below.
const scriptBundle = `
-- queries.jsonl --
{"id": "q1", "evidence": ["t1"]}
-- store.jsonl --
{"id": "turn1", "form": "raw", "sources": ["t1"]}
-- run.jsonl --
{"query": "q1", "ranking": ["other", "turn1"]}
`

// runScript runs the command script in a folder of scripts, with DIR for it.
func runScript(t *testing.T, scripts map[string]string, args ...string) (dir string, status int, stdout, stderr string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range scripts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text+scriptBundle), 0o666))
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "DIR", dir)
	}
	var out, errs bytes.Buffer
	status = run(append([]string{"script"}, args...), &out, &errs)
	clean := func(b *bytes.Buffer) string {
		return elapsed.ReplaceAllString(strings.ReplaceAll(b.String(), dir, "DIR"), "")
	}
	return dir, status, clean(&out), clean(&errs)
}

var elapsed = regexp.MustCompile(` \(\d+\.\d+s\)`)

var scripts = map[string]string{
	"none.txtar":  "# The turn stands first.\n[!exec:go] [exec:go] score bundle raw mrr 1",
	"half.txtar":  "# The turn stands second.\nscore bundle raw mrr 0.5",
	"one.txtar":   "# The turn stands first.\nscore bundle raw mrr 1",
	"skip.txtar":  "skip\nscore bundle raw mrr 1",
	"table.txtar": "score bundle raw mrr\ncmp stdout want\n-- want --\n",
}

func TestScript(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		stdout string
		stderr string
	}{
		{
			name: "passes",
			args: []string{"DIR/half.txtar"},
			stdout: `
ok    half
`,
		},
		{
			name:   "fails",
			args:   []string{"DIR/half.txtar", "DIR/one.txtar", "DIR/skip.txtar"},
			status: 1,
			stdout: `
ok    half
FAIL  one
      # The turn stands first.
      > score bundle raw mrr 1
      FAIL: DIR/one.txtar:2: mrr of bundle under raw is 0.5000, population shared, n 1; expected 1
skip  skip
1 of 3 failed
`,
		},
		{
			name:   "states nothing",
			args:   []string{"DIR/none.txtar", "DIR/half.txtar"},
			status: 1,
			stdout: `
FAIL  none
      # The turn stands first.
      FAIL: DIR/none.txtar: the script states nothing: no line that states a finding has run; add one, such as winner A B canonical mrr@5
ok    half
1 of 2 failed
`,
		},
		{
			name: "by name",
			args: []string{"DIR/half.txtar", "DIR/one.txtar", "-run", "^ha"},
			stdout: `
ok    half
`,
		},
		{
			name:   "no name",
			args:   []string{"-run", "DIR", "DIR/half.txtar"},
			status: 2,
			stderr: `
tiaptest script: no script has a name that matches DIR
`,
		},
		{
			name:   "no pattern",
			args:   []string{"-run", "(", "DIR/half.txtar"},
			status: 2,
			stderr: "\ntiaptest script: -run: error parsing regexp: missing closing ): `(`\n",
		},
		{
			name:   "no script",
			status: 2,
			stderr: `
tiaptest script: no script; name the files of some
`,
		},
		{
			name:   "no files",
			args:   []string{"DIR/half.txtar", "DIR/gone.txtar", "DIR"},
			status: 2,
			stderr: `
DIR/gone.txtar: no such file or directory; name a scenario script
DIR: it is a folder; name the scripts in it, as DIR/*.txtar
`,
		},
		{
			name:   "no flag",
			args:   []string{"-k", "5", "DIR/half.txtar"},
			status: 2,
			stderr: `
tiaptest script: flag provided but not defined: -k; see tiaptest script -h
`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, status, stdout, stderr := runScript(t, scripts, tt.args...)
			assert.Equal(t, tt.status, status, "exit status")
			if diff := gocmp.Diff(strings.TrimPrefix(tt.stdout, "\n"), stdout); diff != "" {
				t.Errorf("standard output (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(strings.TrimPrefix(tt.stderr, "\n"), stderr); diff != "" {
				t.Errorf("standard error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScriptVerbose(t *testing.T) {
	t.Parallel()
	_, status, stdout, _ := runScript(t, scripts, "-v", "DIR/half.txtar")
	assert.Equal(t, 0, status)
	want := `
ok    half
      # The turn stands second.
      > score bundle raw mrr 0.5
      [stdout]
      mrr of bundle under raw is 0.5000, population shared, n 1

      PASS
`
	if diff := gocmp.Diff(strings.TrimPrefix(want, "\n"), stdout); diff != "" {
		t.Errorf("standard output (-want +got):\n%s", diff)
	}
}

// TestScriptUpdate checks that what cmp compares with is written by -update
// alone.
func TestScriptUpdate(t *testing.T) {
	t.Parallel()
	before := scripts["table.txtar"] + scriptBundle
	dir, status, stdout, _ := runScript(t, scripts, "DIR/table.txtar")
	assert.Equal(t, 1, status)
	assert.Contains(t, stdout, "\n      FAIL: DIR/table.txtar:2: stdout and want differ\n")
	text, err := os.ReadFile(filepath.Join(dir, "table.txtar"))
	require.NoError(t, err)
	assert.Equal(t, before, string(text))

	dir, status, stdout, _ = runScript(t, scripts, "-update", "DIR/table.txtar")
	assert.Equal(t, 0, status, stdout)
	text, err = os.ReadFile(filepath.Join(dir, "table.txtar"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "-- want --\nmrr of bundle under raw is 0.5000, population shared, n 1\n-- queries.jsonl --\n")
}

// TestScriptGolden checks the command that a missing golden file is recorded by.
func TestScriptGolden(t *testing.T) {
	t.Parallel()
	if os.Getenv("TIAP_UPDATE") != "" {
		t.Skip("TIAP_UPDATE is set")
	}
	_, status, stdout, _ := runScript(t, map[string]string{"talk.txtar": "golden " + filepath.Join(t.TempDir(), "talk.json")}, "DIR/talk.txtar")
	assert.Equal(t, 1, status)
	assert.Contains(t, stdout, "to accept: TIAP_UPDATE=1 go tool tiaptest script DIR/talk.txtar\n")
}
