package tiaptest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// savedReport rescores a bundle and returns the JSON report.
func savedReport(tb rapid.TB, b *tiaptest.Bundle, opts ...tiaptest.Option) string {
	tb.Helper()
	a, err := tiaptest.Rescore(b, append([]tiaptest.Option{tiaptest.Resamples(100)}, opts...)...)
	require.NoError(tb, err)
	var out bytes.Buffer
	require.NoError(tb, a.WriteJSON(&out))
	return out.String()
}

// savedContents is what a bundle shows of itself.
func savedContents(b *tiaptest.Bundle) any {
	type ingest struct {
		Memories []tiaptest.Memory
		Run      []tiaptest.Ranking
	}
	type system struct {
		tiaptest.System
		Config  string
		Ingests []ingest
	}
	var systems []system
	for _, s := range b.Systems {
		shown := system{System: *s}
		var config bytes.Buffer
		if len(s.Config) > 0 {
			if err := json.Compact(&config, s.Config); err != nil {
				panic(err)
			}
		}
		shown.Config, shown.System.Config, shown.System.Ingests = config.String(), nil, nil
		for _, in := range s.Ingests {
			shown.Ingests = append(shown.Ingests, ingest{in.Memories, slices.Collect(in.Run.All())})
		}
		systems = append(systems, shown)
	}
	slices.SortFunc(systems, func(a, b system) int { return cmp.Compare(a.Name, b.Name) })
	return struct {
		Scenario tiaptest.Scenario
		Systems  []system
	}{b.Scenario, systems}
}

// savedDiff compares what two bundles show of themselves.
func savedDiff(want, got *tiaptest.Bundle) string {
	return gocmp.Diff(savedContents(want), savedContents(got), cmpopts.EquateEmpty(),
		cmpopts.IgnoreUnexported(tiaptest.Query{}, tiaptest.System{}))
}

// drawSaved makes a sound bundle with all that files can hold.
func drawSaved(t *rapid.T) *tiaptest.Bundle {
	text := rapid.OneOf(rapid.Just(""), rapid.StringN(0, 6, -1))
	id := func(kind string, i int) string { return fmt.Sprint(kind, i, text.Draw(t, "id")) }
	ids := func(kind string, least, most int) []string {
		out := make([]string, rapid.IntRange(least, most).Draw(t, kind+"s"))
		for i := range out {
			out[i] = id(kind, i)
		}
		return out
	}
	turns := ids("turn", 1, 4)
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{
		Name: id("scenario", 0), Unit: text.Draw(t, "unit"), SHA256: text.Draw(t, "sha256"),
		Headline: rapid.SampledFrom([]string{"", "raw", "canonical"}).Draw(t, "headline"),
	}}
	if rapid.Bool().Draw(t, "conversation") {
		for _, turn := range turns {
			b.Scenario.Turns = append(b.Scenario.Turns, tiaptest.Turn{
				ID: turn, Session: text.Draw(t, "session"), Speaker: text.Draw(t, "speaker"), Time: text.Draw(t, "time"), Text: text.Draw(t, "text"),
			})
		}
	}
	someTurns := rapid.SliceOfN(rapid.SampledFrom(turns), 1, 3)
	queries := ids("query", 1, 5)
	for i, q := range queries {
		query := tiaptest.Query{
			ID: q, Scope: text.Draw(t, "scope"), Time: text.Draw(t, "time"), Text: text.Draw(t, "text"),
			Category: text.Draw(t, "category"), Answer: text.Draw(t, "answer"),
		}
		for u := range rapid.IntRange(min(1, max(0, 1-i)), 3).Draw(t, "units") {
			id := text.Draw(t, "unit id")
			if id != "" { // each has one of its own, or none
				id += strconv.Itoa(u)
			}
			query.Evidence = append(query.Evidence, tiaptest.Unit{ID: id, Turns: someTurns.Draw(t, "turns")})
		}
		b.Scenario.Queries = append(b.Scenario.Queries, query)
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "systems") {
		s := &tiaptest.System{
			Name:   rapid.StringMatching(`[A-Za-z0-9é][A-Za-z0-9é ._@+-]{0,5}`).Draw(t, "system") + fmt.Sprint(i),
			Family: rapid.SampledFrom([]string{"", "density"}).Draw(t, "family"),
			Unit:   text.Draw(t, "unit"), Lineage: text.Draw(t, "lineage"),
		}
		if rapid.Bool().Draw(t, "described") {
			s.Forms = map[string]string{"fact": text.Draw(t, "form"), "event": ""}
			s.Config = json.RawMessage(`{"seed": 1, "note": "<&>"}`)
		}
		for range rapid.IntRange(1, 3).Draw(t, "ingests") {
			s.Ingests = append(s.Ingests, drawSavedIngest(t, ids("memory", 1, 5), turns, queries))
		}
		b.Systems = append(b.Systems, s)
	}
	return b
}

