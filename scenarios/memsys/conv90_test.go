package memsys_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// conv90 is the little conversation that the exports in testdata are of, as LoCoMo
// has it: eight turns, four questions about them and one about nothing.
func conv90() *tiaptest.Scenario {
	const march, april = "2031-03-12T09:05:00", "2031-04-02T19:40:00"
	turn := func(id, speaker, time, text string) tiaptest.Turn {
		session := "conv-90/session_" + id[1:2]
		return tiaptest.Turn{ID: "conv-90/" + id, Session: session, Speaker: speaker, Time: time, Text: text}
	}
	query := func(id, text string, turns ...string) tiaptest.Query {
		q := tiaptest.Query{ID: "conv-90/" + id, Scope: "conv-90", Text: text}
		for _, t := range turns {
			q.Evidence = append(q.Evidence, tiaptest.Unit{Turns: []string{"conv-90/" + t}})
		}
		return q
	}
	return &tiaptest.Scenario{
		Name: "locomo", Unit: "dialogue turn", Headline: "canonical",
		Turns: []tiaptest.Turn{
			turn("D1:1", "Ada", march, "Morning, Ben!"),
			turn("D1:2", "Ben", march, "Morning. I finished the oak shelves."),
			turn("D1:3", "Ada", march, "I planted the pear tree yesterday."),
			turn("D1:4", "Ben", march, "Good. I keep three hives now."),
			turn("D2:1", "Ben", april, "The beans are up."),
			turn("D2:2", "Ada", april, "And you have four hives now, I hear?"),
			turn("D2:3", "Ben", april, "Yes, and one more shelf."),
			turn("D2:4", "Ada", april, "The green cart stands in the barn, and the fair is on Sunday."),
		},
		Queries: []tiaptest.Query{
			query("qa0", "When did Ada plant the pear tree?", "D1:3"),
			query("qa1", "How many hives does Ben keep?", "D1:4", "D2:2"),
			query("qa2", "What do Ada and Ben both grow?", "D1:3", "D2:1"),
			query("qa3", "Which shelves did Ben build?", "D1:2", "D2:3"),
			query("qa4", "What did the letter say?", "D2:4"),
		},
	}
}

// readFunc is the function of a format.
type readFunc func(*tiaptest.Scenario, memsys.Files) (*memsys.Import, error)

// export is an export to be written: names of files with their contents, and which
// file is what.
type export struct {
	content       map[string]string
	store, search []string
	history, log  string
}

// files writes the files of an export and names them.
func (e export) files(tb testing.TB) memsys.Files {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range e.content {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(tb, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(tb, os.WriteFile(file, []byte(content), 0o666))
	}
	in := func(names []string) (out []string) {
		for _, name := range names {
			out = append(out, filepath.Join(dir, name))
		}
		return out
	}
	f := memsys.Files{Store: in(e.store), Search: in(e.search)}
	if e.history != "" {
		f.History = filepath.Join(dir, e.history)
	}
	if e.log != "" {
		f.Log = filepath.Join(dir, e.log)
	}
	return f
}

// with returns the export with a file replaced.
func (e export) with(name, content string) export {
	files := map[string]string{name: content}
	for n, c := range e.content {
		if n != name {
			files[n] = c
		}
	}
	e.content = files
	return e
}

// testdata reads files of testdata as an export's content.
func testdata(tb testing.TB, names ...string) map[string]string {
	tb.Helper()
	content := make(map[string]string)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		require.NoError(tb, err)
		content[name] = string(text)
	}
	return content
}

// rankings are those of the first ingest.
func rankings(s *tiaptest.System) []tiaptest.Ranking {
	return slices.Collect(s.Ingests[0].Run.All())
}

// counts are the notes by kind.
func counts(notes []scenarios.Note) map[string]int {
	out := make(map[string]int)
	for _, n := range notes {
		out[n.Kind] = n.Count
	}
	return out
}

