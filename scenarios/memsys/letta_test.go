package memsys_test

import (
	"testing"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

func TestLetta(t *testing.T) {
	t.Parallel()
	id := func(n int) string { return "passage-" + uuid(n) }
	checks(t, memsys.Letta, lettaExport(t), []tiaptest.Memory{
		{ID: id(1), Form: "passage", Sources: exactly("D1:3"), ValidFrom: "2031-03-12T09:05:00Z", Text: "Ada planted a pear tree."},
		{ID: id(2), Form: "passage", Sources: asBatch("D1:4", "D2:2"), ValidFrom: "2031-04-02T19:40:00Z", Text: "Ben keeps hives."},
		{ID: id(3), Form: "passage", Sources: exactly("D1:4"), Status: "deleted", ValidFrom: "2031-03-12T09:05:00Z", Text: "Ben has two hives."},
	}, []tiaptest.Ranking{
		{Query: "conv-90/qa0", IDs: []string{id(1)}, Scores: []float64{0.03}, K: 10},
		{Query: "conv-90/qa1", IDs: []string{id(1), id(2)}, Scores: []float64{0.03, 0.02}, K: 10},
	}, map[string]int{"source named with the scenario's name": 1})
}

func TestLettaRules(t *testing.T) {
	t.Parallel()
	// A tag of another kind, one that names no turn, and the log in their place.
	e := one(`{"passages":[{"id":"a","text":"t","tags":["conv-90/D1:3","src:conv-90/D9:9"]}]}`, `[{"id":"a"},{"id":"a"},{"id":"b","relevance":{"rrf_score":1}}]`)
	ranks := []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{"a", "b"}}}
	notes := map[string]int{
		"source names no turn": 1, "memory without lineage": 1, "hit repeated in one list": 1,
		"hit of no stored memory": 1, "scores left out, since some hits have none": 1,
	}
	checks(t, memsys.Letta, e, []tiaptest.Memory{{ID: "a", Form: "passage", Text: "t"}}, ranks, notes)
	e.log = "log.jsonl"
	delete(notes, "memory without lineage")
	checks(t, memsys.Letta, e.with("log.jsonl", `{"id":"a","sources":"conv-90/D1:4"}`),
		[]tiaptest.Memory{{ID: "a", Form: "passage", Sources: exactly("D1:4"), Text: "t"}}, ranks, notes)

	e = one(`[{"id":"a","tags":["src:conv-90/D1:3"]},{"id":"b","tags":["src:conv-90/D1:3"],"is_deleted":true}]`, `[{"id":"a"},{"id":"b"}]`)
	checks(t, memsys.Letta, e, []tiaptest.Memory{
		{ID: "a", Form: "passage", Sources: exactly("D1:3")}, {ID: "b", Form: "passage", Sources: exactly("D1:3"), Status: "deleted"},
	}, []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{"a", "b"}}}, map[string]int{"hit of a deleted memory": 1})

	refuses(t, memsys.Letta, one(`[{"text":"t"}]`, `[]`), `there is no "id"`, `an exporter must add "id"`)
	refuses(t, memsys.Letta, one(`[{"id":"a"}]`, `[{"content":"t"}]`), `result[0]: the hit has no "id"`)
	refuses(t, memsys.Letta, one(`[{"id":"a"}]`, `"text"`), "the answer is no array, and no object with one under results")
}
