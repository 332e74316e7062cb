package memsys_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// The exports in testdata, all of the little conversation.

func langGraphExport(tb testing.TB) export {
	return export{
		content: testdata(tb, "langgraph/items.json", "langgraph/search.jsonl", "langgraph/log.jsonl"),
		store:   []string{"langgraph/items.json"}, search: []string{"langgraph/search.jsonl"}, log: "langgraph/log.jsonl",
	}
}

func lettaExport(tb testing.TB) export {
	return export{
		content: testdata(tb, "letta/passages.json", "letta/search.jsonl"),
		store:   []string{"letta/passages.json"}, search: []string{"letta/search.jsonl"},
	}
}

func amemExport(tb testing.TB) export {
	return export{
		content: testdata(tb, "amem/notes.json", "amem/search.jsonl", "amem/log.jsonl"),
		store:   []string{"amem/notes.json"}, search: []string{"amem/search.jsonl"}, log: "amem/log.jsonl",
	}
}

func everMemOSExport(tb testing.TB) export {
	return export{
		content: testdata(tb, "evermemos/memcell_list_conv_0.json", "evermemos/search_results.json"),
		store:   []string{"evermemos/memcell_list_conv_0.json"}, search: []string{"evermemos/search_results.json"},
	}
}

func memoryBenchExport(tb testing.TB) export {
	return export{
		content: testdata(tb, "memorybench/store.json", "memorybench/results/conv-90-q0.json", "memorybench/results/conv-90-q1.json"),
		store:   []string{"memorybench/store.json"}, search: []string{"memorybench/results"},
	}
}

func preMemExport(tb testing.TB) export {
	return export{
		content: testdata(tb, "premem/pools.jsonl", "premem/results.jsonl"),
		store:   []string{"premem/pools.jsonl"}, search: []string{"premem/results.jsonl"},
	}
}

func trpcExport(tb testing.TB) export {
	return export{content: testdata(tb, "trpc/conv-90.jsonl"), store: []string{"trpc/conv-90.jsonl"}}
}

var samples = map[string]struct {
	read   readFunc
	export func(testing.TB) export
	want   map[string]map[string]float64 // target -> query -> recall; none where it is unavailable or covers nothing
}{
	"langgraph": {memsys.LangGraph, langGraphExport, map[string]map[string]float64{
		"raw":       {},
		"source":    {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0},
		"canonical": {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0},
	}},
	"letta": {memsys.Letta, lettaExport, map[string]map[string]float64{
		"raw":       {},
		"source":    {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0},
		"canonical": {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0},
	}},
	"amem": {memsys.AMEM, amemExport, map[string]map[string]float64{
		"raw":       {"conv-90/qa1": 1},
		"source":    {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0, "conv-90/qa3": 0},
		"canonical": {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0, "conv-90/qa3": 0},
	}},
	"evermemos": {memsys.EverMemOS, everMemOSExport, map[string]map[string]float64{
		"raw":       {},
		"source":    {"conv-90/qa0": 1, "conv-90/qa1": 0, "conv-90/qa2": 0},
		"canonical": {"conv-90/qa0": 1, "conv-90/qa1": 0, "conv-90/qa2": 0},
	}},
	"memorybench": {memsys.MemoryBench, memoryBenchExport, map[string]map[string]float64{
		"raw":       {},
		"source":    {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0, "conv-90/qa3": 0, "conv-90/qa4": 0},
		"canonical": {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0, "conv-90/qa3": 0, "conv-90/qa4": 0},
	}},
	"premem": {memsys.PREMem, preMemExport, map[string]map[string]float64{
		"raw":       {"conv-90/qa0": 1, "conv-90/qa1": 0, "conv-90/qa2": 0},
		"source":    {"conv-90/qa0": 1, "conv-90/qa1": 0, "conv-90/qa2": 0},
		"canonical": {},
	}},
	"trpc": {memsys.TRPC, trpcExport, map[string]map[string]float64{
		"raw":       {},
		"source":    {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0},
		"canonical": {"conv-90/qa0": 1, "conv-90/qa1": 1, "conv-90/qa2": 0},
	}},
}

func TestSamplesAudit(t *testing.T) {
	t.Parallel()
	for name, c := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := c.read(conv90(), c.export(t).files(t))
			require.NoError(t, err)
			require.Equal(t, name, in.System.Name)
			again, err := memsys.Read(name, conv90(), c.export(t).files(t))
			require.NoError(t, err)
			same(t, in.System.Ingests[0].Memories, again.System.Ingests[0].Memories)
			a := audits(t, in.System)
			got := make(map[string]map[string]float64)
			for _, target := range []tiaptest.Target{tiaptest.Raw, tiaptest.Source, tiaptest.Canonical} {
				got[target.String()] = perQuery(t, a, in.System, target)
			}
			same(t, c.want, got)

			// The same holds once it lies on disk.
			dir := t.TempDir()
			require.NoError(t, (&tiaptest.Bundle{Scenario: *conv90()}).WriteDir(dir))
			require.NoError(t, in.WriteDir(dir))
			b, err := tiaptest.Open(dir)
			require.NoError(t, err)
			same(t, in.System.Ingests[0].Memories, b.Systems[0].Ingests[0].Memories)
			same(t, rankings(in.System), rankings(b.Systems[0]))
		})
	}
}

