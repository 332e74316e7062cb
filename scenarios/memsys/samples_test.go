package memsys_test

import (
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

// TestSamplesNeedFiles: each format says which files it misses.
func TestSamplesNeedFiles(t *testing.T) {
	t.Parallel()
	for name, c := range samples {
		_, err := c.read(conv90(), memsys.Files{})
		require.ErrorContains(t, err, name+": no store is given")
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

func FuzzLangGraph(f *testing.F)   { fuzz(f, memsys.LangGraph, langGraphExport(f)) }
func FuzzLetta(f *testing.F)       { fuzz(f, memsys.Letta, lettaExport(f)) }
func FuzzAMEM(f *testing.F)        { fuzz(f, memsys.AMEM, amemExport(f)) }
func FuzzEverMemOS(f *testing.F)   { fuzz(f, memsys.EverMemOS, everMemOSExport(f)) }
func FuzzMemoryBench(f *testing.F) { fuzz(f, memsys.MemoryBench, memoryBenchExport(f)) }
func FuzzPREMem(f *testing.F)      { fuzz(f, memsys.PREMem, preMemExport(f)) }
func FuzzTRPC(f *testing.F)        { fuzz(f, memsys.TRPC, trpcExport(f)) }
