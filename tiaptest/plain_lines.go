package tiaptest

import "github.com/tiaptest/tiap/internal/jsonl"

// plainLines reads lines that have nothing unusual: members are texts, and lists of
// texts. A line that it does not read is for [jsonl.Decode], which says what is wrong
// with it or reads it after all. Lines must stay unchanged until Forget.
type plainLines struct {
	members *jsonl.Reader
	texts   jsonl.Texts
	last    []string // by member: a text that stands in the next line too is made once
	words   []string // lists share this allocation
	list    []string // at hand
}

func newPlainLines(members []string) plainLines {
	return plainLines{members: jsonl.NewReader(members...), last: make([]string, len(members))}
}

// Forget lets the lines read so far change.
func (p *plainLines) Forget() { p.members.Forget() }

// read reads a line, and its first members as texts. Those that it does not have are
// left as they are.
func (p *plainLines) read(line []byte, into ...*string) bool {
	if !p.members.Read(line) {
		return false
	}
	for i, field := range into {
		v := p.members.Value(i)
		if v.Kind() == jsonl.Null {
			continue
		}
		s, ok := v.Bytes()
		if !ok {
			return false
		}
		if p.last[i] != string(s) {
			p.last[i] = p.texts.Add(s)
		}
		*field = p.last[i]
	}
	return true
}

// strings reads a member as a list of texts, nil when there is no such member.
func (p *plainLines) strings(i int, list *[]string) bool {
	if p.members.Value(i).Kind() == jsonl.Null {
		return true
	}
	p.list = p.list[:0]
	if !p.members.Strings(i, func(s []byte) bool {
		p.list = append(p.list, p.texts.Add(s))
		return true
	}) {
		return false
	}
	*list = share(&p.words, p.list)
	return true
}

// share returns a copy of items in an allocation that it shares with other copies
// as long as room has space.
func share[T any](room *[]T, items []T) []T {
	const together = 256
	n := len(items)
	if n == 0 {
		return []T{}
	}
	if cap(*room)-len(*room) < n {
		*room = make([]T, 0, max(together, n))
	}
	start := len(*room)
	*room = append(*room, items...)
	return (*room)[start : start+n : start+n]
}
