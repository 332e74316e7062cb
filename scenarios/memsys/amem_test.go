package memsys_test

import (
	"testing"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

func TestAMEM(t *testing.T) {
	t.Parallel()
	const said = "2031-03-12T09:05:00"
	checks(t, memsys.AMEM, amemExport(t), []tiaptest.Memory{
		{ID: uuid(1), Form: "note", Sources: exactly("D1:3"), ValidFrom: said, Text: "Ada planted a pear tree."},
		{ID: uuid(2), Form: "note", Sources: exactly("D1:4"), ValidFrom: said, Text: "Ben keeps three hives."},
		{ID: uuid(3), Form: "note", Sources: exactly("D1:2"), ValidFrom: said, Text: "Shelves."},
		{ID: uuid(4), Form: "raw", Sources: exactly("D1:4"), ValidFrom: said, Text: "Ben: Good. I keep three hives now."},
	}, []tiaptest.Ranking{
		{Query: "conv-90/qa0", IDs: []string{uuid(1), uuid(2), uuid(3)}, K: 3}, // nearest first, then the neighbour
		{Query: "conv-90/qa1", IDs: []string{uuid(4), uuid(2)}, K: 3},          // the list decides, not the distance
	}, map[string]int{
		"note that evolved, without a record of the notes that changed it": 1,
		"scores left out, since they are distances":                        2,
		"linked neighbour among the hits":                                  1,
	})
}

func TestAMEMRules(t *testing.T) {
	t.Parallel()
	// A neighbour that was found before keeps its first rank.
	e := one(`{"notes":[{"id":"a","content":"c","timestamp":"12 March"},{"id":"b","content":"d"}]}`,
		`[{"id":"a"},{"id":"b"},{"id":"a","is_neighbor":true}]`)
	checks(t, memsys.AMEM, e, []tiaptest.Memory{{ID: "a", Form: "note", Text: "c"}, {ID: "b", Form: "note", Text: "d"}},
		[]tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{"a", "b"}}}, map[string]int{
			"timestamp not understood": 1, "memory without lineage": 2, "linked neighbour among the hits": 1, "hit repeated in one list": 1,
		})
	// A note is raw by a turn that it holds; of a batch, it descends from that turn.
	e = one(`[{"id":"a","content":"The beans  are up."},{"id":"b","content":"Ben: The beans are up."},{"id":"c","content":"The beans are up."},{"id":"d","content":"Beans."}]`, `[]`)
	e.log = "log.jsonl"
	e = e.with("log.jsonl", `{"id":"a","sources":["conv-90/D1:4","conv-90/D2:1"]}
		{"id":"b","sources":["conv-90/D1:4"]}
		{"id":"d","sources":["conv-90/D1:4","conv-90/D2:1"]}`)
	checks(t, memsys.AMEM, e, []tiaptest.Memory{
		{ID: "a", Form: "raw", Sources: exactly("D2:1"), Text: "The beans  are up."},
		{ID: "b", Form: "note", Sources: exactly("D1:4"), Text: "Ben: The beans are up."},
		{ID: "c", Form: "raw", Text: "The beans are up."},
		{ID: "d", Form: "note", Sources: asBatch("D1:4", "D2:1"), Text: "Beans."},
	}, []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: []string{}}}, map[string]int{
		"raw note linked to the turn of its batch that it holds": 1, "memory without lineage": 1,
	})

	refuses(t, memsys.AMEM, one(`[{"content":"c"}]`, `[]`), `there is no "id"`, `an exporter must add "id", the uuid of the note`)
	refuses(t, memsys.AMEM, one(`[{"id":"a"}]`, `[{"content":"c"}]`), `the hit has no "id"`)
	refuses(t, memsys.AMEM, one(`[{"id":"a"}]`, `"talk start time: ..."`), "the answer is no array")
}
