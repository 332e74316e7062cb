package scenarios

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// mendSurrogates returns JSON text in which escapes of half a surrogate pair are
// those of the replacement character, and how many there were. Texts cut in the
// middle of a character have them.
func mendSurrogates(text []byte) (mended []byte, n int) {
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) {
		return text, 0
	}
	for i := 0; i < len(text); {
		r, ok := codeUnit(text[i:])
		switch low, _ := codeUnit(text[min(i+6, len(text)):]); {
		case text[i] != '\\':
			i++
			continue
		case !ok:
			i += 2 // another escape, which may be of a backslash
			continue
		case !utf16.IsSurrogate(r):
		case utf16.DecodeRune(r, low) != utf8.RuneError:
			i += 6
		default:
			if n == 0 {
				text = slices.Clone(text)
			}
			n++
			copy(text[i:], `\ufffd`)
		}
		i += 6
	}
	return text, n
}

// codeUnit reads an escape such as \u00e9 at the start of a text.
func codeUnit(text []byte) (r rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
