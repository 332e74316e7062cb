// Package problem describes what is wrong with an input: where it stands, what
// it is and how to mend it. Readers collect problems and report several at once.
package problem

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/harmless"
)

// Problem is one fault of an input file.
type Problem struct {
	File string // as the user named it; empty for data built in code
	Line int    // 1-based; 0 when the fault concerns the whole file
	What string // what is wrong, with the ids concerned
	Mend string // how to mend it; may be empty
}

// Error formats the problem as "file:line: what; how to mend it". It is one line
// of printable characters, whatever the names in it hold: a line of its own could
// pass for one of the test protocol, or for a command to the log of a CI runner.
func (p *Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		b.WriteByte(':')
		if p.Line > 0 {
			b.WriteString(strconv.Itoa(p.Line))
			b.WriteByte(':')
		}
		b.WriteByte(' ')
	}
	b.WriteString(p.What)
	if p.Mend != "" {
		b.WriteString("; ")
		b.WriteString(p.Mend)
	}
	return harmless.Guard(printable(b.String()))
}

// printable replaces what does not print by its Go escape sequence.
func printable(s string) string {
	prints := func(r rune) bool { return unicode.IsPrint(r) && r != utf8.RuneError }
	if strings.IndexFunc(s, func(r rune) bool { return !prints(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if prints(r) {
			b.WriteString(s[:n])
		} else {
			quoted := strconv.Quote(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[n:]
	}
	return b.String()
}

// limit is how many problems of one list are spelled out.
const limit = 20

// List collects the problems of one input. The zero value is empty and ready
// to use. It is not safe for concurrent use.
type List struct {
	problems []*Problem
	dropped  int
	mixed    bool // a dropped problem is in another file than the first one
}

// Add records a problem.
func (l *List) Add(file string, line int, what, mend string) {
	if len(l.problems) >= limit {
		l.dropped++
		l.mixed = l.mixed || file != l.problems[0].File
		return
	}
	l.problems = append(l.problems, &Problem{File: file, Line: line, What: what, Mend: mend})
}

// Append records the problems of another list after those of l.
func (l *List) Append(m *List) {
	for _, p := range m.problems {
		l.Add(p.File, p.Line, p.What, p.Mend)
	}
	if m.dropped > 0 {
		l.dropped += m.dropped
		l.mixed = l.mixed || m.mixed || m.problems[0].File != l.problems[0].File
	}
}

// Len counts the problems, those beyond the limit too.
func (l *List) Len() int { return len(l.problems) + l.dropped }

// Err joins the problems into one error, or returns nil when there are none.
func (l *List) Err() error {
	if len(l.problems) == 0 {
		return nil
	}
	errs := make([]error, 0, len(l.problems)+1)
	for _, p := range l.problems {
		errs = append(errs, p)
	}
	if l.dropped > 0 {
		errs = append(errs, errors.New(l.rest()))
	}
	return errors.Join(errs...)
}

// rest speaks of the problems that are not spelled out.
func (l *List) rest() string {
	text := fmt.Sprintf("and %d more problems", l.dropped)
	if l.dropped == 1 {
		text = "and 1 more problem"
	}
	if file := l.problems[0].File; file != "" && !l.mixed {
		text += " in " + file
	}
	return text
}
