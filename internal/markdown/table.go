// Package markdown finds the tables of a Markdown file (GitHub Flavored
// Markdown, section 4.10).
package markdown

import (
	"strings"
)

// Table is a table with the text around it.
type Table struct {
	Line   int // of the header, from 1
	Header []string
	Rows   [][]string // cells beyond the header are dropped, missing ones are ""

	// Heading is the nearest heading above, Before the text between it and the
	// table, and After the paragraph below the table.
	Heading, Before, After string
}

// Tables returns the tables of a text in order. Code blocks hold none.
func Tables(text string) []Table {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	var out []Table
	heading, before := "", []string(nil)
	fence := ""
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if mark := fenceOf(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && mark == line:
				fence = ""
			}
			continue
		}
		switch {
		case fence != "":
		case strings.HasPrefix(line, "#"):
			heading, before = strings.TrimSpace(strings.TrimLeft(line, "#")), nil
		case i+1 < len(lines) && isDelimiter(lines[i+1], line):
			t := Table{Line: i + 1, Header: cells(line), Heading: heading, Before: strings.Join(before, "\n")}
			for i += 2; i < len(lines) && strings.Contains(lines[i], "|") && strings.TrimSpace(lines[i]) != ""; i++ {
				row := cells(strings.TrimSpace(lines[i]))
				for len(row) < len(t.Header) {
					row = append(row, "")
				}
				t.Rows = append(t.Rows, row[:len(t.Header)])
			}
			t.After = paragraph(lines[i:])
			i--
			out = append(out, t)
		default:
			before = append(before, line)
		}
	}
	return out
}

// fenceOf returns the run of backticks or tildes that opens or closes a code
// block.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// isDelimiter reports whether a line is the delimiter row below the given header.
func isDelimiter(line, header string) bool {
	line = strings.TrimSpace(line)
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

// paragraph is the first paragraph below a table, up to a heading.
func paragraph(lines []string) string {
	var out []string
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "#") || strings.HasPrefix(l, "|") || l == "" && len(out) > 0 {
			break
		}
		if l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}
