package report

import (
	"fmt"
	"strings"
)

// renderLaTeX writes tables for \input. They need the packages booktabs,
// graphicx and longtable, and UTF-8 input. Tables wider than a line are scaled to it.
func renderLaTeX(d *document) string {
	l := &latexWriter{}
	l.printf("%% %s\n%% Needs \\usepackage{booktabs,graphicx,longtable}.\n", latexComment(d.title.String()))
	l.printf("\n\\paragraph{%s} %s", l.text(d.title), l.text(d.verdict))
	for _, f := range d.basis {
		l.printf("\n%s: %s.", escapeLaTeX(f.name), l.text(f.value))
	}
	l.printf("\n")
	for _, s := range d.sections {
		l.id = s.id
		l.n = 0
		if paper[s.id] && len(s.blocks) > 0 {
			l.blocks(s.blocks)
			// LaTeX holds back only so many tables that have no place yet.
			l.printf("\n\\clearpage\n")
		}
	}
	l.printf("\n%% Left out here: plots, single queries, rules, what was noticed, digests. The HTML report has them.\n")
	return l.b.String()
}

// paper are the sections that a paper prints: single queries and what was noticed
// stay in other formats.
var paper = map[string]bool{
	"scores": true, "winners": true, "gaps": true, "coverage": true, "categories": true, "depths": true, "sizes": true, "spread": true,
	"changes": true, "systems": true, "support": true,
	"conventions": true, "power": true, "changed": true, "composition": true, "joined": true, "answers": true, "card": true,
}

// pageRows is how many rows a table on one page has; longer ones are longtables.
const pageRows = 40

type latexWriter struct {
	b  strings.Builder
	id string // of the section
	n  int    // of the table in it
}

func (l *latexWriter) printf(format string, args ...any) { fmt.Fprintf(&l.b, format, args...) }

func (l *latexWriter) blocks(blocks []block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case table:
			l.table(b)
		case group:
			l.blocks(b.blocks)
		}
	}
}

func (l *latexWriter) table(t table) {
	l.n++
	var spec strings.Builder
	var head []string
	for _, c := range t.head {
		spec.WriteByte("lr"[boolInt(c.numeric)])
		head = append(head, l.text(c.text))
	}
	caption := fmt.Sprintf("\\caption{%s}\\label{tiap:%s:%d}", l.text(t.caption), l.id, l.n)
	row := strings.Join(head, " & ") + ` \\`
	end := "\\bottomrule\n\\end{tabular}}\n\\end{table}\n"
	if len(t.rows) <= pageRows {
		l.printf("\n\\begin{table}[htbp]\n\\centering\n%s\n\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%%\n\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s\n\\midrule\n", caption, spec.String(), row)
	} else {
		// Its head is repeated on each page; it breaks over pages, so it cannot be scaled.
		end = "\\end{longtable}\n\\endgroup\n"
		l.printf("\n\\begingroup\\scriptsize\\setlength{\\tabcolsep}{2pt}\n\\begin{longtable}{@{}%s@{}}\n%s\\\\\n\\toprule\n%s\n\\midrule\n\\endfirsthead\n\\toprule\n%s\n\\midrule\n\\endhead\n\\bottomrule\n\\endlastfoot\n", spec.String(), caption, row, row)
	}
	for _, row := range t.rows {
		var parts []string
		for _, c := range row {
			s := l.text(c.text)
			if c.tone == bad && s != "" {
				s = `\textbf{` + s + "}"
			}
			parts = append(parts, s)
		}
		// A bracket right after the end of the row before would be its argument.
		l.printf("{}%s \\\\\n", strings.Join(parts, " & "))
	}
	if t.more > 0 {
		l.printf("\\multicolumn{%d}{@{}l@{}}{And %d more.} \\\\\n", len(t.head), t.more)
	}
	l.printf("%s", end)
}

func (l *latexWriter) text(t text) string {
	var b strings.Builder
	for _, s := range t {
		if s.strong {
			b.WriteString(`\textbf{` + escapeLaTeX(s.s) + "}")
		} else {
			b.WriteString(escapeLaTeX(s.s))
		}
	}
	return b.String()
}

// escapeLaTeX makes every sign stand for itself. Letters beyond Latin, which fonts
// may lack, are named by their code.
func escapeLaTeX(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		// Two of these may make a ligature, and two colons a command of a log.
		if r == last && strings.ContainsRune("`'-?!:,", r) || (last == '?' || last == '!') && r == '`' {
			b.WriteString("{}")
		}
		last = r
		switch {
		case strings.ContainsRune(`{}$&#%_`, r):
			b.WriteString(`\` + string(r))
		case r == '\\':
			b.WriteString(`\textbackslash{}`)
		case r == '~':
			b.WriteString(`\textasciitilde{}`)
		case r == '^':
			b.WriteString(`\textasciicircum{}`)
		case r == '<':
			b.WriteString(`\textless{}`)
		case r == '>':
			b.WriteString(`\textgreater{}`)
		case r == '|':
			b.WriteString(`\textbar{}`)
		case r == '"':
			b.WriteString(`\textquotedbl{}`)
		case r > 0x17f:
			fmt.Fprintf(&b, `\texttt{U+%04X}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// latexComment keeps a text within its comment, in ASCII.
func latexComment(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`\^[`, r) {
			return '?'
		}
		return r
	}, s)
}
