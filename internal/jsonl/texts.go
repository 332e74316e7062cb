package jsonl

import "strings"

// Texts makes strings of bytes, many of them to one allocation, which lives as
// long as any of its strings. The zero value is ready to use.
type Texts struct {
	b strings.Builder
}

// Add returns b as a string.
func (t *Texts) Add(b []byte) string {
	const chunk = 16 << 10
	if t.b.Cap()-t.b.Len() < len(b) {
		if len(b) > chunk/4 {
			return string(b)
		}
		t.b.Reset() // the strings made so far keep the old chunk
		t.b.Grow(chunk)
	}
	start := t.b.Len()
	t.b.Write(b)
	return t.b.String()[start:]
}
