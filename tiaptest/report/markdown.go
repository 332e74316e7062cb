package report

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
)

// markdownLimit is the size in bytes that GitHub takes for a comment (65,536
// characters), less a margin for what a poster adds.
const markdownLimit = 60_000

// renderMarkdown writes GitHub Flavored Markdown below the limit. What is too
// long loses folded groups and rows of its tables, everywhere by one measure, then
// its last sections; all of it is said.
func renderMarkdown(d *document) string {
	for _, most := range []markdownWriter{
		{rows: 200, folded: 1 << 30}, {rows: 200, folded: 3}, {rows: 100, folded: 1}, {rows: 50}, {rows: 25}, {rows: 10}, {rows: 5}, {rows: 2},
	} {
		m := &markdownWriter{rows: most.rows, folded: most.folded}
		m.document(d, len(d.sections))
		if m.b.Len() <= markdownLimit {
			return m.b.String()
		}
	}
	for n := len(d.sections) - 1; n > 0; n-- {
		m := &markdownWriter{rows: 2}
		m.document(d, n)
		if m.b.Len() <= markdownLimit {
			return m.b.String()
		}
	}
	m := &markdownWriter{}
	m.document(d, 0)
	return m.b.String()
}

type markdownWriter struct {
	b      strings.Builder
	rows   int // that a table may have
	folded int // groups that a section may have, but for those with numbers of a figure
}

func (m *markdownWriter) printf(format string, args ...any) { fmt.Fprintf(&m.b, format, args...) }

func (m *markdownWriter) document(d *document, sections int) {
	// An alert of GitHub's Markdown, elsewhere a quotation.
	alert := map[tone]string{good: "TIP", bad: "CAUTION", warn: "WARNING", plain: "NOTE"}[d.tone]
	m.printf("# %s\n\n> [!%s]\n> %s\n\n", m.text(d.title), alert, m.text(d.verdict))
	for _, f := range d.basis {
		m.printf("- %s: %s\n", f.name, m.text(f.value))
	}
	m.printf("\n")
	for _, s := range d.sections[:sections] {
		if s.details {
			m.printf("<details><summary>%s</summary>\n\n", s.title)
		} else {
			m.printf("## %s\n\n", s.title)
		}
		m.blocks(s.blocks)
		if s.details {
			m.printf("</details>\n\n")
		}
	}
	if left := d.sections[sections:]; len(left) > 0 {
		var names []string
		for _, s := range left {
			names = append(names, s.title)
		}
		m.printf("Left out, since the report would be longer than %d bytes: %s.\n", markdownLimit, strings.Join(names, ", "))
	}
}

func (m *markdownWriter) blocks(blocks []block) {
	folded := 0
	for _, b := range blocks {
		if g, ok := b.(group); ok && g.folded && !g.numbers {
			if folded++; folded > m.folded {
				continue
			}
		}
		switch b := b.(type) {
		case paragraph:
			m.printf("%s\n\n", m.text(b.text))
		case list:
			for _, item := range b {
				m.printf("- %s\n", m.text(item))
			}
			m.printf("\n")
		case message:
			m.message(b)
		case table:
			m.table(b)
		case beside:
			m.table(b.left)
			m.table(b.right)
		case group:
			if b.folded {
				m.printf("<details><summary>%s</summary>\n\n", summaryText(b.title))
			} else {
				m.printf("### %s\n\n", m.text(b.title))
			}
			m.blocks(b.blocks)
			if b.folded {
				m.printf("</details>\n\n")
			}
		}
	}
	if n := folded - m.folded; n > 0 {
		m.printf("%s left out here, since the report would be too long; the HTML report has %s.\n\n",
			english.Noun(n, "1 folded part is", fmt.Sprintf("%d folded parts are", n)), english.Noun(n, "it", "them"))
	}
}

// message writes lines as a block of code, whose fence is longer than any run of
// backticks in it.
func (m *markdownWriter) message(lines message) {
	m.printf("%s\n", harmless.Block(strings.Join(lines, "\n")))
}

func (m *markdownWriter) table(t table) {
	t = t.limit(m.rows)
	m.printf("%s\n\n|", m.text(t.caption))
	for _, c := range t.head {
		m.printf(" %s |", m.text(c.text))
	}
	m.printf("\n|")
	for _, c := range t.head {
		m.printf("%s", [2]string{" --- |", " ---: |"}[boolInt(c.numeric)])
	}
	m.printf("\n")
	for _, row := range t.rows {
		m.printf("|")
		for _, c := range row {
			s := m.text(c.text)
			if c.tone == bad && s != "" {
				s = "**" + s + "**"
			}
			m.printf(" %s |", s)
		}
		m.printf("\n")
	}
	m.printf("\n")
	if t.more > 0 {
		m.printf("And %d more, not shown here; the JSON report has all.\n\n", t.more)
	}
}

// text writes foreign text that could mean something to Markdown or to GitHub
// (markup, mentions, references, links, commands) as code, in which nothing does.
func (m *markdownWriter) text(t text) string {
	var b strings.Builder
	for _, s := range t {
		switch {
		case s.foreign:
			b.WriteString(harmless.Markdown(s.s))
		case s.strong:
			b.WriteString("**" + s.s + "**")
		default:
			b.WriteString(markdownEscaper.Replace(s.s))
		}
	}
	return b.String()
}

var markdownEscaper = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`)

// summaryText writes a text into an HTML element of Markdown, in which Markdown would
// still be read: foreign text has each sign that could mean something as a
// reference.
func summaryText(t text) string {
	var b strings.Builder
	for _, s := range t {
		if s.foreign {
			b.WriteString(harmless.Element(s.s))
		} else {
			b.WriteString(escape(s.s))
		}
	}
	return b.String()
}
