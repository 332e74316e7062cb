package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const explained = `q1
    gold t1
    credit by evidence, uncovered units dropped, depth 60, headline canonical

a: 4 ids returned
    rank  memory  form  descends from  raw  source    canonical
    1     m1      raw   t1             +1   +1        -
    2     m2      fact  t1             -    eligible  +1
    3     m3      raw   t2             -    -         -
    4     m4      fact  t2             -    -         -
    target     ndcg@60  recall@60  mrr@60  hit@60  top1
    raw        1.0000   1.0000     1.0000  1.0000  1.0000
    source     1.0000   1.0000     1.0000  1.0000  1.0000
    canonical  0.6309   1.0000     0.5000  1.0000  0.0000
`

// explainedBefore is the same query in a bundle whose system returned m3 alone.
const explainedBefore = `q1
    gold t1
    credit by evidence, uncovered units dropped, depth 60, headline canonical

a: 1 id returned
    rank  memory  form  descends from  raw  source  canonical
    1     m3      raw   t2             -    -       -
    target     ndcg@60  recall@60  mrr@60  hit@60  top1
    raw        0.0000   0.0000     0.0000  0.0000  0.0000
    source     0.0000   0.0000     0.0000  0.0000  0.0000
    canonical  0.0000   0.0000     0.0000  0.0000  0.0000
    missed under raw: t1: stored and not retrieved: m1
    missed under source: t1: stored and not retrieved: m1
    missed under canonical: t1: stored and not retrieved: m2
`

// explainInputs writes a bundle, an earlier one in before, one with another
// query in other, a broken one in broken, and TREC and MTEL-Mem files.
func explainInputs(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	earlier := "-- systems/a/run.jsonl --\n" + `{"query":"q1","ranking":["m3"]}` + "\n"
	writeFiles(t, dir, soundBundle, soundTREC, soundMTELMem)
	writeFiles(t, filepath.Join(dir, "before"), soundBundle, earlier)
	writeFiles(t, filepath.Join(dir, "other"), strings.NewReplacer("q1", "p1", "q2", "p2").Replace(soundBundle))
	writeFiles(t, filepath.Join(dir, "broken"), soundBundle, "-- scenario.json --\n{\n")
	writeFiles(t, filepath.Join(dir, "unscorable"), strings.Replace(soundBundle, `"evidence":["t1"]`, `"evidence":[]`, 1))
	return dir
}

