package tiaptest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What looks odd in a run and changes no number is noticed.
func TestOddRankings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		k    Ranking
		want string // the note; empty for none
	}{
		{"descending scores", Ranking{IDs: []string{"a", "b", "c"}, Scores: []float64{3, 2, 1}}, ""},
		{"ascending scores", Ranking{IDs: []string{"a", "b", "c"}, Scores: []float64{0.1, 0.1, 0.7}}, "1 ranking has scores that ascend, as distances do; its order is kept: q"},
		{"mixed scores", Ranking{IDs: []string{"a", "b", "c"}, Scores: []float64{1, 3, 2}}, ""},
		{"equal scores", Ranking{IDs: []string{"a", "b"}, Scores: []float64{1, 1}}, ""},
		{"one score", Ranking{IDs: []string{"a"}, Scores: []float64{1}}, ""},
		{"no scores", Ranking{IDs: []string{"a", "b"}}, ""},
		{"more ids than k", Ranking{IDs: []string{"a", "b", "c"}, K: 2}, "1 ranking has more ids than the k that it states: q"},
		{"as many ids as k", Ranking{IDs: []string{"a", "b"}, K: 2}, ""},
		{"lists of k ids each", Ranking{Lists: []List{{Name: "x", IDs: []string{"a", "b"}}, {Name: "y", IDs: []string{"c"}}}, K: 2}, ""},
	} {
		b := timed("")
		s := b.Systems[0]
		s.Ingests[0] = &Ingest{}
		for _, id := range []string{"a", "b", "c"} {
			s.AddMemory(id, "fact", "t")
		}
		c.k.Query = "q"
		require.NoError(t, s.Ingests[0].Run.Add(c.k), c.name)
		a, err := Rescore(b, Targets(Source), Depth(1))
		require.NoError(t, err, c.name)
		var notes []string
		for _, d := range a.report().Diagnostics {
			notes = append(notes, d.Text)
		}
		if c.want == "" {
			assert.Empty(t, notes, c.name)
		} else {
			assert.Equal(t, []string{c.want}, notes, c.name)
		}
	}
}

func TestUnitIDs(t *testing.T) {
	t.Parallel()
	b := timed("", Memory{ID: "m"})
	b.Scenario.Queries[0].Evidence = []Unit{{ID: "u", Turns: []string{"t"}}, {ID: "v", Turns: []string{"t2"}}, {Turns: []string{"t3"}}, {Turns: []string{"t4"}}}
	_, err := Rescore(b)
	require.NoError(t, err)
	b.Scenario.Queries[0].Evidence[1].ID = "u"
	_, err = Rescore(b)
	assert.EqualError(t, err, `query "q" has two evidence units with the id "u"; give every unit an id of its own, or none`)
}

func TestGoldIsQuoted(t *testing.T) {
	t.Parallel()
	b := new(Bundle).AddTurn("t1", "We have bees now.").AddQuery("q", "What do we have?", "t1")
	b.AddSystem("s", "").AddMemory("m", "raw", "t1").AddRanking("q", "m")
	_, err := Rescore(b)
	assert.ErrorContains(t, err, `query "q": no turn contains the gold phrase "t1"; that is the id of a turn: quote its text, or append a Query with this evidence to Scenario.Queries`)
}

// besideStore is a bundle whose store holds a to d and whose run ranks, beside b and c
// of these, x and y.
func besideStore(t *testing.T, run string) *Bundle {
	t.Helper()
	b, err := OpenFS(fstest.MapFS{
		"queries.jsonl": {Data: []byte(`{"id":"q","evidence":["t"]}` + "\n" + `{"id":"r","evidence":["t"]}` + "\n")},
		"store.jsonl": {Data: []byte(`{"id":"a","form":"raw","sources":["t"]}` + "\n" + `{"id":"b","form":"raw","sources":["t"]}` + "\n" +
			`{"id":"c","form":"raw","sources":["t"]}` + "\n" + `{"id":"d","form":"raw","sources":["t"]}` + "\n")},
		"run.jsonl": {Data: []byte(run)},
	})
	require.NoError(t, err)
	return b
}

