package jsonl

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// escape returns the character and the length of the escape that b starts with,
// or length 0 when it is none: half a surrogate pair is none.
func escape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	r = unit(b)
	if r < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	// DecodeRune gives U+FFFD for what is no pair, and for no pair else.
	if r = utf16.DecodeRune(r, unit(b[6:])); r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// unit returns the UTF-16 code unit written as \uXXXX at the start of b, or -1.
func unit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// appendUnescaped appends what s, the valid inside of a string, stands for.
func appendUnescaped(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...)
		}
		r, n := escape(s[i:])
		dst = utf8.AppendRune(append(dst, s[:i]...), r)
		s = s[i+n:]
	}
}

// halfSurrogate reports whether JSON text that is valid otherwise has an escape
// that is half a surrogate pair.
func halfSurrogate(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return false
		}
		_, n := escape(text[i:])
		if n == 0 {
			return true
		}
		text = text[i+n:]
	}
}
