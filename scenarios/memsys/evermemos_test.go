package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

func TestEverMemOS(t *testing.T) {
	t.Parallel()
	checks(t, memsys.EverMemOS, everMemOSExport(t), []tiaptest.Memory{
		{ID: "665f00000000000000000001", Form: "memcell", ValidFrom: "2031-03-12T09:05:00", Text: "Ada planted a pear tree.", Sources: []tiaptest.Link{
			{Turn: "conv-90/D1:2", Precision: "container", Origin: "inferred"},
			{Turn: "conv-90/D1:3", Precision: "container"},
		}},
		{ID: "665f00000000000000000002", Form: "memcell", Text: "Ben has four hives.", Sources: exactly("D2:2")},
	}, []tiaptest.Ranking{
		{Query: "conv-90/qa0", IDs: []string{"665f00000000000000000001"}, Scores: []float64{0.9}},
		{Query: "conv-90/qa1", IDs: []string{}, Error: "Search timeout after retries"},
	}, map[string]int{
		"message whose turn is told by its text": 1,
		"conversation named by its position":     4,
	})
}

// pearAnswer is an answer that found nothing.
const pearAnswer = `{"query":"When did Ada plant the pear tree?","conversation_id":"conv-90","results":[]}`

// everMemOS is an export of one MemCell and search results.
func everMemOS(messages, results string) export {
	return export{
		content: map[string]string{
			"cells.json":   `[{"event_id":"c","conversation_id":"conv-90","original_data":[` + messages + `]}]`,
			"results.json": "[" + results + "]",
		},
		store: []string{"cells.json"}, search: []string{"results.json"},
	}
}

func TestEverMemOSRules(t *testing.T) {
	t.Parallel()
	inferred := func(turn string) []tiaptest.Link { return []tiaptest.Link{{Turn: turn, Origin: "inferred"}} }
	const pear = `{"content":"I planted the pear tree yesterday."}`
	for name, c := range map[string]struct {
		sc       func() *tiaptest.Scenario
		messages string
		sources  []tiaptest.Link
		notes    map[string]int
	}{
		"named in full":   {conv90, `{"source_id":"locomo/conv-90/D1:3","content":"x"}`, exactly("D1:3"), map[string]int{"source named with the scenario's name": 1}},
		"a name of none":  {conv90, `{"dia_id":"D9:9","content":"The beans are up."}`, nil, map[string]int{"source names no turn": 1, "memory without lineage": 1}},
		"told by text":    {conv90, pear, inferred("conv-90/D1:3"), map[string]int{"message whose turn is told by its text": 1}},
		"a text of none":  {conv90, `{"content":"Hello"}`, nil, map[string]int{"message of no turn, or of several": 1, "memory without lineage": 1}},
		"a text of two":   {echoes, `{"content":"Morning, Ben!"}`, nil, map[string]int{"message of no turn, or of several": 1, "memory without lineage": 1}},
		"told by time":    {echoes, `{"content":"Morning, Ben!","timestamp":"2031-04-02T19:40:00"}`, inferred("conv-90/D2:5"), map[string]int{"message whose turn is told by its text": 1}},
		"said elsewhere":  {echoes, `{"content":"The beans are up."}`, inferred("conv-90/D2:1"), map[string]int{"message whose turn is told by its text": 1}},
		"several are one": {conv90, `{"dia_id":"D1:3"},{"dia_id":"D1:4"},{"dia_id":"D1:3"}`, asContainer("D1:3", "D1:4"), map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := memsys.EverMemOS(c.sc(), everMemOS(c.messages, pearAnswer).files(t))
			require.NoError(t, err)
			same(t, []tiaptest.Memory{{ID: "c", Form: "memcell", Sources: c.sources}}, in.System.Ingests[0].Memories)
			same(t, c.notes, counts(in.Notes))
		})
	}

	// Inferred links earn credit by option.
	e := everMemOS(pear, `{"query":"When did Ada plant the pear tree?","conversation_id":"conv-90","results":[{"metadata":{"event_id":"c"}}]}`)
	in, err := memsys.EverMemOS(conv90(), e.files(t))
	require.NoError(t, err)
	a := audits(t, in.System, tiaptest.Beside(tiaptest.Inferred(tiaptest.Source)))
	require.Empty(t, perQuery(t, a, in.System, tiaptest.Source))
	same(t, map[string]float64{"conv-90/qa0": 1, "conv-90/qa2": 0}, perQuery(t, a, in.System, tiaptest.Inferred(tiaptest.Source)))

	// A MemCell of no conversation tells no message by its text.
	e = e.with("cells.json", `[{"event_id":"c","group_id":"group_0","original_data":[`+pear+`]}]`)
	in, err = memsys.EverMemOS(conv90(), e.files(t))
	require.NoError(t, err)
	require.Equal(t, map[string]int{
		"cell of no conversation of the scenario": 1, "message of no turn, or of several": 1, "memory without lineage": 1,
	}, counts(in.Notes))
}