// What a run ranks is told from what its store holds, also when that is changed later.
func TestRunBesideStore(t *testing.T) {
	t.Parallel()
	const run = `{"query":"q","ranking":["x","b","y"]}` + "\n" + `{"query":"r","ranking":["c","x"]}` + "\n"
	const two = "2 ranked ids are not in its store; they descend from nothing"
	const three = "3 ranked ids are not in its store; they descend from nothing"
	for _, test := range []struct {
		name   string
		change func(in *Ingest)
		want   string
	}{
		{"as read", func(*Ingest) {}, two},
		{"without what is not ranked", func(in *Ingest) { in.Memories = in.Memories[1:] }, two},
		{"without what is ranked", func(in *Ingest) { in.Memories = slices.Delete(in.Memories, 1, 2) }, three},
		{"in another order", func(in *Ingest) { slices.Reverse(in.Memories) }, two},
		{"renamed to what is ranked", func(in *Ingest) { in.Memories[0].ID = "x" }, "1 ranked id is not in its store; it descends from nothing"},
		{"renamed to what is not", func(in *Ingest) { in.Memories[2].ID = "z" }, three},
		{"with one more", func(in *Ingest) { in.Memories = append(in.Memories, Memory{ID: "e", Form: "raw"}) }, two},
		{"with a ranking more", func(in *Ingest) {
			in.Memories = append(in.Memories, Memory{ID: "e", Form: "raw"})
			in.Run.rows = slices.Clip(in.Run.rows[:1])
			require.NoError(t, in.Run.Add(Ranking{Query: "r", IDs: []string{"e", "v", "c"}}))
		}, three},
	} {
		b := besideStore(t, run)
		in := b.Systems[0].Ingests[0]
		test.change(in)
		a, err := Rescore(b, Targets(Source), Depth(1))
		require.NoError(t, err, test.name)
		var notes []string
		for _, d := range a.report().Diagnostics {
			notes = append(notes, d.Text)
		}
		assert.Contains(t, notes, test.want, test.name)
		ranking, ok := in.Run.Ranking("q")
		require.True(t, ok, test.name)
		assert.Equal(t, []string{"x", "b", "y"}, ranking.IDs, test.name)
	}
}

// Nothing that is ranked is in the store, or judged. The first id of the file is named.
func TestDisjointIDs(t *testing.T) {
	t.Parallel()
	_, err := Rescore(besideStore(t, `{"query":"q","ranking":[]}`+"\n"+`{"query":"r","ranking":["y","x"]}`+"\n"))
	assert.ErrorContains(t, err, `not one of the 2 ids of the run is in the store ("y" against "a")`)
	b := besideStore(t, `{"query":"q","ranking":["b"]}`+"\n")
	b.Systems[0].Ingests[0].Memories = b.Systems[0].Ingests[0].Memories[2:]
	_, err = Rescore(b)
	assert.ErrorContains(t, err, `not one of the 1 ids of the run is in the store ("b" against "c")`)
	_, err = Rescore(judged(t, "q Q0 x 1 1 run\nq Q0 y 2 2 run\n"))
	assert.ErrorContains(t, err, `not one of the 2 ids of the run is among the judged ids ("x" against "a")`)
}

// judged is a bundle of TREC files that judge a, for each of two queries.
func judged(t *testing.T, run string) *Bundle {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	b, err := TREC{
		Qrels: map[string]string{"raw": put("qrels", "q 0 a 1\nr 0 a 1\n")},
		Runs:  map[string]string{"s": put("run", run)},
	}.Open()
	require.NoError(t, err)
	return b
}

// What a run ranks nowhere counts as nothing where ids are judged either: ids of the store
// that it was read with, and of a copy that went on.
func TestJudgedIDs(t *testing.T) {
	t.Parallel()
	notes := func(b *Bundle) (texts []string) {
		a, err := Rescore(b)
		require.NoError(t, err)
		for _, d := range a.report().Diagnostics {
			texts = append(texts, d.Text)
		}
		return texts
	}
	const plain = "q Q0 a 1 1 run\nr Q0 a 1 1 run\n"
	b := judged(t, plain)
	none := notes(b)
	b.Systems[0].Ingests[0].Run = besideStore(t, `{"query":"q","ranking":["a"]}`+"\n"+`{"query":"r","ranking":["a"]}`+"\n").Systems[0].Ingests[0].Run
	assert.Equal(t, none, notes(b))

	b.Systems[0].Ingests[0].Run = besideStore(t, `{"query":"q","ranking":["b"]}`+"\n"+`{"query":"r","ranking":["c"]}`+"\n").Systems[0].Ingests[0].Run
	_, err := Rescore(b)
	assert.ErrorContains(t, err, `not one of the 2 ids of the run is among the judged ids ("b" against "a")`)

	b = judged(t, plain)
	other := b.Systems[0].Ingests[0].Run
	require.NoError(t, other.Add(Ranking{Query: "s", IDs: []string{"x"}}))
	assert.Equal(t, none, notes(b))

	var empty Run
	require.NoError(t, empty.Add(Ranking{Query: "q"}))
	other = empty
	require.NoError(t, other.Add(Ranking{Query: "r", IDs: []string{"x"}}))
	b.Systems[0].Ingests[0].Run = empty
	assert.NotContains(t, strings.Join(notes(b), "\n"), "not judged")
}
