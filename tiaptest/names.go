package tiaptest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/harmless"
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

// checkName refuses a name that is not what is seen of it: names stand in every
// message and table as they are, and a line of its own could pass for one of the
// test protocol, or for a command of a CI runner's log.
func checkName(of, name string) error {
	switch {
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %q of a %s is not UTF-8; names are text in UTF-8", name, of)
	case strings.ContainsFunc(name, harmless.Hidden):
		return fmt.Errorf("the name %q of a %s has control characters; leave them out", name, of)
	case harmless.Guard(name) != name:
		return fmt.Errorf("the name %q of a %s is a command to the log of a CI runner; leave the colons, or ## before the bracket, out", harmless.Guard(name), of)
	}
	return nil
}
