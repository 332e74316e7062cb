package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The sound inputs that each case changes.
const (
	soundBundle = `
-- scenario.json --
{"schema":"tiap.scenario/v1","name":"tiny","headline":"canonical"}
-- queries.jsonl --
{"id":"q1","scope":"c1","evidence":["t1"]}
{"id":"q2","scope":"c1","evidence":["t2"]}
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
{"id":"m2","form":"fact","sources":["t1"]}
{"id":"m3","form":"raw","sources":["t2"]}
{"id":"m4","form":"fact","sources":["t2"]}
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2","m3","m4"]}
{"query":"q2","ranking":["m4","m3","m2","m1"]}
`
	soundTREC = `
-- raw.qrels --
q1 0 m1 1
q2 0 m3 1
-- a.run --
q1 Q0 m1 1 2.0 a
q1 Q0 m2 2 1.0 a
q2 Q0 m3 1 2.0 a
`
	soundMTELMem = `
-- records.jsonl --
{"query_id":"q1","raw_ids":["m1"],"source_ids":["m1","m2"],"canonical_ids":["m2"]}
-- trace.jsonl --
{"system":"a","query_id":"q1","retrieved_id":"m1","rank":1,"score":0.9}
{"system":"a","query_id":"q1","retrieved_id":"m2","rank":2,"score":0.8}
`
	auditTREC    = "audit -qrels raw=DIR/raw.qrels -run DIR/a.run"
	auditMTELMem = "audit -records DIR/records.jsonl -trace DIR/trace.jsonl"
)

// writeFiles writes the files of txtar archives; of two with one name the later
// holds, and a file whose content is "none" is left out.
func writeFiles(t *testing.T, dir string, archives ...string) {
	t.Helper()
	files := make(map[string][]byte)
	for _, archive := range archives {
		for _, f := range txtar.Parse([]byte(archive)).Files {
			files[f.Name] = f.Data
		}
	}
	for name, data := range files {
		if string(data) == "none\n" {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, data, 0o666))
	}
}

