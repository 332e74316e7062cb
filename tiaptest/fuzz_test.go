package tiaptest_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// few makes resampling quick.
var few = tiaptest.Resamples(100)

// checkReport rescores a bundle that was read without error. Whatever it holds,
// that is an error or a report: valid JSON whose scores lie in [0, 1].
func checkReport(t rapid.TB, b *tiaptest.Bundle, opts ...tiaptest.Option) (text string, err error) {
	t.Helper()
	a, err := tiaptest.Rescore(b, opts...)
	if err != nil {
		require.Nil(t, a)
		require.NotEmpty(t, err.Error())
		return "", err
	}
	var out, table, perQuery bytes.Buffer
	require.NoError(t, a.WriteJSON(&out))
	require.NoError(t, a.WriteTable(&table))
	require.NoError(t, a.WritePerQuery(&perQuery))
	type value struct{ Value *float64 }
	var report struct{ Scores []value }
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	require.NotEmpty(t, report.Scores)
	for line := range strings.Lines(perQuery.String()) {
		var v value
		require.NoError(t, json.Unmarshal([]byte(line), &v), line)
		report.Scores = append(report.Scores, v)
	}
	for _, s := range report.Scores {
		if s.Value != nil && !(*s.Value >= 0 && *s.Value <= 1+1e-9) {
			t.Fatalf("a score of %v", *s.Value)
		}
	}
	return out.String(), nil
}

// optionsOf makes options of the bits of a number.
func optionsOf(bits uint16) tiaptest.Options {
	take := func(n uint16) (v uint16) { v, bits = bits%n, bits/n; return v }
	os := tiaptest.Options{few, tiaptest.Depth(int(1 + 59*take(2)))}
	os = append(os, tiaptest.Population([]string{"shared", "all", "covered"}[take(3)]))
	os = append(os, tiaptest.Merge([]string{"order", "interleave", "rrf"}[take(3)]))
	os = append(os, []tiaptest.Option{
		tiaptest.Credit(tiaptest.ByEvidence), tiaptest.Credit(tiaptest.ByMemory), tiaptest.Uncovered("counted"),
	}[take(3)])
	if take(2) == 1 {
		os = append(os, tiaptest.Headline(tiaptest.Raw), tiaptest.Beside(tiaptest.Current(tiaptest.Canonical), tiaptest.Inferred(tiaptest.Source), tiaptest.Exact(tiaptest.Raw)))
	}
	if take(2) == 1 {
		os = append(os, tiaptest.Cluster())
	}
	return os
}

// FuzzOpen: the files of a bundle give an error or a report, never a panic; and
// what is saved and read again gives the same.
func FuzzOpen(f *testing.F) {
	add := func(files map[string]string, bits uint16) {
		text := func(name string) []byte {
			if text, ok := files[name]; ok {
				return []byte(text)
			}
			return []byte(bundleFiles[name])
		}
		f.Add(text("scenario.json"), text("queries.jsonl"), text("turns.jsonl"), text("systems/b/system.json"),
			text("systems/b/store.jsonl"), text("systems/b/run.jsonl"), text("systems/a/run.jsonl"), text("accepted.json"), bits)
	}
	accepted := `[{"a":"a","b":"b","metric":"ndcg@60","targets":["raw","source"],"reason":"known","until":"2027-03-01"}]`
	add(nil, 0)
	add(map[string]string{"accepted.json": accepted, "systems/b/system.json": "", "scenario.json": ""}, 41)
	add(map[string]string{
		"systems/b/store.jsonl": `{"id":"m1","form":"raw","parents":["m2"]}` + "\n" + `{"id":"m2","form":"fact","parents":["m1"]}`,
		"turns.jsonl":           "",
	}, 82)
	add(map[string]string{
		"systems/b/store.jsonl": `{"id":"m1","form":"raw","sources":["t1"]}` + "\n" + `{"id":"m2","form":"path","sources":[{"turn":"t2","origin":"inferred"}],"serving":false}` + "\r\n",
		"systems/b/run.jsonl":   `{"query":"q1","lists":{"edges":["m1","m2"],"nodes":["m2","x"]},"k":3}` + "\n\n" + `{"query_id":"q2","system":"b","ranking":["m2"],"scores":[-0.5]}`,
		"systems/a/run.jsonl":   `{"query":"q2","ranking":["m2","m1"]}` + "\n" + `{"query":"q1","error":"timed out"}`,
		"queries.jsonl":         "\ufeff" + `{"id":"q1","evidence":["t1","t2"],"scope":"c"}` + "\n" + `{"query_id":"q2","evidence":[{"id":"u","turns":["t2","t1"]}]}` + "\n" + `{"id":"q3"}`,
		"scenario.json":         `{"headline":"source"}`,
	}, 123)
	add(map[string]string{
		"queries.jsonl":         `{"id":"q\u00e9","evidence":["t1",null,{"turns":[]}],"category":2}`,
		"systems/b/store.jsonl": `{"id":"m1","form":"raw","sources":[{"turn":"t1","precision":"rough"}],"status":"old"}` + "\n" + `{"id":"m1"}`,
		"systems/b/run.jsonl":   `{"query":"q1","ranking":["m1","m1"],"scores":[NaN,1]}` + "\n" + `{"query":"q1","ranking":null}`,
	}, 164)
	f.Fuzz(func(t *testing.T, scenario, queries, turns, system, store, run, otherRun, accepted []byte, bits uint16) {
		fsys := fstest.MapFS{}
		for name, data := range map[string][]byte{
			"scenario.json": scenario, "queries.jsonl": queries, "turns.jsonl": turns, "accepted.json": accepted,
			"systems/b/system.json": system, "systems/b/store.jsonl": store, "systems/b/run.jsonl": run,
			"systems/a/run.jsonl": otherRun, "systems/a/store.jsonl": store,
		} {
			if len(data) > 0 {
				fsys[name] = &fstest.MapFile{Data: data}
			}
		}
		if len(otherRun) == 0 {
			delete(fsys, "systems/a/store.jsonl")
		}
		checkFiles(t, t.TempDir(), fsys, bits)
	})
}

