package hostile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fault says what in an output of several lines a terminal, an editor or the log of
// a CI runner takes for more than text, or "": control characters, those that turn
// the direction of writing or are not seen, what is not UTF-8, and commands of a
// log. Two joiners are seen, since scripts and emoji need them.
func Fault(out string) string {
	if !utf8.ValidString(out) {
		return "is not UTF-8"
	}
	for _, r := range out {
		joiner := r == '\u200c' || r == '\u200d'
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !joiner || unicode.Is(unicode.Co, r) || r&0xfffe == 0xfffe || r == '\u2028' || r == '\u2029') {
			return fmt.Sprintf("holds %U", r)
		}
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			return fmt.Sprintf("a line is a command: %q", line)
		}
	}
	return ""
}
