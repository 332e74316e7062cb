package tiaptest_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tiaptest/tiap/tiaptest"
)

// folder makes a folder of files.
func folder(files map[string]string) string {
	fsys := make(fstest.MapFS)
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	dir := must(os.MkdirTemp("", "tiap"))
	if err := os.CopyFS(dir, fsys); err != nil {
		panic(err)
	}
	return dir
}

// A folder of files, here one that WriteDir made.
func ExampleOpen() {
	dir := must(os.MkdirTemp("", "tiap"))
	defer os.RemoveAll(dir)
	if err := density().WriteDir(dir); err != nil {
		log.Fatal(err)
	}
	b, err := tiaptest.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range b.Systems {
		fmt.Println(s.Name, len(s.Ingests[0].Memories), s.Ingests[0].Run.Len())
	}
	// Output:
	// D1 4 2
	// D5 6 2
}

// The scenario can be read before there is any system.
func ExampleOpenScenario() {
	dir := must(os.MkdirTemp("", "tiap"))
	defer os.RemoveAll(dir)
	queries := `{"id":"conv-1/qa0","text":"Where are the hives?","evidence":["conv-1/D1:3"]}`
	if err := os.WriteFile(filepath.Join(dir, "queries.jsonl"), []byte(queries), 0o666); err != nil {
		log.Fatal(err)
	}
	s := must(tiaptest.OpenScenario(dir))
	for _, q := range s.Queries {
		fmt.Println(q.ID, q.Text)
	}
	// Output: conv-1/qa0 Where are the hives?
}

// The shortest bundle has a single system. Such files can be embedded.
func ExampleOpenFS() {
	b, err := tiaptest.OpenFS(fstest.MapFS{
		"queries.jsonl": {Data: []byte(`{"id":"q1","evidence":["conv-1/D1:3"]}`)},
		"store.jsonl": {Data: []byte(`
			{"id":"raw1","form":"raw","sources":["conv-1/D1:3"]}
			{"id":"fact1","form":"fact","sources":["conv-1/D1:3"]}`)},
		"run.jsonl": {Data: []byte(`{"query":"q1","ranking":["fact1","raw1"]}`)},
	})
	if err != nil {
		log.Fatal(err)
	}
	a := must(tiaptest.Rescore(b))
	fmt.Println(a.Score(b.Systems[0].Name, tiaptest.Raw, tiaptest.MRR(60)))
	// Output: 0.5 <nil>
}

// All problems of a bundle are reported together.
func ExampleOpenFS_problems() {
	_, err := tiaptest.OpenFS(fstest.MapFS{
		"queries.jsonl": {Data: []byte(`{"id":"q1","evidence":["conv-1/D1:3"]}` + "\n" + `{"text":"Where are the hives?"}`)},
		"store.jsonl":   {Data: []byte(`{"id":"raw1","form":"raw","sources":["conv-1/D1:3"],"serving":"yes"}`)},
	})
	fmt.Println(err)
	// Output:
	// queries.jsonl:2: the query has no "id"; add it (or "query_id")
	// store.jsonl:1: "serving" is the string "yes", not true or false; make it true or false
	// run.jsonl: the file is missing; every ingest needs its run: one ranking a line
}

// In a test, t is its *testing.T, and a problem of the bundle ends it.
func ExampleLoad() {
	dir := must(os.MkdirTemp("", "tiap"))
	defer os.RemoveAll(dir)
	if err := density().WriteDir(dir); err != nil {
		log.Fatal(err)
	}
	var t testing.TB = printer{}
	a := tiaptest.Load(t, dir, tiaptest.Depth(60))
	fmt.Println(a.Score("D5", tiaptest.Source, tiaptest.Top1()))
	// Output: 1 <nil>
}

// One relevance set for each target, graded or not, and one run for each system.
func ExampleTREC() {
	dir := folder(map[string]string{
		"raw.qrels":    "q1 0 turn1 1\nq2 0 turn2 1\n",
		"source.qrels": "q1 0 turn1 1\nq1 0 fact1 1\nq2 0 turn2 1\nq2 0 fact2 1\n",
		"bm25.run":     "q1 Q0 turn1 1 2.5 bm25\nq1 Q0 fact1 2 2.0 bm25\nq2 Q0 fact2 1 2.1 bm25\n",
	})
	defer os.RemoveAll(dir)
	b := must(tiaptest.TREC{
		Qrels: map[string]string{"raw": filepath.Join(dir, "raw.qrels"), "source": filepath.Join(dir, "source.qrels")},
		Runs:  map[string]string{"bm25": filepath.Join(dir, "bm25.run")},
	}.Open())
	a := must(tiaptest.Rescore(b))
	fmt.Println(a.Score("bm25", tiaptest.Raw, tiaptest.Top1()))
	fmt.Println(a.Score("bm25", tiaptest.Source, tiaptest.Top1()))
	// Output:
	// 0.5 <nil>
	// 1 <nil>
}

func ExampleTREC_Open() {
	dir := folder(map[string]string{
		"qrels": "q1 0 turn1 1\nq1 0 turn1 0\n",
		"run":   "q1 Q0 turn1 1 high bm25\n",
	})
	defer os.RemoveAll(dir)
	_, err := tiaptest.TREC{
		Qrels: map[string]string{"raw": filepath.Join(dir, "qrels")},
		Runs:  map[string]string{"bm25": filepath.Join(dir, "run")},
	}.Open()
	fmt.Println(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	// Output:
	// qrels:2: query "q1" has doc "turn1" twice, first on line 1; keep one of the lines
	// run:1: score "high" is not a number; a score is a number such as 12.5 or 1e-3
}

// Records of queries with the ids that earn credit, and a trace of ranked hits.
func ExampleMTELMem() {
	dir := folder(map[string]string{
		"records.jsonl": `{"query_id":"q1","raw_ids":["raw1"],"source_ids":["raw1","fact1"],"canonical_ids":["fact1"]}`,
		"trace.jsonl": `{"system":"mem","query_id":"q1","retrieved_id":"fact1","rank":1,"score":0.9}
{"system":"mem","query_id":"q1","retrieved_id":"raw1","rank":2,"score":0.7}`,
	})
	defer os.RemoveAll(dir)
	b := must(tiaptest.MTELMem{
		Records: filepath.Join(dir, "records.jsonl"),
		Traces:  []string{filepath.Join(dir, "trace.jsonl")},
	}.Open())
	a := must(tiaptest.Rescore(b))
	for _, target := range []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical} {
		fmt.Println(target, must(a.Score("mem", target, tiaptest.MRR(60))))
	}
	// Output:
	// raw 0.5
	// source 1
	// canonical 1
}

// Traces of the paper's own runs have one query a line, and are named by their
// file.
func ExampleMTELMem_Open() {
	dir := folder(map[string]string{
		"records.jsonl": `{"query_id":"q1","query_text":"How many hives are there?","raw_ids":["raw1"],"source_ids":["raw1"],"canonical_ids":[]}`,
		"mem0.jsonl":    `{"query":"How many hives are there?","returned_ids_topk":["fact1","raw1"]}`,
	})
	defer os.RemoveAll(dir)
	b, err := tiaptest.MTELMem{
		Records: filepath.Join(dir, "records.jsonl"),
		Traces:  []string{filepath.Join(dir, "mem0.jsonl")},
	}.Open()
	if err != nil {
		log.Fatal(err)
	}
	k, _ := b.Systems[0].Ingests[0].Run.Ranking("q1")
	fmt.Println(b.Systems[0].Name, k.IDs)
	// Output: mem0 [fact1 raw1]
}
