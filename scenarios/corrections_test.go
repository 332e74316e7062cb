package scenarios_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

const correction = `{"query":"conv-90/qa0","evidence":["conv-90/D2:1",{"id":"either","turns":["conv-90/D1:1","conv-90/D1:2"]}],"reason":"it is said there"}
`

func digest(t *testing.T, file string) string {
	t.Helper()
	sum := sha256.Sum256(read(t, file))
	return hex.EncodeToString(sum[:])
}

func TestCorrections(t *testing.T) {
	t.Parallel()
	plain, err := scenarios.LoCoMo(locomoSample)
	require.NoError(t, err)
	file := textFile(t, "mend.jsonl", correction+"\n"+`{"query":"conv-90/qa1","evidence":[],"reason":"nowhere"}`+"\n")
	b, err := scenarios.LoCoMo(locomoSample, scenarios.Corrections(file))
	require.NoError(t, err)

	want := plain.Scenario
	want.Queries = append([]tiaptest.Query(nil), want.Queries...)
	want.Queries[0].Evidence = []tiaptest.Unit{{Turns: []string{"conv-90/D2:1"}}, {ID: "either", Turns: []string{"conv-90/D1:1", "conv-90/D1:2"}}}
	want.Queries[1].Evidence = []tiaptest.Unit{}
	assert.Empty(t, cmp.Diff(want, b.Scenario))
	assert.Equal(t, plain.Summary.Units+1-2, b.Summary.Units)
	assert.Equal(t, plain.Summary.Scorable-1, b.Summary.Scorable)
	assert.Equal(t, 2, b.Summary.Count("evidence corrected"))
	assert.Equal(t, 0, b.Summary.Count("correction without effect"))
	assert.Equal(t, []string{plain.Summary.Rules[0], "evidence of 2 queries corrected by mend.jsonl (SHA-256 " + digest(t, file) + ")"}, b.Summary.Rules)
	assert.Equal(t, plain.Summary.SHA256, b.Summary.SHA256, "the benchmark is the same")
	for _, n := range b.Summary.Notes {
		if n.Kind == "evidence corrected" {
			assert.Equal(t, file+":1", n.First)
		}
	}
}

// The frame corrects every benchmark, whether it is held or written.
func TestCorrectionsOfEveryBenchmark(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ src, correction string }{
		"locomo": {locomoSample, correction},
		"beam":   {"testdata/beam", `{"query":"100K/1/summarization/0","evidence":["100K/1/m0"],"reason":"there was none"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := textFile(t, "mend.jsonl", test.correction)
			dir := filepath.Join(t.TempDir(), "bundle")
			summary, err := scenarios.Import(t.Context(), name, test.src, dir, scenarios.Corrections(file))
			require.NoError(t, err)
			assert.Equal(t, 1, summary.Count("evidence corrected"))
			assert.Contains(t, strings.Join(summary.Rules, "\n"), "evidence of 1 query corrected by mend.jsonl (SHA-256 "+digest(t, file)+")")
			s, err := tiaptest.OpenScenario(dir)
			require.NoError(t, err)
			units := 0
			for _, q := range s.Queries {
				units += len(q.Evidence)
			}
			assert.Equal(t, summary.Units, units)
		})
	}
}

func TestCorrectionsNotes(t *testing.T) {
	t.Parallel()
	same := textFile(t, "mend.jsonl", `{"query":"conv-90/qa0","evidence":["conv-90/D1:3"],"reason":"it was right"}`)
	b, err := scenarios.LoCoMo(locomoSample, scenarios.Corrections(same))
	require.NoError(t, err)
	assert.Equal(t, 1, b.Summary.Count("correction without effect"))
	assert.Equal(t, 1, b.Summary.Count("evidence corrected"))

	packed := filepath.Join(t.TempDir(), "mend.jsonl.gz")
	f, err := os.Create(packed)
	require.NoError(t, err)
	w := gzip.NewWriter(f)
	_, err = w.Write([]byte(correction))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	b, err = scenarios.LoCoMo(locomoSample, scenarios.Corrections(packed))
	require.NoError(t, err)
	assert.Equal(t, 0, b.Summary.Count("correction without effect"))
	assert.Contains(t, b.Summary.Rules[1], digest(t, packed), "of the bytes on disk")
}

func TestCorrectionsErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`{"query":"conv-90/qa99","evidence":["conv-90/D1:1"],"reason":"r"}`, `:1: the benchmark has no query "conv-90/qa99"; remove the correction, or read the benchmark that it is for`},
		{"\n" + `{"query":"conv-90/qa0","evidence":["D1:1"],"reason":"r"}`, `:2: the evidence of query "conv-90/qa0" names turn "D1:1", which the benchmark does not have; name a turn by its id, as in turns.jsonl`},
		{`{"query":"conv-90/qa0","evidence":[{"turns":["conv-90/D1:1","x"]}],"reason":"r"}`, `:1: the evidence of query "conv-90/qa0" names turn "x", which`},
		{correction + correction, `:2: query "conv-90/qa0" is corrected twice (first in line 1); keep one of the two`},
		{`{"evidence":[],"reason":"r"}`, `:1: the correction has no "query"; name the query whose evidence it replaces`},
		{`{"query":"conv-90/qa0","reason":"r"}`, `:1: the correction of query "conv-90/qa0" has no "evidence"; list its turns; [] if it has none`},
		{`{"query":"conv-90/qa0","evidence":null,"reason":"r"}`, `:1: the correction of query "conv-90/qa0" has no "evidence"`},
		{`{"query":"conv-90/qa0","evidence":[]}`, `:1: the correction of query "conv-90/qa0" has no "reason"; say why the evidence of the benchmark is wrong`},
		{`{"query":"conv-90/qa0","evidence":[""],"reason":"r"}`, `:1: `},
		{`{"query":"conv-90/qa0","evidence":"conv-90/D1:1","reason":"r"}`, `:1: "evidence" is the string "conv-90/D1:1", not an array`},
		{`["conv-90/qa0"]`, `:1: the line is an array, not an object`},
		{correction[:40], `:1: `},
		{"\n", `: the file has no correction; write one a line, or leave the file out`},
	} {
		file := textFile(t, "mend.jsonl", test.text)
		b, err := scenarios.LoCoMo(locomoSample, scenarios.Corrections(file))
		assert.Nil(t, b)
		require.ErrorContains(t, err, file+test.want, test.text)
		dir := filepath.Join(t.TempDir(), "bundle")
		_, err = scenarios.Import(t.Context(), "locomo", locomoSample, dir, scenarios.Corrections(file))
		require.ErrorContains(t, err, file+test.want)
		assert.NoDirExists(t, dir)
	}
	_, err := scenarios.LoCoMo(locomoSample, scenarios.Corrections("testdata/absent.jsonl"))
	require.EqualError(t, err, "testdata/absent.jsonl: no such file or directory; name a file that can be read")
	_, err = scenarios.LoCoMo(locomoSample, scenarios.Corrections(""))
	require.ErrorContains(t, err, "name a file")
	file := textFile(t, "mend.jsonl", correction)
	_, err = scenarios.LoCoMo(locomoSample, scenarios.Corrections(file), scenarios.Corrections(file))
	require.ErrorContains(t, err, "put them into one file")
}
