package jsonl

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The skip functions take the index of a token's first byte and return the
// index after its last one, or -1 when the text is not valid there.

func skipSpace(b []byte, i int) int {
	const space uint64 = 1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n'
	for i < len(b) && b[i] <= ' ' && space>>b[i]&1 != 0 {
		i++
	}
	return i
}

// skipValue also tells the kind.
func skipValue(b []byte, i, depth int) (end int, kind Kind) {
	if i >= len(b) {
		return -1, 0
	}
	switch b[i] {
	case '"':
		end, _ = skipString(b, i)
		return end, String
	case '[':
		return skipArray(b, i, depth), Array
	case '{':
		return skipObject(b, i, depth), Object
	case 't':
		return skipLiteral(b, i, "true"), True
	case 'f':
		return skipLiteral(b, i, "false"), False
	case 'n':
		return skipLiteral(b, i, "null"), Null
	}
	return skipNumber(b, i), Number
}

func skipLiteral(b []byte, i int, text string) int {
	if len(b)-i < len(text) || string(b[i:i+len(text)]) != text {
		return -1
	}
	return i + len(text)
}

func skipArray(b []byte, i, depth int) int {
	if depth == 0 {
		return -1
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i < len(b) && b[i] == '"' { // the common case, a call less
			i, _ = skipString(b, i)
		} else {
			i, _ = skipValue(b, i, depth-1)
		}
		if i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i == len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case ']':
			return i + 1
		default:
			return -1
		}
	}
}

// skipStrings skips an array of strings in ASCII without escapes and control
// characters, and appends to at where in the array each begins and ends. It returns -1
// and nothing appended for anything else, an empty array too.
func skipStrings(b []byte, i int, at []int) (int, []int) {
	first, before := i, len(at)
	i = skipSpace(b, i+1)
	for i < len(b) && b[i] == '"' {
		start := i + 1
		i = skipOrdinary(b, start)
		for i < len(b) && ordinary(b[i]) {
			i++
		}
		if i == len(b) || b[i] != '"' {
			break
		}
		at = append(at, start-first, i-first)
		var more bool
		switch i, more = skipComma(b, i+1); {
		case i < 0:
			return -1, at[:before]
		case !more:
			return i, at
		}
	}
	return -1, at[:before]
}

// skipNumbers is skipStrings for an array of numbers within the range of doubles.
func skipNumbers(b []byte, i int, numbers []float64) (int, []float64) {
	before := len(numbers)
	i = skipSpace(b, i+1)
	for {
		x, end, ok := shortFloat(b, i)
		if !ok {
			if end = skipNumber(b, i); end < 0 {
				break
			}
			if x, _, ok = float(b[i:end]); !ok {
				break
			}
		}
		numbers = append(numbers, x)
		var more bool
		switch i, more = skipComma(b, end); {
		case i < 0:
			return -1, numbers[:before]
		case !more:
			return i, numbers
		}
	}
	return -1, numbers[:before]
}

// skipComma skips what stands behind an element of an array: a comma, so that there is
// one more, or the end of the array.
func skipComma(b []byte, i int) (end int, more bool) {
	i = skipSpace(b, i)
	if i < len(b) && b[i] == ',' {
		return skipSpace(b, i+1), true
	}
	if i < len(b) && b[i] == ']' {
		return i + 1, false
	}
	return -1, false
}

// skipObject does not look for repeated names.
func skipObject(b []byte, i, depth int) int {
	if depth == 0 {
		return -1
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i == len(b) || b[i] != '"' {
			return -1
		}
		i, _ = skipString(b, i)
		if i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i == len(b) || b[i] != ':' {
			return -1
		}
		i, _ = skipValue(b, skipSpace(b, i+1), depth-1)
		if i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i == len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}

func skipNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i = skipDigits(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = skipDigits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return skipDigits(b, i)
	}
	return i
}

// skipDigits wants at least one digit.
func skipDigits(b []byte, i int) int {
	start := i
	for len(b)-i >= 8 && eightDigits(binary.LittleEndian.Uint64(b[i:])) {
		i += 8
	}
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

const (
	ones = 0x0101010101010101 // the lowest bit of each byte of a word
	tops = 0x80 * ones
)

// special marks bytes of w that are no ordinary part of a string: '"', '\\',
// control characters and anything outside ASCII. The mark is the byte's top
// bit. The lowest mark is right; a borrow may set wrong ones above it.
func special(w uint64) uint64 {
	quote := w ^ '"'*ones
	slash := w ^ '\\'*ones
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-' '*ones)&^w | w) & tops
}

// ordinary reports what special marks for one byte.
func ordinary(c byte) bool { return c != '"' && c != '\\' && c >= ' ' && c < utf8.RuneSelf }

// skipOrdinary returns the index of the first byte from i on that special may
// mark, or one of the last seven of b.
func skipOrdinary(b []byte, i int) int {
	for len(b)-i >= 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	return i
}

// skipToQuote returns the index of the first '"' from i on; there must be one.
func skipToQuote(b []byte, i int) int {
	for len(b)-i >= 8 {
		quote := binary.LittleEndian.Uint64(b[i:]) ^ '"'*ones
		if m := (quote - ones) &^ quote & tops; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for b[i] != '"' {
		i++
	}
	return i
}

// skipString also tells whether the string has an escape.
func skipString(b []byte, i int) (end int, escaped bool) {
	i++
	start := i
	i = skipOrdinary(b, i)
	if i < len(b) && b[i] == '"' {
		return i + 1, false
	}
	return skipRest(b, start, i)
}

// skipRest is skipString from i on, where no special byte stands before i.
func skipRest(b []byte, start, i int) (end int, escaped bool) {
	ascii := true
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			if !ascii && !utf8.Valid(b[start:i]) {
				return -1, false
			}
			return i + 1, escaped
		case c == '\\':
			_, n := escape(b[i:])
			if n == 0 {
				return -1, false
			}
			escaped = true
			i += n
		case c < ' ':
			return -1, false
		case c >= utf8.RuneSelf:
			ascii = false
			i++
		default:
			i = skipOrdinary(b, i+1)
		}
	}
	return -1, false
}
