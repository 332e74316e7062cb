package tiaptest

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
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
	if wrong := jsonl.Decode(text, &v); wrong != nil && string(text) != "null" {
		return errors.New(`neither a turn id nor {"turn", "precision", "origin"}; make it one of them`)
	}
	*s = sourceItem(v)
	return nil
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

// memoryDecoder decodes lines of store.jsonl.
type memoryDecoder struct {
	plainLines
	links []Link // memories share this allocation
	all   []Link // of the line at hand
	named string // turn that was named last
}

// memoryMembers are the members of a line, texts first.
var memoryMembers = []string{"id", "form", "status", "valid_from", "valid_to", "text", "sources", "parents", "serving"}

const (
	memorySources = iota + 6
	memoryParents
	memoryServing
)

func newMemoryDecoder() *memoryDecoder {
	return &memoryDecoder{plainLines: newPlainLines(memoryMembers)}
}

// Decode stores the memory on the line in m, which is zero.
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

func (d *memoryDecoder) quick(line []byte, m *Memory) bool {
	if !d.read(line, &m.ID, &m.Form, &m.Status, &m.ValidFrom, &m.ValidTo, &m.Text) {
		return false
	}
	d.all = d.all[:0]
	if v := d.members.Value(memorySources); v.Kind() != jsonl.Null && !d.members.Strings(memorySources, d.turn) {
		if d.all = d.all[:0]; !v.Elems(d.link) {
			return false
		}
	}
	if !d.strings(memoryParents, &m.Parents) {
		return false
	}
	if v := d.members.Value(memoryServing); v.Kind() != jsonl.Null {
		serving, ok := v.Bool()
		if !ok {
			return false
		}
		m.NotServing = !serving
	}
	if len(d.all) > 0 {
		m.Sources = share(&d.links, d.all)
	}
	if len(m.Parents) == 0 {
		m.Parents = nil
	}
	return true
}

// turn adds a source that is but a turn to those of the line. Memories of one turn tend
// to follow one another.
func (d *memoryDecoder) turn(id []byte) bool {
	if d.named != string(id) {
		d.named = d.texts.Add(id)
	}
	d.all = append(d.all, Link{Turn: d.named})
	return true
}

// link adds a source to those of the line.
func (d *memoryDecoder) link(v jsonl.Value) bool {
	if id, ok := v.Bytes(); ok {
		return d.turn(id)
	}
	var l Link
	if v.Kind() != jsonl.Object || !jsonl.Scan(v.Raw(), func(name []byte, v jsonl.Value) bool {
		into := &l.Turn
		switch string(name) {
		case "turn":
		case "precision":
			into = &l.Precision
		case "origin":
			into = &l.Origin
		default:
			return true
		}
		s, ok := v.Bytes()
		*into = d.texts.Add(s)
		return ok
	}) {
		return false
	}
	d.all = append(d.all, l)
	return true
}

// store reads the memories of an ingest. Their ids become the first ones of its run,
// where its rankings find them.
func (r *reader) store(name string, in *Ingest) {
	// Rescore finds ids that stand twice. But a few packed bytes may be so many
	// memories of one id that these had better not be kept until then.
	packed, first := lines.Compressed(name), firsts{}
	in.Run.init()
	added := 0 // memories whose ids are
	addIDs := func() {
		memories := in.Memories[added:]
		in.Run.ids.AddStrings(len(memories), func(i int) string { return memories[i].ID })
		added = len(in.Memories)
	}
	records(r, name, newMemoryDecoder, func(n int) {
		in.origin.lines = make([]int32, 0, n)
		in.Memories = make([]Memory, 0, n)
		in.Run.ids.Expect(n)
	}, func(line int, m *Memory) {
		if len(m.Sources) > limit.Links || len(m.Parents) > limit.Links {
			r.fault(name, line, fmt.Sprintf("memory %q names %d turns and %d parents, of which each may be %d", m.ID, len(m.Sources), len(m.Parents), limit.Links),
				"let memories name what they were made from alone, batch by batch")
			r.enough = true
			return
		}
		if packed && m.ID != "" {
			if before, again := first.add(m.ID, line); again {
				r.fault(name, line, fmt.Sprintf("memory %q stands twice in the store (first in line %d)", m.ID, before), "give every memory an id of its own")
				return
			}
		}
		in.origin.lines = append(in.origin.lines, int32(line))
		in.Memories = append(in.Memories, *m)
		if len(in.Memories)-added == 256 { // many at a time, and soon, while they are near
			addIDs()
		}
	})
	addIDs()
}
