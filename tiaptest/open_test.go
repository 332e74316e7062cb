package tiaptest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// bundleFiles say everything that files can say.
var bundleFiles = map[string]string{
	"scenario.json": `{"schema":"tiap.scenario/v1","name":"tiny","unit":"turn","headline":"canonical","source":{"sha256":"00ff"}}`,
	"queries.jsonl": `{"id":"q1","scope":"c1","time":"2024","text":"Where?","category":"2","answer":"Lisbon","evidence":["t1",{"id":"u","turns":["t1","t2"]},{"turns":["t2"]}]}
{"query_id":"q2"}
`,
	"turns.jsonl": `{"id":"t1","session":"s1","speaker":"Anna","time":"2023","text":"I moved to Lisbon."}
{"id":"t2"}
`,
	"systems/b/system.json": `{"name":"b","family":"density","unit":"fact","lineage":"recorded at ingest","forms":{"fact":"one sentence"},"config":{"seed": 1}}`,
	"systems/b/store.jsonl": `{"id":"m1","form":"raw","sources":["t1",{"turn":"t2","precision":"batch","origin":"inferred"}],"serving":true,"status":"active"}
{"id":"m2","form":"fact","parents":["m1"],"serving":false,"status":"deleted","valid_from":"2023","valid_to":"2024","text":"Anna moved."}
`,
	"systems/b/run.jsonl": `{"query":"q1","ranking":["m2","m1"],"scores":[2,0.5],"k":7}
{"query_id":"q2","error":"timed out"}
`,
	"systems/b/repeats/2/store.jsonl":  `{"id":"second","form":"raw","sources":["t1"]}`,
	"systems/b/repeats/2/run.jsonl":    `{"query":"q1","lists":{"nodes":["second"],"edges":[]}}`,
	"systems/b/repeats/10/store.jsonl": `{"id":"tenth","form":"raw","sources":["t1"]}`,
	"systems/b/repeats/10/run.jsonl":   `{"query":"q1","ranking":[]}`,
	"systems/a/store.jsonl":            `{"id":"m1","form":"raw","sources":["t1"]}`,
	"systems/a/run.jsonl":              `{"query":"q1","ranking":["m1"]}`,
	"systems/README":                   "A file among the folders is no system.",
	"systems/b/repeats/README":         "Nor is it a repeat.",
}

// bundleInFiles is what they say.
func bundleInFiles(t testing.TB) *tiaptest.Bundle {
	t.Helper()
	ingest := func(memories []tiaptest.Memory, rankings ...tiaptest.Ranking) *tiaptest.Ingest {
		in := &tiaptest.Ingest{Memories: memories}
		for _, r := range rankings {
			require.NoError(t, in.Run.Add(r))
		}
		return in
	}
	raw := func(id string) []tiaptest.Memory {
		return []tiaptest.Memory{{ID: id, Form: "raw", Sources: []tiaptest.Link{{Turn: "t1"}}}}
	}
	return &tiaptest.Bundle{
		Scenario: tiaptest.Scenario{
			Name: "tiny", Unit: "turn", Headline: "canonical", SHA256: "00ff",
			Turns: []tiaptest.Turn{{ID: "t1", Session: "s1", Speaker: "Anna", Time: "2023", Text: "I moved to Lisbon."}, {ID: "t2"}},
			Queries: []tiaptest.Query{
				{
					ID: "q1", Scope: "c1", Time: "2024", Text: "Where?", Category: "2", Answer: "Lisbon",
					Evidence: []tiaptest.Unit{{Turns: []string{"t1"}}, {ID: "u", Turns: []string{"t1", "t2"}}, {Turns: []string{"t2"}}},
				},
				{ID: "q2"},
			},
		},
		Systems: []*tiaptest.System{
			{Name: "a", Ingests: []*tiaptest.Ingest{ingest(raw("m1"), tiaptest.Ranking{Query: "q1", IDs: []string{"m1"}})}},
			{
				Name: "b", Family: "density", Unit: "fact", Lineage: "recorded at ingest",
				Forms: map[string]string{"fact": "one sentence"}, Config: json.RawMessage(`{"seed":1}`),
				Ingests: []*tiaptest.Ingest{
					ingest([]tiaptest.Memory{
						{
							ID: "m1", Form: "raw", Status: "active",
							Sources: []tiaptest.Link{{Turn: "t1"}, {Turn: "t2", Precision: "batch", Origin: "inferred"}},
						},
						{
							ID: "m2", Form: "fact", Parents: []string{"m1"}, NotServing: true, Status: "deleted",
							ValidFrom: "2023", ValidTo: "2024", Text: "Anna moved.",
						},
					},
						tiaptest.Ranking{Query: "q1", IDs: []string{"m2", "m1"}, Scores: []float64{2, 0.5}, K: 7},
						tiaptest.Ranking{Query: "q2", Error: "timed out"}),
					// Repeats come in the order of their names.
					ingest(raw("tenth"), tiaptest.Ranking{Query: "q1"}),
					ingest(raw("second"), tiaptest.Ranking{Query: "q1", Lists: []tiaptest.List{{Name: "edges"}, {Name: "nodes", IDs: []string{"second"}}}}),
				},
			},
		},
	}
}

