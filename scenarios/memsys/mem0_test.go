package memsys_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// mem0Export is the whole export in testdata: 1.x and 2.x samples of one store.
func mem0Export(tb testing.TB) export {
	return export{
		content: testdata(tb, "mem0/get_all.json", "mem0/history.db", "mem0/add.jsonl", "mem0/search.jsonl"),
		store:   []string{"mem0/get_all.json"}, history: "mem0/history.db", log: "mem0/add.jsonl", search: []string{"mem0/search.jsonl"},
	}
}

// mem0Inline is an export of a store, and perhaps a history, a log and a search
// log, as they stand.
func mem0Inline(store, history, log, search string) export {
	e := export{content: map[string]string{"store.json": store}, store: []string{"store.json"}}
	for _, f := range []struct{ name, content string }{{"history.json", history}, {"add.jsonl", log}, {"search.jsonl", search}} {
		if f.content == "" {
			continue
		}
		e.content[f.name] = f.content
		switch f.name {
		case "history.json":
			e.history = f.name
		case "add.jsonl":
			e.log = f.name
		case "search.jsonl":
			e.search = []string{f.name}
		}
	}
	return e
}

// mem0ID is the id that the samples give to a memory.
func mem0ID(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

// linked makes links to turns of conv-90; an empty precision is exact.
func linked(precision string, turns ...string) (out []tiaptest.Link) {
	for _, turn := range turns {
		out = append(out, tiaptest.Link{Turn: "conv-90/" + turn, Precision: precision})
	}
	return out
}

const (
	mem0March = "2031-03-12T09:05:00Z"
	mem0April = "2031-04-02T19:40:00Z"
)

// mem0Memories are those of mem0Export.
func mem0Memories() []tiaptest.Memory {
	return []tiaptest.Memory{
		{ID: mem0ID(1), Form: "fact", Sources: linked("batch", "D1:3", "D1:4"), ValidFrom: mem0March, Text: "Ada planted a pear tree on 11 March 2031"},
		{ID: mem0ID(2), Form: "fact", Sources: append(linked("", "D2:2"), linked("batch", "D1:3", "D1:4")...), ValidFrom: mem0April, Text: "Ben has four hives"},
		{ID: mem0ID(4), Form: "raw", Sources: linked("", "D1:4"), ValidFrom: mem0March, Text: "Good. I keep three hives now."},
		{ID: mem0ID(5), Form: "fact", Sources: linked("", "D2:4"), ValidFrom: "2031-04-02T19:40:00", ValidTo: "2031-04-07T00:00:00Z", Text: "The fair is on Sunday"},
		{ID: mem0ID(6), Form: "fact", ValidFrom: mem0March, Text: "Ben is handy"},
		{ID: mem0ID(9), Form: "fact", Sources: linked("", "D1:1"), Status: "deleted", ValidFrom: mem0March, Text: "Ada dislikes tea"},
	}
}

func TestMem0(t *testing.T) {
	t.Parallel()
	got, err := memsys.Mem0(conv90(), mem0Export(t).files(t))
	require.NoError(t, err)
	same(t, mem0Memories(), got.System.Ingests[0].Memories)
	same(t, []tiaptest.Ranking{
		{Query: "conv-90/qa0", IDs: []string{mem0ID(1)}, Scores: []float64{0.77}, K: 10},
		{Query: "conv-90/qa1", IDs: []string{mem0ID(2), mem0ID(1), mem0ID(3)}, Scores: []float64{0.81, 0.8123, 0.42}, K: 10},
		{Query: "conv-90/qa2", IDs: []string{mem0ID(2)}, Scores: []float64{0.81}, K: 10},
		{Query: "conv-90/qa3", IDs: []string{mem0ID(4), mem0ID(9)}, Scores: []float64{0.1, 0.3}, K: 10},
		{Query: "conv-90/qa4", IDs: []string{}, Error: "timeout"},
	}, rankings(got.System))
	same(t, map[string]int{
		"add call whose result was not awaited":                 1,
		"deletion without a time":                               1,
		"earlier text of an updated memory":                     1,
		"hit of a deleted memory":                               1,
		"hit of no stored memory":                               1,
		"hit repeated in one list":                              1,
		"hit with another text than the stored one":             2,
		"memory that expires":                                   1,
		"memory without lineage":                                1,
		"message linked to the turn of its batch that it holds": 1,
		"relation dropped, since it has no id":                  1,
		"scores that ascend along the list, as distances do":    1,
		"scores that neither descend nor ascend along the list": 1,
		"source named with the scenario's name":                 12,
	}, counts(got.Notes))
	assert.Equal(t, "mem0", got.System.Name)
	assert.Equal(t, "memory", got.System.Unit)
	assert.Equal(t, "recorded at ingest: metadata.tiap_source_ids, the log of add calls", got.System.Lineage)
	same(t, map[string]string{
		"raw": "message stored as it was said (infer=False)", "fact": "fact extracted from messages",
	}, got.System.Forms)
}

// TestMem0HistoryFormats: the database and the interface's JSON tell the same.
func TestMem0HistoryFormats(t *testing.T) {
	t.Parallel()
	e := mem0Export(t)
	e.content["history.json"] = testdata(t, "mem0/history_all.json")["mem0/history_all.json"]
	e.history = "history.json"
	got, err := memsys.Mem0(conv90(), e.files(t))
	require.NoError(t, err)
	same(t, mem0Memories(), got.System.Ingests[0].Memories)
}

func TestMem0Platform(t *testing.T) {
	t.Parallel()
	e := export{
		content: testdata(t, "mem0/platform_v3_list.json", "mem0/platform_history.json", "mem0/oss_v2_search.json"),
		store:   []string{"mem0/platform_v3_list.json"}, history: "mem0/platform_history.json", search: []string{"answers"},
	}
	e.content["answers/conv-90%2Fqa1.json"] = e.content["mem0/oss_v2_search.json"]
	got, err := memsys.Mem0(conv90(), e.files(t))
	require.NoError(t, err)
	same(t, []tiaptest.Memory{
		{ID: mem0ID(2), Form: "fact", Sources: linked("", "D1:4"), Status: "superseded", ValidFrom: mem0March, ValidTo: mem0April, Text: "Ben keeps three hives"},
		{ID: mem0ID(3), Form: "fact", Parents: []string{mem0ID(2)}, ValidFrom: mem0April, Text: "Ben has four hives"},
	}, got.System.Ingests[0].Memories)
	same(t, []tiaptest.Ranking{
		{Query: "conv-90/qa1", IDs: []string{mem0ID(2), mem0ID(1), mem0ID(3)}, Scores: []float64{0.81, 0.8123, 0.42}},
	}, rankings(got.System))
	same(t, map[string]int{
		"hit of a superseded memory":                            1,
		"hit of no stored memory":                               1,
		"input of the history that names no turns":              1,
		"scores that neither descend nor ascend along the list": 1,
		"source named with the scenario's name":                 1,
	}, counts(got.Notes))
	assert.Equal(t, "recorded at ingest: metadata.tiap_source_ids", got.System.Lineage)
}

func TestMem0Audit(t *testing.T) {
	t.Parallel()
	got, err := memsys.Mem0(conv90(), mem0Export(t).files(t))
	require.NoError(t, err)
	a := audits(t, got.System, tiaptest.Beside(tiaptest.Exact(tiaptest.Source)))
	for _, c := range []struct {
		target tiaptest.Target
		want   map[string]float64
	}{
		{tiaptest.Raw, map[string]float64{"conv-90/qa1": 0}},
		{tiaptest.Source, map[string]float64{"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 1, "conv-90/qa4": 0}},
		{tiaptest.Canonical, map[string]float64{"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 1, "conv-90/qa4": 0}},
		{tiaptest.Exact(tiaptest.Source), map[string]float64{"conv-90/qa1": 0.5, "conv-90/qa4": 0}},
	} {
		same(t, c.want, perQuery(t, a, got.System, c.target))
	}
}

// TestLoCoMoAudit: scenario and turn ids are those of the benchmark as it is read.
func TestLoCoMoAudit(t *testing.T) {
	t.Parallel()
	locomo, err := scenarios.LoCoMo(filepath.Join("..", "testdata", "locomo", "locomo_sample.json"))
	require.NoError(t, err)
	b := &tiaptest.Bundle{Scenario: locomo.Scenario}
	for name, e := range map[string]export{"mem0": mem0Export(t), "memoryos": memoryOSExport(t)} {
		in, err := memsys.Read(name, &locomo.Scenario, e.files(t))
		require.NoError(t, err)
		require.Equal(t, name, in.System.Name)
		require.Zero(t, counts(in.Notes)["source names no turn"])
		b.Systems = append(b.Systems, in.System)
	}
	a, err := tiaptest.Rescore(b, tiaptest.Headline(tiaptest.Canonical), tiaptest.Depth(10))
	require.NoError(t, err)
	for _, c := range []struct {
		system string
		target tiaptest.Target
		want   map[string]float64
	}{
		{"mem0", tiaptest.Raw, map[string]float64{"conv-90/qa1": 0, "conv-90/qa8": 0}},
		{"mem0", tiaptest.Source, map[string]float64{"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 1, "conv-90/qa4": 0, "conv-90/qa8": 0, "conv-90/qa9": 0, "conv-90/qa10": 0, "conv-90/qa11": 0}},
		{"mem0", tiaptest.Canonical, map[string]float64{"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 1, "conv-90/qa4": 0, "conv-90/qa8": 0, "conv-90/qa9": 0, "conv-90/qa10": 0, "conv-90/qa11": 0}},
		{"memoryos", tiaptest.Raw, map[string]float64{"conv-90/qa0": 1, "conv-90/qa1": 0.5, "conv-90/qa2": 0, "conv-90/qa3": 0, "conv-90/qa5": 0, "conv-90/qa8": 0, "conv-90/qa9": 0}},
		{"memoryos", tiaptest.Canonical, map[string]float64{"conv-90/qa0": 0, "conv-90/qa1": 1, "conv-90/qa2": 0, "conv-90/qa3": 0, "conv-90/qa8": 0, "conv-90/qa9": 0}},
	} {
		got, err := a.PerQuery(c.system, c.target, tiaptest.Recall(10))
		require.NoError(t, err)
		same(t, c.want, got)
	}
	require.NoError(t, a.Verify(tiaptest.TargetsReported()))
}

// TestMem0Current: only Current leaves out what was deleted or superseded.
func TestMem0Current(t *testing.T) {
	t.Parallel()
	sc := conv90()
	sc.Queries = []tiaptest.Query{
		{ID: "deleted", Text: "What does Ada dislike?", Evidence: []tiaptest.Unit{{Turns: []string{"conv-90/D1:1"}}}},
		{ID: "superseded", Text: "How many hives does Ben keep?", Evidence: []tiaptest.Unit{{Turns: []string{"conv-90/D1:4"}}}},
	}
	e := mem0Inline(
		`[{"id":"old","memory":"Ben keeps three hives","metadata":{"tiap_source_ids":"conv-90/D1:4"},"replaced_by":"new"},{"id":"new","memory":"Ben has four hives"}]`,
		`[{"memory_id":"gone","old_memory":"Ada dislikes tea","event":"DELETE"}]`,
		`{"sources":["conv-90/D1:1"],"result":[{"id":"gone","memory":"Ada dislikes tea","event":"ADD"}]}`,
		`{"query":"deleted","result":[{"id":"gone","memory":"Ada dislikes tea"}]}`+"\n"+
			`{"query":"superseded","result":[{"id":"old","memory":"Ben keeps three hives"}]}`)
	got, err := memsys.Mem0(sc, e.files(t))
	require.NoError(t, err)
	for _, target := range []tiaptest.Target{tiaptest.Source, tiaptest.Canonical, tiaptest.Exact(tiaptest.Canonical), tiaptest.Inferred(tiaptest.Source)} {
		a, err := tiaptest.Rescore(&tiaptest.Bundle{Scenario: *sc, Systems: []*tiaptest.System{got.System}},
			tiaptest.Targets(target, tiaptest.Current(target)), tiaptest.Headline(target), tiaptest.Metrics(tiaptest.Recall(10)))
		require.NoError(t, err)
		same(t, map[string]float64{"deleted": 1, "superseded": 1}, perQuery(t, a, got.System, target))
		_, err = a.Score("mem0", tiaptest.Current(target), tiaptest.Recall(10))
		assert.Error(t, err, "nothing that is current is covered")
	}
}

// TestMem0Rules has for each rule of lineage, form, status and time a case where
// it holds and one where it does not.
func TestMem0Rules(t *testing.T) {
	t.Parallel()
	fact := func(id, text string, links ...tiaptest.Link) tiaptest.Memory {
		return tiaptest.Memory{ID: id, Form: "fact", Text: text, Sources: links}
	}
	raw := func(id, text string, links ...tiaptest.Link) tiaptest.Memory {
		return tiaptest.Memory{ID: id, Form: "raw", Text: text, Sources: links}
	}
	with := func(m tiaptest.Memory, status, from, to string, parents ...string) tiaptest.Memory {
		m.Status, m.ValidFrom, m.ValidTo, m.Parents = status, from, to, parents
		return m
	}
	item := func(members string) string { return `[{"id":"a","memory":"Ben has hives",` + members + `}]` }
	for name, c := range map[string]struct {
		store, history, log string
		want                []tiaptest.Memory
		notes               map[string]int
	}{
		"one source is exact": {
			store: item(`"metadata":{"tiap_source_ids":["conv-90/D1:4"]}`),
			want:  []tiaptest.Memory{fact("a", "Ben has hives", linked("", "D1:4")...)},
		},
		"one source named twice is exact": {
			store: item(`"metadata":{"tiap_source_ids":["conv-90/D1:4","conv-90/D1:4"]}`),
			want:  []tiaptest.Memory{fact("a", "Ben has hives", linked("", "D1:4")...)},
		},
		"one source without an array": {
			store: item(`"metadata":{"tiap_source_ids":"conv-90/D1:4"}`),
			want:  []tiaptest.Memory{fact("a", "Ben has hives", linked("", "D1:4")...)},
		},
		"several sources are a batch, though one is unknown": {
			store: item(`"metadata":{"tiap_source_ids":["conv-90/D1:4","conv-90/D9:9"]}`),
			want:  []tiaptest.Memory{fact("a", "Ben has hives", linked("batch", "D1:4")...)},
			notes: map[string]int{"source names no turn": 1},
		},
		"user_id is the conversation": {
			store: item(`"user_id":"conv-90","metadata":{"tiap_source_ids":["D1:4"]}`),
			want:  []tiaptest.Memory{fact("a", "Ben has hives", linked("", "D1:4")...)},
			notes: map[string]int{"source named without its conversation": 1},
		},
		"another user_id is not": {
			store: item(`"user_id":"conv-91","metadata":{"tiap_source_ids":["D1:4"]}`),
			want:  []tiaptest.Memory{fact("a", "Ben has hives")},
			notes: map[string]int{"source names no turn": 1, "memory without lineage": 1},
		},
		"no metadata, no lineage": {
			store: `{"results":[{"id":"a","memory":"Ben has hives","metadata":null},{"id":"b","memory":"","metadata":{}}]}`,
			want:  []tiaptest.Memory{fact("a", "Ben has hives"), fact("b", "")},
			notes: map[string]int{"memory without lineage": 2},
		},
		"the log adds what an update overwrote": {
			store: item(`"metadata":{"tiap_source_ids":["conv-90/D2:2"]}`),
			log: `{"sources":["conv-90/D1:3","conv-90/D1:4"],"result":{"results":[{"id":"a","memory":"Ben","event":"ADD"}]}}` + "\n" +
				`{"sources":["conv-90/D2:2"],"result":{"results":[{"id":"a","memory":"Ben has hives","event":"UPDATE","previous_memory":"Ben"}]}}` + "\n" +
				`{"sources":["conv-90/D2:3"],"result":{"results":[{"id":"a","event":"NONE"},{"id":"","event":"NOOP"}]}}`,
			want:  []tiaptest.Memory{fact("a", "Ben has hives", append(linked("", "D2:2"), linked("batch", "D1:3", "D1:4")...)...)},
			notes: map[string]int{"earlier text of an updated memory": 1},
		},
		"of a batch and an exact link the exact one stays": {
			store: item(`"metadata":{"tiap_source_ids":["conv-90/D1:3","conv-90/D1:4"]}`),
			log:   `{"sources":["conv-90/D1:4"],"result":[{"id":"a","memory":"Ben has hives","event":"ADD"}]}`,
			want:  []tiaptest.Memory{fact("a", "Ben has hives", append(linked("batch", "D1:3"), linked("", "D1:4")...)...)},
		},
		"of an exact and a batch link too": {
			store: item(`"metadata":{"tiap_source_ids":["conv-90/D1:4"]}`),
			log:   `{"sources":["conv-90/D1:3","conv-90/D1:4"],"result":[{"id":"a","memory":"Ben has hives","event":"ADD"}]}`,
			want:  []tiaptest.Memory{fact("a", "Ben has hives", append(linked("", "D1:4"), linked("batch", "D1:3")...)...)},
		},
		"metadata of a history is lineage": {
			store: item(`"user_id":"conv-90"`),
			history: `{"results":[{"memory_id":"a","event":"ADD","new_memory":"Ben","metadata":{"tiap_source_ids":["D1:4"]},"input":[{"role":"user","content":"x"}]},
				{"memory_id":"a","event":"UPDATE","old_memory":"Ben","new_memory":"Ben has hives","metadata":{"tiap_source_ids":["conv-90/D2:2"]}}]}`,
			want:  []tiaptest.Memory{fact("a", "Ben has hives", linked("", "D1:4", "D2:2")...)},
			notes: map[string]int{"source named without its conversation": 1, "earlier text of an updated memory": 1},
		},
		"input of a history is not": {
			store:   item(`"user_id":"conv-90"`),
			history: `[{"memory_id":"a","event":"ADD","new_memory":"Ben has hives","input":[{"role":"user","content":"Good. I keep three hives now."}]}]`,
			want:    []tiaptest.Memory{fact("a", "Ben has hives")},
			notes:   map[string]int{"memory without lineage": 1, "input of the history that names no turns": 1},
		},
		"a message is raw": {
			store: `[{"id":"a","memory":"Good. I keep three hives now.","role":"user","metadata":{"tiap_source_ids":["conv-90/D1:4"]}},
				{"id":"b","memory":"Ben: Good. I keep three hives now.","actor_id":"Ben","metadata":{"tiap_source_ids":["conv-90/D1:4"]}}]`,
			want: []tiaptest.Memory{
				raw("a", "Good. I keep three hives now.", linked("", "D1:4")...),
				raw("b", "Ben: Good. I keep three hives now.", linked("", "D1:4")...),
			},
		},
		"a message of a batch holds one turn of it": {
			store: `[{"id":"a","memory":"Good. I keep three hives now.","role":"user","metadata":{"tiap_source_ids":["conv-90/D1:3","conv-90/D1:4"]}}]`,
			want:  []tiaptest.Memory{raw("a", "Good. I keep three hives now.", linked("", "D1:4")...)},
			notes: map[string]int{"message linked to the turn of its batch that it holds": 1},
		},
		"a message without lineage is raw": {
			store: `[{"id":"a","memory":"The beans are up.","role":"user"}]`,
			want:  []tiaptest.Memory{raw("a", "The beans are up.")},
			notes: map[string]int{"memory without lineage": 1},
		},
		"the text of a message without a role is a fact": {
			store: `[{"id":"a","memory":"The beans are up.","metadata":{"tiap_source_ids":["conv-90/D2:1"]}}]`,
			want:  []tiaptest.Memory{fact("a", "The beans are up.", linked("", "D2:1")...)},
		},
		"a role with another text is a fact": {
			store: `[{"id":"a","memory":"Beans grow","role":"user","metadata":{"tiap_source_ids":["conv-90/D2:1"]}},
				{"id":"b","memory":"The beans are up.","role":"user","metadata":{"tiap_source_ids":["conv-90/D1:1"]}}]`,
			want:  []tiaptest.Memory{fact("a", "Beans grow", linked("", "D2:1")...), fact("b", "The beans are up.", linked("", "D1:1")...)},
			notes: map[string]int{"memory with a role that is no message of its turns": 2},
		},
		"deleted, says the history": {
			store: `[]`,
			history: `[{"memory_id":"a","event":"DELETE","old_memory":"Ben has four hives","new_memory":null,"is_deleted":1,"created_at":"2031-03-12 09:05:00","updated_at":"2031-04-03 10:00:00"},
				{"memory_id":"a","event":"ADD","new_memory":"Ben has hives","created_at":"2031-03-12 09:05:00"}]`,
			want:  []tiaptest.Memory{with(fact("a", "Ben has four hives"), "deleted", "2031-03-12T09:05:00", "2031-04-03T10:00:00")},
			notes: map[string]int{"memory without lineage": 1},
		},
		"deleted, says the log": {
			store: `[]`,
			log: `{"sources":["conv-90/D1:4"],"result":[{"id":"a","data":{"memory":"Ben has hives"},"event":"ADD"}]}` + "\n" +
				`{"sources":["conv-90/D2:2"],"result":[{"id":"a","memory":"Ben has hives","event":"DELETE"},{"id":"b","memory":"Ada","event":"DELETE"}]}`,
			want: []tiaptest.Memory{
				with(fact("a", "Ben has hives", linked("", "D1:4")...), "deleted", "", ""), with(fact("b", "Ada"), "deleted", "", ""),
			},
			notes: map[string]int{"deletion without a time": 2, "memory without lineage": 1},
		},
		"deleted messages are raw": {
			store: `[]`,
			history: `[{"memory_id":"a","event":"ADD","new_memory":"The beans are up.","role":"user"},
				{"memory_id":"a","event":"DELETE","old_memory":"The beans are up.","updated_at":"2031-04-03T10:00:00Z"}]`,
			log:  `{"sources":["conv-90/D2:1"],"result":[{"id":"a","memory":"The beans are up.","event":"ADD"}]}`,
			want: []tiaptest.Memory{with(raw("a", "The beans are up.", linked("", "D2:1")...), "deleted", "", "2031-04-03T10:00:00Z")},
		},
		"what is stored is not deleted": {
			store:   item(`"created_at":"2031-03-12T09:05:00Z"`),
			history: `[{"memory_id":"a","event":"DELETE","old_memory":"Ben has hives"}]`,
			want:    []tiaptest.Memory{with(fact("a", "Ben has hives"), "", mem0March, "")},
			notes:   map[string]int{"memory that was deleted and is stored": 1, "memory without lineage": 1},
		},
		"what is neither stored nor deleted is no memory": {
			store:   item(`"created_at":"2031-03-12T09:05:00Z"`),
			history: `[{"memory_id":"b","event":"ADD","new_memory":"Ada"}]`,
			want:    []tiaptest.Memory{with(fact("a", "Ben has hives"), "", mem0March, "")},
			notes:   map[string]int{"changed memory that is neither stored nor deleted": 1, "memory without lineage": 1},
		},
		"updates are in order of their times, in any zone": {
			store: item(`"created_at":"2031-03-12T09:05:00Z"`),
			history: `[{"memory_id":"a","event":"ADD","new_memory":"1","created_at":"2031-03-12T09:05:00Z"},
				{"memory_id":"a","event":"UPDATE","old_memory":"2","new_memory":"Ben has hives","created_at":"2031-03-12T09:05:00Z","updated_at":"2031-03-12T03:00:00.500-07:00"},
				{"memory_id":"a","event":"UPDATE","old_memory":"1","new_memory":"2","created_at":"2031-03-12T09:05:00Z","updated_at":"2031-03-12T09:30:00+00:00"}]`,
			want:  []tiaptest.Memory{with(fact("a", "Ben has hives"), "", "2031-03-12T03:00:00.5-07:00", "")},
			notes: map[string]int{"earlier text of an updated memory": 2, "memory without lineage": 1},
		},
		"a history with a gap, and older than the store": {
			store: item(`"created_at":"2031-03-12T09:05:00Z"`),
			history: `[{"memory_id":"a","event":"ADD","new_memory":"1","created_at":"2031-03-12T09:05:00Z"},
				{"memory_id":"a","event":"UPDATE","old_memory":"2","new_memory":"3","updated_at":"2031-03-13T09:05:00Z"}]`,
			want: []tiaptest.Memory{with(fact("a", "Ben has hives"), "", "2031-03-13T09:05:00Z", "")},
			notes: map[string]int{
				"earlier text of an updated memory": 1, "memory without lineage": 1,
				"update of a text that the history does not have": 1, "stored text that is not the last of its history": 1,
			},
		},
		"an update of metadata alone leaves the text": {
			store: item(`"created_at":"2031-03-12T09:05:00Z"`),
			history: `[{"memory_id":"a","event":"ADD","new_memory":"Ben has hives","created_at":"2031-03-12T09:05:00Z"},
				{"memory_id":"a","event":"UPDATE","old_memory":"Ben has hives","new_memory":"Ben has hives","updated_at":"2031-03-13T09:05:00Z"}]`,
			want:  []tiaptest.Memory{with(fact("a", "Ben has hives"), "", mem0March, "")},
			notes: map[string]int{"memory without lineage": 1},
		},
		"replaced": {
			store: `[{"id":"a","memory":"three","replaced_by":"b","updated_at":"2031-04-02T19:40:00Z"},{"id":"b","memory":"four"},{"id":"c","memory":"six","replaced_by":"z"}]`,
			want:  []tiaptest.Memory{with(fact("a", "three"), "superseded", "", mem0April), fact("b", "four"), with(fact("c", "six"), "superseded", "", "")},
			notes: map[string]int{"memory without lineage": 3, "memory replaced by one that is not stored": 1},
		},
		"replaced by a synthesized memory, which tells when": {
			store: `[{"id":"b","memory":"four","synthesized":true,"created_at":"2031-04-02T19:40:00Z"},{"id":"a","memory":"three","replaced_by":"b"}]`,
			want:  []tiaptest.Memory{with(fact("b", "four"), "", mem0April, "", "a"), with(fact("a", "three"), "superseded", "", mem0April)},
			notes: map[string]int{"memory without lineage": 1},
		},
		"expired before it was replaced, and after": {
			store: `[{"id":"a","memory":"three","replaced_by":"b","expiration_date":"2031-03-31","updated_at":"2031-04-02T19:40:00Z"},
				{"id":"b","memory":"four","replaced_by":"c","expiration_date":"2031-05-31T12:00:00+02:00","updated_at":"2031-04-02T19:40:00Z"},{"id":"c","memory":"five","expiration_date":"2031-12-31"}]`,
			want: []tiaptest.Memory{
				with(fact("a", "three"), "superseded", "", "2031-04-01T00:00:00Z"), with(fact("b", "four"), "superseded", "", mem0April),
				with(fact("c", "five"), "", "", "2032-01-01T00:00:00Z"),
			},
			notes: map[string]int{"memory without lineage": 3, "memory that expires": 3},
		},
		"a time that is none": {
			store: item(`"created_at":"in spring"`),
			want:  []tiaptest.Memory{fact("a", "Ben has hives")},
			notes: map[string]int{"memory without lineage": 1, "time not understood": 1},
		},
		"equal memories are one": {
			store: `{"results":[{"id":"a","memory":"Ben","metadata":{"tiap_source_ids":[]}},{"id":"a","memory":"Ben","metadata":{"tiap_source_ids":[],"other":1}}],"relations":[{"source":"x"},{}]}`,
			want:  []tiaptest.Memory{{ID: "a", Form: "fact", Text: "Ben"}},
			notes: map[string]int{"memory without lineage": 1, "memory repeated in the store": 1, "relation dropped, since it has no id": 2},
		},
		"pending calls": {
			store: item(`"metadata":{"tiap_source_ids":["conv-90/D1:4"]}`),
			want:  []tiaptest.Memory{fact("a", "Ben has hives", linked("", "D1:4")...)},
			log:   `{"sources":"conv-90/D1:1","result":{"status":"PENDING","event_id":"e"}}` + "\n" + `{"sources":null,"result":[{"message":"x","event_id":"e"}]}`,
			notes: map[string]int{"add call whose result was not awaited": 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := memsys.Mem0(conv90(), mem0Inline(c.store, c.history, c.log, "").files(t))
			require.NoError(t, err)
			same(t, c.want, got.System.Ingests[0].Memories)
			if c.notes == nil {
				c.notes = map[string]int{}
			}
			same(t, c.notes, counts(got.Notes))
		})
	}
}

// TestMem0Images: a turn may describe an image that its message does not.
func TestMem0Images(t *testing.T) {
	t.Parallel()
	sc := conv90()
	sc.Turns[2].Text += " (image description: a photo of a small tree in soil)"
	const sources = `"role":"user","metadata":{"tiap_source_ids":["conv-90/D1:3"]}}`
	e := mem0Inline(`[{"id":"a","memory":"I planted the pear tree yesterday.",`+sources+`,{"id":"b","memory":"`+sc.Turns[2].Text+`",`+sources+`,
		{"id":"c","memory":"Ada: I planted the pear tree yesterday.",`+sources+`,{"id":"d","memory":"I planted the pear tree yesterday. (image description: another)",`+sources+`]`, "", "", "")
	in, err := memsys.Mem0(sc, e.files(t))
	require.NoError(t, err)
	var forms []string
	for _, m := range in.System.Ingests[0].Memories {
		forms = append(forms, m.Form)
	}
	same(t, []string{"raw", "raw", "raw", "fact"}, forms)
}

// TestMem0RoleAlone: without texts of turns a role tells a message.
func TestMem0RoleAlone(t *testing.T) {
	t.Parallel()
	sc := conv90()
	for i := range sc.Turns {
		sc.Turns[i].Text = ""
	}
	e := mem0Inline(`[{"id":"a","memory":"x","role":"user","metadata":{"tiap_source_ids":["conv-90/D1:1","conv-90/D1:2"]}}]`, "", "", "")
	got, err := memsys.Mem0(sc, e.files(t))
	require.NoError(t, err)
	same(t, []tiaptest.Memory{{ID: "a", Form: "raw", Text: "x", Sources: linked("batch", "D1:1", "D1:2")}}, got.System.Ingests[0].Memories)
	same(t, map[string]int{"message told by its role alone, since the scenario has no texts": 1}, counts(got.Notes))
}

func TestMem0Rankings(t *testing.T) {
	t.Parallel()
	const store = `[{"id":"a","memory":"A"},{"id":"b","memory":"B"},{"id":"c","memory":"C"}]`
	hits := func(scores ...string) string {
		var items []string
		for i, s := range scores {
			items = append(items, fmt.Sprintf(`{"id":"%c","memory":"%c","score":%s}`, 'a'+i, 'A'+i, s))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	for name, c := range map[string]struct {
		result string
		ids    []string
		scores []float64
		notes  map[string]int
	}{
		"descending":  {hits("0.9", "0.9", "0.1"), []string{"a", "b", "c"}, []float64{0.9, 0.9, 0.1}, nil},
		"ascending":   {hits("0.1", "0.1", "0.9"), []string{"a", "b", "c"}, []float64{0.1, 0.1, 0.9}, map[string]int{"scores that ascend along the list, as distances do": 1}},
		"up and down": {hits("0.5", "0.9", "0.1"), []string{"a", "b", "c"}, []float64{0.5, 0.9, 0.1}, map[string]int{"scores that neither descend nor ascend along the list": 1}},
		"equal":       {hits("1", "1", "1"), []string{"a", "b", "c"}, []float64{1, 1, 1}, nil},
		"no scores":   {hits("null", "null"), []string{"a", "b"}, nil, nil},
		"some scores": {hits("0.1", "null", "0.9"), []string{"a", "b", "c"}, nil, map[string]int{"scores left out, since some hits have none": 1}},
		"none":        {`{"results":[],"relations":[]}`, []string{}, nil, nil},
		"relations":   {`{"results":` + hits("1") + `,"relations":[{"source":"x","relationship":"y","target":"z"}]}`, []string{"a"}, []float64{1}, map[string]int{"relation dropped, since it has no id": 1}},
		"repeated":    {`[{"id":"a","memory":"A","score":2},{"id":"b","memory":"B","score":1},{"id":"a","memory":"A","score":0}]`, []string{"a", "b"}, []float64{2, 1}, map[string]int{"hit repeated in one list": 1}},
		"unknown":     {`[{"id":"x","memory":"X"},{"id":"a","memory":"other"}]`, []string{"x", "a"}, nil, map[string]int{"hit of no stored memory": 1, "hit with another text than the stored one": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := memsys.Mem0(conv90(), mem0Inline(store, "", "", `{"query":"conv-90/qa0","result":`+c.result+`}`).files(t))
			require.NoError(t, err)
			same(t, []tiaptest.Ranking{{Query: "conv-90/qa0", IDs: c.ids, Scores: c.scores}}, rankings(got.System))
			want := map[string]int{"memory without lineage": 3}
			for kind, n := range c.notes {
				want[kind] = n
			}
			same(t, want, counts(got.Notes))
		})
	}
}

// TestMem0Pages: a list comes in pages, all of which are needed, in any order.
func TestMem0Pages(t *testing.T) {
	t.Parallel()
	page := func(id string, previous, next bool) string {
		link := map[bool]string{false: "null", true: `"page"`}
		return fmt.Sprintf(`{"count":3,"previous":%s,"next":%s,"results":[{"id":%q,"memory":"x"}]}`, link[previous], link[next], id)
	}
	pages := map[string]string{"p/1.json": page("a", false, true), "p/2.json": page("b", true, true), "p/3.json": page("c", true, false), "p/readme.txt": "no page"}
	e := export{content: pages, store: []string{"p"}}
	got, err := memsys.Mem0(conv90(), e.files(t))
	require.NoError(t, err)
	assert.Len(t, got.System.Ingests[0].Memories, 3)
	e.store = []string{"p/3.json", "p/1.json", "p/2.json"}
	got, err = memsys.Mem0(conv90(), e.files(t))
	require.NoError(t, err)
	assert.Equal(t, "c", got.System.Ingests[0].Memories[0].ID)
	for _, some := range [][]string{{"p/1.json"}, {"p/2.json"}, {"p/3.json"}, {"p/1.json", "p/2.json"}, {"p/2.json", "p/3.json"}, {"p/1.json", "p/3.json"}} {
		e.store = some
		refuses(t, memsys.Mem0, e, fmt.Sprintf("the pages of the list hold %d memories, and their counts say 3; give every page", len(some)))
	}
	// Two users have a list each.
	e.content["q.json"] = `{"count":1,"previous":null,"next":null,"results":[{"id":"d","memory":"x"}]}`
	e.store = []string{"q.json", "p"}
	got, err = memsys.Mem0(conv90(), e.files(t))
	require.NoError(t, err)
	assert.Len(t, got.System.Ingests[0].Memories, 4)
	e.store = []string{"q.json", "p/1.json", "p/2.json"}
	refuses(t, memsys.Mem0, e, "hold 3 memories, and their counts say 4")
}

func TestMem0Refuses(t *testing.T) {
	t.Parallel()
	const store = `[{"id":"a","memory":"A"}]`
	evaluation := testdata(t, "mem0/evaluation_results.json")["mem0/evaluation_results.json"]
	const noIDs = `speaker_2_memories) are text without ids; an exporter must add "id", the id that Mem0 gives with each result`
	for name, c := range map[string]struct {
		e     export
		words []string
	}{
		"evaluation as store":     {mem0Inline(evaluation, "", "", ""), []string{"store.json: ", noIDs}},
		"evaluation as search":    {mem0Inline(store, "", "", evaluation), []string{"search.jsonl: ", noIDs}},
		"evaluation, no lists":    {mem0Inline(store, "", "", `{"0":[{"question":"?","speaker_1_memories":[]}]}`), []string{noIDs}},
		"evaluation in an answer": {mem0Inline(store, "", "", `{"query":"conv-90/qa0","result":{"0":[{"speaker_2_memories":[]}]}}`), []string{"search.jsonl:1: result: ", noIDs}},
		"hits without ids": {mem0Inline(store, "", "", `{"query":"conv-90/qa0","result":{"results":[{"memory":"A"},{"id":null,"memory":"B"}]}}`), []string{
			`search.jsonl:1: result.results[0]: the memory has no "id"; an exporter must add "id"`, "result.results[1]: the memory has no"}},
		"answer without results": {mem0Inline(store, "", "", `{"query":"conv-90/qa0","result":{"answers":[]}}`), []string{`search.jsonl:1: result: there is no "results"`}},
		"answer that is text":    {mem0Inline(store, "", "", `{"query":"conv-90/qa0","result":"none"}`), []string{`result: this is no response of Mem0`}},
		"one response as a log":  {mem0Inline(store, "", "", "{\n\"results\":[]}"), []string{"search.jsonl: this is one JSON value on several lines; write JSON lines"}},
		"a query twice":          {mem0Inline(store, "", "", `{"query":"conv-90/qa0","result":[]}`+"\n"+`{"query":"conv-90/qa0","result":[]}`), []string{`search.jsonl:2: query "conv-90/qa0" has two rankings`}},
		"NaN":                    {mem0Inline(store, "", "", `{"query":"conv-90/qa0","result":[{"id":"a","memory":"A","score":NaN}]}`), []string{"search.jsonl:1: this is no JSON: invalid character 'N'"}},
		"search as store":        {mem0Inline(`[{"id":"a","memory":"A","score":0.5}]`, "", "", ""), []string{`store.json: [0]: memory "a" has a score, so this is a search result; the store is what get_all gives`}},
		"two states of a memory": {mem0Inline(`[{"id":"a","memory":"A"},{"id":"a","memory":"B"}]`, "", "", ""), []string{`[1]: memory "a" is stored differently in `, "store.json: [0]; export the store at one time"}},
		"no id and no text":      {mem0Inline(`[{"memory":"A"},{"id":"a"},null,{"id":"c","memory":null}]`, "", "", ""), []string{`[0]: the memory has no "id"`, `[1]: memory "a" has no "memory", its text`, `[2]: the memory has no "id"`, `[3]: memory "c" has no "memory"`}},
		"wrong types": {mem0Inline(`{"results":[{"id":1,"memory":"A"},{"id":"a","memory":["A"]},{"id":"a","memory":"A","metadata":[]},{"id":"a","memory":"A","metadata":{"tiap_source_ids":7}},
			{"id":"a","memory":"A","metadata":{"tiap_source_ids":[{}]}},{"id":"a","memory":"A","score":"high"},{"id":"a","memory":"A","created_at":true},3]}`, "", "", ""), []string{
			"store.json: results[0].id: a number where a string belongs", "results[1].memory: an array where a string belongs", "results[2].metadata: an array where an object belongs",
			"results[3].metadata.tiap_source_ids: a number where an array belongs", "results[4].metadata.tiap_source_ids: an object where a string belongs",
			"results[5].score: a string where a number belongs", "results[6].created_at: a bool where a string belongs", "results[7]: a number where an object belongs"}},
		"results that are no array":   {mem0Inline(`{"results":{"a":1}}`, "", "", ""), []string{"store.json: results: an object where an array belongs"}},
		"relations that are no array": {mem0Inline(`{"results":[],"relations":"x"}`, "", "", ""), []string{"store.json: relations: a string where an array belongs"}},
		"no JSON":                     {mem0Inline("[\n{\n", "", "", ""), []string{"store.json:3: this is no JSON: unexpected end of JSON input"}},
		"a database":                  {mem0Inline("SQLite format 3\x00", "", "", ""), []string{"store.json:1: this is an SQLite database, not JSON; name it by what it holds, as in history=FILE"}},
		"replaces itself":             {mem0Inline(`[{"id":"a","memory":"A","replaced_by":"a"}]`, "", "", ""), []string{`[0]: memory "a" replaces itself`}},
		"replaces itself by another":  {mem0Inline(`[{"id":"a","memory":"A","replaced_by":"b"},{"id":"b","memory":"B","replaced_by":"c"},{"id":"c","memory":"C","replaced_by":"b"}]`, "", "", ""), []string{`store.json: [1]: memory "b" replaces itself`}},
		"history rows": {mem0Inline(store, `[{"event":"ADD"},{"memory_id":"a","event":"ADD"},{"memory_id":"a","event":"UPDATE","new_memory":null},{"memory_id":"a","event":"MERGE"},{"memory_id":"a","event":"ADD","new_memory":1},
			{"memory_id":"a","event":"ADD","new_memory":"A","metadata":3},{"memory_id":"a","event":"ADD","new_memory":"A","input":"x"}]`, "", ""), []string{
			`history.json: [0]: the row has no "memory_id"`, `[1]: the ADD of memory "a" has no "new_memory"`, `[2]: the UPDATE of memory "a" has no`, `[3]: unknown event "MERGE" of memory "a"; an event is ADD, UPDATE or DELETE`,
			"[4].new_memory: a number where", "[5].metadata: a number where an object", "[6].input: a string where an array"}},
		"history that is no list": {mem0Inline(store, `{"rows":[]}`, "", ""), []string{"history.json: results: null where an array belongs"}},
		"history that is text":    {mem0Inline(store, `"x"`, "", ""), []string{"history.json: a string where an array belongs"}},
		"log lines": {mem0Inline(store, "", `{"result":[]}`+"\n"+`{"sources":[]}`+"\n"+`{"sources":7,"result":[]}`+"\n"+`{"sources":[],"result":{}}`+"\n"+
			`{"sources":[],"result":[{"memory":"A","event":"ADD"},{"id":"a","event":"SPLIT"},{"id":"a","event":1}]}`+"\n"+`x`+"\n"+`{"sources":[],"result":4}`, ""), []string{
			`add.jsonl:1: the line has no "sources"`, `add.jsonl:2: the line has no "result"`, "add.jsonl:3: sources: a number where an array", `add.jsonl:4: result: there is no "results"`,
			`add.jsonl:5: result[0]: the result has no "id"; an exporter must add "id"`, `add.jsonl:5: result[1]: unknown event "SPLIT"`, "add.jsonl:5: result[2].event: a number where", "add.jsonl:6: this is no JSON", "add.jsonl:7: result: a number where an object"}},
		"no such files":          {export{store: []string{"none.json"}, history: "none.db", log: "none.jsonl", search: []string{"none"}}, []string{"none.json: no such file", "none.db: no such file", "none.jsonl: no such file", "none: no such file"}},
		"a folder without pages": {export{content: map[string]string{"p/x.txt": ""}, store: []string{"p"}}, []string{"the folder has no .json file"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refuses(t, memsys.Mem0, c.e, c.words...)
		})
	}
}

func TestMem0NeedsStore(t *testing.T) {
	t.Parallel()
	_, err := memsys.Mem0(conv90(), memsys.Files{Search: []string{filepath.Join("testdata", "mem0", "search.jsonl")}})
	require.EqualError(t, err, "mem0: no store is given, and search results do not tell what is stored, which coverage is over; save what get_all gives, and name its file with store=FILE, in Go in Files.Store")
}

func TestMem0CutShort(t *testing.T) {
	t.Parallel()
	cutShort(t, memsys.Mem0, mem0Export(t))
	platform := export{
		content: testdata(t, "mem0/platform_v3_list.json", "mem0/platform_history.json"),
		store:   []string{"mem0/platform_v3_list.json"}, history: "mem0/platform_history.json",
	}
	cutShort(t, memsys.Mem0, platform)
	platform.content = testdata(t, "mem0/get_all.json", "mem0/history_all.json")
	platform.store, platform.history = []string{"mem0/get_all.json"}, "mem0/history_all.json"
	cutShort(t, memsys.Mem0, platform)
	for _, answer := range []string{"oss_v1_search_graph", "oss_v2_search", "platform_v2_search"} {
		e := mem0Inline(`[{"id":"a","memory":"A"}]`, "", "", "")
		e.search = []string{"answers"}
		e.content["answers/conv-90%2Fqa0.json"] = testdata(t, "mem0/"+answer+".json")["mem0/"+answer+".json"]
		cutShort(t, memsys.Mem0, e)
	}
}

// sound checks that there is an error or a system, which can be audited unless it
// lacks memories or rankings.
func sound(t *testing.T, in *memsys.Import, err error) {
	t.Helper()
	if err != nil {
		require.Nil(t, in)
		return
	}
	if len(in.System.Ingests[0].Memories) == 0 || in.System.Ingests[0].Run.Len() == 0 {
		return
	}
	b := &tiaptest.Bundle{Scenario: *conv90(), Systems: []*tiaptest.System{in.System}}
	_, err = tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Raw, tiaptest.Source, tiaptest.Canonical), tiaptest.Resamples(100))
	if err != nil && !strings.Contains(err.Error(), "ids of the run is in") {
		t.Fatalf("the import cannot be audited: %v", err)
	}
}

func FuzzMem0(f *testing.F) {
	e := mem0Export(f)
	e.content["history.json"], e.history = testdata(f, "mem0/history_all.json")["mem0/history_all.json"], "history.json"
	delete(e.content, "mem0/history.db")
	f.Add(e.content["mem0/get_all.json"], e.content["history.json"], e.content["mem0/add.jsonl"], e.content["mem0/search.jsonl"])
	samples, err := filepath.Glob(filepath.Join("testdata", "mem0", "*.json"))
	require.NoError(f, err)
	for _, file := range samples {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(text), string(text), `{"sources":["conv-90/D1:1"],"result":`+strings.ReplaceAll(string(text), "\n", " ")+`}`,
			`{"query":"conv-90/qa0","result":`+strings.ReplaceAll(string(text), "\n", " ")+`}`)
	}
	f.Fuzz(func(t *testing.T, store, history, log, search string) {
		e := e.with("mem0/get_all.json", store).with("history.json", history).with("mem0/add.jsonl", log).with("mem0/search.jsonl", search)
		in, err := memsys.Mem0(conv90(), e.files(t))
		sound(t, in, err)
	})
}
