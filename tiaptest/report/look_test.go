package report

import (
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLookFor(t *testing.T) {
	t.Parallel()
	yes, no, eighty := true, false, 80
	type env map[string]string
	for _, tt := range []struct {
		name    string
		width   int // of the terminal; 0: none
		options options
		env     env
		want    look
	}{
		{"elsewhere", 0, options{}, env{"TERM": "xterm"}, look{}},
		{"a terminal", 100, options{}, env{"TERM": "xterm"}, look{100, true}},
		{"of its width", 60, options{}, env{"TERM": "xterm"}, look{60, true}},
		{"NO_COLOR", 100, options{}, env{"TERM": "xterm", "NO_COLOR": "1"}, look{100, false}},
		{"NO_COLOR against the option", 100, options{colour: &yes}, env{"TERM": "xterm", "NO_COLOR": "0"}, look{100, false}},
		{"a dumb terminal", 100, options{}, env{"TERM": "dumb"}, look{100, false}},
		{"a terminal of no known kind", 100, options{}, env{}, look{100, false}},
		{"by options", 0, options{width: &eighty, colour: &yes}, env{}, look{80, true}},
		{"no colour by option", 100, options{colour: &no}, env{"TERM": "xterm"}, look{100, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, lookAt(tt.width, tt.options, func(k string) string { return tt.env[k] }))
		})
	}
}

// Files and devices are no terminals, whatever the environment says.
func TestLookForFiles(t *testing.T) {
	t.Parallel()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { null.Close() })
	file, err := os.Create(t.TempDir() + "/out.txt")
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	for _, w := range []io.Writer{null, file, &strings.Builder{}} {
		assert.Equal(t, look{}, lookFor(w, options{}, func(string) string { return "60" }))
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		n    int
		want []string
	}{
		{"", 10, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 100, []string{"one two three"}},
		{"abcdefghij kl", 4, []string{"abcd", "efgh", "ij", "kl"}},
		{"表格表格", 4, []string{"表格", "表格"}},
		{"表", 1, []string{"表"}},
	} {
		assert.Equal(t, tt.want, wrap(tt.in, tt.n), "%q in %d", tt.in, tt.n)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 3, places("abc"))
	assert.Equal(t, 4, places("表格"))
	assert.Equal(t, 1, places("e\u0301"))
	assert.Equal(t, 2, places("\U0001f600"))
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, to float64
		want     []string
	}{
		{0, 1, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		{-0.31, 0.27, []string{"-0.3", "-0.2", "-0.1", "0", "0.1", "0.2"}},
		{-1e-6, 1e-6, nil},
	} {
		var got []string
		for _, v := range (scale{from: tt.from, to: tt.to}).ticks(6) {
			got = append(got, tick(v))
		}
		if tt.want != nil {
			assert.Equal(t, tt.want, got)
		}
		assert.LessOrEqual(t, len(got), 7)
	}
}

func TestBinned(t *testing.T) {
	t.Parallel()
	p := binned([]float64{0, 1e-12, 0.05, 0.1, 0.11, 1, -1, -0.0001})
	assert.Equal(t, 2, p.equal)
	assert.Equal(t, [bins]int{0: 2, 1: 1, 9: 1}, p.above)
	assert.Equal(t, [bins]int{0: 1, 9: 1}, p.below)
}

// A document that is too long loses rows, then sections, and says so.
func TestMarkdownIsCut(t *testing.T) {
	t.Parallel()
	rows := func(n, size int) table {
		x := table{caption: words("rows"), head: columns("x")}
		for range n {
			x.rows = append(x.rows, cells(strings.Repeat("x", size)))
		}
		return x
	}
	d := &document{title: words("t"), verdict: words("v"), sections: []section{{id: "a", title: "A", blocks: []block{rows(300, 200)}}}}
	out := renderMarkdown(d)
	assert.Less(t, len(out), 64<<10)
	assert.Contains(t, out, "And 100 more, not shown here")
	d.sections[0].blocks = []block{rows(300, 2000)}
	out = renderMarkdown(d)
	assert.Less(t, len(out), 64<<10)
	assert.Contains(t, out, "And 275 more, not shown here")
	d.sections = append(d.sections, section{id: "b", title: "B", blocks: []block{rows(1, 70_000)}})
	out = renderMarkdown(d)
	assert.Less(t, len(out), 64<<10)
	assert.Contains(t, out, "Left out, since the report would be longer than 60000 bytes: B.")
}

// Lines of text are no longer than asked for.
func TestTextWidth(t *testing.T) {
	t.Parallel()
	x := table{caption: words("a caption of some words that has to be wrapped"), head: columns("system", "what", "n#", "m#", "o#")}
	for range 3 {
		x.rows = append(x.rows, cells("D1", strings.Repeat("long words ", 20), "1234567890", "1234567890", "1234567890"))
	}
	d := &document{title: words("t"), verdict: words(strings.Repeat("verdict ", 30)), sections: []section{{id: "a", title: "A", blocks: []block{x, list{words(strings.Repeat("item ", 30))}}}}}
	for _, n := range []int{30, 40, 60, 100} {
		out := renderText(d, look{width: n})
		for line := range strings.Lines(out) {
			assert.LessOrEqual(t, places(strings.TrimSuffix(line, "\n")), n, "%q", line)
		}
		assert.Equal(t, 9, strings.Count(out, "1234567890"), "no number is cut at %d", n)
	}
	assert.NotContains(t, renderText(d, look{}), "\x1b")
}

// A text that fits is whole, one that does not is cut by as little as needed.
func TestFit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		room float64
		want string
	}{
		{"", 4, ""},
		{"canonical", 12, "canonical"},
		{"canonical", 8, "canon.."},
		{"iiiiiiiiii", 8, "iiiiiiiiii"},
		{"MMMMMMMMMM", 8, "MMM.."},
		{"表格表格表", 8, "表格表.."},
		{"表", 1, "表.."},
		{"e\u0301e\u0301", 2.4, "e\u0301e\u0301"},
	} {
		assert.Equal(t, tt.want, fit(tt.in, tt.room), "%q in %v", tt.in, tt.room)
	}
}

func TestFitProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, room := rapid.String().Draw(t, "s"), float64(rapid.IntRange(4, 30).Draw(t, "room"))
		got := fit(s, room)
		require.True(t, utf8.ValidString(got))
		width := 0.0
		for _, r := range got {
			width += advance(r)
		}
		require.LessOrEqual(t, width, room)
		if got != s {
			require.True(t, strings.HasPrefix(s, strings.TrimSuffix(got, "..")))
		}
	})
}
