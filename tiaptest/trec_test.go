package tiaptest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The lines of one system have one tag.
func TestTagsOfARun(t *testing.T) {
	t.Parallel()
	many := "the lines of the run have 12 different tags: t00, t01, t02, t03, t04, t05, t06, t07, t08, t09 and 2 more"
	for _, c := range []struct {
		name string
		tags string // of the lines
		want []string
	}{
		{"one", "a a a", nil},
		{"two", "b a b", []string{"the lines of the run have 2 different tags: a, b"}},
		{"in blocks", "b b a a", []string{"the lines of the run have 2 different tags: a, b"}},
		{"not to be seen", "a \u200b", []string{`the lines of the run have 2 different tags: a, "\u200b"`}},
		{"many", "t05 t11 t03 t01 t02 t00 t04 t09 t06 t08 t07 t10", []string{many}},
	} {
		var run strings.Builder
		for i, tag := range strings.Fields(c.tags) {
			run.WriteString("q" + string(rune('a'+i)) + " Q0 d 1 1 " + tag + "\n")
		}
		dir := t.TempDir()
		in := TREC{Qrels: map[string]string{"raw": filepath.Join(dir, "qrels")}, Runs: map[string]string{"s": filepath.Join(dir, "run")}}
		require.NoError(t, os.WriteFile(in.Qrels["raw"], []byte("qa 0 d 1\n"), 0o666))
		require.NoError(t, os.WriteFile(in.Runs["s"], []byte(run.String()), 0o666))
		b, err := in.Open()
		require.NoError(t, err, c.name)
		a, err := Rescore(b)
		require.NoError(t, err, c.name)
		var notes []string
		for _, d := range a.report().Diagnostics {
			if d.Kind == "several-tags" {
				assert.Equal(t, "s", d.System, c.name)
				notes = append(notes, d.Text)
			}
		}
		assert.Equal(t, c.want, notes, c.name)
	}
}
