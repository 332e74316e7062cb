package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/offline"
)

// TestOffline runs every command where the kernel kills a program that asks for
// an internet socket. Only what names an address may do so, and does.
func TestOffline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, filepath.Join(dir, "studied"), studied)
	writeFiles(t, filepath.Join(dir, "bundle"), soundBundle)
	writeFiles(t, filepath.Join(dir, "trec"), soundTREC)
	writeFiles(t, filepath.Join(dir, "mtel"), soundMTELMem)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "half.txtar"), []byte(scripts["half.txtar"]+scriptBundle), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "events.json"), []byte(passingEvents), 0o600))
	talks := talk(t, 2)
	tried := map[string]bool{}
	try := func(args ...string) (output string, err error) {
		tried[args[0]] = true
		for i := range args {
			args[i] = strings.NewReplacer("DIR", dir, "TALK", talks, "SAMPLES", sample()).Replace(args[i])
		}
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), roleEnv+"=command", "TIAP_UPDATE=force")
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		err = offline.Run(cmd)
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		return out.String(), err
	}
	for _, line := range []string{
		"help",
		"audit DIR/bundle",
		"audit -sensitivity -json DIR/studied",
		"audit -report DIR/a.html -report DIR/a.md -report DIR/a.tex -report DIR/a.json -report DIR/a.txt DIR/studied",
		"audit -qrels raw=DIR/trec/raw.qrels -run DIR/trec/a.run",
		"audit -records DIR/mtel/records.jsonl -trace DIR/mtel/trace.jsonl",
		"contested DIR/studied -o DIR/cases.csv",
		"explain DIR/bundle -query q1",
		"gate -golden DIR/golden.json DIR/bundle",
		"gate -base DIR/bundle DIR/bundle",
		"import locomo SAMPLES/locomo/locomo_sample.json -o DIR/locomo -bm25",
		"import mem0 " + export("store", "mem0", "get_all.json") + " " + export("history", "mem0", "history.db") + " " + export("search", "mem0", "search.jsonl") + " -o DIR/locomo -infer",
		"script DIR/half.txtar",
		"summarize DIR/events.json",
	} {
		out, err := try(strings.Fields(line)...)
		assert.NoError(t, err, "%s: %s", line, out)
	}
	out, err := try("record", "-name", "small", "-exec", adapterLine(t, ""), "TALK")
	assert.NoError(t, err, out)

	for _, line := range []string{
		"record -name other -url http://127.0.0.1:9 TALK",
		"contested DIR/studied -ask http://127.0.0.1:9/v1 -model m -o DIR/labels.jsonl",
	} {
		out, err := try(strings.Fields(line)...)
		assert.ErrorIs(t, err, offline.ErrSocket, "%s: %s", line, out)
	}
	for _, c := range commands {
		require.True(t, tried[c.name], "command %s: add what it does offline", c.name)
	}
}