func drawSavedIngest(t *rapid.T, memories, turns, queries []string) *tiaptest.Ingest {
	text := rapid.OneOf(rapid.Just(""), rapid.StringN(0, 6, -1))
	in := &tiaptest.Ingest{}
	for i, m := range memories {
		memory := tiaptest.Memory{
			ID: m, Form: rapid.SampledFrom([]string{"raw", "fact", "event"}).Draw(t, "form"),
			NotServing: rapid.Bool().Draw(t, "not serving"),
			Status:     rapid.SampledFrom([]string{"", "active", "superseded", "deleted"}).Draw(t, "status"),
			ValidFrom:  text.Draw(t, "from"), ValidTo: text.Draw(t, "to"), Text: text.Draw(t, "text"),
		}
		if i > 0 {
			memory.Parents = rapid.SliceOfN(rapid.SampledFrom(memories[:i]), 0, 2).Draw(t, "parents")
		}
		for range rapid.IntRange(0, 2).Draw(t, "links") {
			memory.Sources = append(memory.Sources, tiaptest.Link{
				Turn:      rapid.SampledFrom(turns).Draw(t, "turn"),
				Precision: rapid.SampledFrom([]string{"", "exact", "batch", "container"}).Draw(t, "precision"),
				Origin:    rapid.SampledFrom([]string{"", "recorded", "inferred"}).Draw(t, "origin"),
			})
		}
		in.Memories = append(in.Memories, memory)
	}
	list := func() []string {
		n := rapid.IntRange(0, len(memories)).Draw(t, "length")
		return slices.Clone(rapid.Permutation(append([]string{"elsewhere"}, memories...)).Draw(t, "ranking")[:n])
	}
	for i, q := range queries {
		r := tiaptest.Ranking{Query: q, K: rapid.IntRange(0, 3).Draw(t, "k")}
		kind := rapid.SampledFrom([]string{"plain", "scored", "lists", "failed", "absent"}).Draw(t, "kind")
		if i == 0 {
			// One id that the store holds, so that the two agree at all.
			r.IDs, kind = memories[:1], "first"
		}
		switch kind {
		case "plain":
			r.IDs = list()
		case "scored":
			r.IDs = list()
			for range r.IDs {
				r.Scores = append(r.Scores, rapid.Float64Range(-1e300, 1e300).Draw(t, "score"))
			}
		case "lists":
			for _, name := range []string{"nodes", "edges", ""}[:rapid.IntRange(1, 3).Draw(t, "lists")] {
				r.Lists = append(r.Lists, tiaptest.List{Name: name, IDs: list()})
			}
		case "failed":
			r.Error = "no answer" + text.Draw(t, "error")
			r.IDs = list()
		case "absent":
			continue
		}
		if err := in.Run.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := drawSaved(rt)
		dir := t.TempDir()
		if err := b.WriteDir(dir); err != nil {
			rt.Fatal(err)
		}
		read, err := tiaptest.Open(dir)
		if err != nil {
			rt.Fatal(err)
		}
		if d := savedDiff(b, read); d != "" {
			rt.Fatalf("the bundle read differs from the one written (-want +got):\n%s", d)
		}
		want, got := savedReport(rt, b, tiaptest.Depth(3)), savedReport(rt, read, tiaptest.Depth(3))
		if d := gocmp.Diff(want, got); d != "" {
			rt.Fatalf("the report differs after WriteDir and Open (-want +got):\n%s", d)
		}
	})
}

