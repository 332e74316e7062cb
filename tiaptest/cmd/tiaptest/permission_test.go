//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/unprivileged"
)

// What may not be read or written is named, and what could be is left as it was.
func TestPermissions(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads and writes everywhere")
	}
	const more = `
-- golden.json --
{}
-- events.json --
{"Action":"pass","Package":"p"}
-- labels.jsonl --
{}
-- old/f.txt --
x
-- locomo.json --
[]
-- accepted.json --
[]
-- queries.jsonl --
{"id":"q1","evidence":["t1"],"text":"Who moved?","answer":"Anna"}
{"id":"q2","evidence":["t2"],"text":"Who else?","answer":"Ben"}
-- turns.jsonl --
{"id":"t1","text":"Anna moved."}
{"id":"t2","text":"Ben moved, too."}
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"],"text":"Anna moved."}
{"id":"m2","form":"fact","sources":["t1"],"text":"Anna moved."}
{"id":"m3","form":"raw","sources":["t2"],"text":"Ben moved, too."}
{"id":"m4","form":"fact","sources":["t2"],"text":"Ben moved, too."}
`
	for _, tt := range []struct{ name, args, closed, says string }{
		{"queries", "audit DIR", "queries.jsonl", "DIR/queries.jsonl: permission denied; make it readable; links must not lead out of the bundle\n"},
		{"store", "audit DIR", "systems/a/store.jsonl", "DIR/systems/a/store.jsonl: permission denied; make it readable; links must not lead out of the bundle\n"},
		{"run", "audit DIR", "systems/a/run.jsonl", "DIR/systems/a/run.jsonl: permission denied; make it readable; links must not lead out of the bundle\n"},
		{"scenario", "audit DIR", "scenario.json", "DIR/scenario.json: permission denied; make it readable; links must not lead out of the bundle\n"},
		{"accepted", "audit DIR", "accepted.json", "DIR/accepted.json: permission denied; make it readable; links must not lead out of the bundle\n"},
		{"folder of a system", "audit DIR", "systems/a", `DIR/systems/a/system.json: permission denied; make it readable; links must not lead out of the bundle
DIR/systems/a/store.jsonl: permission denied; make it readable; links must not lead out of the bundle
DIR/systems/a/run.jsonl: permission denied; make it readable; links must not lead out of the bundle
DIR/systems/a/repeats: permission denied; make it a readable folder; links must not lead out of the bundle
`},
		{"folder of systems", "audit DIR", "systems", "DIR/systems"},
		{"the bundle", "audit DIR", ".", "DIR"},
		{"golden file", "gate -golden DIR/golden.json DIR", "golden.json", "DIR/golden.json"},
		{"events", "summarize -o DIR/old/f.txt DIR/events.json", "events.json", "DIR/events.json"},
		{"labels", "audit -sensitivity -labels DIR/labels.jsonl DIR", "labels.jsonl", "DIR/labels.jsonl"},
		{"answers", "audit -sensitivity -answers DIR/labels.jsonl DIR", "labels.jsonl", "DIR/labels.jsonl"},
		{"filled table", "contested -filled DIR/golden.json -judge ann -o DIR/l.jsonl DIR", "golden.json", "DIR/golden.json"},
		{"export", "import locomo DIR/locomo.json -o DIR/new", "locomo.json", "DIR/locomo.json"},
		{"report into a closed folder", "audit -json -o DIR/old/out.json DIR", "old", "DIR/old/out.json"},
		{"report into an open file", "audit -json -o DIR/old/f.txt/out.json DIR", "old", "DIR/old/f.txt"},
		{"gate into a closed folder", "gate -base DIR -o DIR/old/out.md DIR", "old", "DIR/old/out.md"},
		{"explanation into a closed folder", "explain -o DIR/old/out.txt -query q1 DIR", "old", "DIR/old/out.txt"},
		{"cases into a closed folder", "contested -o DIR/old/out.csv DIR", "old", "DIR/old/out.csv"},
		{"bundle into a closed folder", "import locomo DIR/locomo.json -o DIR/old/new", "old", "DIR"},
		{"recording into a closed folder", "record -name b -exec true DIR", "systems", "DIR/systems/b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFiles(t, dir, soundBundle, more)
			closed := filepath.Join(dir, tt.closed)
			info, err := os.Stat(closed)
			require.NoError(t, err)
			mode := os.FileMode(0)
			if strings.Contains(tt.name, "into") {
				mode = 0o555
			}
			before := treeOf(t, dir)
			require.NoError(t, os.Chmod(closed, mode))
			t.Cleanup(func() { assert.NoError(t, os.Chmod(closed, info.Mode())) })
			status, _, stderr := start(dir, strings.Fields(tt.args)...)
			require.NoError(t, os.Chmod(closed, info.Mode()))
			assert.Equal(t, statusWrong, status)
			assert.Contains(t, stderr, tt.says)
			assert.Regexp(t, "permission denied|not a directory|read-only", stderr)
			if tt.name != "events" { // that they cannot be read is said in the summary
				assert.Equal(t, before, treeOf(t, dir))
			}
		})
	}
}

// treeOf is what lies in a folder, by its path.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			out[path] = "a folder"
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	}))
	return out
}

// Where root runs the tests of permissions, another user does.
func TestUnprivileged(t *testing.T) {
	t.Parallel()
	unprivileged.Run(t, "TestPermissions", "TestRefusedBundle/unreadable_file")
}
