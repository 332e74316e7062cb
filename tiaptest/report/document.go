package report

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/internal/harmless"
)

// document is a report before it has a format. Everything in it is computed
// once; a format decides how it looks and how much of it there is.
type document struct {
	title    text
	verdict  text // the result in a sentence
	tone     tone // of the verdict
	basis    []fact
	sections []section
}

// fact is a setting that every number of a report stands under.
type fact struct {
	name  string
	value text
}

// section is a part of a report with a heading. Details may be folded away.
type section struct {
	id      string // of its anchor; ours, so it is a plain word
	title   string
	details bool
	blocks  []block
}

// block is a paragraph, list, message, table, figure, pair of tables or group.
type block interface{ isBlock() }

type (
	// paragraph is a line or more of text.
	paragraph struct {
		text text
		tone tone
	}

	// list holds one text an item.
	list []text

	// message holds the lines of a foreign message whose columns are aligned.
	message []string

	// table has a caption and as many cells in each row as in its head. more
	// counts further rows that the document leaves out.
	table struct {
		caption text
		head    []column
		rows    [][]cell
		more    int
	}

	// figure is a plot. alt says in words what it shows: formats without plots
	// leave it out, since its numbers stand in a table beside it.
	figure struct {
		caption text
		alt     string
		plot    plot
	}

	// beside holds two tables to be read side by side.
	beside struct{ left, right table }

	// group is a run of blocks under a heading of its own. Of a folded one only
	// the heading need be seen, and text leaves it out unless it has the numbers
	// of a figure.
	group struct {
		title   text
		folded  bool
		numbers bool
		blocks  []block
	}
)

func (paragraph) isBlock() {}
func (list) isBlock()      {}
func (message) isBlock()   {}
func (table) isBlock()     {}
func (figure) isBlock()    {}
func (beside) isBlock()    {}
func (group) isBlock()     {}

// column is the head of a table's column.
type column struct {
	text    text
	numeric bool
}

// cell is one cell of a table.
type cell struct {
	text text
	tone tone
}

// tone says what something means beside its words; colour follows it and never
// stands alone.
type tone string

const (
	plain  tone = ""
	good   tone = "good"   // as it should be
	bad    tone = "bad"    // a flip, a violation
	warn   tone = "warn"   // to be known
	first  tone = "first"  // the first system of a pair leads
	second tone = "second" // the second one
	muted  tone = "muted"  // nothing to say
	chief  tone = "strong" // of the headline target
)

// text is a run of words of this package and of foreign ones.
type text []span

// span is a part of a text. Foreign text comes from a bundle: ids, names, what
// people said. It is made harmless when it is taken in, and set apart by formats
// that read markup.
type span struct {
	s       string
	foreign bool
	strong  bool
}

// foreign is text from a bundle, shortened to what a name needs.
func foreign(s string) text { return text{{s: harmless.Clean(s, nameLength), foreign: true}} }

// quoted is longer text from a bundle, such as a question.
func quoted(s string) text { return text{{s: harmless.Clean(s, textLength), foreign: true}} }

// words joins strings, which are words of this package, with texts.
func words(parts ...any) text {
	var out text
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, span{s: p})
		case int:
			out = append(out, span{s: fmt.Sprint(p)})
		case text:
			out = append(out, p...)
		default:
			panic(fmt.Sprintf("words of type %T", p))
		}
	}
	return out
}

// strong marks words of this package that are read first.
func strong(s string) text { return text{{s: s, strong: true}} }

// joined puts a separator between texts.
func joined(parts []text, separator string) text {
	var out text
	for i, p := range parts {
		if i > 0 {
			out = append(out, span{s: separator})
		}
		out = append(out, p...)
	}
	return out
}

// foreigns joins names by commas.
func foreigns(names []string) text {
	parts := make([]text, len(names))
	for i, n := range names {
		parts[i] = foreign(n)
	}
	return joined(parts, ", ")
}

// String returns the text without marks.
func (t text) String() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.s)
	}
	return b.String()
}

// columns are heads of columns: those whose name ends in a number sign hold
// numbers, and the sign is dropped.
func columns(names ...string) []column {
	out := make([]column, len(names))
	for i, n := range names {
		name, numeric := strings.CutSuffix(n, "#")
		out[i] = column{words(name), numeric}
	}
	return out
}

// targetColumns are columns named by targets.
func targetColumns(targets []string, numeric bool) []column {
	out := make([]column, len(targets))
	for i, t := range targets {
		out[i] = column{foreign(t), numeric}
	}
	return out
}

// cells makes a row of strings, numbers, texts and cells.
func cells(parts ...any) []cell {
	out := make([]cell, len(parts))
	for i, p := range parts {
		if c, ok := p.(cell); ok {
			out[i] = c
			continue
		}
		out[i] = cell{text: words(p)}
	}
	return out
}

// limit keeps the first rows of a table and counts the others.
func (t table) limit(n int) table {
	if len(t.rows) > n {
		t.more += len(t.rows) - n
		t.rows = t.rows[:n:n]
	}
	return t
}
