package script_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStatesNothing checks that a script fails in which no line that states a
// finding has run, unless it was skipped or stopped.
func TestStatesNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		fails bool
	}{
		"empty":          {"", true},
		"comments":       {"# D1 leads.\n#winner D1 D5 raw mrr@5\n", true},
		"condition":      {"[!exec:go] [exec:go] winner D1 D5 raw mrr@5\n", true},
		"prints":         {"audit -k 5\nexplain q1\n", true},
		"sets":           {"cp queries.jsonl other.jsonl\n", true},
		"output, if":     {"audit\n[!exec:go] [exec:go] stdout talk\n", true},
		"in a file":      {"audit\n-- a --\nstdout talk\nsubset 3\n", true},
		"finding":        {"# D1 leads.\nwinner D1 D5 raw mrr@5\n", false},
		"opposite":       {"! winner D5 D1 raw mrr@5\n# The end.\n", false},
		"fault":          {"! audit -metrics ndgc@10\n", false},
		"condition, yes": {"[!exec:no-such-command] subset 3\n", false},
		"output":         {"audit\nstdout talk\n", false},
		"no output":      {"explain q1\n! stdout elsewhere\n", false},
		"skip":           {"skip\n", false},
		"stop":           {"stop 'for now'\nsubset 3\n", false},
		"stop after":     {"audit\n# Enough.\nstop\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "nothing.txtar")
			require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o666))
			failed, log := run(file, testscript.Params{Setup: talk})
			assert.Equal(t, tt.fails, failed, log)
			if tt.fails {
				assert.Contains(t, log, "FAIL: nothing.txtar: the script states nothing: no line that states a finding has run; add one, such as ")
				assert.NotContains(t, log, "PASS")
			}
		})
	}
}

// TestStatesNothingInFolder checks that each script of a folder has to state
// something for itself.
func TestStatesNothingInFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txtar": "subset 3\n", "b.txt": "audit\n", "c.md": "", "d.txtar": "audit\nstdout talk\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	r := &recorder{}
	runAll(r, testscript.Params{Dir: dir, Setup: talk})
	assert.True(t, r.failed)
	log := r.log.String()
	assert.Contains(t, log, "FAIL: "+filepath.Join(dir, "b.txt")+": the script states nothing")
	assert.NotContains(t, log, "a.txtar: the script")
	assert.NotContains(t, log, "d.txtar: the script")
}

// TestAuditDir checks that the bundle of an audit line stays that of the lines
// below, wherever cd leads.
func TestAuditDir(t *testing.T) {
	t.Parallel()
	const files = `
-- b/queries.jsonl --
{"id": "q1", "evidence": ["t1"]}
-- b/store.jsonl --
{"id": "turn1", "form": "raw", "sources": ["t1"]}
-- b/run.jsonl --
{"query": "q1", "ranking": ["turn1"]}
-- sub/b/queries.jsonl --
{"id": "q1", "evidence": ["t1"]}
-- sub/b/store.jsonl --
{"id": "turn1", "form": "raw", "sources": ["t1"]}
-- sub/b/run.jsonl --
{"query": "q1", "ranking": ["other", "turn1"]}
`
	for _, lines := range []string{
		"audit b\ncd sub\nscore b raw mrr@5 1\n",
		"cd b\naudit\ncd ../sub/b\nscore b raw mrr@5 1\n",
		"audit b\ncd sub\n! audit none -k 0\n",
		"audit b\ncd sub\naudit b\nscore b raw mrr@5 0.5\n",
	} {
		file := filepath.Join(t.TempDir(), "cd.txtar")
		require.NoError(t, os.WriteFile(file, []byte(lines+files), 0o666))
		failed, log := run(file, testscript.Params{})
		assert.Equal(t, lines == "audit b\ncd sub\n! audit none -k 0\n", failed, "%s%s", lines, log)
	}
}
