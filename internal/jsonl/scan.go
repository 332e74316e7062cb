// Package jsonl reads JSON objects that stand one on a line.
//
// [Scan] is quick and knows only yes or no; a [Reader] is quicker where lines are
// alike. [Decode] says what is wrong with a line that they do not understand, or
// decodes it after all. All take the same values from a line: member names match
// exactly, a member that is null counts as absent, a name that occurs twice is
// refused, and so are invalid UTF-8 and halves of surrogate pairs, which
// encoding/json would replace.
package jsonl

import "encoding/binary"

const (
	// maxMembers is up to how many members Scan looks for repeated names.
	maxMembers = 32

	// maxDepth bounds the recursion into arrays and objects.
	maxDepth = 1000
)

// Scan calls f for each member of the object on the line, with its name and
// value, in order and without allocating. Members that are null are left out.
// Both alias the line.
//
// Scan returns true when the line is a JSON object and nothing else, by RFC
// 8259 and in valid UTF-8 throughout, no two members have the same name, and f
// returned true each time. It returns false, possibly after some calls of f,
// for anything else and for a few things that are rarely seen: escapes in a
// member name, half a surrogate pair, more than 32 members, a depth above 1000.
// So f should do no more than note the values, and the caller pass the line to
// [Decode] on false.
func Scan(line []byte, f func(name []byte, v Value) bool) bool {
	return members(line, func(m member) bool {
		return m.kind == Null || f(line[m.name:m.nameEnd:m.nameEnd], m.value(line))
	})
}

// member says where the parts of a member stand in its line.
type member struct {
	name, nameEnd int // without quotes
	start, end    int // of the value
	kind          Kind
}

func (m *member) value(line []byte) Value {
	if m.kind == Null {
		return Value{}
	}
	return Value{line[m.start:m.end:m.end], m.kind}
}

// members is Scan, but tells of members that are null too.
func members(line []byte, f func(member) bool) bool {
	i := skipSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return false
	}
	i = skipSpace(line, i+1)
	if i < len(line) && line[i] == '}' {
		return skipSpace(line, i+1) == len(line)
	}
	var seen [maxMembers]uint64
	for n := range seen {
		if i == len(line) || line[i] != '"' {
			return false
		}
		end, escaped := skipString(line, i)
		if end < 0 || escaped {
			return false
		}
		m := member{name: i + 1, nameEnd: end - 1}
		// Equal hashes of different names cost no more than a detour.
		h := hash(line[m.name:m.nameEnd])
		for _, g := range seen[:n] {
			if g == h {
				return false
			}
		}
		seen[n] = h

		i = skipSpace(line, end)
		if i == len(line) || line[i] != ':' {
			return false
		}
		m.start = skipSpace(line, i+1)
		m.end, m.kind = skipValue(line, m.start, maxDepth)
		if m.end < 0 || !f(m) {
			return false
		}
		i = skipSpace(line, m.end)
		if i == len(line) {
			return false
		}
		switch line[i] {
		case ',':
			i = skipSpace(line, i+1)
		case '}':
			return skipSpace(line, i+1) == len(line)
		default:
			return false
		}
	}
	return false
}

func hash(name []byte) uint64 {
	const odd = 0x9E3779B97F4A7C15 // 2^64 / golden ratio
	h := uint64(len(name))
	for len(name) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(name)) * odd
		h ^= h >> 32
		name = name[8:]
	}
	var tail uint64
	for _, c := range name {
		tail = tail<<8 | uint64(c)
	}
	h = (h ^ tail) * odd
	return h ^ h>>32
}
