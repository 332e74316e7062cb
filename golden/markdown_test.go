package golden

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func markdown(t *testing.T, d *Difference) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, d.WriteMarkdown(&b, nil))
	return b.String()
}

// Notes are written whether the comparison fails or not, once.
func TestMarkdownNotes(t *testing.T) {
	t.Parallel()
	r := threeSystems(t, 1, 2, 3)
	for _, got := range []*Record{r, threeSystems(t, 2, 1, 3)} {
		d := Diff(r, got)
		d.Notes = []string{"first <note>", "second"}
		text := markdown(t, d)
		assert.Contains(t, text, "\n\n- note: first &lt;note&gt;\n- note: second\n")
		assert.Equal(t, 2, strings.Count(text, "note: "))
	}
}

// What is cut for length closes what it opened.
func TestMarkdownCut(t *testing.T) {
	t.Parallel()
	long := func(findings, lines int) *Difference {
		d := &Difference{accept: "accept"}
		for i := range findings {
			f := Finding{Verdict: WinnerFlip, Fails: true, Text: fmt.Sprintf("<finding> %d", i), block: &block{}}
			for range lines {
				f.block.basis = append(f.block.basis, "<basis>")
			}
			d.Findings = append(d.Findings, f)
		}
		return d
	}
	for _, tt := range []struct {
		name            string
		findings, lines int
		details, cut    bool
	}{
		{"short", 1, 1, true, false},
		{"long details", 1, 5000, true, true},
		{"long table", 2000, 1, false, true},
		{"one long line", 0, 0, true, true},
	} {
		d := long(tt.findings, tt.lines)
		if tt.findings == 0 {
			d = long(1, 1)
			d.accept = strings.Repeat("<", markdownCap)
		}
		text := markdown(t, d)
		assert.LessOrEqual(t, len(text), markdownCap, tt.name)
		for _, tag := range []string{"details", "pre", "summary"} {
			want := 0
			if tt.details {
				want = 1
			}
			assert.Equal(t, want, strings.Count(text, "<"+tag+">"), "%s: <%s>", tt.name, tag)
			assert.Equal(t, want, strings.Count(text, "</"+tag+">"), "%s: </%s>", tt.name, tag)
		}
		assert.Equal(t, tt.cut, strings.HasSuffix(text, "\n\ncut; see the text output\n"), tt.name)
		assert.NotRegexp(t, `&[a-z]*\n`, text, "%s: no entity is cut", tt.name)
	}
}
