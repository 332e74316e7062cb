package semantic_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// repeated reads a text again and again, without end when times is negative.
type repeated struct {
	text  string
	times int
	at    int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) && r.times != 0 {
		k := copy(p[n:], r.text[r.at:])
		n += k
		if r.at += k; r.at == len(r.text) {
			r.at = 0
			r.times--
		}
	}
	if n == 0 {
		return 0, iotest.ErrTimeout // a reader that has no end is not read to it
	}
	return n, nil
}

// As many labels as are read, and one more. Not parallel: it takes some 300 MiB.
func TestManyLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("reads half a million labels")
	}
	const line = `{"query":"q","system":"s","memory":"m","judge":"j","kind":"human","label":"partial"}` + "\n"
	ls, err := semantic.ReadLabels("l.jsonl", strings.NewReader(strings.Repeat(line, limit.Labels)))
	require.NoError(t, err)
	assert.Equal(t, limit.Labels, ls.Len())
	_, err = semantic.ReadLabels("l.jsonl", &repeated{text: line, times: -1})
	require.EqualError(t, err, "l.jsonl:524289: reading stops here: the file has more than 524288 labels; keep those of the queries and judges that are looked at")
}

// A table is read row by row, and a row has an end.
func TestLongRow(t *testing.T) {
	t.Parallel()
	by := semantic.Judgement{Judge: "j", Kind: semantic.Human}
	c := semantic.Case{Query: "q", System: "s", Memory: "m", Question: "Who?", Answer: "Anna", Text: "Anna moved.", Earns: true}
	for text, want := range map[string]string{
		"id,label\n":     "c.csv:1: below this row a row has more than 32 MiB; look for a quotation mark that does not close",
		"id,label\nx,\n": "c.csv:2: below this row a row has more than 32 MiB; look for a quotation mark that does not close",
		"":               "c.csv:1: no table: a row has more than 32 MiB; look for a quotation mark that does not close; its first row names the columns id and label",
	} {
		_, err := semantic.ReadAnswers("c.csv", &repeated{text: text + `"` + strings.Repeat("x", 64<<20), times: 1}, []semantic.Case{c}, by)
		require.ErrorContains(t, err, want, text)
	}
	long := "id,label,answer\nx,," + strings.Repeat("x", limit.Line-100<<10) + "\n" // as long as a row may be, about
	_, err := semantic.ReadAnswers("c.csv", strings.NewReader(long+long[16:]), []semantic.Case{c}, by)
	require.EqualError(t, err, `c.csv:2: the id "x" is of none of the cases; read the answers with the cases that were written
c.csv:3: the id "x" is of none of the cases; read the answers with the cases that were written`)
}

// Nothing is appended to a file that is too large to be read.
func TestAppendToLarge(t *testing.T) {
	t.Parallel()
	ls, err := semantic.NewLabels(semantic.Judgement{Query: "q", System: "s", Memory: "m", Judge: "j", Kind: semantic.Human, Label: semantic.Partial})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Truncate(file, limit.Document+1))
	_, err = ls.AppendTo(file)
	require.EqualError(t, err, fmt.Sprintf("%s: it has more than 512 MiB; give the file that is meant, or leave out what is not needed", file))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.EqualValues(t, limit.Document+1, info.Size())
	require.NoError(t, os.Truncate(file, 0))
	added, err := ls.AppendTo(file)
	require.NoError(t, err)
	assert.Equal(t, 1, added)
}