// TestEverMemOSQueries: a query is told by its text within its conversation.
func TestEverMemOSQueries(t *testing.T) {
	t.Parallel()
	sc := conv90()
	sc.Queries = append(sc.Queries,
		tiaptest.Query{ID: "conv-90/qa5", Scope: "conv-90", Text: "What colour is the cart?"},
		tiaptest.Query{ID: "conv-90/qa6", Scope: "conv-90", Text: "What colour is the cart?"},
		tiaptest.Query{ID: "conv-91/qa0", Scope: "conv-91", Text: "When did Ada plant the pear tree?"},
	)
	result := func(text, conversation string) string {
		return `{"query":"` + text + `","conversation_id":"` + conversation + `","results":[]}`
	}
	e := everMemOS("", result("When did Ada plant the pear tree?", "locomo_1")+","+result("When did Ada plant the pear tree?", "conv-90")+","+
		result("What colour is the cart?", "conv-90")+","+result("What colour is the cart?", "conv-91")+","+
		result("When did Ada plant the pear tree?", "locomo_2")+","+result("Who?", "conv-90"))
	in, err := memsys.EverMemOS(sc, e.files(t))
	require.NoError(t, err)
	same(t, []tiaptest.Ranking{{Query: "conv-91/qa0", IDs: []string{}}, {Query: "conv-90/qa0", IDs: []string{}}}, rankings(in.System))
	require.Equal(t, map[string]int{
		"conversation named by its position":         1,
		"answer to a text that several queries have": 1,
		"answer to no query of the scenario":         3,
		"memory without lineage":                     1,
	}, counts(in.Notes))

	refuses(t, memsys.EverMemOS, everMemOS("", pearAnswer+","+pearAnswer), "two rankings")
	refuses(t, memsys.EverMemOS, everMemOS("", result("Who?", "conv-90")), "results.json: no query of the scenario is answered", "results.json: [0]: Who?")
	refuses(t, memsys.EverMemOS, everMemOS("", ""), "results.json: no query of the scenario is answered; name the answers")
	refuses(t, memsys.EverMemOS, everMemOS("", pearAnswer).with("cells.json", "[]"), "cells.json: the store has no memory")
	refuses(t, memsys.EverMemOS, everMemOS("", `{"query":"x","results":[]}`), `lacks "query" or "conversation_id"`)
	refuses(t, memsys.EverMemOS, everMemOS("", `{"query":"When did Ada plant the pear tree?","conversation_id":"conv-90","results":[{"content":"c"}]}`),
		`the hit has no "metadata"."event_id"`, `add "event_id"`)
	refuses(t, memsys.EverMemOS, everMemOS("", `{"query":"When did Ada plant the pear tree?","conversation_id":"conv-90"}`), "the answer is no array")
	e = everMemOS("", "")
	refuses(t, memsys.EverMemOS, e.with("cells.json", `[{"original_data":[]}]`), `the MemCell has no "event_id"`)
	refuses(t, memsys.EverMemOS, e.with("cells.json", `[{"event_id":"c"}]`), `the MemCell has no "original_data"`, `must add "original_data"`)
	refuses(t, memsys.EverMemOS, e.with("cells.json", `[{"event_id":"c","original_data":["text"]}]`), "original_data[0]")
}