// same fails the test unless got is want.
func same[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// audits rescores a system with the little conversation, under options too.
func audits(t *testing.T, s *tiaptest.System, opts ...tiaptest.Option) *tiaptest.Audit {
	t.Helper()
	b := &tiaptest.Bundle{Scenario: *conv90(), Systems: []*tiaptest.System{s}}
	opts = append([]tiaptest.Option{tiaptest.Targets(tiaptest.Raw, tiaptest.Source, tiaptest.Canonical), tiaptest.Depth(10)}, opts...)
	a, err := tiaptest.Rescore(b, opts...)
	require.NoError(t, err)
	return a
}

// perQuery are the recalls of a system by query, over those that a target covers.
func perQuery(t *testing.T, a *tiaptest.Audit, s *tiaptest.System, target tiaptest.Target) map[string]float64 {
	t.Helper()
	got, err := a.PerQuery(s.Name, target, tiaptest.Recall(10))
	require.NoError(t, err)
	return got
}

// refuses checks that an export is an error that says all of the words.
func refuses(t *testing.T, read readFunc, e export, words ...string) {
	t.Helper()
	in, err := read(conv90(), e.files(t))
	require.Error(t, err)
	require.Nil(t, in)
	for _, w := range words {
		require.ErrorContains(t, err, w)
	}
}

// cutShort reads an export with each of its files cut off at every 97th byte: that
// is an error, or gives no more than the whole one.
func cutShort(t *testing.T, read readFunc, e export) {
	t.Helper()
	whole, err := read(conv90(), e.files(t))
	require.NoError(t, err)
	for name, content := range e.content {
		for n := 0; n < len(content); n += 97 {
			cut, err := read(conv90(), e.with(name, content[:n]).files(t))
			if err != nil {
				require.NotContains(t, err.Error(), "\n\n")
				continue
			}
			part(t, whole.System, cut.System)
			for line := range strings.Lines(content[:n]) {
				require.True(t, json.Valid([]byte(line)) || json.Valid([]byte(content[:n])), "%s is cut off within a value, and is read: %s", name, content[:n])
			}
		}
	}
}

// part checks that every memory and ranking of a system is one of the whole.
func part(t *testing.T, whole, cut *tiaptest.System) {
	t.Helper()
	byID := make(map[string]tiaptest.Memory)
	for _, m := range whole.Ingests[0].Memories {
		byID[m.ID] = m
	}
	for _, m := range cut.Ingests[0].Memories {
		require.Contains(t, byID, m.ID)
		require.Equal(t, byID[m.ID].Text, m.Text)
	}
	for _, k := range rankings(cut) {
		want, ok := whole.Ingests[0].Run.Ranking(k.Query)
		require.True(t, ok)
		require.Equal(t, want, k)
	}
}

// never checks what holds of every export: a system or an error, not both, and a
// system can be audited, if it has a run and the run is of its store.
func never(t *testing.T, in *memsys.Import, err error) {
	t.Helper()
	if err != nil {
		require.Nil(t, in)
		return
	}
	b := &tiaptest.Bundle{Scenario: *conv90(), Systems: []*tiaptest.System{in.System}}
	_, err = tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Raw, tiaptest.Source, tiaptest.Canonical), tiaptest.Resamples(100))
	switch {
	case err == nil, strings.Contains(err.Error(), "ids of the run is in the store"), strings.Contains(err.Error(), "the run has no ranking"):
	default:
		t.Fatalf("the import cannot be audited: %v", err)
	}
}

// checks what an export becomes.
func checks(t *testing.T, read readFunc, e export, memories []tiaptest.Memory, ranks []tiaptest.Ranking, notes map[string]int) {
	t.Helper()
	in, err := read(conv90(), e.files(t))
	require.NoError(t, err)
	same(t, memories, in.System.Ingests[0].Memories)
	same(t, ranks, rankings(in.System))
	same(t, notes, counts(in.Notes))
	require.NotEmpty(t, in.System.Unit)
	require.NotEmpty(t, in.System.Lineage)
	for _, m := range memories {
		require.NotEmpty(t, in.System.Forms[m.Form], "the system says what form %s is", m.Form)
	}
}

func exactly(turns ...string) (out []tiaptest.Link) {
	for _, turn := range turns {
		out = append(out, tiaptest.Link{Turn: "conv-90/" + turn})
	}
	return out
}

func asBatch(turns ...string) (out []tiaptest.Link) {
	for _, turn := range turns {
		out = append(out, tiaptest.Link{Turn: "conv-90/" + turn, Precision: "batch"})
	}
	return out
}

func asContainer(turns ...string) (out []tiaptest.Link) {
	for _, turn := range turns {
		out = append(out, tiaptest.Link{Turn: "conv-90/" + turn, Precision: "container"})
	}
	return out
}

// one is an export of one stored item and one answer, to be read by formats that
// have no files of their own kind.
func one(store, result string) export {
	return export{
		content: map[string]string{"store.json": store, "search.jsonl": `{"query":"conv-90/qa0","result":` + result + `}`},
		store:   []string{"store.json"}, search: []string{"search.jsonl"},
	}
}
