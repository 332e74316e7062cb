package tiaptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
)

// What is written of a memory is read as the same memory.
func TestMemoryRoundTrip(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	some := func(words ...string) string { return words[random.IntN(len(words))] }
	d := newMemoryDecoder()
	for range 500 {
		m := Memory{
			ID: some("m1", "é\n"), Form: some("raw", "fact"), Status: some("", "deleted"), NotServing: random.IntN(2) == 0,
			ValidFrom: some("", "2026-01-02"), ValidTo: some("", "2026-01-03"), Text: some("", "a \"b\" <c>"),
		}
		for range random.IntN(3) {
			m.Sources = append(m.Sources, Link{Turn: some("t1", "t2"), Precision: some("", "batch"), Origin: some("", "inferred")})
			m.Parents = append(m.Parents, some("m2", "m3"))
		}
		line, err := json.Marshal(lineOf(&m))
		require.NoError(t, err)
		var got Memory
		require.Nil(t, d.Decode(line, &got))
		require.Empty(t, cmp.Diff(m, got))
	}
}

// A memory may name many turns and parents; beyond the limit the store is refused,
// and not read further.
func TestLinksLimit(t *testing.T) {
	t.Parallel()
	ids := func(n int) string { return `["m0"` + strings.Repeat(`,"m0"`, n-1) + `]` }
	for _, test := range []struct{ name, member, want string }{
		{"so many parents", `"parents":` + ids(limit.Links), ""},
		{"so many turns", `"sources":` + ids(limit.Links), ""},
		{"a parent more", `"parents":` + ids(limit.Links+1), `store.jsonl:2: memory "m1" names 0 turns and 100001 parents, of which each may be 100000`},
		{"a turn more", `"sources":` + ids(limit.Links+1), `store.jsonl:2: memory "m1" names 100001 turns and 0 parents, of which each may be 100000`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			last := `{"id":"m2","form":"raw"}`
			if test.want != "" {
				last = `not JSON, but no longer looked at`
			}
			_, err := OpenFS(fstest.MapFS{
				"queries.jsonl": {Data: []byte(`{"id":"q1","evidence":["m0"]}`)},
				"run.jsonl":     {Data: []byte(`{"query":"q1","ranking":["m0"]}`)},
				"store.jsonl":   {Data: []byte(`{"id":"m0","form":"raw","sources":["m0"]}` + "\n" + `{"id":"m1","form":"summary",` + test.member + "}\n" + last)},
			})
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "JSON")
		})
	}
}

// Where the reading of a store ends early, the other files are read to their ends.
func TestReadingGoesOn(t *testing.T) {
	t.Parallel()
	var run strings.Builder // of several blocks, wrong at its end
	for i := range 20_000 {
		fmt.Fprintf(&run, `{"query":"q%d","ranking":["m"]}`+"\n", i)
	}
	run.WriteString(`{"query":"q","ranking":["m"],"k":-1}` + "\n")
	files := fstest.MapFS{
		"queries.jsonl":         {Data: []byte(`{"id":"q","evidence":["t"]}` + "\n")},
		"systems/a/store.jsonl": {Data: []byte(`{"id":"m","form":"fact","parents":[` + strings.Repeat(`"p",`, 100_000) + `"p"]}` + "\n")},
		"systems/a/run.jsonl":   {Data: []byte(run.String())},
	}
	_, err := OpenFS(files)
	require.ErrorContains(t, err, "names 0 turns and 100001 parents")
	assert.ErrorContains(t, err, "run.jsonl:20001: k is -1")
}

// The ids of a store come first among those of its run, so that both have one numbering.
func TestStoreFirst(t *testing.T) {
	t.Parallel()
	var store strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&store, `{"id":"m%d","form":"raw","sources":["t"]}`+"\n", i)
	}
	files := fstest.MapFS{
		"queries.jsonl": {Data: []byte(`{"id":"q","evidence":["t"]}` + "\n")},
		"store.jsonl":   {Data: []byte(store.String())},
		"run.jsonl":     {Data: []byte(`{"query":"q","ranking":["x","m999","m0"]}` + "\n")},
	}
	b, err := OpenFS(files)
	require.NoError(t, err)
	in := b.Systems[0].Ingests[0]
	require.Equal(t, 1001, in.Run.ids.Len())
	for i, m := range in.Memories {
		require.Equal(t, m.ID, in.Run.ids.String(uint32(i)))
	}
	files["run.jsonl"] = &fstest.MapFile{Data: []byte(`{"query":"q","ranking":["m1",""]}` + "\n")}
	_, err = OpenFS(files)
	require.ErrorContains(t, err, "run.jsonl:1: the id of rank 2 is empty")
}
