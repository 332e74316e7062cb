package semantic_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// TestAppendTo gathers what several people said in one file, each label once.
func TestAppendTo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	a := labelsOf(said("a", map[string]semantic.Label{"q1 vague": full, "q1 dated": part}))
	b := labelsOf(said("b", map[string]semantic.Label{"q1 vague": none}))
	for _, c := range []struct {
		labels     *semantic.Labels
		added, all int
	}{{a, 2, 2}, {a, 0, 2}, {b, 1, 3}, {labelsOf(slicesOf(a), slicesOf(b)), 0, 3}} {
		added, err := c.labels.AppendTo(file)
		require.NoError(t, err)
		assert.Equal(t, c.added, added)
		assert.Equal(t, c.all, must(semantic.OpenLabels(file)).Len())
	}
	assert.Equal(t, append(slicesOf(a), slicesOf(b)...), slicesOf(must(semantic.OpenLabels(file))), "in the order in which they came")

	// Another label by the same judge is a mistake, and nothing is added.
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	changed := said("b", map[string]semantic.Label{"q1 vague": part, "q1 dated": full})
	_, err = labelsOf(changed).AppendTo(file)
	require.EqualError(t, err, file+`: b labelled memory "vague" of A on query "q1" does_not_support before, and now partial; remove the label that is wrong, or name another sample when the memory was judged once more`)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(text), string(after))

	// Of another sample it is a repetition.
	for i := range changed {
		changed[i].Sample = "second round"
	}
	added, err := labelsOf(changed).AppendTo(file)
	require.NoError(t, err)
	assert.Equal(t, 2, added)

	_, err = a.AppendTo(file + ".gz")
	require.ErrorContains(t, err, "labels.jsonl.gz: labels cannot be appended to a compressed file")
	_, err = a.AppendTo(filepath.Dir(file))
	require.Error(t, err, "a folder")
}

// TestAppendToMends goes on after a line that was cut short, or that lacks its end, and
// refuses a file that is wrong elsewhere.
func TestAppendToMends(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	ls := labelsOf(said("a", map[string]semantic.Label{"q1 vague": full, "q1 dated": part, "q2 both": none}))
	var text strings.Builder
	require.NoError(t, ls.Write(&text))
	lines := strings.SplitAfter(text.String(), "\n")
	for cut := range len(lines[1]) {
		require.NoError(t, os.WriteFile(file, []byte(lines[0]+lines[1][:cut]), 0o666))
		added, err := ls.AppendTo(file)
		require.NoError(t, err)
		want := 2
		if cut == len(lines[1])-1 {
			want = 1
		}
		require.Equal(t, want, added, cut)
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text.String(), string(whole))
	}
	require.NoError(t, os.WriteFile(file, []byte("{\n"+lines[0]), 0o666))
	_, err := ls.AppendTo(file)
	require.ErrorContains(t, err, "labels.jsonl:1: ")
}
