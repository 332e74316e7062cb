package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/hostile"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
)

func hostileAudit(tb testing.TB, s string) (*tiaptest.Bundle, *tiaptest.Audit) {
	tb.Helper()
	// Names of systems that a log could take for more than text are refused.
	system := strings.Map(func(r rune) rune {
		if r == '\n' || hostile.Fault(string(r)) != "" {
			return -1
		}
		return r
	}, s)
	if hostile.Fault(system) != "" {
		system = "D"
	}
	n := names{s, s, s, s, s, s, s, [3]string{system + "1", system + "2", system + "3"}}
	if !utf8.ValidString(s) {
		// Nor are ids taken that are not UTF-8.
		p := plainNames()
		n.query, n.memory, n.form, n.scenario, n.systems = p.query, p.memory, p.form, p.scenario, p.systems
	}
	b := bundle(n, 0)
	return b, audit(tb, b)
}

func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, h := range hostile.Texts() {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			s := h.Text
			_, a := hostileAudit(t, s)
			opts := extras(t, a)
			_, later := hostileAudit(t, s)
			for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.Text} {
				var c strings.Builder
				require.NoError(t, report.Compare(&c, f, a, later))
				for _, out := range []string{render(t, f, a, opts...), c.String()} {
					harmless(t, f, out)
					switch f {
					case report.HTML:
						wellFormed(t, out)
					case report.Markdown:
						harmlessMarkdown(t, out)
					case report.LaTeX:
						harmlessLaTeX(t, out)
					}
				}
			}
		})
	}
}

// harmless checks what holds for every format.
func harmless(t *testing.T, f report.Format, out string) {
	t.Helper()
	if fault := hostile.Fault(out); fault != "" {
		t.Fatalf("%s %s", f, fault)
	}
	assert.NotContains(t, out, strings.Repeat("0123456789", 40), "%s cuts long texts", f)
}

// allowed are the elements and attributes that a report consists of.
var allowed = map[string]string{
	"html": "lang xmlns", "head": "", "meta": "charset http-equiv content name", "title": "", "style": "", "body": "", "main": "",
	"h1": "", "h2": "id", "h3": "", "p": "class", "dl": "", "dt": "", "dd": "", "div": "class tabindex role aria-label", "nav": "aria-label",
	"ul": "", "li": "", "a": "href", "section": "aria-labelledby", "table": "", "caption": "", "thead": "", "tbody": "", "tr": "",
	"th": "scope class", "td": "class", "bdi": "", "strong": "", "span": "", "details": "", "summary": "", "pre": "class tabindex", "figure": "", "figcaption": "",
	"svg": "xmlns viewBox role aria-label", "rect": "class x y width height", "line": "class x1 y1 x2 y2", "text": "class x y text-anchor", "path": "class d",
}

// wellFormed reads a report with a strict XML parser and finds nothing but what
// reports consist of, each table with a caption, each plot with a text.
func wellFormed(t *testing.T, out string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(out))
	d.Strict = true
	ids, links := make(map[string]bool), make(map[string]bool)
	tables, captions, level := 0, 0, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attributes, ok := allowed[e.Name.Local]
		require.True(t, ok, "element %s", e.Name.Local)
		for _, a := range e.Attr {
			require.Contains(t, strings.Fields(attributes), a.Name.Local, "attribute of %s", e.Name.Local)
			switch a.Name.Local {
			case "href":
				require.True(t, strings.HasPrefix(a.Value, "#"), "a link leads out: %s", a.Value)
				links[a.Value[1:]] = true
			case "id":
				require.False(t, ids[a.Value], "id %s twice", a.Value)
				ids[a.Value] = true
			case "aria-label":
				require.NotEmpty(t, a.Value)
			case "class":
				require.Regexp(t, `^[a-z0-9 ]+$`, a.Value)
			case "d", "x", "y", "width", "height", "x1", "x2", "y1", "y2":
				require.NotContains(t, a.Value, "NaN")
				require.NotContains(t, a.Value, "Inf")
			}
		}
		switch name := e.Name.Local; name {
		case "table":
			tables++
		case "caption":
			captions++
		case "h1", "h2", "h3":
			now := int(name[1] - '0')
			require.LessOrEqual(t, now, level+1, "no level of headings is left out")
			level = now
		case "svg":
			require.Condition(t, func() bool {
				for _, a := range e.Attr {
					if a.Name.Local == "aria-label" {
						return true
					}
				}
				return false
			}, "a plot has a text")
		}
	}
	assert.Equal(t, tables, captions, "every table has a caption")
	assert.Equal(t, ids, links, "the list of sections names each")
}

// harmlessMarkdown takes code away and finds only this package's own markup.
func harmlessMarkdown(t *testing.T, out string) {
	t.Helper()
	assert.Less(t, len(out), 64<<10)
	columns := 0
	fence := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		// A line with further backticks opens no block.
		if strings.HasPrefix(line, "```") && !strings.Contains(strings.TrimLeft(line, "`"), "`") {
			switch fence {
			case "":
				fence = line
				continue
			case line:
				fence = ""
				continue
			}
		}
		if fence != "" {
			continue
		}
		rest, ok := hostile.WithoutCode(line)
		require.True(t, ok, "a code span stays open in %q", line)
		rest = summaryCode.ReplaceAllString(rest, "")
		for _, bad := range []string{"<script", "<img", "<svg", "onerror", "](", "][", "https:", "www.", "@everyone", "@org", "a@", "#1", "GH-1", "~~", "$", ":tada:", "- [x]"} {
			require.NotContains(t, rest, bad, "line %q", line)
		}
		require.NotRegexp(t, `\b[0-9a-f]{7,40}\b`, rest, "a commit in line %q", line)
		if strings.HasPrefix(line, "|") {
			cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if columns == 0 {
				columns = cells
			}
			require.Equal(t, columns, cells, "cells of %q", line)
		} else {
			columns = 0
		}
	}
	assert.Empty(t, fence, "every block of code ends")
	assert.Equal(t, strings.Count(out, "<details>"), strings.Count(out, "\n</details>"))
}

