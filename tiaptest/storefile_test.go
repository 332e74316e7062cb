package tiaptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
)

// The quick way and the general one read the same memories from the same lines, and
// refuse the same lines.
func TestMemoryDecoder(t *testing.T) {
	t.Parallel()
	texts := rapid.SampledFrom([]string{`"a"`, `"a"`, `"b"`, `""`, `"\u00e9\n"`, `"é"`, `null`, `7`, `"\ud800"`})
	links := rapid.SampledFrom([]string{
		`null`, `[]`, `["t1"]`, `["t1","t2"]`, `[null]`, `["t1",{"turn":"t2"}]`, `"t1"`, `[["t1"]]`, `[""]`, `["\u0074"]`,
		`[{"turn":"t1","precision":"batch","origin":"inferred"}]`, `[{"turn":"t1","Precision":"batch"}]`,
		`[{"turn":"t1","more":1}]`, `[{"turn":null}]`, `[{"turn":1}]`, `[{"turn":"t1","turn":"t2"}]`, `[{}]`,
	})
	values := map[string]*rapid.Generator[string]{
		"id": texts, "form": texts, "status": texts, "valid_from": texts, "valid_to": texts, "text": texts, "else": texts,
		"sources": links, "parents": links, "serving": rapid.SampledFrom([]string{"true", "false", "null", `"true"`}),
	}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"id", "form", "status", "valid_from", "valid_to", "text", "else", "sources", "parents", "serving",
	}), 0, 10, rapid.ID)
	rapid.Check(t, func(t *rapid.T) {
		d := newMemoryDecoder()
		members := names.Draw(t, "members")
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			if rapid.IntRange(0, 4).Draw(t, "other members") == 0 {
				members = names.Draw(t, "members")
			}
			parts := make([]string, len(members))
			for i, name := range members {
				parts[i] = fmt.Sprintf("%q:%s", name, values[name].Draw(t, name))
			}
			line := []byte("{" + strings.Join(parts, ",") + "}")
			var want, got Memory
			var general memoryLine
			wrong := jsonl.Decode(line, &general)
			if diff := cmp.Diff(wrong, d.Decode(line, &got)); diff != "" {
				t.Fatalf("%s: fault (-want +got):\n%s", line, diff)
			}
			if wrong != nil {
				continue
			}
			want = general.memory()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", line, diff)
			}
		}
	})
}

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