// gzipped compresses a text.
func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// replaceFile puts a file in the place of one that is there.
func replaceFile(t *testing.T, dir, old, name string, data []byte) {
	t.Helper()
	if old != "" {
		require.NoError(t, os.Remove(filepath.Join(dir, old)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
}

func symlink(t *testing.T, to, file string) {
	t.Helper()
	if err := os.Symlink(to, file); err != nil {
		t.Skip("symbolic links cannot be made here:", err)
	}
}

// numbered repeats a line for the numbers from 1 to n.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

// start runs the command in this process, DIR in its arguments standing for dir.
func start(dir string, args ...string) (status int, stdout, stderr string) {
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "DIR", dir)
	}
	var out, err bytes.Buffer
	status = run(args, &out, &err)
	return status, out.String(), strings.ReplaceAll(err.String(), dir, "DIR")
}

// refusal is an input or a command line that the command must not take.
type refusal struct {
	name   string
	sound  string // the input to change; a bundle when empty
	args   string // "audit DIR" when empty
	files  string // in place of or beside those of the sound input
	change func(t *testing.T, dir string)
	stderr string // DIR is the folder of the input
}

// testRefused expects exit status 2, the exact text on standard error, and
// nothing on standard output.
func testRefused(t *testing.T, tests []refusal) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFiles(t, dir, cmp.Or(tt.sound, soundBundle), tt.files)
			if tt.change != nil {
				tt.change(t, dir)
			}
			status, stdout, stderr := start(dir, strings.Fields(cmp.Or(tt.args, "audit DIR"))...)
			assert.Equal(t, 2, status, "exit status")
			assert.Empty(t, stdout, "standard output")
			if diff := gocmp.Diff(strings.TrimPrefix(tt.stderr, "\n"), stderr); diff != "" {
				t.Errorf("standard error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefusedBundle(t *testing.T) {
	t.Parallel()
	testRefused(t, []refusal{
		{
			name: "malformed JSON",
			files: `
-- queries.jsonl --
{"id":"q1","evidence":["t1"]}

{"id":"q2","evidence":["t2"],}
`,
			stderr: `
DIR/queries.jsonl:3: malformed JSON at byte 30: invalid character '}' looking for beginning of object key string; leave out the comma before it
`,
		},
		{
			name: "line cut off",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2"]}
{"query":"q2","ranking":["m4",
`,
			stderr: `
DIR/systems/a/run.jsonl:2: the line ends before its JSON value does; write one whole JSON object on each line
`,
		},
		{
			name: "several objects on a line",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1"]}{"query":"q2","ranking":["m4"]}
`,
			stderr: `
DIR/systems/a/run.jsonl:1: something follows the JSON value at byte 32; write one JSON object on each line
`,
		},
		{
			name: "malformed scenario",
			files: `
-- scenario.json --
{
  "name": "tiny"
  "headline": "canonical"
}
`,
			stderr: `
DIR/scenario.json:3: malformed JSON: invalid character '"' after object key:value pair; mend the syntax
`,
		},
		{
			name: "wrong types",
			files: `
-- queries.jsonl --
{"id":1,"evidence":["t1"]}
{"id":"q2","evidence":"t2"}
{"id":"q3","evidence":[{"turns":"t3"}]}
{"id":"q4","evidence":[4]}
[]
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"],"serving":"yes"}
{"id":"m2","form":"fact","sources":["t1"],"parents":[null]}
{"id":"m3","form":"fact","sources":[{"turn":3}]}
-- systems/a/run.jsonl --
{"query":"q1","ranking":"m1"}
{"query":"q2","ranking":[1,2]}
{"query":"q3","ranking":["m1"],"k":1.5}
{"query":"q4","lists":["m1"]}
{"query":"q5","lists":{"nodes":["m1",null]}}
`,
			stderr: `
DIR/queries.jsonl:1: "id" is the number 1, not a string; put it in double quotes
DIR/queries.jsonl:2: "evidence" is the string "t2", not an array of values; make it an array of values
DIR/queries.jsonl:3: element 1 of "evidence": neither a turn id nor {"id", "turns"}; make it one of them
DIR/queries.jsonl:4: element 1 of "evidence": neither a turn id nor {"id", "turns"}; make it one of them
DIR/queries.jsonl:5: the line is an array, not an object; write one JSON object on each line
DIR/systems/a/store.jsonl:1: "serving" is the string "yes", not true or false; make it true or false
DIR/systems/a/store.jsonl:2: element 1 of "parents" is null, not a string; make it a string
DIR/systems/a/store.jsonl:3: element 1 of "sources": neither a turn id nor {"turn", "precision", "origin"}; make it one of them
DIR/systems/a/run.jsonl:1: "ranking" is the string "m1", not an array of strings; make it an array of strings
DIR/systems/a/run.jsonl:2: element 1 of "ranking" is the number 1, not a string; put it in double quotes
DIR/systems/a/run.jsonl:3: "k" is the number 1.5, not an integer; make it an integer
DIR/systems/a/run.jsonl:4: "lists": not an object; name each list as a member of it
DIR/systems/a/run.jsonl:5: "lists": the list "nodes" is not an array of strings; make it one
`,
		},
		{
			name: "wrong types in whole files",
			files: `
-- scenario.json --
{"name": "tiny",
 "source": {"sha256": 12}}
-- systems/a/system.json --
{"forms": {"fact": ["one sentence"]}}
-- accepted.json --
{"a": "a", "b": "b"}
`,
			stderr: `
DIR/scenario.json:2: "source.sha256" holds a number in place of a string; write a string
DIR/accepted.json:1: the file holds an object in place of an array; write an array
DIR/systems/a/system.json:1: "forms" holds an array in place of a string; write a string
`,
		},
		{
			name: "whole file of another type",
			files: `
-- scenario.json --
["tiny"]
`,
			stderr: `
DIR/scenario.json:1: the file holds an array in place of an object; write an object
`,
		},
		{
			name: "missing id",
			files: `
-- queries.jsonl --
{"id":"q1","evidence":["t1"]}
{"evidence":["t2"]}
-- turns.jsonl --
{"id":"t1"}
{"text":"no id"}
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1"]}
{"ranking":["m1"]}
{"query":"q2","ranking":["m4",""]}
`,
			stderr: `
DIR/queries.jsonl:2: the query has no "id"; add it (or "query_id")
DIR/turns.jsonl:2: the turn has no id; add "id"
DIR/systems/a/run.jsonl:3: the id of rank 2 is empty; give every ranked item the id that it has in the store
DIR/systems/a/run.jsonl:2: the ranking has no "query"; add it (or "query_id")
`,
		},
		{
			name: "two different ids",
			files: `
-- queries.jsonl --
{"id":"q1","query_id":"other","evidence":["t1"]}
`,
			stderr: `
DIR/queries.jsonl:1: the query has two query ids, "q1" and "other"; keep one of them
`,
		},
		{
			name: "memory without id and form",
			files: `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
{"form":"raw","sources":["t2"]}
{"id":"m3","sources":["t2"]}
`,
			stderr: `
DIR/systems/a/store.jsonl:2: a memory has no id; add "id"
DIR/systems/a/store.jsonl:3: memory "m3" has no form; add "form": "raw" for an original turn, else what the memory is
`,
		},
		{
			name: "query twice",
			files: `
-- queries.jsonl --
{"id":"q1","evidence":["t1"]}
{"id":"q2","evidence":["t2"]}
{"id":"q1","evidence":["t2"]}
`,
			stderr: `
DIR/queries.jsonl:3: query "q1" stands twice (first in line 1); give every query an id of its own
`,
		},
		{
			name: "memory twice",
			files: `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
{"id":"m2","form":"fact","sources":["t1"]}
{"id":"m1","form":"raw","sources":["t2"]}
`,
			stderr: `
DIR/systems/a/store.jsonl:3: memory "m1" stands twice in the store (first in line 1); give every memory an id of its own
`,
		},
		{
			name: "turn twice",
			files: `
-- turns.jsonl --
{"id":"t1"}
{"id":"t2"}
{"id":"t2"}
`,
			stderr: `
DIR/turns.jsonl:3: turn "t2" stands twice (first in line 2); give every turn an id of its own
`,
		},
		{
			name: "id twice in a ranking",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2","m1"]}
{"query":"q2","lists":{"edges":["m1","m2"],"nodes":["m3","m3"]}}
`,
			stderr: `
DIR/systems/a/run.jsonl:1: id "m1" stands at ranks 1 and 3; rank every id once
DIR/systems/a/run.jsonl:2: id "m3" stands at ranks 1 and 2; rank every id once
`,
		},
		{
			name: "second ranking of a query",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1"]}
{"query":"q2","ranking":["m4"]}
{"query_id":"q1","ranking":["m2"]}
`,
			stderr: `
DIR/systems/a/run.jsonl:3: query "q1" has a second ranking (first in line 1); keep one ranking of each query in a run; further ingests belong under repeats
`,
		},
		{
			name: "no ranking",
			files: `
-- systems/a/run.jsonl --
{"query":"q1"}
{"query":"q2","ranking":null}
`,
			stderr: `
DIR/systems/a/run.jsonl:1: the line has no ranking; add "ranking": [...], or "error" when the query failed
DIR/systems/a/run.jsonl:2: the line has no ranking; add "ranking": [...], or "error" when the query failed
`,
		},
		{
			name: "ranking and lists",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1"],"lists":{"nodes":["m1"]}}
`,
			stderr: `
DIR/systems/a/run.jsonl:1: the line has both a ranking and lists; keep one of them
`,
		},
		{
			name: "NaN score",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2"],"scores":[0.5,NaN]}
`,
			stderr: `
DIR/systems/a/run.jsonl:1: malformed JSON at byte 51: NaN is no JSON value; write a number, or leave it out
`,
		},
		{
			name: "text score",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2"],"scores":[0.5,"0.4"]}
{"query":"q2","ranking":["m1","m2"],"scores":[0.5,null]}
{"query":"q3","ranking":["m1","m2"],"scores":[0.5,1e999]}
`,
			stderr: `
DIR/systems/a/run.jsonl:1: element 2 of "scores" is the string "0.4", not a number; write the number without quotes
DIR/systems/a/run.jsonl:2: the score of rank 2 is null; give a number for every id, or leave scores out
DIR/systems/a/run.jsonl:3: element 2 of "scores" is the number 1e999, out of range for a number of 64 bits
`,
		},
		{
			name: "number of scores differs",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2"],"scores":[0.5]}
{"query":"q2","ranking":["m4","m3"],"scores":[0.5,0.4,0.3]}
`,
			stderr: `
DIR/systems/a/run.jsonl:1: 2 ids and 1 scores; give one score for every id, or leave scores out
DIR/systems/a/run.jsonl:2: 2 ids and 3 scores; give one score for every id, or leave scores out
`,
		},
		{
			name: "negative k of a ranking",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2"],"k":-1}
`,
			stderr: `
DIR/systems/a/run.jsonl:1: k is -1; k is how many ids were asked for
`,
		},
		{
			name: "member twice",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m2"],"ranking":["m2"]}
{"query":"q2","lists":{"nodes":["m1"],"nodes":["m2"]}}
`,
			stderr: `
DIR/systems/a/run.jsonl:1: member "ranking" occurs twice; keep one of the two
DIR/systems/a/run.jsonl:2: "lists": the list "nodes" occurs twice; keep one of them
`,
		},
		{
			name: "repeat without run",
			files: `
-- systems/a/repeats/2/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
`,
			stderr: `
DIR/systems/a/repeats/2/run.jsonl: the file is missing; every ingest needs its run: one ranking a line
`,
		},
		{
			name: "repeat without store",
			files: `
-- systems/a/repeats/2/run.jsonl --
{"query":"q1","ranking":["m1"]}
`,
			stderr: `
DIR/systems/a/repeats/2/store.jsonl: the file is missing; every ingest needs its store: one memory a line
`,
		},
		{
			name: "system without run and store",
			files: `
-- systems/b/system.json --
{}
`,
			stderr: `
DIR/systems/b/store.jsonl: the file is missing; every ingest needs its store: one memory a line
DIR/systems/b/run.jsonl: the file is missing; every ingest needs its run: one ranking a line
`,
		},
		{
			name: "empty files",
			files: `
-- scenario.json --
-- queries.jsonl --
-- turns.jsonl --
-- accepted.json --
-- systems/a/system.json --
-- systems/a/store.jsonl --
-- systems/a/run.jsonl --
`,
			stderr: `
DIR/scenario.json: the file is empty; write one JSON value, or remove the file
DIR/queries.jsonl: the file is empty; it needs one JSON object a line
DIR/turns.jsonl: the file is empty; it needs one JSON object a line
DIR/accepted.json: the file is empty; write one JSON value, or remove the file
DIR/systems/a/system.json: the file is empty; write one JSON value, or remove the file
DIR/systems/a/store.jsonl: the file is empty; it needs one JSON object a line
DIR/systems/a/run.jsonl: the file is empty; a run needs one ranking a line
`,
		},
		{
			name: "file of blank lines",
			files: `
-- queries.jsonl --

 
`,
			stderr: `
DIR/queries.jsonl: the file is empty; it needs one JSON object a line
`,
		},
		{
			name: "empty gzip file",
			change: func(t *testing.T, dir string) {
				replaceFile(t, dir, "systems/a/store.jsonl", "systems/a/store.jsonl.gz", gzipped(t, ""))
			},
			stderr: `
DIR/systems/a/store.jsonl.gz: the file is empty; it needs one JSON object a line
`,
		},
		{
			name: "no queries",
			files: `
-- queries.jsonl --
none
`,
			stderr: `
DIR/queries.jsonl: the file is missing; a bundle needs one query a line; see go doc github.com/tiaptest/tiap/tiaptest.Open
`,
		},
		{
			name: "no system",
			files: `
-- systems/a/store.jsonl --
none
-- systems/a/run.jsonl --
none
`,
			stderr: `
DIR/systems: the bundle has no system; add systems/<name>/store.jsonl and run.jsonl, or one store.jsonl and run.jsonl beside queries.jsonl
`,
		},
		{
			name: "folder systems without system",
			files: `
-- systems/a/store.jsonl --
none
-- systems/a/run.jsonl --
none
-- systems/README --
one folder each
`,
			stderr: `
DIR/systems: the folder holds no system; add systems/<name>/store.jsonl and run.jsonl
`,
		},
		{
			name: "both folder systems and single system",
			files: `
-- store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
-- run.jsonl --
{"query":"q1","ranking":["m1"]}
`,
			stderr: `
DIR/systems: the bundle has both a folder systems and a single system beside queries.jsonl; move the single system into the folder
`,
		},
		{
			name: "single system without store",
			files: `
-- systems/a/store.jsonl --
none
-- systems/a/run.jsonl --
none
-- run.jsonl --
{"query":"q1","ranking":["m1"]}
`,
			stderr: `
DIR/store.jsonl: the file is missing; every ingest needs its store: one memory a line
`,
		},
		{
			name: "plain and compressed",
			change: func(t *testing.T, dir string) {
				replaceFile(t, dir, "", "queries.jsonl.gz", gzipped(t, "{}\n"))
				replaceFile(t, dir, "", "systems/a/run.jsonl.zst", nil)
			},
			stderr: `
DIR/queries.jsonl: the file exists as queries.jsonl and queries.jsonl.gz; keep one of them
DIR/systems/a/run.jsonl: the file exists as systems/a/run.jsonl and systems/a/run.jsonl.zst; keep one of them
`,
		},
		{
			name: "plain and compressed single system",
			files: `
-- systems/a/store.jsonl --
none
-- systems/a/run.jsonl --
none
-- store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
-- store.jsonl.gz --
-- run.jsonl --
{"query":"q1","ranking":["m1"]}
`,
			stderr: `
DIR/store.jsonl: the file exists as store.jsonl and store.jsonl.gz; keep one of them
`,
		},
		{
			name: "lineage cycle",
			files: `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
{"id":"m2","form":"fact","parents":["m3"]}
{"id":"m3","form":"summary","parents":["m1","m4"]}
{"id":"m4","form":"summary","parents":["m2"]}
`,
			stderr: `
DIR/systems/a/store.jsonl:2: lineage cycle: m2 -> m3 -> m4 -> m2; remove one of these parents; a memory cannot descend from itself
`,
		},
		{
			name: "memory that is its own parent",
			files: `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"],"parents":["m1"]}
`,
			stderr: `
DIR/systems/a/store.jsonl:1: lineage cycle: m1 -> m1; remove one of these parents; a memory cannot descend from itself
`,
		},
		{
			name: "dangling parent",
			files: `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":["t1"]}
{"id":"m2","form":"fact","parents":["m1","m9"]}
`,
			stderr: `
DIR/systems/a/store.jsonl:2: memory "m2" names the parent "m9", which is not in the store; add that memory to the store, or name its turns under sources
`,
		},
		{
			name: "source without turn",
			files: `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","sources":[""]}
{"id":"m2","form":"raw","sources":[{"precision":"exact"}]}
{"id":"m3","form":"raw","sources":[null]}
`,
			stderr: `
DIR/systems/a/store.jsonl:1: memory "m1" has a source without a turn id; name the turn, or leave the source out
DIR/systems/a/store.jsonl:2: memory "m2" has a source without a turn id; name the turn, or leave the source out
DIR/systems/a/store.jsonl:3: memory "m3" has a source without a turn id; name the turn, or leave the source out
`,
		},
		{
			name: "unknown status, precision and origin",
			files: `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","status":"old","sources":[{"turn":"t1","precision":"rough","origin":"guessed"}]}
`,
			stderr: `
DIR/systems/a/store.jsonl:1: memory "m1" has the unknown status "old"; use active, superseded or deleted
DIR/systems/a/store.jsonl:1: memory "m1" has the unknown precision "rough"; use exact, batch or container
DIR/systems/a/store.jsonl:1: memory "m1" has the unknown origin "guessed"; use recorded or inferred
`,
		},
		{
			name: "evidence without turns",
			files: `
-- queries.jsonl --
{"id":"q1","evidence":[null]}
{"id":"q2","evidence":[{"id":"u1"}]}
{"id":"q3","evidence":[""]}
{"id":"q4","evidence":[{"turns":[""]}]}
{"id":"q5","evidence":[{"turns":[]}]}
`,
			stderr: `
DIR/queries.jsonl:1: element 1 of "evidence": a turn is not named; name every turn of the evidence, or leave the item out
DIR/queries.jsonl:2: element 1 of "evidence": a turn is not named; name every turn of the evidence, or leave the item out
DIR/queries.jsonl:3: element 1 of "evidence": a turn is not named; name every turn of the evidence, or leave the item out
DIR/queries.jsonl:4: element 1 of "evidence": a turn is not named; name every turn of the evidence, or leave the item out
DIR/queries.jsonl:5: element 1 of "evidence": a turn is not named; name every turn of the evidence, or leave the item out
`,
		},
		{
			name: "no usable evidence",
			files: `
-- queries.jsonl --
{"id":"q1","evidence":[]}
{"id":"q2"}
`,
			stderr: `
no query has usable evidence; add evidence to the queries
`,
		},
		{
			name: "disjoint memory ids",
			files: `
-- systems/a/run.jsonl --
{"query":"q1","ranking":["1","2"]}
{"query":"q2","ranking":["2","3"]}
`,
			stderr: `
DIR/systems/a/run.jsonl: not one of the 3 ids of the run is in the store ("1" against "m1"); the two use different id spaces; save rankings with the ids that the store was exported with
`,
		},
		{
			name: "disjoint query ids",
			files: `
-- systems/a/run.jsonl --
{"query":"0","ranking":["m1","m2"]}
{"query":"1","ranking":["m2","m3"]}
`,
			stderr: `
DIR/systems/a/run.jsonl: none of the 2 query ids of the run is in the scenario ("0" against "q1"); the two files use different query ids; export them from one run
`,
		},
		{
			name: "truncated gzip",
			change: func(t *testing.T, dir string) {
				data := gzipped(t, numbered(`{"id":"m%d","form":"raw"}`+"\n", 50))
				replaceFile(t, dir, "systems/a/store.jsonl", "systems/a/store.jsonl.gz", data[:len(data)-9])
			},
			stderr: `
DIR/systems/a/store.jsonl.gz:51: reading stops here: the gzip data is cut off: unexpected EOF; if the file is truncated or corrupt, copy or export it again
`,
		},
		{
			name: "corrupt zstd",
			change: func(t *testing.T, dir string) {
				replaceFile(t, dir, "queries.jsonl", "queries.jsonl.zst", []byte("{\"id\":\"q1\"}\n"))
			},
			stderr: `
DIR/queries.jsonl.zst:1: reading stops here: not zstd data, or something follows the zstd data: invalid input: magic number mismatch; if the file is truncated or corrupt, copy or export it again
`,
		},
		{
			name: "UTF-16",
			change: func(t *testing.T, dir string) {
				replaceFile(t, dir, "queries.jsonl", "queries.jsonl", []byte("\xff\xfe{\x00}\x00"))
			},
			stderr: `
DIR/queries.jsonl:1: reading stops here: the text is UTF-16, not UTF-8; convert it to UTF-8; if the file is truncated or corrupt, copy or export it again
`,
		},
		{
			name: "invalid UTF-8 in an id",
			change: func(t *testing.T, dir string) {
				replaceFile(t, dir, "queries.jsonl", "queries.jsonl", []byte("{\"id\":\"q1\"}\n{\"id\":\"q\xe4\"}\n"))
				replaceFile(t, dir, "systems/a/run.jsonl", "systems/a/run.jsonl", []byte("{\"query\":\"q1\",\"ranking\":[\"m\xff\"]}\n"))
			},
			stderr: `
DIR/queries.jsonl:2: byte 9 (0xE4) is not UTF-8; save the file as UTF-8
DIR/systems/a/run.jsonl:1: byte 28 (0xFF) is not UTF-8; save the file as UTF-8
`,
		},
		{
			name: "invalid UTF-8 in a whole file",
			change: func(t *testing.T, dir string) {
				replaceFile(t, dir, "scenario.json", "scenario.json", []byte("{\"name\":\"x\",\n\"headline\":\"caf\xe9\"}\n"))
			},
			stderr: `
DIR/scenario.json: the text is not UTF-8; save the file as UTF-8
`,
		},
		{
			name: "lone surrogate in an id",
			files: `
-- queries.jsonl --
{"id":"q\ud800","evidence":["t1"]}
{"id":"q2","evidence":["t\udc00"]}
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m\ud83d"]}
`,
			stderr: `
DIR/queries.jsonl:1: "id" has half a surrogate pair as an escape; write the whole character, or both \u escapes of it
DIR/queries.jsonl:2: element 1 of "evidence" has half a surrogate pair as an escape; write the whole character, or both \u escapes of it
DIR/systems/a/run.jsonl:1: element 1 of "ranking" has half a surrogate pair as an escape; write the whole character, or both \u escapes of it
`,
		},
		{
			name: "system folder that is a link out of the bundle",
			change: func(t *testing.T, dir string) {
				symlink(t, t.TempDir(), filepath.Join(dir, "systems", "b"))
			},
			stderr: `
DIR/systems/b: path escapes from parent; make it readable; links must not lead out of the bundle
`,
		},
		{
			name: "file that is a link out of the bundle",
			change: func(t *testing.T, dir string) {
				outside := filepath.Join(t.TempDir(), "q.jsonl")
				require.NoError(t, os.WriteFile(outside, []byte("{\"id\":\"q1\",\"evidence\":[\"t1\"]}\n"), 0o666))
				require.NoError(t, os.Remove(filepath.Join(dir, "queries.jsonl")))
				symlink(t, outside, filepath.Join(dir, "queries.jsonl"))
				symlink(t, outside, filepath.Join(dir, "accepted.json"))
			},
			stderr: `
DIR/queries.jsonl: path escapes from parent; make it readable; links must not lead out of the bundle
DIR/accepted.json: path escapes from parent; make it readable; links must not lead out of the bundle
`,
		},
		{
			name: "link that leads to itself",
			change: func(t *testing.T, dir string) {
				symlink(t, "turns.jsonl", filepath.Join(dir, "turns.jsonl"))
			},
			stderr: `
DIR/turns.jsonl: too many levels of symbolic links; make it readable; links must not lead out of the bundle
`,
		},
		{
			name: "link that leads nowhere",
			change: func(t *testing.T, dir string) {
				symlink(t, "elsewhere", filepath.Join(dir, "turns.jsonl"))
			},
			stderr: `
DIR/turns.jsonl: no such file or directory; make it readable; links must not lead out of the bundle
`,
		},
		{
			name: "unreadable file",
			change: func(t *testing.T, dir string) {
				if os.Geteuid() == 0 {
					t.Skip("root reads every file")
				}
				require.NoError(t, os.Chmod(filepath.Join(dir, "queries.jsonl"), 0))
			},
			stderr: `
DIR/queries.jsonl: permission denied; make it readable; links must not lead out of the bundle
`,
		},
		{
			name: "folders in place of files",
			files: `
-- queries.jsonl --
none
-- queries.jsonl/x --
-- scenario.json --
none
-- scenario.json/x --
`,
			stderr: `
DIR/scenario.json: it is a folder; give a file in its place
DIR/queries.jsonl: it is a folder; give a file in its place
`,
		},
		{
			name: "file in place of the folder systems",
			files: `
-- systems/a/store.jsonl --
none
-- systems/a/run.jsonl --
none
-- systems --
a
`,
			stderr: `
DIR/systems: not a directory; make it a readable folder; links must not lead out of the bundle
`,
		},
		{
			name: "file in place of a bundle",
			args: "audit DIR/queries.jsonl",
			stderr: `
DIR/queries.jsonl: not a directory; name the folder of a bundle
`,
		},
		{
			name: "no such folder",
			args: "audit DIR/elsewhere",
			stderr: `
DIR/elsewhere: no such file or directory; name the folder of a bundle
`,
		},
		{
			name: "unknown schema",
			files: `
-- scenario.json --
{"schema":"tiap.scenario/v2","name":"tiny"}
`,
			stderr: `
DIR/scenario.json: unknown schema "tiap.scenario/v2"; this version reads tiap.scenario/v1
`,
		},
		{
			name: "unknown headline of the scenario",
			files: `
-- scenario.json --
{"headline":"cannonical"}
`,
			stderr: `
DIR/scenario.json: the headline target cannonical is not among the targets raw,source,canonical; add it or declare one of them
`,
		},
		{
			name: "accepted findings",
			files: `
-- accepted.json --
[
 {"a":"x","b":"y","metric":"ndgc@60","targets":["raw","source"],"reason":"known"},
 {"a":"x","b":"y","metric":"ndcg@60","targets":["raw","source"],"reason":"known","until":"1.3.2027"},
 {"a":"x","b":"y","metric":"ndcg@60","targets":["raw","source"]},
 {"a":"x","b":"x","metric":"ndcg@60","targets":["raw","source"],"reason":"known"},
 {"a":"x","b":"y","metric":"ndcg@60","targets":["raw","source","canonical"],"reason":"known"},
 {"a":"x","b":"y","metric":"ndcg@60","targets":["raw",""],"reason":"known"},
 {"a":"x","b":"y","metric":"ndcg@60","targets":["raw","source"],"reason":"known","untill":"2027-03-01"},
 {"A":"x","b":"y","metric":"ndcg@60","targets":["raw","source"],"reason":"known","Until":"2027-03-01"}
]
`,
			stderr: `
DIR/accepted.json: entry 1: unknown metric "ndgc@60"; use one of ndcg@k, recall@k, hit@k, mrr@k, precision@k, ap@k, rprec, all@k, top1, micro_recall@k; mend or remove the entry
DIR/accepted.json: entry 2: the known finding on x and y ends on "1.3.2027"; write the date as 2027-03-01; mend or remove the entry
DIR/accepted.json: entry 3: the known finding on x and y needs a reason; mend or remove the entry
DIR/accepted.json: entry 4: a known finding needs two systems, not "x" and "x"; mend or remove the entry
DIR/accepted.json: entry 5: 3 targets; name two, or one for a flip between conventions; mend or remove the entry
DIR/accepted.json: entry 6: the known finding on x and y needs two targets; name one twice for a flip between conventions; mend or remove the entry
DIR/accepted.json: entry 7: unknown member "untill"; the members are a, b, metric, targets, reason, until
`,
		},
		{
			name: "several kinds of faults",
			args: "audit -metrics nope DIR",
			files: `
-- scenario.json --
{"schema":"tiap.scenario/v9"}
-- queries.jsonl --
{"id":"q1","evidence":["t1"]}
{"id":"q1","evidence":["t1"]}
{"id":
-- systems/a/store.jsonl --
{"id":"m1","form":7}
-- systems/a/run.jsonl --
{"query":"q1","ranking":["m1","m1"]}
{"query":"q1","ranking":["m2"]}
-- systems/b/run.jsonl --
{"query":"q1","ranking":["m1"],"scores":[1,2]}
-- accepted.json --
[{"a":"a"}]
`,
			stderr: `
DIR/scenario.json: unknown schema "tiap.scenario/v9"; this version reads tiap.scenario/v1
DIR/queries.jsonl:2: query "q1" stands twice (first in line 1); give every query an id of its own
DIR/queries.jsonl:3: the line ends before its JSON value does; write one whole JSON object on each line
DIR/accepted.json: entry 1: unknown metric ""; use one of ndcg@k, recall@k, hit@k, mrr@k, precision@k, ap@k, rprec, all@k, top1, micro_recall@k; mend or remove the entry
DIR/systems/a/store.jsonl:1: "form" is the number 7, not a string; put it in double quotes
DIR/systems/a/run.jsonl:1: id "m1" stands at ranks 1 and 2; rank every id once
DIR/systems/b/store.jsonl: the file is missing; every ingest needs its store: one memory a line
DIR/systems/b/run.jsonl:1: 1 ids and 2 scores; give one score for every id, or leave scores out
unknown metric "nope"; use one of ndcg@k, recall@k, hit@k, mrr@k, precision@k, ap@k, rprec, all@k, top1, micro_recall@k
`,
		},
		{
			name: "faults of two stores",
			files: `
-- systems/a/store.jsonl --
{"id":"m1","form":"raw","parents":["m9"]}
-- systems/b/store.jsonl --
{"id":"m1","form":"raw","status":"gone"}
-- systems/b/run.jsonl --
{"query":"q1","ranking":["m1"]}
`,
			stderr: `
DIR/systems/a/store.jsonl:1: memory "m1" names the parent "m9", which is not in the store; add that memory to the store, or name its turns under sources
DIR/systems/b/store.jsonl:1: memory "m1" has the unknown status "gone"; use active, superseded or deleted
`,
		},
		{
			name:  "more faults than are spelled out",
			files: "-- queries.jsonl --\n" + strings.Repeat("{}\n", 25),
			stderr: numbered("DIR/queries.jsonl:%d: the query has no \"id\"; add it (or \"query_id\")\n", 20) +
				"and 5 more problems in DIR/queries.jsonl\n",
		},
	})
}
