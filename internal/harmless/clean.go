// Package harmless makes text that comes from elsewhere (ids, names, what a test
// prints) harmless where it is shown: in a terminal, in the log of a CI runner and in
// Markdown.
package harmless

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes foreign text harmless in every format, before a format escapes its
// own markup. Line breaks and tabs become blanks. Other control characters, those
// that turn the direction of writing or are not seen, and what no character is
// become an escape such as \u202e: they could hide, reorder or colour what stands
// around them. Text of more than n characters is cut, and says how long it was.
func Clean(s string, n int) string {
	var b strings.Builder
	count := 0
	for i := 0; i < len(s); count++ {
		r, size := utf8.DecodeRuneInString(s[i:])
		if count < n {
			writeClean(&b, r, s[i:i+size])
		}
		i += size
	}
	if count > n {
		fmt.Fprintf(&b, "... (%d characters)", count)
	}
	return b.String()
}

func writeClean(b *strings.Builder, r rune, raw string) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(b, `\x%02x`, raw[0])
	case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029':
		b.WriteByte(' ')
	case r < 0x80 && unicode.IsControl(r):
		fmt.Fprintf(b, `\x%02x`, r)
	case Hidden(r):
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		b.WriteRune(r)
	}
}

// Hidden reports whether a character could hide, reorder or colour what stands
// around it, or break its line: control characters, those that turn the direction
// of writing or are not seen, and what no character is. Two joiners, which scripts
// and emoji need, are not among them.
func Hidden(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	switch r {
	case zeroWidthNonJoiner, zeroWidthJoiner:
		return false
	case '\u2028', '\u2029': // separators of lines and paragraphs
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r&0xfffe == 0xfffe
}

// Guard keeps lines from being taken for commands by a log reader: those that
// begin with two colons, and "##[" anywhere.
func Guard(s string) string {
	s = strings.ReplaceAll(s, "##[", "## [")
	var b strings.Builder
	for line := range strings.Lines(s) {
		if rest := strings.TrimLeft(line, " "); strings.HasPrefix(rest, "::") {
			line = line[:len(line)-len(rest)] + `\` + rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// Lines makes a text of several lines harmless: each is [Clean], however long, and
// none is a command of a log. A tab becomes four blanks.
func Lines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		text, ended := strings.CutSuffix(line, "\n")
		b.WriteString(Clean(strings.ReplaceAll(text, "\t", "    "), math.MaxInt))
		if ended {
			b.WriteByte('\n')
		}
	}
	return Guard(b.String())
}