// mapFS makes a file system of texts.
func mapFS(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// pressed compresses the JSONL files of a bundle.
func pressed(t *testing.T, files map[string]string, ending string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for name, text := range files {
		switch {
		case filepath.Ext(name) != ".jsonl":
			out[name] = text
			continue
		case ending == ".gz":
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, err := z.Write([]byte(text))
			require.NoError(t, err)
			require.NoError(t, z.Close())
			text = b.String()
		default:
			z, err := zstd.NewWriter(nil)
			require.NoError(t, err)
			text = string(z.EncodeAll([]byte(text), nil))
		}
		out[name+ending] = text
	}
	return out
}

func TestOpen(t *testing.T) {
	t.Parallel()
	want := bundleInFiles(t)
	for name, files := range map[string]map[string]string{
		"plain": bundleFiles,
		"gzip":  pressed(t, bundleFiles, ".gz"),
		"zstd":  pressed(t, bundleFiles, ".zst"),
	} {
		t.Run(name+" folder", func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, mapFS(files)))
			got, err := tiaptest.Open(dir)
			require.NoError(t, err)
			if d := savedDiff(want, got); d != "" {
				t.Errorf("bundle (-want +got):\n%s", d)
			}
		})
		t.Run(name+" file system", func(t *testing.T) {
			t.Parallel()
			got, err := tiaptest.OpenFS(mapFS(files))
			require.NoError(t, err)
			if d := savedDiff(want, got); d != "" {
				t.Errorf("bundle (-want +got):\n%s", d)
			}
		})
	}
	t.Run("links inside the bundle", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, mapFS(bundleFiles)))
		require.NoError(t, os.Rename(filepath.Join(dir, "systems", "a"), filepath.Join(dir, "kept")))
		if err := os.Symlink(filepath.Join("..", "kept"), filepath.Join(dir, "systems", "a")); err != nil {
			t.Skip("symbolic links cannot be made here:", err)
		}
		got, err := tiaptest.Open(dir)
		require.NoError(t, err)
		if d := savedDiff(want, got); d != "" {
			t.Errorf("bundle (-want +got):\n%s", d)
		}
	})
}

func TestOpenSingleSystem(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"queries.jsonl": `{"id":"q1","evidence":["t1"]}`,
		"store.jsonl":   `{"id":"m1","form":"raw","sources":["t1"]}`,
		"run.jsonl":     `{"query":"q1","ranking":["m1"]}`,
	}
	with := func(name, text string) map[string]string {
		out := map[string]string{name: text}
		for name, text := range files {
			out[name] = text
		}
		return out
	}
	open := func(t *testing.T, files map[string]string) *tiaptest.Bundle {
		b, err := tiaptest.OpenFS(mapFS(files))
		require.NoError(t, err)
		require.Len(t, b.Systems, 1)
		return b
	}
	t.Run("named by the folder", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "mine")
		require.NoError(t, os.CopyFS(dir, mapFS(files)))
		b, err := tiaptest.Open(filepath.Join(dir, "..", "mine") + string(filepath.Separator))
		require.NoError(t, err)
		require.Len(t, b.Systems, 1)
		assert.Equal(t, "mine", b.Systems[0].Name)
		assert.Equal(t, "mine", b.Scenario.Name)
	})
	t.Run("in a file system", func(t *testing.T) {
		t.Parallel()
		b := open(t, files)
		assert.Equal(t, "bundle", b.Systems[0].Name)
		assert.Equal(t, "bundle", b.Scenario.Name)
		assert.Equal(t, []tiaptest.Memory{{ID: "m1", Form: "raw", Sources: []tiaptest.Link{{Turn: "t1"}}}}, b.Systems[0].Ingests[0].Memories)
	})
	t.Run("named by system.json", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, "mine", open(t, with("system.json", `{"name":"mine","unit":"fact"}`)).Systems[0].Name)
	})
	t.Run("compressed", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, "m1", open(t, pressed(t, files, ".zst")).Systems[0].Ingests[0].Memories[0].ID)
	})
	t.Run("with repeats", func(t *testing.T) {
		t.Parallel()
		more := with("repeats/2/store.jsonl", files["store.jsonl"])
		more["repeats/2/run.jsonl"] = files["run.jsonl"]
		assert.Len(t, open(t, more).Systems[0].Ingests, 2)
	})
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := tiaptest.Open(filepath.Join(dir, "none"))
	assert.Nil(t, b)
	assert.ErrorContains(t, err, filepath.Join(dir, "none")+": ")
	b, err = tiaptest.Open("")
	assert.Nil(t, b)
	assert.EqualError(t, err, "the folder of the bundle has an empty name; name it")
	b, err = tiaptest.Open(dir)
	assert.Nil(t, b)
	assert.EqualError(t, err, strings.ReplaceAll(`DIR/queries.jsonl: the file is missing; a bundle needs one query a line; see go doc github.com/tiaptest/tiap/tiaptest.Open
DIR/systems: the bundle has no system; add systems/<name>/store.jsonl and run.jsonl, or one store.jsonl and run.jsonl beside queries.jsonl`, "DIR/", dir+string(filepath.Separator)))

	// Without a folder, messages name the files as the file system does.
	files := map[string]string{"queries.jsonl": "{}", "systems/a/store.jsonl": "[]", "systems/a/run.jsonl": "", "systems/a/repeats/1/run.jsonl": "{}"}
	b, err = tiaptest.OpenFS(mapFS(files))
	assert.Nil(t, b)
	assert.EqualError(t, err, `queries.jsonl:1: the query has no "id"; add it (or "query_id")
systems/a/store.jsonl:1: the line is an array, not an object; write one JSON object on each line
systems/a/run.jsonl: the file is empty; a run needs one ranking a line
systems/a/repeats/1/store.jsonl: the file is missing; every ingest needs its store: one memory a line
systems/a/repeats/1/run.jsonl:1: the line has no ranking; add "ranking": [...], or "error" when the query failed`)
}