// tiny is a bundle with one of each kind of ranking.
func tiny() *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "tiny", Unit: "turn", Headline: "canonical", SHA256: "00ff"}}
	b.AddTurn("t1", "Anna moved to <Lisbon>.").AddTurn("t2", "Ben stays.")
	b.AddQuery("q1", "Where is Anna?", "Lisbon").AddQuery("q2", "Who moved, who stays?", "Anna", "Ben").AddQuery("q3", "Why?").AddQuery("q4", "", "Ben")
	b.Scenario.Queries[3].Evidence[0] = tiaptest.Unit{ID: "u", Turns: []string{"t1", "t2"}}
	s := b.AddSystem("a", "density").AddMemory("m1", "raw", "t1").AddMemory("m2", "fact")
	s.Ingests[0].Memories[1] = tiaptest.Memory{
		ID: "m2", Form: "fact", Parents: []string{"m1"}, NotServing: true, Status: "superseded",
		Sources: []tiaptest.Link{{Turn: "t2", Precision: "batch", Origin: "inferred"}}, ValidFrom: "2024", ValidTo: "2025", Text: "Anna & Lisbon",
	}
	s.Unit, s.Lineage, s.Forms, s.Config = "fact", "recorded at ingest", map[string]string{"fact": "one sentence"}, json.RawMessage(`{"seed":1}`)
	for _, r := range []tiaptest.Ranking{
		{Query: "q1", IDs: []string{"m2", "m1"}, Scores: []float64{0.5, -1e-9}, K: 5},
		{Query: "q2", Lists: []tiaptest.List{{Name: "nodes", IDs: []string{"m1"}}, {Name: "edges"}}},
		{Query: "q3"},
		{Query: "q4", Error: "timed out"},
	} {
		if err := s.Ingests[0].Run.Add(r); err != nil {
			panic(err)
		}
	}
	s.Ingests = append(s.Ingests, &tiaptest.Ingest{})
	s.AddMemory("n1", "raw", "t1").AddRanking("q1", "n1")
	return b
}

// treeOf reads the files of a folder.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := make(map[string]string)
	fsys := os.DirFS(dir)
	require.NoError(t, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		tree[name] = string(text)
		return err
	}))
	return tree
}

func TestWriteDir(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	require.NoError(t, tiny().WriteDir(dir))
	want := map[string]string{
		"scenario.json": `{
  "schema": "tiap.scenario/v1",
  "name": "tiny",
  "unit": "turn",
  "headline": "canonical",
  "source": {
    "sha256": "00ff"
  }
}
`,
		"queries.jsonl": `{"id":"q1","text":"Where is Anna?","evidence":["t1"]}
{"id":"q2","text":"Who moved, who stays?","evidence":["t1","t2"]}
{"id":"q3","text":"Why?","evidence":[]}
{"id":"q4","evidence":[{"id":"u","turns":["t1","t2"]}]}
`,
		"turns.jsonl": `{"id":"t1","text":"Anna moved to <Lisbon>."}
{"id":"t2","text":"Ben stays."}
`,
		"systems/a/system.json": `{
  "name": "a",
  "family": "density",
  "unit": "fact",
  "lineage": "recorded at ingest",
  "forms": {
    "fact": "one sentence"
  },
  "config": {
    "seed": 1
  }
}
`,
		"systems/a/store.jsonl": `{"id":"m1","form":"raw","sources":["t1"]}
{"id":"m2","form":"fact","sources":[{"turn":"t2","precision":"batch","origin":"inferred"}],"parents":["m1"],"serving":false,"status":"superseded","valid_from":"2024","valid_to":"2025","text":"Anna & Lisbon"}
`,
		"systems/a/run.jsonl": `{"query":"q1","ranking":["m2","m1"],"scores":[0.5,-1e-9],"k":5}
{"query":"q2","lists":{"edges":[],"nodes":["m1"]}}
{"query":"q3","ranking":[]}
{"query":"q4","error":"timed out"}
`,
		"systems/a/repeats/002/store.jsonl": `{"id":"n1","form":"raw","sources":["t1"]}
`,
		"systems/a/repeats/002/run.jsonl": `{"query":"q1","ranking":["n1"]}
`,
	}
	if d := gocmp.Diff(want, treeOf(t, dir)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}

	t.Run("again", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "queries.jsonl"), []byte(strings.Repeat("longer than before\n", 99)), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "README"), []byte("kept"), 0o600))
		require.NoError(t, tiny().WriteDir(dir))
		got := treeOf(t, dir)
		assert.Equal(t, "kept", got["README"], "other files are left alone")
		delete(got, "README")
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("files (-want +got):\n%s", d)
		}
	})
}