func TestExplain(t *testing.T) {
	t.Parallel()
	dir := explainInputs(t)
	atOne := strings.NewReplacer("depth 60", "depth 1",
		"ndcg@60  recall@60  mrr@60  hit@60  top1", "ndcg@1  recall@1  mrr@1   hit@1   top1",
		"0.0000   0.0000     0.0000", "0.0000  0.0000    0.0000")
	for _, test := range []struct{ name, args, want string }{
		{"bundle", "explain DIR -query q1", explained},
		{"flags first", "explain -query=q1 DIR", explained},
		{"standard output", "explain DIR -query q1 -o -", explained},
		{"base", "explain DIR -query q1 -base DIR/before", "now: " + explained + "\nbefore: " + explainedBefore},
		{"base first", "explain -base DIR/before -query q1 -- DIR", "now: " + explained + "\nbefore: " + explainedBefore},
		{"depth of both", "explain DIR/before -base DIR/before -k 1 -query q1", atOne.Replace("now: " + explainedBefore + "\nbefore: " + explainedBefore)},
		{"options", "explain DIR -query q1 -targets canonical -metrics mrr@2 -credit memory -systems a", `q1
    gold t1
    credit by memory, depth 60, headline canonical

a: 4 ids returned
    rank  memory  form  descends from  canonical
    1     m1      raw   t1             -
    2     m2      fact  t1             +1
    3     m3      raw   t2             -
    4     m4      fact  t2             -
    target     mrr@2
    canonical  0.5000
`},
		{"TREC", "explain -qrels raw=DIR/raw.qrels -run DIR/a.run -query q1 -metrics mrr -k 1", `q1
    credit by memory, depth 1, headline undeclared

a: 2 ids returned
    rank  memory  form  descends from  raw
    1     m1      -     -              +1
    target  mrr
    raw     1.0000
`},
		{"MTEL-Mem", "explain -records DIR/records.jsonl -trace DIR/trace.jsonl -query q1 -metrics mrr -k 1", `q1
    credit by memory, depth 1, headline undeclared

a: 2 ids returned
    rank  memory  form  descends from  raw  source  canonical
    1     m1      -     -              +1   +1      -
    target     mrr
    raw        1.0000
    source     1.0000
    canonical  0.0000
    missed under source: 0 relevant ids not retrieved, 1 below the depth
    missed under canonical: 0 relevant ids not retrieved, 1 below the depth
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := start(dir, strings.Fields(test.args)...)
			assert.Equal(t, 0, status)
			assert.Empty(t, stderr)
			assert.Equal(t, test.want, stdout)
		})
	}
}

func TestExplainWritesFile(t *testing.T) {
	t.Parallel()
	dir := explainInputs(t)
	file := filepath.Join(dir, "q1.txt")
	status, stdout, stderr := start(dir, "explain", "DIR", "-query", "q1", "-o", "DIR/q1.txt")
	assert.Equal(t, 0, status)
	assert.Empty(t, stdout)
	assert.Empty(t, stderr)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, explained, string(text))

	// What fails writes nothing, neither to the file nor to standard output.
	for _, args := range []string{"explain DIR -query q9 -o DIR/none.txt", "explain DIR -query q1 -base DIR/other -o DIR/none.txt", "explain DIR -query q1 -base DIR/other"} {
		status, stdout, _ = start(dir, strings.Fields(args)...)
		assert.Equal(t, 2, status)
		assert.Empty(t, stdout)
		assert.NoFileExists(t, filepath.Join(dir, "none.txt"))
	}
	status, _, stderr = start(dir, "explain", "DIR", "-query", "q1", "-o", "DIR/no/such/folder")
	assert.Equal(t, 2, status)
	assert.Equal(t, "DIR/no/such/folder: no such file or directory; name a file that can be written\n", stderr)
}

func TestExplainRefuses(t *testing.T) {
	t.Parallel()
	dir := explainInputs(t)
	for _, test := range []struct{ name, args, want string }{
		{"no query", "explain DIR", "tiaptest explain: no query; name one with -query ID\n"},
		{"no bundle", "explain -query q1", "tiaptest explain: no folder; name one bundle, or -records and -trace, or -qrels and -run\n"},
		{"two bundles", "explain DIR DIR/before -query q1", "tiaptest explain: 2 folders, DIR and DIR/before; name one bundle, or -records and -trace, or -qrels and -run\n"},
		{"unknown query", "explain DIR -query q9", "tiaptest explain: the scenario has no query \"q9\"; its first is \"q1\"\n"},
		{"unscorable query", "explain DIR/unscorable -query q1", "tiaptest explain: query \"q1\" is not scored: it has no usable evidence\n"},
		{"unknown in the base", "explain DIR -query q1 -base DIR/other", "tiaptest explain: DIR/other: the scenario has no query \"q1\"; its first is \"p1\"\n"},
		{"unknown in both", "explain DIR -query q9 -base DIR/before", "tiaptest explain: the scenario has no query \"q9\"; its first is \"q1\"\ntiaptest explain: DIR/before: the scenario has no query \"q9\"; its first is \"q1\"\n"},
		{"unknown flag", "explain DIR -query q1 -json", "tiaptest explain: flag provided but not defined: -json; see tiaptest explain -h\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := start(dir, strings.Fields(test.args)...)
			assert.Equal(t, 2, status)
			assert.Empty(t, stdout)
			assert.Equal(t, test.want, stderr)
		})
	}

	// The faults of both bundles are told at once.
	status, stdout, stderr := start(dir, "explain", "DIR/nowhere", "-query", "q1", "-base", "DIR/broken")
	assert.Equal(t, 2, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "DIR/nowhere")
	assert.Contains(t, stderr, "DIR/broken/scenario.json:2")
}