// summaryCode is code in an element, in which each sign is a reference.
var summaryCode = regexp.MustCompile(`<code>([a-zA-Z0-9 ]|&#[0-9]+;|[^\x00-\x7f])*</code>`)

var commands = regexp.MustCompile(`\\[a-zA-Z]+|\\.`)

// harmlessLaTeX finds only the commands that reports consist of, balanced braces,
// and as many cells in each row as in its head.
func harmlessLaTeX(t *testing.T, out string) {
	t.Helper()
	known := map[string]bool{}
	for _, c := range strings.Fields(`\paragraph \begin \end \caption \label \toprule \midrule \bottomrule \endfirsthead \endhead \endlastfoot \centering \clearpage \textbf \multicolumn \texttt
		\textbackslash \textasciitilde \textasciicircum \textless \textgreater \textbar \textquotedbl \\ \{ \} \$ \& \# \% \_`) {
		known[c] = true
	}
	// What scales tables is always the same.
	const scaled, closed = `\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%`, `\end{tabular}}`
	assert.Equal(t, strings.Count(out, scaled), strings.Count(out, closed))
	out = strings.NewReplacer(scaled, "", closed, `\end{tabular}`, `\begingroup\scriptsize\setlength{\tabcolsep}{2pt}`, "", `\endgroup`, "").Replace(out)
	cells := 0
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "%") {
			continue
		}
		for _, c := range commands.FindAllString(line, -1) {
			require.True(t, known[c], "command %s in %q", c, line)
		}
		bare := regexp.MustCompile(`\\.`).ReplaceAllString(line, "")
		require.Equal(t, strings.Count(bare, "{"), strings.Count(bare, "}"), "braces of %q", line)
		require.NotRegexp(t, `[$#%^~]`, bare, "line %q", line)
		switch n := strings.Count(bare, "&"); {
		case strings.HasPrefix(line, `\begin`), strings.HasPrefix(line, `\end{`), strings.HasPrefix(line, `\caption`):
			cells = 0
		case n > 0 && cells == 0:
			cells = n
		case n > 0:
			require.Equal(t, cells, n, "cells of %q", line)
		}
	}
	environments := 0
	for _, s := range []string{"table", "tabular", "longtable"} {
		n := strings.Count(out, `\begin{`+s+`}`)
		assert.Equal(t, n, strings.Count(out, `\end{`+s+`}`))
		environments += n
	}
	assert.Equal(t, environments, strings.Count(out, `\begin{`), "no other environment")
}

// A check of the checks: each finds what it is there to find.
func TestHarmlessFinds(t *testing.T) {
	t.Parallel()
	fails := func(check func(t *testing.T)) bool {
		fake := &testing.T{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { _ = recover() }()
			check(fake)
		}()
		<-done
		return fake.Failed()
	}
	for name, check := range map[string]func(*testing.T){
		"command":    func(t *testing.T) { harmless(t, report.Text, "a\n  ::error::x\n") },
		"bidi":       func(t *testing.T) { harmless(t, report.Text, "\u202e") },
		"emphasis":   func(t *testing.T) { harmlessMarkdown(t, "~~gone~~\n") },
		"html":       func(t *testing.T) { harmlessMarkdown(t, "a <img src=x>\n") },
		"link":       func(t *testing.T) { harmlessMarkdown(t, "[a](b)\n") },
		"maths":      func(t *testing.T) { harmlessMarkdown(t, "$x$\n") },
		"latex sign": func(t *testing.T) { harmlessLaTeX(t, "100%") },
		"brace":      func(t *testing.T) { harmlessLaTeX(t, "a {") },
		"ansi":       func(t *testing.T) { harmless(t, report.Text, "\x1b[31m") },
		"element":    func(t *testing.T) { wellFormed(t, "<script></script>") },
		"attribute":  func(t *testing.T) { wellFormed(t, `<p onclick="x"></p>`) },
		"malformed":  func(t *testing.T) { wellFormed(t, "<p>") },
		"open code":  func(t *testing.T) { harmlessMarkdown(t, "a `b\n") },
		"commit":     func(t *testing.T) { harmlessMarkdown(t, "in 0123abc\n") },
		"mention":    func(t *testing.T) { harmlessMarkdown(t, "hey @everyone\n") },
		"cells":      func(t *testing.T) { harmlessMarkdown(t, "| a | b |\n| c |\n") },
		"latex":      func(t *testing.T) { harmlessLaTeX(t, `\input{x}`) },
		"latex cell": func(t *testing.T) { harmlessLaTeX(t, "a & b\nc & d & e\n") },
	} {
		assert.True(t, fails(check), name)
	}
	assert.False(t, fails(func(t *testing.T) { harmless(t, report.Text, "fine") }))
}
