package jsonl

import (
	"bytes"
	"strconv"
)

// Kind is what a JSON value is.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
)

// Value is a valid JSON value. It aliases the line that it is from. The zero
// Value is a null.
type Value struct {
	raw  []byte
	kind Kind
}

// Kind returns what v is.
func (v Value) Kind() Kind { return v.kind }

// Raw returns the text of v; [Scan] takes that of an object.
func (v Value) Raw() []byte { return v.raw }

// Bool returns whether v is true; ok is whether it is true or false.
func (v Value) Bool() (b, ok bool) { return v.kind == True, v.kind == True || v.kind == False }

// Bytes returns the content of a string: a part of the line or, when it has
// escapes, a copy without.
func (v Value) Bytes() (s []byte, ok bool) {
	if v.kind != String {
		return nil, false
	}
	end := len(v.raw) - 1
	s = v.raw[1:end:end]
	if bytes.IndexByte(s, '\\') >= 0 {
		s = appendUnescaped(make([]byte, 0, len(s)), s)
	}
	return s, true
}

// Float returns the double nearest to a number; ok is false beyond the range of
// doubles too.
func (v Value) Float() (x float64, ok bool) {
	if v.kind != Number {
		return 0, false
	}
	x, _, ok = float(v.raw)
	return x, ok
}

// Int returns a number that is written as an integer, without fraction and
// exponent, and within range.
func (v Value) Int() (n int64, ok bool) {
	if v.kind != Number {
		return 0, false
	}
	b := v.raw
	if b[0] == '-' {
		b = b[1:]
	}
	if len(b) > 18 { // may be out of range
		n, err := strconv.ParseInt(string(v.raw), 10, 64)
		return n, err == nil
	}
	m, end := digits(b, 0, 0)
	if end < len(b) {
		return 0, false
	}
	n = int64(m)
	if len(b) < len(v.raw) {
		n = -n
	}
	return n, true
}

// Elems calls f for the elements of an array, nulls included. It returns false
// when v is none or f returned false.
func (v Value) Elems(f func(Value) bool) bool {
	if v.kind != Array {
		return false
	}
	for i := first(v.raw); v.raw[i] != ']'; {
		e := valueAt(v.raw, i)
		if !f(e) {
			return false
		}
		i = next(v.raw, i+len(e.raw))
	}
	return true
}

// Strings calls f for the elements of an array of strings, as
// [Value.Bytes] gives them. It returns false when v is no such array or f
// returned false.
func (v Value) Strings(f func(s []byte) bool) bool {
	if v.kind != Array {
		return false
	}
	if bytes.IndexByte(v.raw, '\\') >= 0 {
		return v.Elems(func(e Value) bool {
			s, ok := e.Bytes()
			return ok && f(s)
		})
	}
	for i := first(v.raw); v.raw[i] != ']'; {
		if v.raw[i] != '"' {
			return false
		}
		end := skipToQuote(v.raw, i+1)
		if !f(v.raw[i+1 : end : end]) {
			return false
		}
		i = next(v.raw, end+1)
	}
	return true
}

// Floats calls f for the elements of an array of numbers. It returns false when
// v is no such array, a number is beyond the range of doubles or f returned
// false.
func (v Value) Floats(f func(x float64) bool) bool {
	if v.kind != Array {
		return false
	}
	for i := first(v.raw); v.raw[i] != ']'; {
		if c := v.raw[i]; c != '-' && c-'0' > 9 {
			return false
		}
		x, n, ok := float(v.raw[i:])
		if !ok || !f(x) {
			return false
		}
		i = next(v.raw, i+n)
	}
	return true
}

// The functions below move in text that is known to be valid JSON.

// first returns the index of the first thing in an array or object, or of its
// end.
func first(b []byte) int { return skipSpace(b, 1) }

// next returns the same of what follows the element or member that ends at i.
func next(b []byte, i int) int {
	i = skipSpace(b, i)
	if b[i] == ',' {
		i = skipSpace(b, i+1)
	}
	return i
}

// valueAt returns the value that starts at b[i].
func valueAt(b []byte, i int) Value {
	end, kind := i, Number
	switch b[i] {
	case '"':
		end, kind = endOfString(b, i), String
	case '[':
		end, kind = endOfNested(b, i), Array
	case '{':
		end, kind = endOfNested(b, i), Object
	case 't':
		end, kind = i+len("true"), True
	case 'f':
		end, kind = i+len("false"), False
	case 'n':
		end, kind = i+len("null"), Null
	default:
		end = skipNumber(b, i)
	}
	return Value{b[i:end:end], kind}
}

func endOfString(b []byte, i int) int {
	for {
		i = skipToQuote(b, i+1)
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

func endOfNested(b []byte, i int) int {
	for depth := 0; ; i++ {
		switch b[i] {
		case '"':
			i = endOfString(b, i) - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}