// checkFiles opens and rescores a bundle, and does so again after saving it in
// a folder. It reports whether the bundle is sound.
func checkFiles(t rapid.TB, dir string, fsys fs.FS, bits uint16) bool {
	t.Helper()
	b, err := tiaptest.OpenFS(fsys)
	if err != nil {
		require.Nil(t, b)
		return false
	}
	opts := optionsOf(bits)
	report, err := checkReport(t, b, opts)
	require.NoError(t, b.WriteDir(dir))
	if err != nil {
		return false // such as a cycle, which saving does not look for
	}
	again, err := tiaptest.Open(dir)
	require.NoError(t, err)
	saved, err := checkReport(t, again, opts)
	require.NoError(t, err)
	require.Equal(t, withoutNotices(t, report), withoutNotices(t, saved))
	return true
}

// withoutNotices is a report without diagnostics: a bundle that is saved does not
// repeat those about the names of its systems.
func withoutNotices(t rapid.TB, report string) map[string]any {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal([]byte(report), &members))
	require.Contains(t, members, "diagnostics")
	delete(members, "diagnostics")
	return members
}

// TestOddFiles puts files together of lines that are sound or nearly so, which
// bytes at random seldom are.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	oneOf := func(texts ...string) *rapid.Generator[string] { return rapid.SampledFrom(texts) }
	// file takes one line, or none where that is empty, of each group.
	file := func(groups ...[]string) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			var text strings.Builder
			for _, lines := range groups {
				if line := oneOf(lines...).Draw(t, "line"); line != "" {
					text.WriteString(line + "\n")
				}
			}
			return text.String()
		})
	}
	type group = []string
	scenario := oneOf("", `{}`, `{"headline":"raw"}`, `{"name":"x","headline":"canonical"}`, `{"schema":"tiap.scenario/v1","source":null}`)
	queries := file(
		group{`{"id":"q1","evidence":["t1"],"scope":"c1"}`, `{"id":"q1","evidence":["t1","t2"],"scope":"c1"}`},
		group{"", `{"query_id":"q2","evidence":[{"turns":["t1","t2"]},"t3"]}`, `{"id":"q2","evidence":["t1","t1",{"id":"u","turns":["t1","t1"]}],"category":"1"}`},
		group{"", `{"id":"q3"}`, `{"id":"q3","evidence":[]}`, `{"id":"q3","evidence":["t9"],"text":null}`},
		group{"", `{"id":"\u00e9\n\u2028","evidence":["t2"],"scope":"c2"}`})
	turns := oneOf("", `{"id":"t1"}`, `{"id":"t1","text":"Hello"}`+"\n"+`{"id":"t2"}`+"\n"+`{"id":"t3","session":"s"}`)
	store := file(
		group{`{"id":"m1","form":"raw","sources":["t1"]}`, `{"id":"m1","form":"raw","sources":["t2","t1"],"serving":false}`, `{"id":"m1","form":"fact","sources":["t1"]}`, `{"id":"m1","form":"raw"}`},
		group{"", `{"id":"m2","form":"raw","sources":["t2","t3"]}`, `{"id":"m2","form":"fact","sources":["t1","t2"],"status":"superseded"}`},
		group{`{"id":"m3","form":"fact","sources":[{"turn":"t3","precision":"batch","origin":"inferred"},"t3"]}`, `{"id":"m3","form":"fact"}`},
		group{"", `{"id":"m4","form":"path","parents":["m1"]}`, `{"id":"m4","form":"summary","parents":["m1","m3","m1"],"sources":["t2"],"serving":false}`})
	run := file(
		group{`{"query":"q1","ranking":["m1","m2","m3","m4"]}`, `{"query":"q1","ranking":["m4","m3"],"scores":[1,-2.5],"k":2}`, `{"query_id":"q1","lists":{"b":["m1","m2"],"a":["m2","m3"],"":[]},"k":1}`},
		group{"", `{"query":"q2","ranking":["x","y","m1"]}`, `{"query":"q2","ranking":["m3","m1"],"error":"late"}`, `{"query":"q2","ranking":[]}`, `{"query":"q2","lists":{}}`},
		group{"", `{"query":"q3","error":"timed out"}`, `{"query":"q9","ranking":["m1"]}`, `{"query":"q3","ranking":["m2"],"system":"other"}`},
		group{"", `{"query":"\u00e9\n\u2028","ranking":["m2","m1"],"scores":[0,-0.0]}`})
	system := oneOf("", `{}`, `{"name":"x","family":"f","unit":"fact","lineage":"recorded","forms":{"fact":"one"},"config":[1, 2]}`)
	accepted := oneOf("", `[]`, `[{"a":"a","b":"b","metric":"ndcg@60","targets":["raw"],"reason":"x"}]`)
	flaws := map[string]group{
		"queries.jsonl":         {`{"id":"q1","evidence":[]}`, `{"id":"q4","evidence":[null]}`},
		"systems/a/store.jsonl": {`{"id":"m5","form":"edge","parents":["m5"]}`, `{"id":"m5","form":"raw","parents":["m9"]}`, `{"id":"m1","form":"raw"}`},
		"systems/a/run.jsonl":   {`{"query":"q1","ranking":[]}`, `{"query":"q4","ranking":["m1",""]}`},
	}
	sound, broken := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{
			"scenario.json": scenario.Draw(rt, "scenario"), "queries.jsonl": queries.Draw(rt, "queries"), "turns.jsonl": turns.Draw(rt, "turns"), "accepted.json": accepted.Draw(rt, "accepted"),
		}
		for _, name := range []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(rt, "systems")] {
			dir := "systems/" + name + "/"
			files[dir+"system.json"] = system.Draw(rt, "system")
			files[dir+"store.jsonl"], files[dir+"run.jsonl"] = store.Draw(rt, "store"), run.Draw(rt, "run")
			if rapid.Bool().Draw(rt, "repeated") {
				files[dir+"repeats/2/store.jsonl"], files[dir+"repeats/2/run.jsonl"] = store.Draw(rt, "store"), run.Draw(rt, "run")
			}
		}
		if rapid.IntRange(0, 9).Draw(rt, "flawed") == 0 {
			name := rapid.SampledFrom(slices.Sorted(maps.Keys(flaws))).Draw(rt, "file")
			files[name] += oneOf(flaws[name]...).Draw(rt, "flaw")
		}
		maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
		if checkFiles(rt, t.TempDir(), mapFS(files), rapid.Uint16().Draw(rt, "options")) {
			sound++
		} else {
			broken++
		}
	})
	assert.Positive(t, sound, "bundles with a report")
	assert.Positive(t, broken, "bundles with an error")
}

