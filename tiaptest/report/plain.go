package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/terminal"

	"github.com/tiaptest/tiap/internal/harmless"
)

// look is how text is written.
type look struct {
	width  int // of a line; 0: no limit
	colour bool
}

// lookFor decides how text looks where it goes. Only a terminal has a width and
// colours, and NO_COLOR (no-color.org) forbids them.
func lookFor(w io.Writer, o options, env func(string) string) look {
	return lookAt(terminal.Width(w, env("COLUMNS")), o, env)
}

// lookAt is lookFor a terminal of some width; 0 is no terminal.
func lookAt(width int, o options, env func(string) string) look {
	l := look{width: width, colour: width > 0 && env("TERM") != "" && env("TERM") != "dumb"}
	if o.width != nil {
		l.width = *o.width
	}
	if o.colour != nil {
		l.colour = *o.colour
	}
	if env("NO_COLOR") != "" {
		l.colour = false
	}
	return l
}

// renderText writes plain text in aligned columns.
func renderText(d *document, l look) string {
	p := &plainWriter{look: l}
	p.paragraph("", d.title, plain)
	p.paragraph("", d.verdict, d.tone)
	p.printf("\n")
	var rows [][]cell
	for _, f := range d.basis {
		rows = append(rows, cells(words(f.name), f.value))
	}
	p.columns("", nil, rows, nil)
	for _, s := range d.sections {
		p.printf("\n%s\n", p.paint(strings.ToUpper(s.title), "1"))
		p.blocks("", s.blocks)
	}
	return harmless.Guard(p.b.String())
}

type plainWriter struct {
	look
	b strings.Builder
}