func TestSamplesCutShort(t *testing.T) {
	t.Parallel()
	for name, c := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cutShort(t, c.read, c.export(t))
		})
	}
}

// TestAnswersInFiles: answers may lie in files named by their query, as the samples
// are; cut off, they are errors.
func TestAnswersInFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read    readFunc
		export  export
		answers []string // of qa0, qa1 and so on
		hits    []int    // of each, over all lists
	}{
		"graphiti":  {memsys.Graphiti, graphitiExport(t), []string{"graphiti/server_search_response.json", "graphiti/search_results.json", "graphiti/zep_cloud_search.json"}, []int{2, 3, 2}},
		"langgraph": {memsys.LangGraph, langGraphExport(t), []string{"langgraph/items.json"}, []int{2}},
		"letta":     {memsys.Letta, lettaExport(t), []string{"letta/archival_search.json"}, []int{1}},
		"amem":      {memsys.AMEM, amemExport(t), []string{"amem/search_agentic.json"}, []int{3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := c.export
			delete(e.content, e.search[0])
			e.search = []string{"answers"}
			for i, file := range c.answers {
				e = e.with(fmt.Sprintf("answers/conv-90%%2Fqa%d.json", i), testdata(t, file)[file])
			}
			e = e.with("answers/conv-90%2Fqa99.json", "[]")
			in, err := c.read(conv90(), e.files(t))
			require.NoError(t, err)
			var hits []int
			for _, k := range rankings(in.System) {
				n := len(k.IDs)
				for _, l := range k.Lists {
					n += len(l.IDs)
				}
				hits = append(hits, n)
			}
			require.Equal(t, c.hits, hits)
			require.Equal(t, 1, counts(in.Notes)["answer to no query of the scenario"])
			cutShort(t, c.read, e)
		})
	}
}

// TestSamplesNeedFiles: each format says which files it misses.
func TestSamplesNeedFiles(t *testing.T) {
	t.Parallel()
	for name, c := range samples {
		_, err := c.read(conv90(), memsys.Files{})
		require.ErrorContains(t, err, name+": no store is given")
		require.ErrorContains(t, err, "store=FILE, in Go in Files.Store")
		e := c.export(t)
		f := e.files(t)
		f.Store = []string{f.Store[0] + ".gone"}
		_, err = c.read(conv90(), f)
		require.ErrorContains(t, err, ".gone: ")
		_, err = c.read(conv90(), memsys.Files{Store: f.Store, Search: f.Search, History: "h"})
		require.ErrorContains(t, err, name+": a history is given")
	}
}

// fuzz fuzzes one file of an export after the other.
func fuzz(f *testing.F, read readFunc, e export) {
	var files []string
	for name, content := range e.content {
		files = append(files, name)
		f.Add(name, content)
	}
	f.Fuzz(func(t *testing.T, name, content string) {
		if _, ok := e.content[name]; !ok {
			name = files[len(name)%len(files)]
		}
		in, err := read(conv90(), e.with(name, content).files(t))
		never(t, in, err)
	})
}

func FuzzMTELMem(f *testing.F) {
	for name, content := range testdata(f, "mtelmem/target_mappings.jsonl", "mtelmem/ranked_trace.jsonl", "mtelmem/paper_trace_mem0.jsonl") {
		f.Add(name, content)
	}
	f.Fuzz(func(t *testing.T, _, content string) {
		in, err := memsys.MTELMem(conv90(), export{store: []string{"a.jsonl"}}.with("a.jsonl", content).files(t))
		require.Nil(t, in)
		require.ErrorContains(t, err, "a.jsonl")
	})
}

func FuzzLangGraph(f *testing.F)   { fuzz(f, memsys.LangGraph, langGraphExport(f)) }
func FuzzLetta(f *testing.F)       { fuzz(f, memsys.Letta, lettaExport(f)) }
func FuzzAMEM(f *testing.F)        { fuzz(f, memsys.AMEM, amemExport(f)) }
func FuzzEverMemOS(f *testing.F)   { fuzz(f, memsys.EverMemOS, everMemOSExport(f)) }
func FuzzMemoryBench(f *testing.F) { fuzz(f, memsys.MemoryBench, memoryBenchExport(f)) }
func FuzzPREMem(f *testing.F)      { fuzz(f, memsys.PREMem, preMemExport(f)) }
func FuzzTRPC(f *testing.F)        { fuzz(f, memsys.TRPC, trpcExport(f)) }
