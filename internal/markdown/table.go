// Package markdown finds the tables of a Markdown file (GitHub Flavored
// Markdown, section 4.10).
package markdown

import (
	"regexp"
	"strings"
)

// Table is a table with the text around it.
type Table struct {
	Line   int // of the header, from 1
	Header []string
	Rows   [][]string // cells beyond the header are dropped, missing ones are ""

	// Heading is the nearest heading above, Before the text between it and the
	// table with an empty line between paragraphs, and After the paragraph below
	// the table.
	Heading, Before, After string
}

// Tables returns the tables of a text in order. Code blocks and comments hold
// none, and are no text around one either. Every row of a table has a pipe, so
// that a line of text right below it is no row.
func Tables(text string) []Table {
	lines := visible(strings.Split(lineEnds.Replace(text), "\n"))
	var out []Table
	heading := ""
	var before strings.Builder // the lines below the heading
	add := func(line string) {
		if text := before.String(); line != "" || text != "" && !strings.HasSuffix(text, "\n\n") {
			before.WriteString(line + "\n")
		}
	}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case atx.MatchString(line):
			heading = strings.TrimSpace(closing.ReplaceAllString(strings.TrimLeft(line, "#"), ""))
			before.Reset()
		case i+1 < len(lines) && isDelimiter(lines[i+1], line):
			t := Table{Line: i + 1, Header: cells(line), Heading: heading, Before: strings.TrimSpace(before.String())}
			for i += 2; i < len(lines) && isRow(lines[i]); i++ {
				row := cells(lines[i])
				for len(row) < len(t.Header) {
					row = append(row, "")
				}
				t.Rows = append(t.Rows, row[:len(t.Header)])
			}
			t.After = paragraph(lines[i:])
			i--
			out = append(out, t)
			add("")
		case line != "" && i+1 < len(lines) && setext.MatchString(lines[i+1]):
			heading = line
			before.Reset()
			i++
		default:
			add(line)
		}
	}
	return out
}

var (
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	atx      = regexp.MustCompile(`^#{1,6}(\s|$)`) // heading marked by hashes
	closing  = regexp.MustCompile(`\s#+$`)         // which may close it too
	setext   = regexp.MustCompile(`^(=+|-+)$`)     // underline of a heading
	block    = regexp.MustCompile(`^(#{1,6}(\s|$)|>|([-+*]|\d{1,9}[.)])\s)`)
	listItem = regexp.MustCompile(`^([-+*]|\d{1,9}[.)])(\s|$)`)
	comment  = regexp.MustCompile(`<!--.*?-->`)
)

// visible trims the lines and empties those of code blocks and comments.
func visible(lines []string) []string {
	out := make([]string, len(lines))
	fence := ""
	inComment, inList, inCode := false, false, false
	for i, raw := range lines {
		line := strings.TrimSpace(raw)
		mark := fenceOf(line)
		indented := strings.HasPrefix(raw, "    ") || strings.HasPrefix(raw, "\t")
		blank := i == 0 || strings.TrimSpace(lines[i-1]) == ""
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && mark == line {
				fence = ""
			}
			continue
		case inComment || strings.HasPrefix(line, "<!--"):
			inComment = !strings.Contains(line, "-->")
			continue
		case line == "":
			continue
		case indented && !inList && (blank || inCode):
			inCode = true
			continue
		case mark != "":
			fence, inCode = mark, false
			continue
		}
		inCode = false
		if listItem.MatchString(line) {
			inList = true
		} else if blank && raw[0] == line[0] {
			inList = false
		}
		out[i] = strings.TrimSpace(comment.ReplaceAllString(line, ""))
	}
	return out
}

// fenceOf returns the run of backticks or tildes that opens or closes a code
// block.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, c))
		if n >= 3 && (c == "~" || !strings.Contains(line[n:], c)) {
			return line[:n]
		}
	}
	return ""
}

// isDelimiter reports whether a line is the delimiter row below the given header.
func isDelimiter(line, header string) bool {
	if !strings.Contains(line, "-") || !strings.Contains(header, "|") {
		return false
	}
	parts := cells(line)
	for _, c := range parts {
		c = strings.TrimSuffix(strings.TrimPrefix(c, ":"), ":")
		if c == "" || strings.Trim(c, "-") != "" {
			return false
		}
	}
	return len(parts) == len(cells(header))
}

// isRow reports whether a line below a table is its next row.
func isRow(line string) bool { return strings.Contains(line, "|") && !block.MatchString(line) }

// cells splits a row at its pipes; an escaped pipe belongs to its cell.
func cells(line string) []string {
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = strings.TrimSuffix(line, "|")
	}
	var out []string
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteByte('|')
			i++
		case line[i] == '|':
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	return append(out, strings.TrimSpace(cell.String()))
}

// paragraph is the first paragraph below a table, up to a heading or the next
// table.
func paragraph(lines []string) string {
	var out []string
	for i, l := range lines {
		if atx.MatchString(l) || strings.HasPrefix(l, "|") || l == "" && len(out) > 0 {
			break
		}
		if i+1 < len(lines) && (isDelimiter(lines[i+1], l) || l != "" && setext.MatchString(lines[i+1])) {
			break
		}
		if l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}
