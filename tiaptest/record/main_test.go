package record_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// roleEnv makes this test binary another program when it is run by a test.
const roleEnv = "TIAP_RECORD_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "adapter":
		serveAdapter()
	}
}

// questions are n queries whose order by id is not their order here.
func questions(n int) []tiaptest.Query {
	qs := make([]tiaptest.Query, n)
	for i := range qs {
		day := (i + n/2) % n
		qs[i] = tiaptest.Query{
			ID: fmt.Sprintf("q%03d", day), Scope: "conv-1", Text: fmt.Sprintf("What happened on day %d?", day),
			Category: "secret category", Answer: "secret answer", Evidence: []tiaptest.Unit{{Turns: []string{"secret turn"}}},
		}
	}
	return qs
}

// memories are n memories, m0 to mn-1, each of a turn of its own.
func memories(n int) []tiaptest.Memory {
	ms := make([]tiaptest.Memory, n)
	for i := range ms {
		ms[i] = tiaptest.Memory{ID: fmt.Sprintf("m%d", i), Form: "fact", Sources: []tiaptest.Link{{Turn: fmt.Sprintf("t%d", i)}}, Text: "fact <1> & more"}
	}
	return ms
}

// answers is what every system of these tests answers: it depends on the query
// alone.
func answers(q record.Query) []record.Hit {
	h := fnv.New32a()
	h.Write([]byte(q.Text))
	var hits []record.Hit
	for i := range min(q.K, 7) {
		hits = append(hits, record.Hit{ID: fmt.Sprintf("m%d", (int(h.Sum32()%20)+i)%20), Score: 1 / float64(i+3)})
	}
	return hits
}

// steady is a system that never fails.
var steady = record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) { return answers(q), nil })

// build returns a builder of a searcher over a store of twenty memories.
func build(s record.Searcher) record.Builder {
	return func(context.Context, int) (record.Searcher, *record.IngestLog, error) {
		log := new(record.IngestLog)
		for _, m := range memories(20) {
			log.Add(m)
		}
		return s, log, nil
	}
}

// here are options for systems within the test.
func here(o record.Options) record.Options {
	o.Cacheable = true
	if o.Backoff == 0 {
		o.Backoff = 1
	}
	return o
}

// faultless records n queries of the steady system in a folder and returns the
// texts of store and run.
func faultless(t *testing.T, n int) (store, run string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mine")
	_, _, err := record.Ingests(t.Context(), questions(n), build(steady), here(record.Options{Dir: dir, K: 10}))
	require.NoError(t, err)
	return read(t, dir, "store.jsonl"), read(t, dir, "run.jsonl")
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(text)
}

// names are the files in a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// equalText compares texts line by line.
func equalText(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the text differs (-want +got):\n%s", diff)
	}
}
