package report

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed style.css
var style string

// renderHTML writes one file that needs nothing beside it: no script, no font, no
// picture. Its policy forbids them too. It is well-formed XML as well.
func renderHTML(d *document) string {
	h := &htmlWriter{}
	title := d.title.String()
	h.printf("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n")
	h.printf("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n")
	h.printf("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"generator\" content=\"tiaptest\"/>\n")
	h.printf("<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", escape(title), style)
	h.printf("<h1>%s</h1>\n<p class=\"verdict %s\">%s</p>\n", h.text(d.title), d.tone, h.text(d.verdict))
	if len(d.basis) > 0 {
		h.printf("<dl>\n")
		for _, f := range d.basis {
			h.printf("<div><dt>%s</dt><dd>%s</dd></div>\n", escape(f.name), h.text(f.value))
		}
		h.printf("</dl>\n")
	}
	h.printf("<nav aria-label=\"Sections\"><ul>\n")
	for _, s := range d.sections {
		h.printf("<li><a href=\"#%s\">%s</a></li>\n", s.id, escape(s.title))
	}
	h.printf("</ul></nav>\n")
	for _, s := range d.sections {
		h.printf("<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", s.id, s.id, escape(s.title))
		h.blocks(s.blocks)
		h.printf("</section>\n")
	}
	h.printf("</main>\n</body>\n</html>\n")
	return h.b.String()
}

type htmlWriter struct{ b strings.Builder }

func (h *htmlWriter) printf(format string, args ...any) { fmt.Fprintf(&h.b, format, args...) }

// text sets foreign text apart, so that its direction of writing ends with it.
func (h *htmlWriter) text(t text) string {
	var b strings.Builder
	for _, s := range t {
		switch {
		case s.foreign:
			b.WriteString("<bdi>" + escape(s.s) + "</bdi>")
		case s.strong:
			b.WriteString("<strong>" + escape(s.s) + "</strong>")
		default:
			b.WriteString(escape(s.s))
		}
	}
	return b.String()
}

func (h *htmlWriter) blocks(blocks []block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case paragraph:
			h.printf("<p%s>%s</p>\n", class(string(b.tone)), h.text(b.text))
		case list:
			h.printf("<ul>\n")
			for _, item := range b {
				h.printf("<li>%s</li>\n", h.text(item))
			}
			h.printf("</ul>\n")
		case message:
			h.printf("<pre class=\"scroll\" tabindex=\"0\"><bdi>%s</bdi></pre>\n", escape(strings.Join(b, "\n")))
		case table:
			h.table(b)
		case figure:
			h.printf("<figure><figcaption>%s</figcaption><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">%s</div></figure>\n",
				h.text(b.caption), escape("Plot: "+b.caption.String()), svg(b.plot, b.alt))
		case beside:
			h.printf("<div class=\"beside\">\n")
			h.table(b.left)
			h.table(b.right)
			h.printf("</div>\n")
		case group:
			if b.folded {
				h.printf("<details>\n<summary><h3>%s</h3></summary>\n", h.text(b.title))
			} else {
				h.printf("<div>\n<h3>%s</h3>\n", h.text(b.title))
			}
			h.blocks(b.blocks)
			h.printf("</%s>\n", [2]string{"div", "details"}[boolInt(b.folded)])
		}
	}
}

func class(names ...string) string {
	joined := strings.TrimSpace(strings.Join(names, " "))
	if joined == "" {
		return ""
	}
	return ` class="` + joined + `"`
}

// long is the number of characters from which on a cell is a text to be read in
// lines; shorter ones stay in one.
const long = 28

func (h *htmlWriter) table(t table) {
	h.printf("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table>\n<caption><span>%s</span></caption>\n<thead><tr>",
		escape("Table: "+t.caption.String()), h.text(t.caption))
	for _, c := range t.head {
		h.printf("<th scope=\"col\"%s>%s</th>", class([2]string{"", "number"}[boolInt(c.numeric)]), h.text(c.text))
	}
	h.printf("</tr></thead>\n<tbody>\n")
	for _, row := range t.rows {
		h.printf("<tr>")
		for i, c := range row {
			layout := ""
			switch n := len([]rune(c.text.String())); {
			case i < len(t.head) && t.head[i].numeric:
				layout = "number"
			case n > long:
				layout = "long"
			default:
				layout = "tight"
				if i < len(t.head) && t.head[i].text.String() == "pair" {
					layout = "tight pair"
				}
			}
			h.printf("<td%s>%s</td>", class(layout, string(c.tone)), h.text(c.text))
		}
		h.printf("</tr>\n")
	}
	h.printf("</tbody>\n</table>")
	if t.more > 0 {
		h.printf("<p class=\"muted\">And %d more, not shown here; the JSON report has all.</p>", t.more)
	}
	h.printf("</div>\n")
}
