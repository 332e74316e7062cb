package memsys_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

func TestTRPC(t *testing.T) {
	t.Parallel()
	const said, later = "2031-03-12T09:05:00Z", "2031-04-02T19:40:00Z"
	checks(t, memsys.TRPC, trpcExport(t), []tiaptest.Memory{
		{ID: "conv-90/m1", Form: "memory", Sources: exactly("D1:3"), ValidFrom: said, Text: "Ada planted a pear tree."},
		{ID: "conv-90/m4", Form: "memory", Sources: append(asBatch("D1:3", "D1:4"), exactly("D2:2")...), ValidFrom: said, Text: "Ben keeps four hives."},
		{ID: "conv-90/m3", Form: "memory", Sources: asBatch("D1:3", "D1:4"), Status: "deleted", ValidFrom: said, ValidTo: later, Text: "Ben is up early."},
	}, []tiaptest.Ranking{
		{Query: "conv-90/qa1", IDs: []string{"conv-90/m4", "conv-90/m3", "conv-90/m1"}, Scores: []float64{0.7, 0.5, 0.3}},
		{Query: "conv-90/qa0", Lists: []tiaptest.List{
			{Name: "step 01", IDs: []string{"conv-90/m1"}},
			{Name: "step 02", IDs: []string{"conv-90/m4", "conv-90/m1"}},
		}},
	}, map[string]int{
		"turn named by its session and place":  1,
		"hit by an id that an update replaced": 1,
		"hit of a deleted memory":              1,
	})
}

// TestTRPCDeleted: deleted memories earn credit, except under Current.
func TestTRPCDeleted(t *testing.T) {
	t.Parallel()
	e := trace(stores(`"D1:3"`, `"added":[`+state("a", "A")+`]`), stores(``, `"deleted":[`+state("a", "A")+`]`), finds(`"hits":[{"memory_id":"a","rank":1}]`))
	in, err := memsys.TRPC(conv90(), e.files(t))
	require.NoError(t, err)
	a := audits(t, in.System, tiaptest.Beside(tiaptest.Current(tiaptest.Source)))
	same(t, map[string]float64{"conv-90/qa0": 1, "conv-90/qa2": 0}, perQuery(t, a, in.System, tiaptest.Source))
	require.Empty(t, perQuery(t, a, in.System, tiaptest.Current(tiaptest.Source)))
}

// TestTRPCSample: the case of LongMemEval, whose sessions the scenario names by
// their position, with names for its turns and without.
func TestTRPCSample(t *testing.T) {
	t.Parallel()
	sc := &tiaptest.Scenario{Name: "longmemeval",
		Turns:   []tiaptest.Turn{{ID: "a1b2c3d4/s0/t0", Session: "a1b2c3d4/s0"}, {ID: "a1b2c3d4/s0/t1", Session: "a1b2c3d4/s0"}},
		Queries: []tiaptest.Query{{ID: "a1b2c3d4", Scope: "a1b2c3d4", Text: "How many boats have I painted?", Evidence: []tiaptest.Unit{{Turns: []string{"a1b2c3d4/s0/t0"}}}}},
	}
	e := export{content: testdata(t, "trpc/sample.jsonl"), store: []string{"trpc/sample.jsonl"}}
	want := []tiaptest.Memory{{ID: "a1b2c3d4/m1", Form: "memory", ValidFrom: "2031-05-21T10:00:00Z", Text: "User painted a boat blue."}}
	in, err := memsys.TRPC(sc, e.files(t))
	require.NoError(t, err)
	same(t, want, in.System.Ingests[0].Memories)
	same(t, []tiaptest.Ranking{{Query: "a1b2c3d4", IDs: []string{"a1b2c3d4/m1"}, Scores: []float64{0.7}}}, rankings(in.System))
	same(t, map[string]int{"source names no turn": 1, "memory without lineage": 1}, counts(in.Notes))

	e = e.with("names.jsonl", `{"scope":"a1b2c3d4","name":"answer_280352e9_1_1","turns":"a1b2c3d4/s0/t0"}
		{"scope":"other","name":"answer_280352e9_1_1","turns":"a1b2c3d4/s0/t1"}`)
	e.log = "names.jsonl"
	in, err = memsys.TRPC(sc, e.files(t))
	require.NoError(t, err)
	want[0].Sources = []tiaptest.Link{{Turn: "a1b2c3d4/s0/t0"}}
	same(t, want, in.System.Ingests[0].Memories)
	require.Empty(t, in.Notes)

	// Without the texts of sessions, a session that the scenario does name.
	sc.Turns[0].Session, sc.Turns[1].Session = "answer_280352e9_1", "answer_280352e9_1"
	e.log = ""
	in, err = memsys.TRPC(sc, e.files(t))
	require.NoError(t, err)
	same(t, want, in.System.Ingests[0].Memories)
	same(t, map[string]int{"turn named by its session and place": 1}, counts(in.Notes))
}

