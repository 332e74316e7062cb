package reference

import (
	"cmp"
	"slices"
	"strings"
)

// edit puts another text in the place of some bytes.
type edit struct {
	start, end int
	text       string
}

// rewrite applies edits to a text. Of two that overlap the first one counts.
func rewrite(text string, edits []edit) string {
	if len(edits) == 0 {
		return text
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		b.WriteString(text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(text[at:])
	return b.String()
}
