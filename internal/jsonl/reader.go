package jsonl

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Reader reads lines for the values of chosen members. The lines of a file tend
// to have the same members, in the same order and spaced alike: of a line that
// does as the one before did, only the values are parsed, and not even those up
// to the first that differs. Any other line is parsed as by [Scan].
type Reader struct {
	names   []string
	values  []Value  // of names
	last    []byte   // the line read last
	members []member // of last; none when there is no such line
	fields  []int    // of each member the index of its name in names, or -1
	arrays  []array  // of values
}

// array is what an array holds; where that is not known, nothing.
type array struct {
	strings []int // where each begins, and where it ends
	numbers []float64
}

// NewReader returns a reader for the members of these names.
func NewReader(names ...string) *Reader {
	return &Reader{names: names, values: make([]Value, len(names)), arrays: make([]array, len(names))}
}

// Read reads a line. It understands the same lines as [Scan]; on false the
// values are undefined. The line must stay unchanged until [Reader.Forget].
func (r *Reader) Read(line []byte) bool {
	if !r.follow(line) && !r.learn(line) {
		r.members = r.members[:0]
		return false
	}
	r.last = line
	return true
}

// Forget lets the lines read so far change.
func (r *Reader) Forget() {
	r.last, r.members = nil, r.members[:0]
	r.clear()
}

func (r *Reader) clear() {
	clear(r.values)
	for i := range r.arrays {
		r.arrays[i].forget()
	}
}

func (a *array) forget() { a.strings, a.numbers = a.strings[:0], a.numbers[:0] }

// read notes what the array that starts at b[i] holds, and returns where it ends, or -1
// when it notes nothing.
func (a *array) read(b []byte, i int) (end int) {
	a.forget()
	if i >= len(b) || b[i] != '[' {
		return -1
	}
	if end, a.strings = skipStrings(b, i, a.strings); end < 0 {
		end, a.numbers = skipNumbers(b, i, a.numbers)
	}
	return end
}

// Value returns the value of the i-th name in the line read last: a null when
// there is no such member. It aliases that line, or an earlier one that had the
// same value.
func (r *Reader) Value(i int) Value { return r.values[i] }

// Strings is Value(i).Strings(f), quicker.
func (r *Reader) Strings(i int, f func(s []byte) bool) bool {
	v, at := r.values[i], r.arrays[i].strings
	if len(at) == 0 {
		return v.Strings(f)
	}
	for ; len(at) > 0; at = at[2:] {
		if !f(v.raw[at[0]:at[1]:at[1]]) {
			return false
		}
	}
	return true
}

// Floats is Value(i).Floats(f), quicker.
func (r *Reader) Floats(i int, f func(x float64) bool) bool {
	numbers := r.arrays[i].numbers
	if len(numbers) == 0 {
		return r.values[i].Floats(f)
	}
	for _, x := range numbers {
		if !f(x) {
			return false
		}
	}
	return true
}

// follow reads a line that differs from the last one in nothing but values.
func (r *Reader) follow(line []byte) bool {
	if len(r.members) == 0 {
		return false
	}
	last := r.last
	same := commonPrefix(last, line)
	k, i := 0, 0 // next member; index in line
	for k < len(r.members) && r.members[k].end < same {
		i = r.members[k].end
		k++
	}
	from := i // index in last
	for ; k < len(r.members); k++ {
		m := &r.members[k]
		between := last[from:m.start]
		if !bytes.HasPrefix(line[i:], between) {
			return false
		}
		i += len(between)
		from = m.end
		m.start, m.end, m.kind = i, -1, Array
		f := r.fields[k]
		if f >= 0 {
			m.end = r.arrays[f].read(line, i)
		}
		if m.end < 0 {
			m.end, m.kind = skipValue(line, i, maxDepth)
		}
		if i = m.end; i < 0 {
			return false
		}
		if f >= 0 {
			r.values[f] = m.value(line)
		}
	}
	return bytes.Equal(last[from:], line[i:])
}

// learn reads any line.
func (r *Reader) learn(line []byte) bool {
	r.clear()
	r.members, r.fields = r.members[:0], r.fields[:0]
	return members(line, func(m member) bool {
		f := slices.Index(r.names, string(line[m.name:m.nameEnd]))
		if f >= 0 {
			r.values[f] = m.value(line)
		}
		r.members, r.fields = append(r.members, m), append(r.fields, f)
		return true
	})
}

// commonPrefix returns how many bytes a and b have in common at their start.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; n-i >= 8; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)>>3
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
