package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

func TestLangGraph(t *testing.T) {
	t.Parallel()
	pear, hives := "memories/conv-90/"+uuid(1), "memories/conv-90/"+uuid(2)
	const made = "2031-06-01T12:00:00+00:00"
	checks(t, memsys.LangGraph, langGraphExport(t), []tiaptest.Memory{
		{ID: pear, Form: "Memory", Sources: exactly("D1:3"), ValidFrom: made, Text: "Ada planted a pear tree."},
		{ID: hives, Form: "Memory", Sources: asBatch("D1:4", "D2:2"), ValidFrom: made, Text: "Ben keeps hives."},
	}, []tiaptest.Ranking{
		{Query: "conv-90/qa0", IDs: []string{pear, hives}, K: 10},
		{Query: "conv-90/qa1", IDs: []string{hives, pear}, K: 10},
		{Query: "conv-90/qa2", IDs: []string{}, Error: "timeout"},
	}, map[string]int{
		"source named with the scenario's name":      1,
		"scores left out, since some hits have none": 2,
	})
}

func TestLangGraphRules(t *testing.T) {
	t.Parallel()
	item := func(rest string) string { return `[{"namespace":["m"],"key":"a",` + rest + `}]` }
	hit := []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{"m/a"}, Scores: []float64{0.5}}}
	e := one(item(`"value":{"content":"text","source_ids":["conv-90/D1:3"]}`), item(`"score":0.5`))
	checks(t, memsys.LangGraph, e, []tiaptest.Memory{{ID: "m/a", Form: "memory", Sources: exactly("D1:3"), Text: "text"}},
		hit, map[string]int{"source_ids in the value, which an update loses": 1})

	e = one(item(`"value":{"kind":"RAW","content":{"name":"Ada"}}`), item(`"score":0.5`))
	checks(t, memsys.LangGraph, e, []tiaptest.Memory{{ID: "m/a", Form: "memory", Text: `{"name":"Ada"}`}},
		hit, map[string]int{"memory without lineage": 1})

	// The log adds to the value; lines of one memory add up; removed items are gone.
	e = one(item(`"value":{"content":"text","source_ids":"conv-90/D1:3"}`), item(`"score":0.5`))
	e.content["log.jsonl"] = `{"id":"m/a","sources":["conv-90/D1:3"]}` + "\n" + `{"id":"m/a","sources":["conv-90/D1:4","conv-90/D9:9"]}` + "\n" + `{"id":"m/b","sources":["conv-90/D1:1"]}`
	e.log = "log.jsonl"
	checks(t, memsys.LangGraph, e, []tiaptest.Memory{{ID: "m/a", Form: "memory", Sources: append(exactly("D1:3"), asBatch("D1:4")...), Text: "text"}},
		hit, map[string]int{
			"source_ids in the value, which an update loses": 1,
			"source names no turn":                           1,
			"line of the log about no stored memory":         1,
		})

	// Namespaces are kept apart, and slashes within their parts too.
	e = one(`[{"namespace":["a","b"],"key":"c","value":{}},{"namespace":["a/b"],"key":"c","value":{}},{"namespace":["a%2Fb"],"key":"c","value":{}}]`, `[]`)
	in, err := memsys.LangGraph(conv90(), e.files(t))
	require.NoError(t, err)
	require.Len(t, in.System.Ingests[0].Memories, 3)
	for i, id := range []string{"a/b/c", "a%2Fb/c", "a%252Fb/c"} {
		require.Equal(t, id, in.System.Ingests[0].Memories[i].ID)
	}

	// JSON lines, and an object around the array.
	lines := e
	lines.content = map[string]string{"store.jsonl": `{"namespace":["m"],"key":"a"}` + "\n\n" + `{"namespace":["m"],"key":"b"}`, "search.jsonl": e.content["search.jsonl"]}
	lines.store = []string{"store.jsonl"}
	in, err = memsys.LangGraph(conv90(), lines.files(t))
	require.NoError(t, err)
	require.Len(t, in.System.Ingests[0].Memories, 2)
	in, err = memsys.LangGraph(conv90(), one(`{"items":[{"namespace":["m"],"key":"a"}]}`, `{"items":[]}`).files(t))
	require.NoError(t, err)
	require.Len(t, in.System.Ingests[0].Memories, 1)
}

func TestLangGraphRefuses(t *testing.T) {
	t.Parallel()
	stored := `[{"namespace":["m"],"key":"a"}]`
	refuses(t, memsys.LangGraph, one(`[{"key":"a"}]`, `[]`), `[0]: there is no "namespace" or no "key"`, "an exporter must add both")
	refuses(t, memsys.LangGraph, one(stored, `[{"value":{"content":"text"}}]`), `result[0]: there is no "namespace"`)
	refuses(t, memsys.LangGraph, one(stored, `["text"]`), "result[0]")
	refuses(t, memsys.LangGraph, one(stored, `{"text":1}`), "the answer is no array, and no object with one under items")
	refuses(t, memsys.LangGraph, one(`[{"namespace":["m"],"key":"a"},{"namespace":["m"],"key":"a"}]`, `[]`), `memory "m/a" stands twice`)
	refuses(t, memsys.LangGraph, one(`{"data":[]}`, `[]`), "this is no array, and no object with one under items")
	refuses(t, memsys.LangGraph, one(`[{"namespace":"m","key":"a"}]`, `[]`), "namespace")
	e := one(stored, `[]`)
	e.log = "log.jsonl"
	refuses(t, memsys.LangGraph, e.with("log.jsonl", `{"id":"m/a"}`), `log.jsonl:1: the line lacks "id" or "sources"`)
	refuses(t, memsys.LangGraph, e.with("log.jsonl", `{"id":"m/a","sources":[1]}`), "log.jsonl:1: ")
}