// FuzzTREC: two files give an error or a report.
func FuzzTREC(f *testing.F) {
	f.Add([]byte("q1 0 m1 1\nq1 0 m2 0\nq2 0 m3 2\n"), []byte("q1 Q0 m1 1 2.0 a\nq1 Q0 m2 2 1.0 a\nq2 Q0 m3 1 0x10 a\n"), false, false, 1, byte(0))
	f.Add([]byte("\ufeffq1\t0\tm1\t-1\r\n\r\nq1 0 m4 3"), []byte("q1 Q0 m1 7 1e3 a\nq3 Q0 m2 2 -inf a b\nq1 Q0 m4 1 1e3 a"), true, true, 2, byte(1))
	f.Add([]byte("q1 0 m1 0.5\nq1 0 m1 1\nq1 m1"), []byte("q1 Q0 m1 1 nan a\nq1 Q0 m1 1 2\n"), true, false, 0, byte(2))
	f.Add([]byte("q1 0 m1 2147483647\nq1 0 m2 -2147483648\n"), []byte("q1 Q0 m2 1 1 a\nq1 Q0 m1 2 1 a\n"), false, true, -1, byte(3))
	f.Fuzz(func(t *testing.T, qrels, run []byte, rankColumn, judgedOnly bool, level int, population byte) {
		dir := t.TempDir()
		qrelsFile, runFile := filepath.Join(dir, "raw.qrels"), filepath.Join(dir, "a.run")
		require.NoError(t, os.WriteFile(qrelsFile, qrels, 0o600))
		require.NoError(t, os.WriteFile(runFile, run, 0o600))
		b, err := tiaptest.TREC{
			Qrels: map[string]string{"raw": qrelsFile}, Runs: map[string]string{"a": runFile, "b": runFile},
			RankColumn: rankColumn, JudgedOnly: judgedOnly, Level: level,
		}.Open()
		if err != nil {
			require.Nil(t, b)
			return
		}
		subset := []string{"shared", "all", "covered", "judged", "matched"}[population%5]
		_, _ = checkReport(t, b, few, tiaptest.Population(subset), tiaptest.Metrics(
			tiaptest.NDCG(0), tiaptest.NDCG(1), tiaptest.Recall(5), tiaptest.MRR(0), tiaptest.Precision(0), tiaptest.Precision(7), tiaptest.AP(0), tiaptest.RPrec(), tiaptest.All(0), tiaptest.MicroRecall(0)))
	})
}

