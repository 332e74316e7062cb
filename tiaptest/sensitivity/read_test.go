package sensitivity_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

func TestReadScores(t *testing.T) {
	t.Parallel()
	text := "\ufeff" + `{"system":"A","target":"raw","query":"q1","metric":"hit","value":1,"family":"f","category":"c","size":2,"else":[1]}` + "\r\n\n" +
		`{"system":"A","target":"source","query_id":"q1","metric":"hit","value":0.5,"size":5}` + "\n" +
		`{"system":"A","target":"raw","query":"q2","metric":"hit","value":null}` + "\n" +
		`{"system":"A","target":"source","query":"q2","metric":"hit"}`
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for name, content := range map[string]string{"scores.jsonl": text, "scores.jsonl.gz": zipped.String()} {
		var table sensitivity.Table
		require.NoError(t, table.ReadScores(name, strings.NewReader(content)))
		r := analyze(t, &table)
		assert.Equal(t, 2, r.Queries)
		require.Len(t, r.Changes, 2)
		assert.Equal(t, "c", r.Changes[1].Category)
		assert.Equal(t, 1, r.Changes[0].N)
		near(t, -0.5, r.Changes[0].MeanShift)
		require.Len(t, r.SizeShifts, 1)
		assert.Equal(t, 1, r.SizeShifts[0].Bins[4].N)
	}
}

func TestReadScoresRefuses(t *testing.T) {
	t.Parallel()
	good := `{"system":"A","target":"raw","query":"q","metric":"hit","value":1}` + "\n"
	for name, test := range map[string]struct{ text, want string }{
		"empty":           {"\n\n", "f.jsonl: the file is empty"},
		"no value at all": {`{"system":"A","target":"raw","query":"q","metric":"hit","score":1}`, `f.jsonl: not one line has a "value"`},
		"a size beside":   {`{"system":"A","target":"raw","query":"q","metric":"hit","size":1}`, `f.jsonl: not one line has a "value"`},
		"not JSON":        {good + "nonsense\n", "f.jsonl:2:"},
		"wrong type":      {good + `{"system":"A","target":"raw","query":"p","metric":"hit","value":"1"}`, "f.jsonl:2:"},
		"cut off":         {good + `{"system":"A",`, "f.jsonl:2:"},
		"two ids":         {good + `{"system":"A","target":"raw","query":"p","query_id":"r","metric":"hit","value":1}`, `f.jsonl:2: the line has two query ids, "p" and "r"`},
		"twice":           {good + good, "f.jsonl:2: hit of query \"q\" under raw in system \"A\" stands twice"},
		"no system":       {good + `{"target":"raw","query":"p","metric":"hit","value":1}`, `f.jsonl:2: the score has no "system"`},
		"fraction":        {good + `{"system":"A","target":"raw","query":"p","metric":"hit","value":1,"size":1.5}`, "f.jsonl:2:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var table sensitivity.Table
			require.ErrorContains(t, table.ReadScores("f.jsonl", strings.NewReader(test.text)), test.want)
		})
	}
	var table sensitivity.Table
	require.EqualError(t, table.ReadScores("f.jsonl", strings.NewReader(good+`{"system":"A","target":"raw","query":"p","query_id":"r","metric":"hit","value":1}`)),
		`f.jsonl:2: the line has two query ids, "p" and "r"; keep one of them`)
	require.ErrorContains(t, table.ReadScores("f.gz", strings.NewReader("plain")), "f.gz:")
}

func TestReadAnswers(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "hit", "1 0 1"})
	require.NoError(t, table.ReadAnswers("answers.jsonl", strings.NewReader(
		`{"query":"q0","system":"A","f1":0.5,"correct":true}`+"\n"+
			`{"query_id":"q1","system":"A","correct":false}`+"\n"+
			`{"query":"elsewhere","system":"A","f1":0.25}`+"\n")))
	r := analyze(t, table)
	require.Len(t, r.Alignment, 2)
	assert.Equal(t, "correct", r.Alignment[0].Answer)
	assert.Equal(t, 2, r.Alignment[0].Targets[0].N)
	near(t, 1, r.Alignment[0].Targets[0].Lift.Value)
	assert.Equal(t, 1, r.Alignment[1].Targets[0].N)
}

func TestReadAnswersRefuses(t *testing.T) {
	t.Parallel()
	good := `{"query":"q","system":"A","f1":1}` + "\n"
	for name, test := range map[string]struct{ text, want string }{
		"empty":      {"", "a.jsonl: the file is empty"},
		"no quality": {good + `{"query":"p","system":"A","F1":1}`, "a.jsonl:2: the answer of system \"A\" to query \"p\" has no quality"},
		"wrong type": {good + `{"query":"p","system":"A","correct":"yes"}`, "a.jsonl:2:"},
		"percentage": {good + `{"query":"p","system":"A","f1":50}`, "has f1 50"},
		"twice":      {good + good, "a.jsonl:2: the answer of system \"A\" to query \"q\" stands twice"},
		"two ids":    {good + `{"query":"p","query_id":"r","system":"A","f1":1}`, "a.jsonl:2: the line has two query ids"},
		"no query":   {good + `{"system":"A","f1":1}`, "a.jsonl:2:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var table sensitivity.Table
			require.ErrorContains(t, table.ReadAnswers("a.jsonl", strings.NewReader(test.text)), test.want)
		})
	}
}

// Whatever a file holds, reading and analyzing it does not panic, and no number
// is NaN or infinite: JSON has none.
func FuzzReadScores(f *testing.F) {
	f.Add(`{"system":"A","target":"raw","query":"q","metric":"hit@5","value":1,"size":1}`, `{"query":"q","system":"A","f1":0.5,"correct":true}`)
	f.Add(`{"system":"A","target":"raw","query":"q","metric":"hit","value":0}
{"system":"A","target":"source","query":"q","metric":"hit","value":1e-300,"size":9}
{"system":"B","target":"raw","query":"q","metric":"hit","value":1e-300}`, `{"query":"q","system":"B","f1":1}`)
	f.Add("{}", "{")
	f.Fuzz(func(t *testing.T, scores, answers string) {
		var table sensitivity.Table
		_ = table.ReadScores("s.jsonl", strings.NewReader(scores))
		_ = table.ReadAnswers("a.jsonl", strings.NewReader(answers))
		r, err := sensitivity.Analyze(&table)
		if err != nil {
			return
		}
		text, err := json.Marshal(r)
		require.NoError(t, err)
		require.True(t, json.Valid(text))
		var b strings.Builder
		require.NoError(t, r.WriteText(&b))
		require.NotContains(t, b.String(), "NaN")
		require.NotContains(t, b.String(), "Inf")
	})
}

// Sizes may come in a file of their own, before or after the scores.
func TestReadScoresOfSizesAlone(t *testing.T) {
	t.Parallel()
	table := tableOf(t, row{"A", "raw", "hit", "0"}, row{"A", "source", "hit", "1"})
	require.NoError(t, table.ReadScores("sizes.jsonl", strings.NewReader(
		`{"system":"A","target":"raw","query":"q0","size":1}`+"\n"+`{"system":"A","target":"source","query":"q0","size":3}`)))
	s := analyze(t, table).SizeShifts
	require.Len(t, s, 1)
	assert.Equal(t, 1, s[0].Bins[3].N)
}