// trace writes events of the case conv-90, each {"event":...} with what it says.
func trace(events ...string) export {
	var b strings.Builder
	for i, e := range events {
		fmt.Fprintf(&b, `{"schema_version":"longmemeval.build_trace/v1","sequence":%d,"case_id":"conv-90",%s}`+"\n", i+1, e)
	}
	return export{content: map[string]string{"trace.jsonl": b.String()}, store: []string{"trace.jsonl"}}
}

// stores is a persistence event of the turns.
func stores(turns, diff string) string {
	return `"event":"persistence","source":{"turn_ids":[` + turns + `]},"persistence":{"diff":{` + diff + `}}`
}

func state(id, text string) string { return `{"id":"` + id + `","memory":{"value":"` + text + `"}}` }

// finds is a retrieval event for the first query.
func finds(rest string) string {
	return `"event":"retrieval","retrieval":{"query":{"value":"When did Ada plant the pear tree?"},` + rest + `}`
}

func TestTRPCRules(t *testing.T) {
	t.Parallel()
	memory := func(id, text string, sources []tiaptest.Link) tiaptest.Memory {
		return tiaptest.Memory{ID: "conv-90/" + id, Form: "memory", Sources: sources, Text: text}
	}
	ranking := func(ids ...string) []tiaptest.Ranking {
		return []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: append([]string{}, ids...)}}
	}
	add := stores(`"D1:3"`, `"added":[`+state("a", "A")+`]`)
	find := func(ids ...string) string {
		var hits []string
		for i, id := range ids {
			hits = append(hits, fmt.Sprintf(`{"memory_id":"%s","rank":%d}`, id, i+1))
		}
		return finds(`"hits":[` + strings.Join(hits, ",") + `]`)
	}
	for name, c := range map[string]struct {
		e        export
		memories []tiaptest.Memory
		ranks    []tiaptest.Ranking
		notes    map[string]int
	}{
		"an update in place": {
			trace(add, stores(`"D1:4"`, `"updated":[`+state("a", "B")+`]`), find("a")),
			[]tiaptest.Memory{memory("a", "B", exactly("D1:3", "D1:4"))}, ranking("conv-90/a"), map[string]int{},
		},
		"an id that changes twice": {
			trace(add, stores(`"D1:4"`, `"updated":[{"id":"b","previous_id":"a","memory":{"value":"B"}}]`),
				stores(`"D1:4"`, `"updated":[{"before":`+state("b", "B")+`,"after":`+state("c", "C")+`}]`), find("a", "b", "c")),
			[]tiaptest.Memory{memory("c", "C", exactly("D1:3", "D1:4"))}, ranking("conv-90/c"),
			map[string]int{"hit by an id that an update replaced": 2, "hit repeated in one list": 2},
		},
		"an id that changes and changes back": {
			trace(add, stores(``, `"updated":[{"id":"b","previous_id":"a"}]`), stores(``, `"updated":[{"id":"a","previous_id":"b"}]`), find("b", "x")),
			[]tiaptest.Memory{memory("a", "A", exactly("D1:3"))}, ranking("conv-90/a", "conv-90/x"),
			map[string]int{"hit by an id that an update replaced": 1, "hit of no stored memory": 1},
		},
		"an update into another memory": {
			trace(add, stores(`"D1:4"`, `"added":[`+state("b", "B")+`]`), stores(`"D2:1"`, `"updated":[{"id":"b","previous_id":"a","memory":{"value":"B"}}]`), find("a", "b")),
			[]tiaptest.Memory{memory("b", "B", exactly("D1:4", "D1:3", "D2:1"))}, ranking("conv-90/b"),
			map[string]int{"memory that became equal to another one": 1, "hit by an id that an update replaced": 1, "hit repeated in one list": 1},
		},
		"an earlier id that is taken again": {
			trace(add, stores(``, `"updated":[{"id":"b","previous_id":"a"}]`), stores(`"D1:4"`, `"added":[`+state("a", "A")+`]`), find("a", "b")),
			[]tiaptest.Memory{memory("b", "A", exactly("D1:3")), memory("a", "A", exactly("D1:4"))}, ranking("conv-90/a", "conv-90/b"), map[string]int{},
		},
		"deleted and added again": {
			trace(add, stores(``, `"deleted":[{"id":"a"}]`), stores(`"D1:4"`, `"added":[`+state("a", "A")+`]`), find("a")),
			[]tiaptest.Memory{memory("a", "A", exactly("D1:3", "D1:4"))}, ranking("conv-90/a"), map[string]int{"memory added again": 1},
		},
		"changes of what was never added": {
			trace(add, stores(``, `"deleted":[{"id":"x"}],"updated":[`+state("y", "Y")+`]`), find()),
			[]tiaptest.Memory{memory("a", "A", exactly("D1:3"))}, ranking(), map[string]int{"change of a memory that no event added": 2},
		},
		"nothing found": {
			trace(add, finds(`"hits":null`)),
			[]tiaptest.Memory{memory("a", "A", exactly("D1:3"))}, ranking(), map[string]int{},
		},
		"a retrieval that failed": {
			trace(add, finds(`"error":"timeout"`)),
			[]tiaptest.Memory{memory("a", "A", exactly("D1:3"))}, []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{}, Error: "timeout"}}, map[string]int{},
		},
		"a retrieval that failed and was tried again": {
			trace(add, finds(`"error":"timeout"`), find("a")),
			[]tiaptest.Memory{memory("a", "A", exactly("D1:3"))}, ranking("conv-90/a"), map[string]int{"retrieval that failed beside another of its query": 1},
		},
		"a query of no case": {
			trace(add, `"event":"retrieval","retrieval":{"query":{"value":"Who?"},"hits":[]}`),
			[]tiaptest.Memory{memory("a", "A", exactly("D1:3"))}, nil, map[string]int{"answer to no query of the scenario": 1},
		},
		"scores of some hits": {
			trace(add, finds(`"hits":[{"memory_id":"a","rank":1,"score":1},{"memory_id":"x","rank":2}]`)),
			[]tiaptest.Memory{memory("a", "A", exactly("D1:3"))}, ranking("conv-90/a", "conv-90/x"),
			map[string]int{"scores left out, since some hits have none": 1, "hit of no stored memory": 1},
		},
		"a memory of no turn": {
			trace(stores(`"D9:9"`, `"added":[`+state("a", "A")+`]`), find("a")),
			[]tiaptest.Memory{memory("a", "A", nil)}, ranking("conv-90/a"), map[string]int{"source names no turn": 1, "memory without lineage": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checks(t, memsys.TRPC, c.e, c.memories, c.ranks, c.notes)
		})
	}
}