// FuzzMTELMem: records and a trace give an error or a report.
func FuzzMTELMem(f *testing.F) {
	records := `{"query_id":"q1","category":"2","query_text":"Where?","reference_answer":"Lisbon","raw_ids":["m1"],"source_ids":["m1","m2"],"canonical_ids":["m2"]}
{"query_id":"q2","category":3,"query_text":"Who?","raw_ids":[],"source_ids":["m3"],"canonical_ids":["m3"]}
`
	f.Add([]byte(records), []byte(`{"system":"a","query_id":"q1","retrieved_id":"m1","rank":1,"score":0.9}
{"system":"b","query_id":"q1","retrieved_id":"m2","rank":1,"score":null}
{"system":"a","query_id":"q1","retrieved_id":"m2","rank":2}
`))
	f.Add([]byte(records), []byte(`{"query":"Where?","query_index":1,"returned_ids_topk":["m1","m2"]}
{"query_index":2,"query":"","returned_ids_topk":["m1"],"returned_ids_full":["m3","m1"]}
{"query_id":"q3","returned_ids_topk":[]}
`))
	f.Add([]byte(`{"query_id":"q1","raw_ids":["m1","m1"]}`+"\n"+`{"query_id":"q2","raw_ids":[""]}`), []byte(`{"query_id":"q1","retrieved_id":"m1","rank":0}`+"\r\n\r\n"+`{"query_id":"q1","retrieved_id":"m1","rank":2147483648}`))
	f.Add([]byte(`{"query_id":"q1"}`), []byte(`{"query_id":"q1","retrieved_id":"m1","rank":5}`+"\n"+`{"query_id":"q1","retrieved_id":"m1","rank":7}`))
	f.Fuzz(func(t *testing.T, records, trace []byte) {
		dir := t.TempDir()
		recordFile, traceFile := filepath.Join(dir, "records.jsonl"), filepath.Join(dir, "trace.jsonl")
		require.NoError(t, os.WriteFile(recordFile, records, 0o600))
		require.NoError(t, os.WriteFile(traceFile, trace, 0o600))
		b, err := tiaptest.MTELMem{Records: recordFile, Traces: []string{traceFile}}.Open()
		if err != nil {
			require.Nil(t, b)
			return
		}
		_, _ = checkReport(t, b, few)
	})
}

// FuzzParseMetric: a name that is read is written so that it reads as the same.
func FuzzParseMetric(f *testing.F) {
	for _, name := range []string{"ndcg@60", "nDCG@10", "ndcg", "top1", "rprec", "micro_recall@5", "ap@1", "recall@0", "top1@5", "ndcg@01", "ndcg@+1", "ndcg@1073741825", "@", "hit@k", "mrr@\u0661", "\u212a@1", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, err := tiaptest.ParseMetric(name)
		if err != nil {
			require.Zero(t, m)
			return
		}
		require.Equal(t, strings.ToLower(name), m.String())
		again, err := tiaptest.ParseMetric(m.String())
		require.NoError(t, err)
		require.Equal(t, m, again)
	})
}

// FuzzTarget: a name that a bundle knows is the name of the target, which can be
// scored.
func FuzzTarget(f *testing.F) {
	for _, name := range []string{"raw", "source", "canonical", "current(canonical)", "exact(inferred(source))", "current()", "exact(raw", "raw)", "(raw)", "Raw", "own", "current(exact(current(raw)))", ""} {
		f.Add(name)
	}
	b := bundleInFiles(f)
	f.Fuzz(func(t *testing.T, name string) {
		target, err := b.Target(name)
		if err != nil {
			require.Empty(t, target.String())
			return
		}
		require.Equal(t, name, target.String())
		_, err = checkReport(t, b, few, tiaptest.Targets(target), tiaptest.Headline(target))
		require.NoError(t, err)
	})
}
