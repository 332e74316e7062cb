package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/tiaptest"
)

var scenariosDir = filepath.Join("..", "..", "..", "scenarios")

// sample is a file of the synthetic exports.
func sample(parts ...string) string {
	return filepath.Join(append([]string{scenariosDir, "testdata"}, parts...)...)
}

// imports runs the command.
func imports(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(append([]string{"import"}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

func TestImportBenchmark(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bundle")
	status, stdout, stderr := imports(t, "locomo", sample("locomo", "locomo_sample.json"), "-o", dir, "-bm25", "-forms", "raw,observation", "-headline", "canonical")
	require.Equal(t, statusFine, status, stderr)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "locomo: 10 turns, 13 queries, 11 of them scorable with 16 evidence units\n")
	assert.Contains(t, stdout, "    evidence normalised")
	assert.Contains(t, stdout, "    2 evidence split, first at ")
	assert.Contains(t, stdout, "next: tiaptest audit "+dir+"\n")

	var out, errs bytes.Buffer
	require.Equal(t, statusFine, run([]string{"audit", dir}, &out, &errs), errs.String())
	for _, target := range []string{"raw", "source", "canonical"} {
		assert.Contains(t, out.String(), "locomo  "+target)
	}

	status, _, stderr = imports(t, "locomo", sample("locomo", "locomo_sample.json"), "-o", dir)
	assert.Equal(t, statusWrong, status)
	assert.Equal(t, dir+": the folder is not empty; name one that does not exist yet\n", stderr)
}

func TestImportStrict(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bundle")
	status, stdout, stderr := imports(t, "-strict", "locomo", "-o", dir, sample("locomo", "locomo_sample.json"))
	require.Equal(t, statusFine, status, stderr)
	assert.Contains(t, stdout, "8 of them scorable")
	assert.NoDirExists(t, filepath.Join(dir, "systems"))
	s, err := tiaptest.OpenScenario(dir)
	require.NoError(t, err)
	assert.Len(t, s.Queries, 13)
}

func TestImportOthers(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"longmemeval", sample("longmemeval", "longmemeval_s_sample.json"), "-gold", "user-turn", "-fallback"},
		{"beam", sample("beam", "chats"), "-original-info"},
		{"beam", sample("beam", "hf_row_sample.json")},
	} {
		dir := filepath.Join(t.TempDir(), "bundle")
		status, stdout, stderr := imports(t, append(args, "-o", dir)...)
		require.Equal(t, statusFine, status, stderr)
		assert.True(t, strings.HasPrefix(stdout, args[0]+": "), stdout)
		_, err := tiaptest.OpenScenario(dir)
		assert.NoError(t, err)
	}
}

func TestImportUsage(t *testing.T) {
	t.Parallel()
	locomo := sample("locomo", "locomo_sample.json")
	taken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(taken, "queries.jsonl"), []byte(`{"id":"q","evidence":["t"]}`+"\n"), 0o666))
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no output", []string{"locomo", locomo}, "tiaptest import: no place to write to; name the folder of the bundle with -o DIR\n"},
		{"no source", []string{"locomo", "-o", "x"}, "tiaptest import: 0 sources; name the one file or folder of locomo\n"},
		{"two sources", []string{"locomo", "a", "b", "-o", "x"}, "tiaptest import: 2 sources; name the one file or folder of locomo\n"},
		{"a flag of systems", []string{"locomo", locomo, "-o", "x", "-family", "f"}, "tiaptest import: -family is for memory systems; leave it out with locomo\n"},
		{"forms of nothing", []string{"locomo", locomo, "-o", "x", "-forms", "raw"}, "tiaptest import: -forms without -bm25 keeps nothing; add -bm25\n"},
		{"unknown target", []string{"locomo", locomo, "-o", "x", "-headline", "gold"}, `tiaptest import: -headline: unknown target "gold"; use raw, source or canonical, or current(...), validat(...), exact(...) or inferred(...) around one` + "\n"},
		{"an option of another benchmark", []string{"locomo", locomo, "-o", "x", "-original-info"}, "original info: an option of beam, not of locomo; leave it out\n"},
		{"several faults", []string{"locomo", "-family", "f"}, `tiaptest import: no place to write to; name the folder of the bundle with -o DIR
tiaptest import: -family is for memory systems; leave it out with locomo
tiaptest import: 0 sources; name the one file or folder of locomo
`},
		{"nothing to rank", []string{"beam", sample("beam", "chats"), "-bm25", "-o", filepath.Join(t.TempDir(), "x")}, "beam carries no memories to rank; record or import a memory system\n"},
	} {
		status, stdout, stderr := imports(t, c.args...)
		assert.Equal(t, statusWrong, status, c.name)
		assert.Equal(t, c.want, stderr, c.name)
		assert.Empty(t, stdout, c.name)
	}
	for _, args := range [][]string{{}, {"-o", "x"}, {"diary", "-o", "x"}} {
		status, _, stderr := imports(t, args...)
		assert.Equal(t, statusWrong, status)
		assert.Contains(t, stderr, "locomo, longmemeval, beam")
	}
	assert.NoDirExists(t, "x")
}