// TestTRPCFiles: retrievals may be in files of their own, cases of other ids are
// told by their text, and lost lines are seen.
func TestTRPCFiles(t *testing.T) {
	t.Parallel()
	e := trace(stores(`"conv-90/D1:3"`, `"added":[`+state("a", "A")+`]`), finds(`"hits":[{"memory_id":"a","rank":1}]`))
	e.content["search.jsonl"] = strings.ReplaceAll(trace("", finds(`"hits":[]`)).content["trace.jsonl"], `"case_id":"conv-90",}`, `"case_id":"conv-90"}`)
	e.search = []string{"search.jsonl"}
	in, err := memsys.TRPC(conv90(), e.files(t))
	require.NoError(t, err)
	same(t, []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{}}}, rankings(in.System))

	e.search = nil
	e = e.with("trace.jsonl", strings.ReplaceAll(strings.ReplaceAll(e.content["trace.jsonl"], `"conv-90",`, `"other",`), `"sequence":2`, `"sequence":3`))
	in, err = memsys.TRPC(conv90(), e.files(t))
	require.NoError(t, err)
	same(t, []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{"other/a"}}}, rankings(in.System))
	same(t, map[string]int{"case of no query of the scenario": 1, "gap in the sequence of a trace": 1}, counts(in.Notes))
}

func TestTRPCRefuses(t *testing.T) {
	t.Parallel()
	refuses(t, memsys.TRPC, trace().with("trace.jsonl", "\n"), "trace.jsonl: the trace is empty")
	refuses(t, memsys.TRPC, trace().with("trace.jsonl", `{"schema_version":"v2","case_id":"c"}`), `trace.jsonl:1: this is no event of a build trace: schema_version is "v2"`)
	refuses(t, memsys.TRPC, trace().with("trace.jsonl", `{"schema_version":"longmemeval.build_trace/v1"}`), "case_id")
	refuses(t, memsys.TRPC, trace(`"event":"persistence"`), `the persistence has no "diff"`, `an exporter must add "diff"`)
	refuses(t, memsys.TRPC, trace(`"event":"retrieval"`), `the event has no "retrieval"`)
	refuses(t, memsys.TRPC, trace(stores(``, `"added":[{"memory":{"value":"A"}}]`)), `what was added has no "id"`)
	refuses(t, memsys.TRPC, trace(stores(``, `"deleted":[{}]`)), "a change names no memory")
	refuses(t, memsys.TRPC, trace(finds(`"hits":[{"memory_id":"a","rank":1},{"memory_id":"b","rank":1}]`)), `the hit has the memory_id "b" and the rank 1`)
	refuses(t, memsys.TRPC, trace(finds(`"hits":[{"memory_id":"a"}]`)), `the rank 0`)
	refuses(t, memsys.TRPC, trace(finds(`"hits":[{"rank":1}]`)), `an exporter must add "memory_id"`)
	refuses(t, memsys.TRPC, trace(finds(`"hits":{"a":1}`)), "the answer is no array")
}