// JSON has no infinity, and scores never reorder.
func TestWriteDirInfiniteScores(t *testing.T) {
	t.Parallel()
	b := &tiaptest.Bundle{}
	run := &b.AddTurn("t1", "Hello").AddQuery("q1", "", "Hello").AddQuery("q2", "", "Hello").
		AddSystem("a", "").AddMemory("m1", "raw", "t1").AddMemory("m2", "raw").Ingests[0].Run
	require.NoError(t, run.Add(tiaptest.Ranking{Query: "q1", IDs: []string{"m1", "m2"}, Scores: []float64{math.Inf(1), 2}}))
	require.NoError(t, run.Add(tiaptest.Ranking{Query: "q2", IDs: []string{"m1", "m2"}, Scores: []float64{3, 2}}))
	dir := t.TempDir()
	require.NoError(t, b.WriteDir(dir))
	read, err := tiaptest.Open(dir)
	require.NoError(t, err)
	want := []tiaptest.Ranking{
		{Query: "q1", IDs: []string{"m1", "m2"}},
		{Query: "q2", IDs: []string{"m1", "m2"}, Scores: []float64{3, 2}},
	}
	assert.Equal(t, want, slices.Collect(read.Systems[0].Ingests[0].Run.All()))
}

func TestWriteDirFindings(t *testing.T) {
	t.Parallel()
	const accepted = `[
  {
    "a": "a",
    "b": "b",
    "metric": "ndcg@60",
    "targets": [
      "raw",
      "current(canonical)"
    ],
    "reason": "known since <March>",
    "until": "2027-03-01"
  },
  {
    "a": "b",
    "b": "c",
    "metric": "top1",
    "targets": [
      "source"
    ],
    "reason": "counting"
  }
]
`
	b, err := tiaptest.OpenFS(fstest.MapFS{
		"queries.jsonl": {Data: []byte(`{"id":"q1","evidence":["t1"]}`)},
		"store.jsonl":   {Data: []byte(`{"id":"m1","form":"raw","sources":["t1"]}`)},
		"run.jsonl":     {Data: []byte(`{"query":"q1","ranking":["m1"]}`)},
		"accepted.json": {Data: []byte(accepted)},
	})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, b.WriteDir(dir))
	assert.Equal(t, accepted, treeOf(t, dir)["accepted.json"])
}

func TestWriteDirRefused(t *testing.T) {
	t.Parallel()
	trec := func() *tiaptest.Bundle {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "q"), []byte("q1 0 m1 1\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "r"), []byte("q1 Q0 m1 1 1 a\n"), 0o600))
		b, err := tiaptest.TREC{Qrels: map[string]string{"raw": filepath.Join(dir, "q")}, Runs: map[string]string{"a": filepath.Join(dir, "r")}}.Open()
		require.NoError(t, err)
		return b
	}
	named := func(names ...string) *tiaptest.Bundle {
		b := tiny()
		for _, name := range names {
			b.AddSystem(name, "").AddMemory("m1", "raw", "t1").AddRanking("q1", "m1")
		}
		return b
	}
	for _, tt := range []struct {
		name   string
		bundle *tiaptest.Bundle
		want   string
	}{
		{"no name", named(""), `system "" cannot name a folder; use a plain name`},
		{"this folder", named("."), `system "." cannot name a folder; use a plain name`},
		{"folder above", named(".."), `system ".." cannot name a folder; use a plain name`},
		{"out of the bundle", named("../../x"), `system "../../x" cannot name a folder; use a plain name`},
		{"folder in a folder", named("x/y"), `system "x/y" cannot name a folder; use a plain name`},
		{"root", named("/x"), `system "/x" cannot name a folder; use a plain name`},
		{"backslash", named(`x\y`), `system "x\\y" cannot name a folder; use a plain name`},
		{"drive", named("C:"), `system "C:" cannot name a folder; use a plain name`},
		{"device of Windows", named("nul", "Com1.x"), `system "nul" cannot name a folder: Windows keeps that name for a device, so that a repository with it could not be checked out there; use another name` + "\n" +
			`system "Com1.x" cannot name a folder: Windows keeps that name for a device, so that a repository with it could not be checked out there; use another name`},
		{"dot at the end", named("..."), `system "..." cannot name a folder: Windows takes no name that ends in a dot or a blank, so that a repository with it could not be checked out there; use another name`},
		{"one name twice", named("b", "b", "a/"), `two systems are named "b"; a folder can hold one` + "\n" + `system "a/" cannot name a folder; use a plain name`},
		{"names that differ in case", named("Mine", "mine", "MINE"), `systems "Mine" and "mine" would share a folder on Windows and macOS, where case does not tell names apart; use another name` + "\n" +
			`systems "Mine" and "MINE" would share a folder on Windows and macOS, where case does not tell names apart; use another name`},
		{"qrels", trec(), "a bundle of TREC qrels has no stores and cannot be saved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			assert.EqualError(t, tt.bundle.WriteDir(dir), tt.want)
			assert.Empty(t, treeOf(t, dir), "nothing is written")
		})
	}
	for _, name := range []string{"D1", "é ü", ".hidden", "a.b", "console"} {
		t.Run("plain "+name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, named(name).WriteDir(dir))
			b, err := tiaptest.Open(dir)
			require.NoError(t, err)
			assert.True(t, slices.ContainsFunc(b.Systems, func(s *tiaptest.System) bool { return s.Name == name }))
		})
	}
}