func (p *plainWriter) printf(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

// paint colours a text for a terminal.
func (p *plainWriter) paint(s, code string) string {
	if !p.colour || code == "" || strings.TrimSpace(s) == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

var paints = map[tone]string{good: "32", bad: "1;31", warn: "33", first: "34", second: "35", muted: "2", chief: "1"}

func (p *plainWriter) blocks(indent string, blocks []block) {
	folded := 0
	for _, b := range blocks {
		switch b := b.(type) {
		case paragraph:
			p.paragraph(indent, b.text, b.tone)
		case list:
			for _, item := range b {
				p.paragraph(indent+"  - ", item, plain)
			}
		case message:
			for _, line := range b {
				p.printf("%s%s\n", indent, line)
			}
		case table:
			p.table(indent, b)
		case beside:
			p.table(indent+"  ", b.left)
			p.table(indent+"  ", b.right)
		case group:
			if b.numbers { // of a figure that is not drawn here
				p.blocks(indent, b.blocks)
				continue
			}
			if b.folded {
				folded++
				continue
			}
			p.printf("\n")
			p.paragraph(indent, b.title, plain)
			p.blocks(indent+"  ", b.blocks)
		}
	}
	if folded > 0 {
		p.printf("\n")
		p.paragraph(indent, words(fmt.Sprintf("The HTML report has %d more %s here.", folded, english.Noun(folded, "part", "parts"))), muted)
	}
}

// paragraph writes a text in lines; those after the first are indented by blanks.
func (p *plainWriter) paragraph(indent string, t text, of tone) {
	room := 1 << 30
	if p.width > 0 {
		room = max(20, p.width-utf8.RuneCountInString(indent))
	}
	prefix := indent
	for _, line := range wrap(t.String(), room) {
		p.printf("%s%s\n", prefix, p.paint(line, paints[of]))
		prefix = strings.Repeat(" ", utf8.RuneCountInString(indent))
	}
}

// wrap breaks a text into lines of at most n places, inside a word only when the
// word is longer.
func wrap(s string, n int) []string {
	var lines []string
	line, width := "", 0
	for _, word := range strings.Fields(s) {
		for {
			w := places(word)
			if width > 0 && width+1+w <= n {
				line, width = line+" "+word, width+1+w
				break
			}
			if width > 0 {
				lines = append(lines, line)
				line, width = "", 0
			}
			if w <= n {
				line, width = word, w
				break
			}
			head := cut(word, n)
			lines, word = append(lines, head), word[len(head):]
		}
	}
	if width > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// cut returns what of a text fits into n places, at least one character.
func cut(s string, n int) string {
	at := 0
	for i, r := range s {
		at += placesOf(r)
		if at > n && i > 0 {
			return s[:i]
		}
	}
	return s
}

// places is the width of a text on a terminal.
func places(s string) int {
	n := 0
	for _, r := range s {
		n += placesOf(r)
	}
	return n
}

// placesOf is 0 for marks on the character before, 2 for characters that
// terminals draw wide (East Asian ones and emoji), else 1.
func placesOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r <= 0x36f || r == 0x200c || r == 0x200d || r >= 0xfe00 && r <= 0xfe0f:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

func (p *plainWriter) table(indent string, t table) {
	p.printf("\n")
	p.paragraph(indent, t.caption, muted)
	p.columns(indent+"  ", t.head, t.rows, t.head)
	if t.more > 0 {
		p.printf("%s  and %d more\n", indent, t.more)
	}
}

// columns aligns rows. Where they are wider than the line, long cells are cut
// first, then columns move into further tables that begin with the first column
// again.
func (p *plainWriter) columns(indent string, head []column, rows [][]cell, numeric []column) {
	var lines [][]cell
	if head != nil {
		top := make([]cell, len(head))
		for i, c := range head {
			top[i] = cell{text: c.text, tone: muted}
		}
		lines = append(lines, top)
	}
	lines = append(lines, rows...)
	widths := []int{}
	for _, row := range lines {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], places(c.text.String()))
		}
	}
	room := 1 << 30
	if p.width > 0 {
		room = max(20, p.width-len(indent))
	}
	p.narrow(widths, room)
	for from := 0; from < len(widths); {
		at := []int{}
		if from > 0 {
			at = append(at, 0)
			p.printf("\n")
		}
		used := 0
		for _, i := range at {
			used += widths[i] + 2
		}
		for start := from; from < len(widths) && (from == start || used+widths[from] <= room); from++ {
			used += widths[from] + 2
			at = append(at, from)
		}
		for _, row := range lines {
			p.row(indent, row, at, widths, numeric)
		}
	}
}

// narrow cuts the widest columns until all fit, but none below a readable width.
func (p *plainWriter) narrow(widths []int, room int) {
	const readable = 24
	if len(widths) > 0 && room < 1<<30 {
		// The first column and any other one fit side by side.
		widths[0] = min(widths[0], room/2)
		for i := range widths[1:] {
			widths[i+1] = min(widths[i+1], room-widths[0]-2)
		}
	}
	for {
		total, widest := -2, 0
		for i, w := range widths {
			total += w + 2
			if w > widths[widest] {
				widest = i
			}
		}
		if len(widths) == 0 || total <= room || widths[widest] <= min(readable, room) {
			return
		}
		widths[widest] = max(min(readable, room), widths[widest]-(total-room))
	}
}

func (p *plainWriter) row(indent string, row []cell, at, widths []int, numeric []column) {
	line := indent
	pad := ""
	for k, i := range at {
		if i >= len(row) {
			continue
		}
		s := row[i].text.String()
		if places(s) > widths[i] {
			s = cut(s, max(1, widths[i]-2)) + ".."
		}
		blanks := strings.Repeat(" ", max(0, widths[i]-places(s)))
		if k > 0 {
			pad += "  "
		}
		if numeric != nil && numeric[i].numeric {
			pad += blanks
			blanks = ""
		}
		if s != "" {
			line += pad + p.paint(s, paints[row[i].tone])
			pad = ""
		}
		pad += blanks
	}
	p.printf("%s\n", strings.TrimRight(line, " "))
}
