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
	assert.Contains(t, stdout, "    2 x evidence split, first at ")
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

// export is a file of the synthetic exports of memory systems.
func export(role string, parts ...string) string {
	return role + "=" + filepath.Join(append([]string{scenariosDir, "memsys", "testdata"}, parts...)...)
}

// Every memory system of the little conversation is imported into its bundle, and
// the bundle can be audited.
func TestImportSystems(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bundle")
	status, _, stderr := imports(t, "locomo", sample("locomo", "locomo_sample.json"), "-o", dir, "-headline", "source")
	require.Equal(t, statusFine, status, stderr)
	for _, args := range [][]string{
		{"mem0", export("store", "mem0", "get_all.json"), export("history", "mem0", "history.db"), export("search", "mem0", "search.jsonl")},
		{"memoryos", export("store", "memoryos"), export("log", "memoryos", "ingest_map.json"), export("search", "memoryos", "search.jsonl")},
		{"graphiti", export("store", "graphiti", "store_export.json"), export("search", "graphiti", "search.jsonl")},
		{"langgraph", export("store", "langgraph", "items.json"), export("log", "langgraph", "log.jsonl"), export("search", "langgraph", "search.jsonl")},
		{"letta", export("store", "letta", "passages.json"), export("search", "letta", "search.jsonl")},
		{"amem", export("store", "amem", "notes.json"), export("log", "amem", "log.jsonl"), export("search", "amem", "search.jsonl")},
		{"evermemos", export("store", "evermemos", "memcell_list_conv_0.json"), export("search", "evermemos", "search_results.json")},
		{"memorybench", export("store", "memorybench", "store.json"), export("search", "memorybench", "results")},
		{"trpc", export("store", "trpc", "conv-90.jsonl")},
	} {
		status, stdout, stderr := imports(t, append(args, "-o", dir, "-name", "my-"+args[0], "-family", "mine", "-infer")...)
		require.Equal(t, statusFine, status, "%s: %s", args[0], stderr)
		assert.True(t, strings.HasPrefix(stdout, "my-"+args[0]+": "), stdout)
		assert.Contains(t, stdout, "inferred lineage: exact text: linked ")
		assert.Contains(t, stdout, "written to "+filepath.Join(dir, "systems", "my-"+args[0])+"\n")
	}
	b, err := tiaptest.Open(dir)
	require.NoError(t, err)
	require.Len(t, b.Systems, 9)
	for _, s := range b.Systems {
		assert.Equal(t, "mine", s.Family)
	}
	var out, errs bytes.Buffer
	require.Equal(t, statusFine, run([]string{"audit", "-merge", "rrf", "-beside", "current(source),inferred(source)", dir}, &out, &errs), errs.String())
	assert.Contains(t, out.String(), "my-graphiti")

	// A system that is there is left alone.
	before, err := os.ReadFile(filepath.Join(dir, "systems", "my-letta", "store.jsonl"))
	require.NoError(t, err)
	status, _, stderr = imports(t, "mem0", "-name", "my-letta", export("store", "mem0", "get_all.json"), export("search", "mem0", "search.jsonl"), "-o", dir)
	assert.Equal(t, statusWrong, status)
	assert.Contains(t, stderr, "there is a system of that name; remove it, or name this one otherwise")
	after, err := os.ReadFile(filepath.Join(dir, "systems", "my-letta", "store.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, before, after)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		assert.False(t, strings.HasPrefix(e.Name(), "."), "%s is left behind", e.Name())
	}
}

func TestImportSystemUsage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bundle")
	status, _, stderr := imports(t, "locomo", sample("locomo", "locomo_sample.json"), "-o", dir)
	require.Equal(t, statusFine, status, stderr)
	for _, c := range []struct {
		name string
		args []string
		want string // the beginning of the message
	}{
		{"no role", []string{"mem0", "get_all.json", "-o", dir}, `tiaptest import: "get_all.json" does not say what it holds; write store=FILE, history=FILE, log=FILE or search=FILE` + "\n"},
		{"unknown role", []string{"mem0", "shop=x", "-o", dir}, `tiaptest import: unknown kind of file "shop"; use store, history, log or search` + "\n"},
		{"two logs", []string{"mem0", "log=a", "log=b", "-o", dir}, "tiaptest import: two files for log; name one\n"},
		{"a flag of benchmarks", []string{"mem0", "-strict", "store=x", "-o", dir}, "tiaptest import: -strict is for benchmarks; leave it out with mem0\n"},
		{"no scenario", []string{"mem0", "store=x", "-o", filepath.Join(dir, "nowhere")}, filepath.Join(dir, "nowhere") + ": no such file or directory"},
		{"no search", []string{"mem0", export("store", "mem0", "get_all.json"), "-o", dir}, "tiaptest import: mem0 gives no ranking of the scenario's queries, and without any a system cannot be audited; name its answers with search=FILE\n"},
		{"a name that leads out", []string{"mem0", "-name", "..", export("store", "mem0", "get_all.json"), export("search", "mem0", "search.jsonl"), "-o", dir}, `system ".." cannot name a folder; use a plain name`},
		{"a name of Windows", []string{"mem0", "-name", "NUL", export("store", "mem0", "get_all.json"), export("search", "mem0", "search.jsonl"), "-o", dir}, `system "NUL" cannot name a folder: Windows keeps that name for a device`},
		{"a name of two lines", []string{"mem0", "-name", "new\nline", export("store", "mem0", "get_all.json"), export("search", "mem0", "search.jsonl"), "-o", dir}, "tiaptest import: the system could not be audited, so it is not written:\nthe name \"new\\nline\" of a system has control characters"},
		{"a log and a store", []string{"longmemeval-log", "store=x", "search=y", "-o", dir}, "tiaptest import: longmemeval-log takes one file: name it with search=FILE\n"},
		{"a name that is no folder", []string{"mem0", "-name", "a/b", export("store", "mem0", "get_all.json"), export("search", "mem0", "search.jsonl"), "-o", dir}, `system "a/b" cannot name a folder; use a plain name`},
		{"targets without lineage", []string{"mtel-mem", export("store", "mtelmem", "target_mappings.jsonl"), "-o", dir}, filepath.Join(scenariosDir, "memsys", "testdata", "mtelmem", "target_mappings.jsonl") + ": target mappings are flat sets of ids"},
	} {
		status, _, stderr := imports(t, c.args...)
		assert.Equal(t, statusWrong, status, c.name)
		assert.True(t, strings.HasPrefix(stderr, c.want), "%s: %s", c.name, stderr)
	}
	assert.NoDirExists(t, filepath.Join(dir, "systems"))
}

