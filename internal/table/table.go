// Package table aligns text in columns with spaces, for test output and
// terminals.
package table

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/phrase"
)

// Section writes an empty line, a title unless it is "", and rows as [Write] does, with
// cells and title as [phrase.Text] has them. Rows of a head alone are no section, and
// nothing is written.
func Section(b *strings.Builder, title string, rows [][]string) {
	if len(rows) < 2 {
		return
	}
	b.WriteByte('\n')
	if title != "" {
		b.WriteString(phrase.Text(title) + "\n")
	}
	text := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			text[i] = append(text[i], phrase.Text(cell))
		}
	}
	_ = Write(b, "    ", text) // a Builder does not fail
}

// Write writes rows whose cells are padded to the width of their column, two
// spaces between columns and none at the end of a line. Rows may differ in
// length. Every line starts with the indent.
func Write(w io.Writer, indent string, rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := indent
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
		}
		b.WriteString(strings.TrimRight(line, " "))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
