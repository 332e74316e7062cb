package tiaptest

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
)

// names collects ids for a diagnostic: all are counted, the first are named.
type names struct {
	n     int
	first []string
}

func (l *names) add(id string) {
	l.n++
	if len(l.first) < 10 {
		l.first = append(l.first, printable(id))
	}
}

// printable is an id as it stands, or quoted when it would break the line or not
// be seen.
func printable(id string) string { return phrase.Name(id) }

func (l names) String() string {
	s := strings.Join(l.first, ", ")
	if l.n > len(l.first) {
		s += fmt.Sprintf(" and %d more", l.n-len(l.first))
	}
	return s
}

func (f *frame) note(kind, system string, l names, one, many string) {
	if l.n == 0 {
		return
	}
	d := diagnostic{Kind: kind, System: system, Text: fmt.Sprintf("%d %s: %s", l.n, many, l)}
	if l.n == 1 {
		d.Text = fmt.Sprintf("1 %s: %s", one, l)
	}
	f.notes = append(f.notes, d)
}