// Two systems of which the file system makes one folder, here by a link, are refused
// before either is written.
func TestWriteDirOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	systems := filepath.Join(dir, "systems")
	require.NoError(t, os.MkdirAll(filepath.Join(systems, "B"), 0o777))
	if err := os.Symlink("B", filepath.Join(systems, "C")); err != nil {
		t.Skipf("no links: %v", err)
	}
	b := new(tiaptest.Bundle)
	for _, name := range []string{"A", "B", "C"} {
		b.AddSystem(name, "")
	}
	require.EqualError(t, b.WriteDir(dir), fmt.Sprintf(`systems "B" and "C" have one folder, %s; use another name`, filepath.Join(systems, "C")))
	entries, err := os.ReadDir(filepath.Join(systems, "B"))
	require.NoError(t, err)
	require.Empty(t, entries)
	require.NoFileExists(t, filepath.Join(dir, "scenario.json"))
	require.NoError(t, os.Remove(filepath.Join(systems, "C")))
	require.NoError(t, b.WriteDir(dir))
}

// A bundle that has a name of Windows' own can be read, and not written.
func TestOpenUnportable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such folders here")
	}
	for _, name := range []string{"nul", "com1", "D1.", "a?"} {
		dir := t.TempDir()
		b := tiny()
		b.AddSystem("D1", "").AddMemory("m1", "raw", "t1").AddRanking("q1", "m1")
		require.NoError(t, b.WriteDir(dir))
		require.NoError(t, os.Rename(filepath.Join(dir, "systems", "D1"), filepath.Join(dir, "systems", name)))
		read, err := tiaptest.Open(dir)
		require.NoError(t, err)
		assert.True(t, slices.ContainsFunc(read.Systems, func(s *tiaptest.System) bool { return s.Name == name }), name)
		_, err = tiaptest.Rescore(read, tiaptest.Resamples(100))
		require.NoError(t, err)
		assert.ErrorContains(t, read.WriteDir(t.TempDir()), "could not be checked out")
	}
}

func TestWriteDirFails(t *testing.T) {
	t.Parallel()
	t.Run("file in place of the folder", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		assert.ErrorContains(t, tiny().WriteDir(file), file)
	})
	t.Run("folder in place of a file", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "turns.jsonl", "x"), 0o777))
		assert.ErrorContains(t, tiny().WriteDir(dir), "turns.jsonl")
		for name := range treeOf(t, dir) {
			assert.NotContains(t, name, ".tiap-", "no temporary file stays")
		}
	})
	t.Run("read-only folder", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() == 0 {
			t.Skip("root writes everywhere")
		}
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o555))
		assert.ErrorIs(t, tiny().WriteDir(dir), fs.ErrPermission)
		assert.Empty(t, treeOf(t, dir))
	})
	t.Run("settings that are no JSON", func(t *testing.T) {
		t.Parallel()
		b := tiny()
		b.Systems[0].Config = json.RawMessage("{seed:1}")
		assert.ErrorContains(t, b.WriteDir(t.TempDir()), "systems/a/system.json: ")
	})
}

