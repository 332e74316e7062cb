package memsys

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// mem0Past is what history and log tell of a memory.
type mem0Past struct {
	events    []mem0Event // that made it, in order: ADD and UPDATE
	earlier   []string    // texts that an UPDATE replaced
	text      string      // the last one
	created   string      // in RFC 3339
	changed   string      // when the last UPDATE changed the text
	deleted   bool
	deletedAt string
	role      bool   // it has a role or an actor
	user      string // user_id
	history   bool   // the history tells of it
	at        string // where it is met first
}

// mem0Event is a change of a memory: a row of the history, or a result of add.
type mem0Event struct {
	name     string // ADD, UPDATE or DELETE
	old, new string
	created  string // as it was written
	updated  string
	sources  []string
	log      bool
	at       string
}

// tell returns what is known of a memory, to add to it.
func (m *mem0) tell(id, at string) *mem0Past {
	p := m.past[id]
	if p == nil {
		p = &mem0Past{at: at}
		m.past[id] = p
		m.order = append(m.order, id)
	}
	return p
}

// mem0Row is a row of the history, as the interfaces of Mem0 give it.
type mem0Row struct {
	MemoryID  string            `json:"memory_id"`
	Old       *string           `json:"old_memory"`
	New       *string           `json:"new_memory"`
	Event     string            `json:"event"`
	CreatedAt string            `json:"created_at"`
	UpdatedAt string            `json:"updated_at"`
	Role      string            `json:"role"`
	ActorID   string            `json:"actor_id"`
	UserID    string            `json:"user_id"`
	Metadata  json.RawMessage   `json:"metadata"`
	Input     []json.RawMessage `json:"input"`
}

// readHistory reads a history, as JSON or as an SQLite database.
func (m *mem0) readHistory(file string) {
	text, err := read(file)
	switch {
	case err != nil:
		m.unreadable(file, 0, err, "name a file that can be read")
		return
	case bytes.HasPrefix(text, sqliteMagic):
		m.readHistoryDB(file, text)
	default:
		v := value{file: file, json: text}
		if !m.decode(v, new(json.RawMessage)) {
			return
		}
		if v.begins('{') {
			var list struct {
				Results json.RawMessage `json:"results"`
			}
			if !m.decode(v, &list) {
				return
			}
			v = v.member("results", list.Results)
		}
		for _, e := range m.elements(v) {
			var row mem0Row
			if m.decode(e, &row) {
				m.row(e, &row)
			}
		}
	}
	for _, id := range m.order {
		m.replay(m.past[id])
	}
}

// readHistoryDB reads history.db.
func (m *mem0) readHistoryDB(file string, text []byte) {
	if beside := unmerged(file); beside != "" {
		m.faults.Add(file, 0, "the database has changes that stand in "+beside, "end the program that writes it, or save a copy with the .backup command of sqlite3")
		return
	}
	need := []string{"memory_id", "old_memory", "new_memory", "event"}
	columns := append(need, "created_at", "updated_at", "actor_id", "role")
	n := 0
	err := sqliteTable(text, "history", need, columns, func(column []any) {
		n++
		v := value{file: file, path: fmt.Sprintf("history row %d", n)}
		texts := make([]string, len(column))
		for i := range column {
			var ok bool
			if texts[i], ok = sqliteText(column[i]); !ok {
				m.wrong(v.member(columns[i], nil), "this is no text in UTF-8", "export the history again")
				return
			}
		}
		row := mem0Row{
			MemoryID: texts[0], Event: texts[3], CreatedAt: texts[4], UpdatedAt: texts[5], ActorID: texts[6], Role: texts[7],
		}
		if column[1] != nil {
			row.Old = &texts[1]
		}
		if column[2] != nil {
			row.New = &texts[2]
		}
		m.row(v, &row)
	})
	if err != nil {
		m.faults.Add(file, 0, err.Error(), "copy history.db again while nothing writes it")
	}
}

// row notes a row of the history.
func (m *mem0) row(v value, row *mem0Row) {
	if row.MemoryID == "" {
		m.wrong(v, `the row has no "memory_id"`, "export what the history gives, whole")
		return
	}
	sources, ok := m.sourceIDs(v.member("metadata", row.Metadata))
	if !ok {
		return
	}
	e := mem0Event{name: row.Event, created: row.CreatedAt, updated: row.UpdatedAt, sources: sources, at: v.at()}
	if row.Old != nil {
		e.old = *row.Old
	}
	switch row.Event {
	case "ADD", "UPDATE":
		if row.New == nil {
			m.wrong(v, fmt.Sprintf(`the %s of memory %q has no "new_memory"`, row.Event, row.MemoryID), "export what the history gives, whole")
			return
		}
		e.new = *row.New
		if len(row.Input) > 0 && len(sources) == 0 {
			m.tally.Add(noteMem0Input, e.at)
		}
	case "DELETE":
	case "NONE", "NOOP":
		return
	default:
		m.wrong(v, fmt.Sprintf("unknown event %q of memory %q", row.Event, row.MemoryID), "an event is ADD, UPDATE or DELETE")
		return
	}
	p := m.tell(row.MemoryID, e.at)
	p.history = true
	p.role = p.role || row.Role != "" || row.ActorID != ""
	if p.user == "" {
		p.user = row.UserID
	}
	p.events = append(p.events, e)
}

// replay goes through the events of a history. Mem0 gives them by created_at, in
// which zones may be mixed and deletions may lack a time: they are put in order of
// their times if all others have one, and a deletion is the last.
func (m *mem0) replay(p *mem0Past) {
	var deletions []mem0Event
	timed := true
	p.events = slices.DeleteFunc(p.events, func(e mem0Event) bool {
		if e.name == "DELETE" {
			deletions = append(deletions, e)
			return true
		}
		_, ok := e.when()
		timed = timed && ok
		return false
	})
	if timed {
		slices.SortStableFunc(p.events, func(a, b mem0Event) int {
			s, _ := a.when()
			t, _ := b.when()
			return s.Compare(t)
		})
	}
	known := false
	for _, e := range p.events {
		if e.name == "UPDATE" {
			if known && e.old != p.text {
				m.tally.Add(noteMem0Gap, e.at)
			}
			if e.old != e.new {
				p.earlier = append(p.earlier, e.old)
				p.changed = m.time(e.last(), e.at)
			}
		} else {
			p.created = m.time(e.created, e.at)
		}
		p.text, known = e.new, true
	}
	for _, e := range deletions {
		p.deleted = true
		if e.old != "" {
			p.text = e.old
		}
		p.deletedAt = m.time(e.last(), e.at)
	}
}

// last is when an event took place, as it was written: rows keep created_at from
// the first one on.
func (e *mem0Event) last() string {
	if e.updated != "" {
		return e.updated
	}
	return e.created
}

func (e *mem0Event) when() (time.Time, bool) {
	t, _, ok := parseTime(e.last())
	return t, ok
}
