package memsys_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// graphitiExport is the export in testdata.
func graphitiExport(tb testing.TB) export {
	return export{
		content: testdata(tb, "graphiti/store_export.json", "graphiti/search.jsonl"),
		store:   []string{"graphiti/store_export.json"},
		search:  []string{"graphiti/search.jsonl"},
	}
}

// uuid is the uuid that the samples give to an object.
func uuid(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

func TestGraphiti(t *testing.T) {
	t.Parallel()
	got, err := memsys.Graphiti(conv90(), graphitiExport(t).files(t))
	require.NoError(t, err)
	const said, later = "2031-03-12T09:05:00Z", "2031-04-02T19:40:00Z"
	container := func(turns ...string) (out []tiaptest.Link) {
		for _, turn := range turns {
			out = append(out, tiaptest.Link{Turn: turn, Precision: "container"})
		}
		return out
	}
	same(t, []tiaptest.Memory{
		{ID: "ep:" + uuid(100), Form: "raw", Sources: []tiaptest.Link{{Turn: "conv-90/D1:3"}}, ValidFrom: said, Text: "Ada: I planted the pear tree yesterday."},
		{ID: "ep:" + uuid(101), Form: "raw", Sources: []tiaptest.Link{{Turn: "conv-90/D1:4"}}, ValidFrom: said, Text: "Ben: Good. I keep three hives now."},
		{ID: "ep:" + uuid(102), Form: "raw", Sources: []tiaptest.Link{{Turn: "conv-90/D2:2"}}, ValidFrom: later, Text: "Ada: And you have four hives now, I hear?"},
		{ID: "edge:" + uuid(200), Form: "edge", Parents: []string{"ep:" + uuid(100)}, ValidFrom: "2031-03-11T00:00:00Z", Text: "Ada planted a pear tree"},
		{ID: "edge:" + uuid(201), Form: "edge", Parents: []string{"ep:" + uuid(101)}, Status: "superseded",
			ValidFrom: "2031-03-12T00:00:00Z", ValidTo: "2031-04-02T00:00:00Z", Text: "Ben keeps three hives"},
		{ID: "edge:" + uuid(202), Form: "edge", Parents: []string{"ep:" + uuid(102)}, ValidFrom: "2031-04-02T00:00:00Z", Text: "Ben keeps four hives"},
		{ID: "node:" + uuid(300), Form: "summary", Sources: container("conv-90/D1:3", "conv-90/D2:2"), Text: "Ada planted a pear tree and asks Ben about hives."},
		{ID: "node:" + uuid(301), Form: "summary", Sources: container("conv-90/D1:4", "conv-90/D2:2"), Text: "Ben keeps hives."},
	}, got.System.Ingests[0].Memories)
	same(t, []tiaptest.Ranking{
		{Query: "conv-90/qa0", IDs: []string{"edge:" + uuid(202), "edge:" + uuid(201)}, K: 10},
		{Query: "conv-90/qa1", Lists: []tiaptest.List{
			{Name: "edges", IDs: []string{"edge:" + uuid(202), "edge:" + uuid(201)}},
			{Name: "nodes", IDs: []string{"node:" + uuid(301)}},
		}, K: 10},
		{Query: "conv-90/qa2", IDs: []string{"edge:" + uuid(202), "obs:" + uuid(500)}, K: 10},
		{Query: "conv-90/qa3", IDs: []string{"edge:" + uuid(202), "edge:" + uuid(201)}, K: 10},
		{Query: "conv-90/qa4", IDs: []string{}, Error: "timeout"},
	}, rankings(got.System))
	same(t, map[string]int{
		"episode's turn named in its metadata":  3,
		"source named with the scenario's name": 3,
		"episode named twice by one memory":     1,
		"episode that is not in the store":      1,
		"scores of several rerankers left out":  2, // of lists, and of edges beside an observation
		"hit of no stored memory":               1, // the observation
		"hit of a superseded memory":            3,
	}, counts(got.Notes))
	require.Equal(t, map[string]string{
		"raw":     "an episode: a message as it was added",
		"edge":    "a fact on an edge between two entities",
		"summary": "the summary of an entity",
	}, got.System.Forms)
}

// TestGraphitiAudit: what each target credits, under each rule of merging lists.
func TestGraphitiAudit(t *testing.T) {
	t.Parallel()
	in, err := memsys.Graphiti(conv90(), graphitiExport(t).files(t))
	require.NoError(t, err)
	for _, rule := range []string{"order", "interleave", "rrf"} {
		a := audits(t, in.System, tiaptest.Merge(rule),
			tiaptest.Beside(tiaptest.Exact(tiaptest.Canonical), tiaptest.Current(tiaptest.Canonical)))
		same(t, map[string]float64{"conv-90/qa0": 0, "conv-90/qa1": 0, "conv-90/qa2": 0}, perQuery(t, a, in.System, tiaptest.Raw))
		all := map[string]float64{"conv-90/qa0": 0, "conv-90/qa1": 1, "conv-90/qa2": 0}
		same(t, all, perQuery(t, a, in.System, tiaptest.Source))
		same(t, all, perQuery(t, a, in.System, tiaptest.Canonical))
		same(t, all, perQuery(t, a, in.System, tiaptest.Exact(tiaptest.Canonical)))
		// The superseded edge and, as container, the summary hold D1:4.
		same(t, all, perQuery(t, a, in.System, tiaptest.Current(tiaptest.Canonical)))
	}
	first := func(rule string) float64 {
		a := audits(t, in.System, tiaptest.Merge(rule), tiaptest.Beside(tiaptest.Current(tiaptest.Canonical)), tiaptest.Metrics(tiaptest.Recall(2)))
		got, err := a.PerQuery("graphiti", tiaptest.Current(tiaptest.Canonical), tiaptest.Recall(2))
		require.NoError(t, err)
		return got["conv-90/qa1"]
	}
	require.Equal(t, 0.5, first("order"), "the superseded edge stands before the node")
	require.Equal(t, 1.0, first("interleave"), "the node stands between the edges")
	require.Equal(t, 1.0, first("rrf"))
}

// TestGraphitiExact: links through episodes are exact, those of summaries are not.
func TestGraphitiExact(t *testing.T) {
	t.Parallel()
	e := graphitiExport(t).with("graphiti/search.jsonl",
		`{"query":"conv-90/qa0","result":{"nodes":[{"uuid":"`+uuid(300)+`"}]}}`+"\n"+
			`{"query":"conv-90/qa2","result":{"edges":[{"uuid":"`+uuid(200)+`"}]}}`)
	in, err := memsys.Graphiti(conv90(), e.files(t))
	require.NoError(t, err)
	a := audits(t, in.System, tiaptest.Beside(tiaptest.Exact(tiaptest.Canonical)))
	same(t, map[string]float64{"conv-90/qa0": 1, "conv-90/qa1": 0, "conv-90/qa2": 1}, perQuery(t, a, in.System, tiaptest.Canonical))
	same(t, map[string]float64{"conv-90/qa0": 0, "conv-90/qa1": 0, "conv-90/qa2": 1}, perQuery(t, a, in.System, tiaptest.Exact(tiaptest.Canonical)))
}

// graphitiStore writes a store of one conversation.
func graphitiStore(lists string) export {
	return export{
		content: map[string]string{"store.json": "{" + lists + "}", "search.jsonl": `{"query":"conv-90/qa0","result":[]}`},
		store:   []string{"store.json"}, search: []string{"search.jsonl"},
	}
}

func TestGraphitiLineage(t *testing.T) {
	t.Parallel()
	e1, e2, x := uuid(1), uuid(2), uuid(9)
	episodes := `"episodes":[{"uuid":"` + e1 + `","name":"D1:3","group_id":"conv-90"},{"uuid":"` + e2 + `","name":"conv-90/D1:4"}]`
	for name, c := range map[string]struct {
		lists string
		want  []tiaptest.Memory // without the two episodes, where they are given
		notes map[string]int
	}{
		"names of episodes": {
			lists: episodes,
			notes: map[string]int{"episode's turn named by its name": 2},
		},
		"a name that is a turn of another group only": {
			lists: `"episodes":[{"uuid":"` + e1 + `","name":"D1:3","group_id":"conv-91"}]`,
			want:  []tiaptest.Memory{{ID: "ep:" + e1, Form: "raw", Text: "D1:3"}},
			notes: map[string]int{"episode of no turn": 1},
		},
		"metadata that names no turn is not overruled by the name": {
			lists: `"episodes":[{"uuid":"` + e1 + `","name":"D1:3","group_id":"conv-90","episode_metadata":{"source_id":"conv-90/D7:7"}}]`,
			want:  []tiaptest.Memory{{ID: "ep:" + e1, Form: "raw", Text: "D1:3"}},
			notes: map[string]int{"episode of no turn": 1, "source names no turn": 1},
		},
		"metadata of the cloud, of several turns": {
			lists: `"episodes":[{"uuid":"` + e1 + `","content":"x","metadata":{"source_id":["conv-90/D1:3","conv-90/D1:4"]}}]`,
			want: []tiaptest.Memory{{ID: "ep:" + e1, Form: "raw", Text: "x",
				Sources: []tiaptest.Link{{Turn: "conv-90/D1:3", Precision: "container"}, {Turn: "conv-90/D1:4", Precision: "container"}}}},
			notes: map[string]int{"episode's turn named in its metadata": 1},
		},
		"a list that was appended to by the character": {
			lists: episodes + `,"edges":[{"uuid":"` + x + `","fact":"f","episodes":["` + e1 + `","0","-","` + e2 + `","` + e1 + `"]}]`,
			want:  []tiaptest.Memory{{ID: "edge:" + x, Form: "edge", Parents: []string{"ep:" + e1, "ep:" + e2}, Text: "f"}},
			notes: map[string]int{"episode's turn named by its name": 2, "entry among episodes that is no uuid": 2, "episode named twice by one memory": 1},
		},
		"what is as long as a uuid": {
			lists: episodes + `,"edges":[{"uuid":"` + x + `","fact":"f","episodes":["` + strings.Join([]string{
				"ABCDEFAB-cdef-0123-4567-89abcdefABCD", // a uuid of no episode
				"0000000g-0000-4000-8000-000000000000", "0000000G-0000-4000-8000-000000000000", "0000000/-0000-4000-8000-000000000000",
				"0000000:-0000-4000-8000-000000000000", "0000000`-0000-4000-8000-000000000000", "0000000@-0000-4000-8000-000000000000",
				"00000000-0000-4000-800000-0000000000", "00000000-0000-4000-8000-0000000-0000", "000000000000-4000-8000-0000-00000000",
			}, `","`) + `"]}]`,
			want:  []tiaptest.Memory{{ID: "edge:" + x, Form: "edge", Text: "f"}},
			notes: map[string]int{"episode's turn named by its name": 2, "entry among episodes that is no uuid": 9, "episode that is not in the store": 1, "memory without lineage": 1},
		},
		"ids of the user's own are no uuids": {
			lists: `"episodes":[{"uuid":"turn 3","name":"D1:3","group_id":"conv-90"}],"edges":[{"uuid":"` + x + `","fact":"f","episodes":["turn 3"]}]`,
			want: []tiaptest.Memory{
				{ID: "ep:turn 3", Form: "raw", Sources: []tiaptest.Link{{Turn: "conv-90/D1:3"}}, Text: "D1:3"},
				{ID: "edge:" + x, Form: "edge", Parents: []string{"ep:turn 3"}, Text: "f"},
			},
			notes: map[string]int{"episode's turn named by its name": 1},
		},
		"an edge of no episode that is left": {
			lists: episodes + `,"edges":[{"uuid":"` + x + `","fact":"f","episodes":["` + uuid(7) + `"]}]`,
			want:  []tiaptest.Memory{{ID: "edge:" + x, Form: "edge", Text: "f"}},
			notes: map[string]int{"episode's turn named by its name": 2, "episode that is not in the store": 1, "memory without lineage": 1},
		},
		"an expired edge without a time of invalidation": {
			lists: episodes + `,"edges":[{"uuid":"` + x + `","fact":"f","episodes":["` + e1 + `"],"valid_at":"2031-01-01T00:00:00Z","expired_at":"2032-01-01T00:00:00Z"}]`,
			want:  []tiaptest.Memory{{ID: "edge:" + x, Form: "edge", Parents: []string{"ep:" + e1}, Status: "superseded", ValidFrom: "2031-01-01T00:00:00Z", Text: "f"}},
			notes: map[string]int{"episode's turn named by its name": 2},
		},
		"observations, and summaries of threads": {
			lists: episodes + `,"observations":[{"uuid":"` + x + `","summary":"s","episode_ids":["` + e2 + `"]}],"thread_summaries":[{"uuid":"` + x + `","summary":"t","episode_ids":["` + e1 + `"]}]`,
			want: []tiaptest.Memory{
				{ID: "obs:" + x, Form: "observation", Parents: []string{"ep:" + e2}, Text: "s"},
				{ID: "thread:" + x, Form: "thread summary", Parents: []string{"ep:" + e1}, Text: "t"},
			},
			notes: map[string]int{"episode's turn named by its name": 2},
		},
		"communities and sagas": {
			lists: `"communities":[{"uuid":"c","summary":"s"}],"sagas":[{"uuid":"g","summary":"t"},{"uuid":"h","summary":"u"}],"nodes":[{"uuid":"n","summary":"v"}],` +
				`"community_edges":[{"source_node_uuid":"c","target_node_uuid":"n"},{"source_node_uuid":"c","target_node_uuid":"gone"}],` +
				`"has_episode_edges":[{"source_node_uuid":"g","target_node_uuid":"` + e1 + `"}],` + episodes,
			want: []tiaptest.Memory{
				{ID: "node:n", Form: "summary", Text: "v"},
				{ID: "community:c", Form: "community", Parents: []string{"node:n"}, Text: "s"},
				{ID: "saga:g", Form: "saga", Parents: []string{"ep:" + e1}, Text: "t"},
				{ID: "saga:h", Form: "saga", Text: "u"},
			},
			notes: map[string]int{"episode's turn named by its name": 2, "member that is not in the store": 1, "memory without lineage": 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := memsys.Graphiti(conv90(), graphitiStore(c.lists).files(t))
			require.NoError(t, err)
			want := c.want
			if strings.Contains(c.lists, episodes) {
				want = append([]tiaptest.Memory{
					{ID: "ep:" + e1, Form: "raw", Sources: []tiaptest.Link{{Turn: "conv-90/D1:3"}}, Text: "D1:3"},
					{ID: "ep:" + e2, Form: "raw", Sources: []tiaptest.Link{{Turn: "conv-90/D1:4"}}, Text: "conv-90/D1:4"},
				}, want...)
			}
			same(t, want, in.System.Ingests[0].Memories)
			same(t, c.notes, counts(in.Notes))
		})
	}
}

func TestGraphitiRankings(t *testing.T) {
	t.Parallel()
	list := func(name string, ids ...string) tiaptest.List { return tiaptest.List{Name: name, IDs: ids} }
	for name, c := range map[string]struct {
		result string
		want   tiaptest.Ranking
		note   string
	}{
		"nothing found":                {`{"edges":[],"nodes":[]}`, tiaptest.Ranking{IDs: []string{}}, ""},
		"facts of the REST server":     {`{"facts":[{"uuid":"b"},{"uuid":"a"}]}`, tiaptest.Ranking{IDs: []string{"edge:b", "edge:a"}}, ""},
		"nodes of the MCP server":      {`{"message":"ok","nodes":[{"uuid":"a"}]}`, tiaptest.Ranking{IDs: []string{"node:a"}}, ""},
		"an error of the MCP server":   {`{"error":"no index"}`, tiaptest.Ranking{IDs: []string{}, Error: "no index"}, ""},
		"a hit twice":                  {`[{"uuid":"a"},{"uuid":"a"}]`, tiaptest.Ranking{IDs: []string{"edge:a"}}, "hit repeated in one list"},
		"one uuid of two kinds":        {`{"edges":[{"uuid":"a"}],"nodes":[{"uuid":"a"}]}`, tiaptest.Ranking{Lists: []tiaptest.List{list("edges", "edge:a"), list("nodes", "node:a")}}, ""},
		"an unstored hit keeps a rank": {`[{"uuid":"x"},{"uuid":"a"}]`, tiaptest.Ranking{IDs: []string{"edge:x", "edge:a"}}, "hit of no stored memory"},
		"scores beside one list": {
			`{"edges":[{"uuid":"a"},{"uuid":"b"}],"edge_reranker_scores":[0.5,1.5],"nodes":[]}`,
			tiaptest.Ranking{IDs: []string{"edge:a", "edge:b"}, Scores: []float64{0.5, 1.5}}, "",
		},
		"scores beside two lists": {
			`{"edges":[{"uuid":"a"}],"edge_reranker_scores":[0.5],"nodes":[{"uuid":"b"}],"node_reranker_scores":[0.1]}`,
			tiaptest.Ranking{Lists: []tiaptest.List{list("edges", "edge:a"), list("nodes", "node:b")}}, "scores of several rerankers left out",
		},
		"ordinal scores never reorder": {
			`{"edges":[{"uuid":"b","score":2},{"uuid":"a","score":1}]}`,
			tiaptest.Ranking{IDs: []string{"edge:b", "edge:a"}, Scores: []float64{2, 1}}, "",
		},
		"a score that is missing": {
			`{"edges":[{"uuid":"b","score":2},{"uuid":"a"}]}`,
			tiaptest.Ranking{IDs: []string{"edge:b", "edge:a"}}, "scores of several rerankers left out",
		},
		"ranks over all lists": {
			`{"edges":[{"uuid":"a","selection_rank":3,"score":1},{"uuid":"b","selection_rank":1,"score":2}],"episodes":[{"uuid":"a","selection_rank":2,"score":0.9}]}`,
			tiaptest.Ranking{IDs: []string{"edge:b", "ep:a", "edge:a"}}, "scores of several rerankers left out",
		},
		"ranks within each list": {
			`{"edges":[{"uuid":"a","selection_rank":1}],"nodes":[{"uuid":"b","selection_rank":1}]}`,
			tiaptest.Ranking{Lists: []tiaptest.List{list("edges", "edge:a"), list("nodes", "node:b")}}, "selection_rank not on every hit, or twice",
		},
		"ranks of some hits": {
			`{"edges":[{"uuid":"a","selection_rank":2}],"nodes":[{"uuid":"b"}]}`,
			tiaptest.Ranking{Lists: []tiaptest.List{list("edges", "edge:a"), list("nodes", "node:b")}}, "selection_rank not on every hit, or twice",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := graphitiStore(`"episodes":[{"uuid":"a","name":"D1:3","group_id":"conv-90"}],"edges":[{"uuid":"a","episodes":["a"]},{"uuid":"b","episodes":["a"]}],` +
				`"nodes":[{"uuid":"a"},{"uuid":"b"}],"episodic_edges":[{"source_node_uuid":"a","target_node_uuid":"a"},{"source_node_uuid":"a","target_node_uuid":"b"}]`)
			in, err := memsys.Graphiti(conv90(), e.with("search.jsonl", `{"query":"conv-90/qa0","result":`+c.result+`}`).files(t))
			require.NoError(t, err)
			c.want.Query = "conv-90/qa0"
			same(t, []tiaptest.Ranking{c.want}, rankings(in.System))
			notes := counts(in.Notes)
			delete(notes, "episode's turn named by its name")
			if c.note == "" {
				require.Empty(t, notes)
			} else {
				require.Equal(t, map[string]int{c.note: 1}, notes)
			}
		})
	}
}

