package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const acceptedFlip = `
-- accepted.json --
[
  {"a":"a","b":"b","metric":"ndcg@60","targets":["raw","source"],"reason":"known"}
]
`

// TestLineEnds: what a checkout turned into CRLF is read as what it was, by every
// command and from every kind of file.
func TestLineEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, input, args string }{
		{"bundle", soundBundle, "audit -json DIR/in"},
		{"one system", "-- queries.jsonl --" + strings.TrimPrefix(scriptBundle, "\n-- queries.jsonl --"), "audit -json DIR/in"},
		{"labels and accepted findings", studied + studiedLabels + acceptedFlip, "audit -json -sensitivity DIR/in"},
		{"table", studied + studiedLabels + acceptedFlip, "audit DIR/in"},
		{"contested", studied + studiedLabels, "contested DIR/in"},
		{"qrels and run", soundTREC, "audit -json -qrels raw=DIR/in/raw.qrels -run DIR/in/a.run"},
		{"records and trace", soundMTELMem, "audit -json -records DIR/in/records.jsonl -trace DIR/in/trace.jsonl"},
		{"explain", soundBundle, "explain DIR/in -query q1"},
		{"base branch", soundBundle, "gate -base DIR/in DIR/in"},
		{"golden file", soundBundle, "gate -golden DIR/in/golden.json DIR/in"},
		{"events of go test", "-- events.json --\n" + passingEvents, "summarize DIR/in/events.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			outputs := map[string]string{}
			lf := filepath.Join(t.TempDir(), "in")
			writeFiles(t, lf, tt.input)
			if tt.name == "golden file" {
				recordGolden(t, lf)
			}
			crlf := filepath.Join(t.TempDir(), "in")
			require.NoError(t, os.CopyFS(crlf, os.DirFS(lf)))
			changed := 0
			require.NoError(t, filepath.Walk(crlf, func(file string, info os.FileInfo, err error) error {
				if err != nil || info.IsDir() || filepath.Ext(file) == ".zst" {
					return err
				}
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				changed += strings.Count(string(text), "\n")
				return os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "\n", "\r\n")), 0o600)
			}))
			require.NotZero(t, changed)
			for name, dir := range map[string]string{"LF": filepath.Dir(lf), "CRLF": filepath.Dir(crlf)} {
				status, stdout, stderr := start(dir, strings.Fields(tt.args)...)
				require.Equal(t, statusFine, status, "%s: %s%s", name, stdout, stderr)
				require.NotEmpty(t, stdout)
				outputs[name] = strings.ReplaceAll(stdout, dir, "DIR") + stderr
			}
			assert.Empty(t, gocmp.Diff(outputs["LF"], outputs["CRLF"]))
		})
	}
}

// recordGolden records a bundle's golden file beside it, in a process of its own
// for the sake of its environment.
func recordGolden(t *testing.T, dir string) {
	t.Helper()
	out, err := process("TIAP_UPDATE=force", "gate", "-golden", filepath.Join(dir, "golden.json"), dir)
	require.NoError(t, err, out)
	require.FileExists(t, filepath.Join(dir, "golden.json"))
}
