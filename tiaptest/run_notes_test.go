package tiaptest

import (
	"testing"

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
