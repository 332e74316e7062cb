package harmless

import (
	"fmt"
	"strings"
)

// Markdown writes a text of one line, which is [Clean], as a cell or a part of a
// sentence in GitHub's Markdown. What could mean something to it or to GitHub
// (markup, mentions, references, links, commands) becomes code, in which nothing
// does.
func Markdown(s string) string {
	if inert(s) {
		return s
	}
	return codeSpan(s)
}

// Block writes a text of several lines as a block of code in Markdown, whose fence
// is longer than any run of backticks in it. Its lines are [Clean] and [Guard]ed.
func Block(text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + "\n" + text + "\n" + fence + "\n"
}

// Element writes a text of one line, which is [Clean], into an HTML element of
// Markdown, in which Markdown would still be read: each sign that could mean
// something becomes a reference.
func Element(s string) string {
	if inert(s) {
		return s
	}
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range s {
		if r < 0x80 && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == ' ') {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteString("</code>")
	return b.String()
}

// inert reports whether a text means nothing but itself: letters and digits with
// single dashes, underlines and blanks between them. GitHub takes GH-1 for a
// reference, and 7 to 40 hexadecimal digits for a commit.
func inert(s string) bool {
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
	for i := range len(s) {
		c := s[i]
		if letter(c) {
			continue
		}
		inside := i > 0 && i < len(s)-1 && letter(s[i-1]) && letter(s[i+1])
		if !inside || !strings.ContainsRune("-_ ", rune(c)) {
			return false
		}
	}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '-' || r == '_' || r == ' ' }) {
		if n := len(word); n >= 7 && n <= 40 && strings.Trim(word, "0123456789abcdefABCDEF") == "" {
			return false
		}
	}
	return !strings.HasPrefix(strings.ToLower(s), "gh-")
}

// codeSpan quotes a text by more backticks than it has in a row. A pipe would end
// the cell of a table even there.
func codeSpan(s string) string {
	fence := strings.Repeat("`", longestRun(s)+1)
	s = strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "##[", "## [")
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) int {
	run, most := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			most = max(most, run)
		} else {
			run = 0
		}
	}
	return most
}