func TestGraphitiRefuses(t *testing.T) {
	t.Parallel()
	e := graphitiExport(t)
	answer := func(result string) export {
		return e.with("graphiti/search.jsonl", `{"query":"conv-90/qa0","result":`+result+`}`)
	}
	papers := e
	papers.content = testdata(t, "graphiti/store_export.json", "graphiti/zep_papers_search_results.json")
	papers.search = []string{"graphiti/zep_papers_search_results.json"}
	refuses(t, memsys.Graphiti, papers, "zep_papers_search_results.json: ", `"locomo_experiment_user_0"`, `text ("context")`, `add the "uuid" of each hit`)
	refuses(t, memsys.Graphiti, answer(`{"context":"FACTS"}`), `search.jsonl:1: query "conv-90/qa0": the answer is text ("context")`, `add the "uuid" of each hit`)
	refuses(t, memsys.Graphiti, answer(`["Ben keeps hives"]`), "the hit is text", `add the "uuid" of each hit`)
	refuses(t, memsys.Graphiti, answer(`[{"fact":"Ben keeps hives"}]`), `result[0]: the hit has no "uuid"`, `add the "uuid" of each hit`)
	refuses(t, memsys.Graphiti, answer(`{"message":"none"}`), "has no edges, nodes, episodes or facts")
	refuses(t, memsys.Graphiti, answer(`{"error":""}`), "has no edges, nodes, episodes or facts")
	refuses(t, memsys.Graphiti, answer(`"edges"`), "the answer is no object and no array")
	refuses(t, memsys.Graphiti, answer(`null`), "the answer is no object and no array")
	refuses(t, memsys.Graphiti, answer(`{"edges":{"uuid":"a"}}`), "result.edges: this is no array")
	refuses(t, memsys.Graphiti, answer(`{"edges":[{"uuid":"a"}],"edge_reranker_scores":[1,2]}`), "2 scores beside 1 hits")
	refuses(t, memsys.Graphiti, answer(`[]}`+"\n"+`{"query":"conv-90/qa0","result":[]`), "two rankings")

	for lists, word := range map[string]string{
		``:                                    "it has none of episodes, edges",
		`"episodes":[{"name":"D1:3"}]`:        `episodes[0]: there is no "uuid"`,
		`"edges":[{"uuid":"a"},{"uuid":"a"}]`: `edges[1]: memory "edge:a" stands twice`,
		`"episodic_edges":[{"source_node_uuid":"a"}]`:    "the edge lacks an end",
		`"edges":[{"uuid":"a","episodes":"b"}]`:          "episodes",
		`"episodes":[{"uuid":"a","episode_metadata":3}]`: "episode_metadata",
	} {
		refuses(t, memsys.Graphiti, graphitiStore(lists), "store.json: ", word)
	}
	refuses(t, memsys.Graphiti, graphitiStore("").with("store.json", "[]"), "this is no export of a graph")
	none := e
	none.search = nil
	in, err := memsys.Graphiti(conv90(), none.files(t))
	require.NoError(t, err, "a store alone can be imported")
	require.Len(t, in.System.Ingests[0].Memories, 8)
	none.log = "graphiti/search.jsonl"
	refuses(t, memsys.Graphiti, none, "a log is given, which the format does not have")
}

func TestGraphitiCutShort(t *testing.T) {
	t.Parallel()
	cutShort(t, memsys.Graphiti, graphitiExport(t))
}

func FuzzGraphiti(f *testing.F) {
	e := graphitiExport(f)
	store, search := e.content["graphiti/store_export.json"], e.content["graphiti/search.jsonl"]
	f.Add(store, search)
	for line := range strings.Lines(search) {
		f.Add(`{"edges":[{"uuid":"a","episodes":["b","c"]}]}`, line)
	}
	f.Fuzz(func(t *testing.T, store, search string) {
		in, err := memsys.Graphiti(conv90(), e.with("graphiti/store_export.json", store).with("graphiti/search.jsonl", search).files(t))
		never(t, in, err)
	})
}