// Blocks take the memory of earlier ones, of which lines of one layout as long as a
// block, with members of other lengths, must find nothing.
func TestOpenBlocks(t *testing.T) {
	t.Parallel()
	const n = 60
	var queries, run strings.Builder
	for i := range n {
		id, rest := "q"+strings.Repeat("1", i), strings.Repeat("x", 300_000-i)
		fmt.Fprintf(&queries, `{"id":"%s","text":"%s","evidence":["t1"]}`+"\n", id, rest)
		fmt.Fprintf(&run, `{"query":"%s","error":"%s"}`+"\n", id, rest)
	}
	b, err := tiaptest.OpenFS(mapFS(map[string]string{
		"queries.jsonl": queries.String(), "run.jsonl": run.String(), "store.jsonl": `{"id":"m1","form":"raw","sources":["t1"]}`,
	}))
	require.NoError(t, err)
	require.Len(t, b.Scenario.Queries, n)
	for i, q := range b.Scenario.Queries {
		require.Len(t, q.ID, i+1)
		require.Len(t, q.Text, 300_000-i)
		k, ok := b.Systems[0].Ingests[0].Run.Ranking(q.ID)
		require.True(t, ok)
		require.Len(t, k.Error, 300_000-i)
	}
}

// What editors leave beside systems is none, but a system may have any name.
func TestOpenHidden(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"queries.jsonl":          `{"id":"q1","evidence":["t1"]}`,
		"systems/.a/store.jsonl": `{"id":"m1","form":"raw","sources":["t1"]}`,
		"systems/.a/run.jsonl":   `{"query":"q1","ranking":["m1"]}`,
		"systems/.ipynb_checkpoints/store-checkpoint.jsonl": "old",
	}
	b, err := tiaptest.OpenFS(mapFS(files))
	require.NoError(t, err)
	require.Len(t, b.Systems, 1)
	assert.Equal(t, ".a", b.Systems[0].Name)
	delete(files, "systems/.a/run.jsonl")
	_, err = tiaptest.OpenFS(mapFS(files))
	assert.EqualError(t, err, "systems/.a/run.jsonl: the file is missing; every ingest needs its run: one ranking a line")
}

// What a recording leaves that has not ended is named, and how to go on; beside a run
// it does not matter.
func TestOpenBegun(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"queries.jsonl":                        `{"id":"q1","evidence":["t1"]}`,
		"systems/a/store.jsonl":                `{"id":"m1","form":"raw","sources":["t1"]}`,
		"systems/a/run.jsonl":                  `{"query":"q1","ranking":["m1"]}`,
		"systems/a/run.jsonl.part":             "",
		"systems/a/repeats/002/store.jsonl":    "[]",
		"systems/a/repeats/002/run.jsonl.part": "",
		"systems/b/run.jsonl.part":             "",
		"systems/c/run.jsonl.par":              "",
	}
	_, err := tiaptest.OpenFS(mapFS(files))
	const begun = ": a recording has begun and not ended; record the system again, which goes on from there, or remove its folder\n"
	assert.EqualError(t, err, "systems/a/repeats/002/run.jsonl.part"+begun+"systems/b/run.jsonl.part"+begun+
		`systems/c/store.jsonl: the file is missing; every ingest needs its store: one memory a line
systems/c/run.jsonl: the file is missing; every ingest needs its run: one ranking a line`)
	maps.DeleteFunc(files, func(name, _ string) bool {
		return strings.Contains(name, "/002/") || !strings.HasPrefix(name, "systems/a") && name != "queries.jsonl"
	})
	b, err := tiaptest.OpenFS(mapFS(files))
	require.NoError(t, err)
	assert.Len(t, b.Systems[0].Ingests, 1)
}

