package tiaptest

import (
	"encoding/json"
	"errors"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/problem"
)

// sourceItem is a link in a file: a turn id, or an object.
type sourceItem Link

func (s *sourceItem) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &s.Turn)
	}
	var v struct {
		Turn      string `json:"turn"`
		Precision string `json:"precision"`
		Origin    string `json:"origin"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return errors.New(`neither a turn id nor {"turn", "precision", "origin"}; make it one of them`)
	}
	*s = sourceItem(v)
	return nil
}

func (s *sourceItem) SetWord(turn string) bool {
	s.Turn = turn
	return true
}

func (s sourceItem) MarshalJSON() ([]byte, error) {
	if s.Precision == "" && s.Origin == "" {
		return plainJSON(s.Turn)
	}
	return plainJSON(struct {
		Turn      string `json:"turn"`
		Precision string `json:"precision,omitempty"`
		Origin    string `json:"origin,omitempty"`
	}{s.Turn, s.Precision, s.Origin})
}

// memoryLine is a line of store.jsonl.
type memoryLine struct {
	ID        string       `json:"id"`
	Form      string       `json:"form"`
	Sources   []sourceItem `json:"sources,omitempty"`
	Parents   []string     `json:"parents,omitempty"`
	Serving   *bool        `json:"serving,omitempty"`
	Status    string       `json:"status,omitempty"`
	ValidFrom string       `json:"valid_from,omitempty"`
	ValidTo   string       `json:"valid_to,omitempty"`
	Text      string       `json:"text,omitempty"`
}

func (l *memoryLine) memory() Memory {
	m := Memory{
		ID: l.ID, Form: l.Form, Status: l.Status,
		ValidFrom: l.ValidFrom, ValidTo: l.ValidTo, Text: l.Text,
		NotServing: l.Serving != nil && !*l.Serving,
	}
	if len(l.Parents) > 0 {
		m.Parents = l.Parents
	}
	if len(l.Sources) > 0 {
		m.Sources = make([]Link, len(l.Sources))
		for i, s := range l.Sources {
			m.Sources[i] = Link(s)
		}
	}
	return m
}

func lineOf(m *Memory) memoryLine {
	l := memoryLine{
		ID: m.ID, Form: m.Form, Parents: m.Parents, Status: m.Status,
		ValidFrom: m.ValidFrom, ValidTo: m.ValidTo, Text: m.Text,
	}
	for _, s := range m.Sources {
		l.Sources = append(l.Sources, sourceItem(s))
	}
	if m.NotServing {
		l.Serving = new(bool)
	}
	return l
}

// memoryDecoder decodes lines of store.jsonl: quickly what is plain, else by way
// of a memoryLine, which knows what is wrong. Lines must stay unchanged while it
// is in use.
type memoryDecoder struct {
	members *jsonl.Reader
	texts   jsonl.Texts
	last    Memory   // texts that stand in the next line too are made once
	links   []Link   // memories share these allocations
	parents []string // likewise
	list    []Link   // of the line at hand
	ids     []string // likewise
}

// memoryMembers are the members of a line, as quick numbers them.
var memoryMembers = []string{"id", "form", "status", "valid_from", "valid_to", "text", "sources", "parents", "serving"}

func newMemoryDecoder() *memoryDecoder {
	return &memoryDecoder{members: jsonl.NewReader(memoryMembers...)}
}

// Decode stores the memory on the line in m, a zero Memory.
func (d *memoryDecoder) Decode(line []byte, m *Memory) *problem.Problem {
	if d.quick(line, m) {
		return nil
	}
	var l memoryLine
	if wrong := jsonl.Decode(line, &l); wrong != nil {
		return wrong
	}
	*m = l.memory()
	return nil
}

// quick reads a line that has nothing unusual.
func (d *memoryDecoder) quick(line []byte, m *Memory) bool {
	if !d.members.Read(line) {
		return false
	}
	last := &d.last
	for i, field := range [...]struct{ into, last *string }{
		{&m.ID, &last.ID}, {&m.Form, &last.Form}, {&m.Status, &last.Status},
		{&m.ValidFrom, &last.ValidFrom}, {&m.ValidTo, &last.ValidTo}, {&m.Text, &last.Text},
	} {
		v := d.members.Value(i)
		if v.Kind() == jsonl.Null {
			continue
		}
		s, ok := v.Bytes()
		if !ok {
			return false
		}
		if *field.last != string(s) {
			*field.last = d.texts.Add(s)
		}
		*field.into = *field.last
	}
	d.list, d.ids = d.list[:0], d.ids[:0]
	if v := d.members.Value(6); v.Kind() != jsonl.Null && !v.Elems(d.link) {
		return false
	}
	if v := d.members.Value(7); v.Kind() != jsonl.Null && !v.Strings(d.parent) {
		return false
	}
	if v := d.members.Value(8); v.Kind() != jsonl.Null {
		serving, ok := v.Bool()
		if !ok {
			return false
		}
		m.NotServing = !serving
	}
	m.Sources, m.Parents = share(&d.links, d.list), share(&d.parents, d.ids)
	return true
}

// link adds a source to the list of the line.
func (d *memoryDecoder) link(v jsonl.Value) bool {
	var l Link
	if v.Kind() == jsonl.String {
		s, _ := v.Bytes()
		l.Turn = d.texts.Add(s)
	} else if v.Kind() != jsonl.Object || !jsonl.Scan(v.Raw(), func(name []byte, v jsonl.Value) bool {
		into := &l.Turn
		switch string(name) {
		case "turn":
		case "precision":
			into = &l.Precision
		case "origin":
			into = &l.Origin
		default: // may be a name that encoding/json takes for one of these
			return false
		}
		s, ok := v.Bytes()
		*into = d.texts.Add(s)
		return ok
	}) {
		return false
	}
	d.list = append(d.list, l)
	return true
}

// parent adds a parent to the list of the line.
func (d *memoryDecoder) parent(id []byte) bool {
	d.ids = append(d.ids, d.texts.Add(id))
	return true
}

// share returns a copy of items, nil for none, in an allocation that it shares
// with other copies as long as room has space.
func share[T any](room *[]T, items []T) []T {
	const together = 256
	n := len(items)
	if n == 0 {
		return nil
	}
	if cap(*room)-len(*room) < n {
		*room = make([]T, 0, max(together, n))
	}
	start := len(*room)
	*room = append(*room, items...)
	return (*room)[start : start+n : start+n]
}