// Mistakes of the building methods are kept, and reported together.
func TestBuildingMistakes(t *testing.T) {
	t.Parallel()
	b := &tiaptest.Bundle{}
	b.AddTurn("t1", "Anna moved to Lisbon.").AddTurn("t2", "Ben moved, too.").AddTurn("t1", "Again.").AddTurn("", "No id.")
	b.AddQuery("q1", "Where is Anna?", "Porto", "moved", "Anna", "").AddQuery("", "No id", "Ben")
	s := b.AddSystem("a", "").AddMemory("m1", "raw", "t1")
	s.AddRanking("q1", "m1").AddRanking("q1", "m1").AddRanking("q2", "m1", "m1").AddRanking("", "m1").AddRanking("q3", "m1", "")
	want := `two turns have the id "t1"; give every turn an id of its own
a turn has no id; name it
query "q1": no turn contains the gold phrase "Porto"; quote it from a turn
query "q1": the turns t1, t2 contain the gold phrase "moved"; quote more of the turn
query "q1": no turn contains the gold phrase ""; quote it from a turn
a query has no id; name it
system a: query "q1" has two rankings in one run; keep one ranking of each query in a run; further ingests have runs of their own
system a: query "q2": id "m1" stands at ranks 1 and 2; rank every id once
system a: a ranking without a query id; name the query
system a: query "q3": the id of rank 2 is empty; give every ranked item the id that it has in the store`
	_, err := tiaptest.Rescore(b)
	assert.EqualError(t, err, want)
	dir := t.TempDir()
	assert.EqualError(t, b.WriteDir(dir), want)
	assert.Empty(t, treeOf(t, dir))

	early := &tiaptest.Bundle{}
	early.AddQuery("q1", "Where is Anna?", "Lisbon").AddTurn("t1", "Anna moved to Lisbon.")
	assert.EqualError(t, early.WriteDir(dir), `query "q1": no turn contains the gold phrase "Lisbon"; there are no turns yet: add them before the queries`)
}

// What Open would refuse is not written, and not rescored.
func TestScenarioMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, spoil := range map[string]func(*tiaptest.Scenario){
		`two turns have the id "t1"; give every turn an id of its own`: func(s *tiaptest.Scenario) {
			s.Turns = append(s.Turns, tiaptest.Turn{ID: "t1"})
		},
		"a turn has no id; name it": func(s *tiaptest.Scenario) { s.Turns = append(s.Turns, tiaptest.Turn{}) },
		`two queries have the id "q1"; give every query an id of its own`: func(s *tiaptest.Scenario) {
			s.Queries = append(s.Queries, tiaptest.Query{ID: "q1", Evidence: s.Queries[0].Evidence})
		},
		`query "q2" has an evidence unit without turns; name its turns, or leave the unit out`: func(s *tiaptest.Scenario) {
			s.Queries = append(s.Queries, tiaptest.Query{ID: "q2", Evidence: []tiaptest.Unit{{ID: "u"}}})
		},
	} {
		b := &tiaptest.Bundle{}
		b.AddTurn("t1", "Anna moved to Lisbon.").AddQuery("q1", "Where is Anna?", "Lisbon")
		b.AddSystem("a", "").AddMemory("m1", "raw", "t1").AddRanking("q1", "m1")
		_, err := tiaptest.Rescore(b)
		require.NoError(t, err)
		spoil(&b.Scenario)
		_, err = tiaptest.Rescore(b)
		assert.EqualError(t, err, want)
		assert.EqualError(t, b.WriteDir(dir), want)
		assert.Empty(t, treeOf(t, dir))
	}
}

