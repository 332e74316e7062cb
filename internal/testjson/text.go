package testjson

import (
	"fmt"
	"strings"
)

// keep is how many bytes of a text are kept of its beginning, and at least of its
// end.
const keep = 16 << 10

// Text keeps the beginning and the end of what is written to it, at most 48 KiB.
// The zero value is empty.
type Text struct {
	head, tail []byte
	left       int // bytes left out between them
}

func (t *Text) add(s string) {
	if n := min(keep-len(t.head), len(s)); n > 0 {
		t.head = append(t.head, s[:n]...)
		s = s[n:]
	}
	for len(s) > 0 {
		n := min(2*keep-len(t.tail), len(s))
		t.tail = append(t.tail, s[:n]...)
		s = s[n:]
		if len(t.tail) == 2*keep && len(s) > 0 {
			t.left += keep
			t.tail = append(t.tail[:0], t.tail[keep:]...)
		}
	}
}

// drop forgets the text but not that there was one.
func (t *Text) drop() { *t = Text{left: t.left + t.size()} }

func (t *Text) size() int { return len(t.head) + len(t.tail) }

// Empty reports whether nothing but blanks was written.
func (t *Text) Empty() bool {
	return t.left == 0 && strings.TrimSpace(string(t.head)) == "" && len(t.tail) == 0
}

// String is the text; what is left out is said.
func (t *Text) String() string {
	if t.left == 0 {
		return string(t.head) + string(t.tail)
	}
	head := string(t.head)
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return fmt.Sprintf("%s[%d bytes left out]\n%s", head, t.left, t.tail)
}