// A store and answers of two id spaces are noticed before anything is written.
func TestImportUnfitSystem(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bundle")
	status, _, stderr := imports(t, "locomo", sample("locomo", "locomo_sample.json"), "-o", dir)
	require.Equal(t, statusFine, status, stderr)
	log := filepath.Join(t.TempDir(), "search.jsonl")
	require.NoError(t, os.WriteFile(log, []byte(`{"query":"conv-90/qa0","result":{"results":[{"id":"elsewhere","memory":"x","score":1}]}}`+"\n"), 0o666))
	status, _, stderr = imports(t, "mem0", export("store", "mem0", "get_all.json"), "search="+log, "-o", dir)
	assert.Equal(t, statusWrong, status)
	assert.Contains(t, stderr, "not one of the 1 ids of the run is in the store")
	assert.NoDirExists(t, filepath.Join(dir, "systems"))
}

func TestImportRetrievalLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bundle")
	status, _, stderr := imports(t, "longmemeval", sample("longmemeval", "longmemeval_s_sample.json"), "-o", dir)
	require.Equal(t, statusFine, status, stderr)
	status, stdout, stderr := imports(t, "longmemeval-log", "search="+sample("longmemeval", "retrievallog_turn_flat-bm25.jsonl"), "-gold", "turn", "-name", "upstream", "-o", dir)
	require.Equal(t, statusFine, status, stderr)
	assert.True(t, strings.HasPrefix(stdout, "upstream: memories "), stdout)
	var out, errs bytes.Buffer
	require.Equal(t, statusFine, run([]string{"audit", dir}, &out, &errs), errs.String())
	assert.Contains(t, out.String(), "upstream  raw")
}
