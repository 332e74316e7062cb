package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

func rerun(turns ...string) (out []tiaptest.Link) {
	for _, turn := range turns {
		out = append(out, tiaptest.Link{Turn: "conv-90/" + turn, Precision: "batch", Origin: "inferred"})
	}
	return out
}

func TestPREMem(t *testing.T) {
	t.Parallel()
	checks(t, memsys.PREMem, preMemExport(t), []tiaptest.Memory{
		{ID: "raw_12", Form: "raw", Sources: exactly("D1:3"), Text: "I planted the pear tree yesterday."},
		{ID: "raw_13", Form: "raw", Sources: exactly("D1:4"), Text: "Good. I keep three hives now."},
		{ID: "raw_14", Form: "raw", Sources: exactly("D2:1"), Text: "The beans are up."},
		{ID: "reason_4", Form: "reasoning", Sources: rerun("D2:1", "D1:3"), Text: "Both grow things."},
	}, []tiaptest.Ranking{
		{Query: "conv-90/qa0", IDs: []string{"reason_4", "raw_12"}, Scores: []float64{0.8, 0.7}},
	}, map[string]int{"reasoning row linked by clusters that were made again": 1})
}

// TestPREMemOrigin: clusters that were made again earn credit by option; recorded
// ones always.
func TestPREMemOrigin(t *testing.T) {
	t.Parallel()
	e := preMemExport(t)
	in, err := memsys.PREMem(conv90(), e.files(t))
	require.NoError(t, err)
	a := audits(t, in.System, tiaptest.Beside(tiaptest.Inferred(tiaptest.Canonical)))
	require.Empty(t, perQuery(t, a, in.System, tiaptest.Canonical))
	same(t, map[string]float64{"conv-90/qa0": 1, "conv-90/qa2": 0}, perQuery(t, a, in.System, tiaptest.Inferred(tiaptest.Canonical)))

	const row = `{"id":12,"session_id":1,"message_id":"conv-90/D1:3","cluster":0,"cluster_origin":"recorded"}`
	e = e.with("premem/pools.jsonl", row+"\n"+`{"id":4,"idx_key":[1,0],"remain_key":["1","0"]}`)
	in, err = memsys.PREMem(conv90(), e.files(t))
	require.NoError(t, err)
	require.Empty(t, in.Notes)
	same(t, asBatch("D1:3"), in.System.Ingests[0].Memories[1].Sources)
	same(t, map[string]float64{"conv-90/qa0": 1, "conv-90/qa2": 0}, perQuery(t, audits(t, in.System), in.System, tiaptest.Canonical))
}

// TestPREMemPools: ids are those of a question's pool, and so are clusters.
func TestPREMemPools(t *testing.T) {
	t.Parallel()
	e := export{content: map[string]string{
		"pools.jsonl": `{"id":1,"question_id":"conv-90/qa0","session_id":"s","message_id":"D1:3","cluster":0,"cluster_origin":"recorded"}
			{"id":1,"question_id":"conv-90/qa1","session_id":"s","message_id":"D1:4","cluster":0,"cluster_origin":"recorded"}
			{"id":"reason_1","question_id":"conv-90/qa1","idx_key":["s",0],"remain_key":["t",0]}
			{"id":2,"question_id":"unknown","session_id":"s","message_id":"D1:4"}`,
		"results.jsonl": `{"question_id":"conv-90/qa0","retrieved_results":[{"id":"raw_1"}]}
			{"question_id":"conv-90/qa1","retrieved_results":[{"id":"reason_1"},{"id":"raw_1"},{"id":"raw_7"}]}`,
	}, store: []string{"pools.jsonl"}, search: []string{"results.jsonl"}}
	checks(t, memsys.PREMem, e, []tiaptest.Memory{
		{ID: "conv-90/qa0/raw_1", Form: "raw", Sources: exactly("D1:3")},
		{ID: "conv-90/qa1/raw_1", Form: "raw", Sources: exactly("D1:4")},
		{ID: "unknown/raw_2", Form: "raw"},
		{ID: "conv-90/qa1/reason_1", Form: "reasoning", Sources: asBatch("D1:4")},
	}, []tiaptest.Ranking{
		{Query: "conv-90/qa0", IDs: []string{"conv-90/qa0/raw_1"}},
		{Query: "conv-90/qa1", IDs: []string{"conv-90/qa1/reason_1", "conv-90/qa1/raw_1", "conv-90/qa1/raw_7"}},
	}, map[string]int{"cluster without rows": 1, "source names no turn": 1, "memory without lineage": 1, "hit of no stored memory": 1})
}

func TestPREMemRefuses(t *testing.T) {
	t.Parallel()
	e := preMemExport(t)
	pools := func(row string) export { return e.with("premem/pools.jsonl", row) }
	refuses(t, memsys.PREMem, pools("\x80\x04\x95\x00"), "pools.jsonl: this is a pickle, which runs code", "json.dumps")
	pickle := e.with("premem/pool.PKL", "{}")
	pickle.store = []string{"premem/pool.PKL"}
	refuses(t, memsys.PREMem, pickle, "pool.PKL: this is a pickle")
	refuses(t, memsys.PREMem, pools(`{"message_id":"conv-90/D1:3"}`), `pools.jsonl:1: the row has no "id"`)
	refuses(t, memsys.PREMem, pools(`{"id":1}`), `the row has neither "message_id" nor "idx_key"`)
	refuses(t, memsys.PREMem, pools(`{"id":1,"idx_key":["s",0]}`), `the row has no "remain_key"`, "a reasoning row has two parents")
	refuses(t, memsys.PREMem, pools(`{"id":1,"idx_key":["s"],"remain_key":["s",0]}`), "a key has 1 elements")
	refuses(t, memsys.PREMem, pools(`{"id":true,"message_id":"m"}`), "pools.jsonl:1: ")
	results := func(line string) export { return e.with("premem/results.jsonl", line) }
	refuses(t, memsys.PREMem, results(`{"question_id":"q1"}`), `results.jsonl:1: it lacks "question_id" or "retrieved_results"`, "name the results file of PREMem")
	refuses(t, memsys.PREMem, results(`{"question_id":7,"question":true,"retrieved_results":[]}`), "results.jsonl:1: question_id: a number where a string belongs")
	refuses(t, memsys.PREMem, results(`{"question_id":"q1","question":true,"retrieved_results":[]}`), "results.jsonl:1: question: a bool where a string belongs")
	refuses(t, memsys.PREMem, results(`{"question_id":"q1","question":"What?","retrieved_results":null}`), `results.jsonl:1: it lacks "question_id" or "retrieved_results"`)
	refuses(t, memsys.PREMem, results(`{"question_id":"conv-90/qa0","retrieved_results":[{"score":1}]}`), `the hit has no "id"`)
}