// brokenFS gives the beginning of one file only.
type brokenFS struct {
	fstest.MapFS
	name string
}

func (b brokenFS) Open(name string) (fs.File, error) {
	f, err := b.MapFS.Open(name)
	if name == b.name {
		return brokenFile{f}, err
	}
	return f, err
}

type brokenFile struct{ fs.File }

func (f brokenFile) Read(p []byte) (int, error) {
	n, _ := f.File.Read(p[:min(len(p), 30)])
	return n, &fs.PathError{Op: "read", Path: "x", Err: fs.ErrClosed}
}

func TestOpenBrokenFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"queries.jsonl":       "queries.jsonl:1: reading stops here: file already closed; if the file is truncated or corrupt, copy or export it again",
		"scenario.json":       "scenario.json: file already closed; make it readable; links must not lead out of the bundle",
		"systems/a/run.jsonl": "systems/a/run.jsonl:1: reading stops here: file already closed; if the file is truncated or corrupt, copy or export it again",
	} {
		b, err := tiaptest.OpenFS(brokenFS{mapFS(bundleFiles), name})
		assert.Nil(t, b, name)
		assert.EqualError(t, err, want)
	}
}

// Contents that differ have different digests, and the order of lines and lists
// makes none.
func TestDigest(t *testing.T) {
	t.Parallel()
	const sound = `{"id":"m1","form":"raw","sources":["t1"]}
{"id":"not serving","form":"fact","sources":["t1"]}
`
	digest := func(store, run string) string {
		b, err := tiaptest.OpenFS(mapFS(map[string]string{
			"queries.jsonl": `{"id":"q1","evidence":["t1"]}`, "store.jsonl": store, "run.jsonl": run,
		}))
		require.NoError(t, err)
		var report struct {
			Systems []struct{ Digest string }
		}
		require.NoError(t, json.Unmarshal([]byte(savedReport(t, b)), &report))
		require.Len(t, report.Systems, 1)
		return report.Systems[0].Digest
	}
	const plain = `{"query":"q1","ranking":["m1","not serving"]}`
	seen := map[string]string{digest(sound, plain): "the sound one"}
	for _, c := range [][2]string{
		{sound + `{"id":"m3","form":"fact","parents":["not serving"]}`, plain},
		{sound + `{"id":"m3","form":"fact","serving":false}`, plain},
		{sound + `{"id":"m3","form":"fact","sources":["t1"]}`, plain},
		{sound + `{"id":"m3","form":"fact","sources":[{"turn":"t1","precision":"batch"}]}`, plain},
		{sound, `{"query":"q1","ranking":["not serving","m1"]}`},
		{sound, `{"query":"q1","ranking":["m1","not serving"],"scores":[2,1]}`},
		{sound, `{"query":"q1","ranking":["m1","not serving"],"scores":[2,0]}`},
		{sound, `{"query":"q1","ranking":["m1","not serving"],"k":2}`},
		{sound, `{"query":"q1","ranking":["m1","not serving"],"error":"x"}`},
		{sound, `{"query":"q1","lists":{"x":["m1","not serving"]}}`},
		{sound, `{"query":"q1","lists":{"x":["m1"],"y":["not serving"]}}`},
		{sound, `{"query":"q1","lists":{"y":["m1"],"x":["not serving"]}}`},
	} {
		d := digest(c[0], c[1])
		assert.NotContains(t, seen, d, "%s", c)
		seen[d] = c[0] + c[1]
	}

	lines := []string{`{"query":"q1","ranking":["m1"]}`, `{"query":"q2","ranking":["m1"],"scores":[1]}`, `{"query":"q3","lists":{"x":["m1"]}}`, `{"query":"q4","ranking":["m1"],"scores":[2]}`}
	want := digest(sound, strings.Join(lines, "\n"))
	for i := range lines {
		lines = append(lines[1:], lines[0])
		assert.Equal(t, want, digest(sound, strings.Join(lines, "\n")), "turned by %d", i+1)
	}
	assert.Equal(t, digest(sound, `{"query":"q1","lists":{"x":["m1"],"y":[]}}`), digest(sound, `{"query":"q1","lists":{"y":[],"x":["m1"]}}`))
}
