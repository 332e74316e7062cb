package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

func TestMemoryBench(t *testing.T) {
	t.Parallel()
	checks(t, memsys.MemoryBench, memoryBenchExport(t), []tiaptest.Memory{
		{ID: uuid(1), Form: "memory", Sources: asContainer("D1:1", "D1:2", "D1:3", "D1:4"), Text: "Ada planted a pear tree"},
		{ID: uuid(2), Form: "memory", Sources: asContainer("D2:1", "D2:2", "D2:3", "D2:4"), Text: "Ben has four hives"},
	}, []tiaptest.Ranking{
		{Query: "conv-90/qa0", IDs: []string{uuid(1)}, Scores: []float64{0.8}},
		{Query: "conv-90/qa1", IDs: []string{uuid(2), uuid(1)}},
	}, map[string]int{"scores left out, since some hits have none": 1})
}

// memoryBench is a run with one result file.
func memoryBench(store, result string) export {
	return export{
		content: map[string]string{"store.json": store, "results/a.json": result},
		store:   []string{"store.json"}, search: []string{"results"},
	}
}

func TestMemoryBenchRules(t *testing.T) {
	t.Parallel()
	const pear = "When did Ada plant the pear tree?"
	found := func(id string) []tiaptest.Ranking { return []tiaptest.Ranking{{Query: id, IDs: []string{"a", "b"}}} }
	for name, c := range map[string]struct {
		store, result string
		memories      []tiaptest.Memory
		ranks         []tiaptest.Ranking
		notes         map[string]int
	}{
		"the query's own id, whatever its text": {
			`[{"id":"a","metadata":{"sessionId":"conv-90-session_9"}}]`, `{"questionId":"conv-90/qa3","question":"` + pear + `","results":[{"id":"a"},{"id":"b"}]}`,
			[]tiaptest.Memory{{ID: "a", Form: "memory"}}, found("conv-90/qa3"),
			map[string]int{"session of no turn of the scenario": 1, "memory without lineage": 1, "hit of no stored memory": 1},
		},
		"ids and texts under other names": {
			`{"memories":[{"memory_id":"a","content":"c","metadata":{"sessionId":"conv-90/session_1"}}]}`,
			`{"questionId":"q","question":"` + pear + `","results":[{"uuid":"a","similarity":0.5},{"memory_id":"b","score":0.9}]}`,
			[]tiaptest.Memory{{ID: "a", Form: "memory", Sources: asContainer("D1:1", "D1:2", "D1:3", "D1:4"), Text: "c"}},
			[]tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{"a", "b"}, Scores: []float64{0.5, 0.9}}},
			map[string]int{"hit of no stored memory": 1},
		},
		"nothing found": {
			`[{"id":"a","metadata":{"sessionId":"conv-90/session_1"}}]`, `{"questionId":"q","question":"` + pear + `","results":[]}`,
			[]tiaptest.Memory{{ID: "a", Form: "memory", Sources: asContainer("D1:1", "D1:2", "D1:3", "D1:4")}}, []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{}}}, map[string]int{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checks(t, memsys.MemoryBench, memoryBench(c.store, c.result), c.memories, c.ranks, c.notes)
		})
	}

	// A list of names says what a session is.
	e := memoryBench(`[{"id":"a","metadata":{"sessionId":"answer_1"}}]`, `{"questionId":"q","question":"`+pear+`","results":[]}`)
	e.log = "names.jsonl"
	checks(t, memsys.MemoryBench, e.with("names.jsonl", `{"name":"answer_1","turns":["conv-90/D1:3","conv-90/D1:4"]}`),
		[]tiaptest.Memory{{ID: "a", Form: "memory", Sources: asContainer("D1:3", "D1:4")}},
		[]tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{}}}, map[string]int{})
	refuses(t, memsys.MemoryBench, e.with("names.jsonl", `{"name":"a"}`), `names.jsonl:1: the line lacks "name" or "turns"`)
	const name = `{"name":"a","turns":"conv-90/D1:3"}`
	refuses(t, memsys.MemoryBench, e.with("names.jsonl", name+"\n"+name), `names.jsonl:2: the name "a" stands twice`)
}

// TestMemoryBenchConversations: the conversation that an id begins with tells
// queries of the same text apart; where none does, the text is of several.
func TestMemoryBenchConversations(t *testing.T) {
	t.Parallel()
	sc := conv90()
	const pear = "When did Ada plant the pear tree?"
	sc.Queries = append(sc.Queries,
		tiaptest.Query{ID: "conv/qa0", Scope: "conv", Text: pear},
		tiaptest.Query{ID: "conv-91/qa0", Scope: "conv-91", Text: pear})
	for id, want := range map[string]string{"conv-90-q0": "conv-90/qa0", "conv-91-q0": "conv-91/qa0", "conv-q0": "conv/qa0", "q0": ""} {
		e := memoryBench(`[{"id":"a"}]`, `{"questionId":"`+id+`","question":"`+pear+`","results":[]}`)
		in, err := memsys.MemoryBench(sc, e.files(t))
		if want == "" {
			require.ErrorContains(t, err, "no query of the scenario is answered (answer to a text that several queries have")
			continue
		}
		require.NoError(t, err)
		same(t, []tiaptest.Ranking{{Query: want, IDs: []string{}}}, rankings(in.System))
	}
}

func TestMemoryBenchRefuses(t *testing.T) {
	t.Parallel()
	const asked = `{"questionId":"conv-90/qa0","results":`
	refuses(t, memsys.MemoryBench, memoryBench(`[{"memory":"m"}]`, asked+`[]}`), `store.json: [0]: there is no "id"`, `an exporter must add "id"`)
	refuses(t, memsys.MemoryBench, memoryBench(`["m"]`, asked+`[]}`), "store.json: [0]: the item is text", `an exporter must add "id"`)
	refuses(t, memsys.MemoryBench, memoryBench(`[]`, asked+`["m"]}`), "a.json: results[0]: the item is text", `an exporter must add "id"`)
	refuses(t, memsys.MemoryBench, memoryBench(`[]`, asked+`"m"}`), "the answer is no array")
	refuses(t, memsys.MemoryBench, memoryBench(`[]`, `{"runId":"r"}`), `a.json: it lacks "questionId" or "results"`, "name the results folder of a run")
	refuses(t, memsys.MemoryBench, memoryBench(`[]`, asked+`[]}`).with("results/b.json", asked+`[]}`), "b.json: ", "two rankings")
	refuses(t, memsys.MemoryBench, memoryBench(`[{"id":"a"}]`, `{"questionId":"conv-90-q0","question":"When?","results":[]}`), "no query of the scenario is answered", "conv-90-q0: When?")
	none := memoryBench(`[]`, asked+`[]}`)
	none.store = nil
	refuses(t, memsys.MemoryBench, none, "memorybench: no store is given")
}