// Faults of data built field by field name the system, and come with those of
// the building methods and of options.
func TestFaultsWithoutFiles(t *testing.T) {
	t.Parallel()
	b := &tiaptest.Bundle{}
	b.AddTurn("t1", "Hello").AddTurn("t1", "Hello")
	b.AddQuery("q1", "", "Hello!").AddQuery("q1", "")
	b.AddSystem("a", "").AddMemory("m1", "raw", "t1").AddMemory("m1", "", "t1").AddRanking("q1", "m1")
	b.AddSystem("b", "").AddRanking("q1", "m1")
	c := b.AddSystem("c", "").AddMemory("m1", "fact")
	c.Ingests = append(c.Ingests, &tiaptest.Ingest{Memories: []tiaptest.Memory{{ID: "m1", Form: "fact", Parents: []string{"m1"}}}})
	_, err := tiaptest.Rescore(b, tiaptest.Depth(0), tiaptest.Headline(tiaptest.Exact(tiaptest.Raw)))
	assert.EqualError(t, err, `two turns have the id "t1"; give every turn an id of its own
query "q1": no turn contains the gold phrase "Hello!"; quote it from a turn
two queries have the id "q1"; give every query an id of its own
no query has usable evidence; add evidence to the queries
system a: memory "m1" has no form; add "form": "raw" for an original turn, else what the memory is
system a: memory "m1" stands twice in the store; give every memory an id of its own
system b: the store is empty; a system needs at least one memory
system c, ingest 2: lineage cycle: m1 -> m1; remove one of these parents; a memory cannot descend from itself
the headline target exact(raw) is not among the targets raw,source,canonical; add it or declare one of them
depth 0: it must lie between 1 and 1073741824`)
}

// An error of Run.Add leaves the run as it was.
func TestRunAdd(t *testing.T) {
	t.Parallel()
	var run tiaptest.Run
	require.NoError(t, run.Add(tiaptest.Ranking{Query: "q1", IDs: []string{"m1"}}))
	for _, tt := range []struct {
		want    string
		ranking tiaptest.Ranking
	}{
		{"a ranking without a query id; name the query", tiaptest.Ranking{IDs: []string{"m1"}}},
		{`query "q1" has two rankings in one run; keep one ranking of each query in a run; further ingests have runs of their own`, tiaptest.Ranking{Query: "q1"}},
		{`query "q2" has both a ranking and lists; keep one of them`, tiaptest.Ranking{Query: "q2", IDs: []string{"m1"}, Lists: []tiaptest.List{{Name: "x"}}}},
		{`query "q2" has 1 ids and 2 scores; give one score for every id, or leave scores out`, tiaptest.Ranking{Query: "q2", IDs: []string{"m1"}, Scores: []float64{1, 2}}},
		{`query "q2": the score of rank 2 is NaN; give numbers, or leave scores out`, tiaptest.Ranking{Query: "q2", IDs: []string{"m1", "m2"}, Scores: []float64{1, math.NaN()}}},
		{`query "q2": k is -1; k is how many ids were asked for`, tiaptest.Ranking{Query: "q2", K: -1}},
		{`query "q2": id "m1" stands at ranks 1 and 2; rank every id once`, tiaptest.Ranking{Query: "q2", IDs: []string{"m1", "m1"}}},
		{`query "q2": the id of rank 2 is empty; give every ranked item the id that it has in the store`, tiaptest.Ranking{Query: "q2", Lists: []tiaptest.List{{Name: "x", IDs: []string{"m1", ""}}}}},
		{`query "q2" has two lists named "x"; give every list a name of its own`, tiaptest.Ranking{Query: "q2", Lists: []tiaptest.List{{Name: "x"}, {Name: "y"}, {Name: "x"}}}},
	} {
		assert.EqualError(t, run.Add(tt.ranking), tt.want)
		assert.Equal(t, 1, run.Len())
	}
	require.NoError(t, run.Add(tiaptest.Ranking{Query: "q2", Lists: []tiaptest.List{{Name: "y", IDs: []string{"m2", "m1"}}, {Name: "x", IDs: []string{"m1"}}}}))
	got, ok := run.Ranking("q2")
	assert.True(t, ok)
	assert.Equal(t, tiaptest.Ranking{Query: "q2", Lists: []tiaptest.List{{Name: "x", IDs: []string{"m1"}}, {Name: "y", IDs: []string{"m2", "m1"}}}}, got)
	_, ok = run.Ranking("q3")
	assert.False(t, ok)
}
