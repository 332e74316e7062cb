package memsys

import (
	"encoding/json"
	"fmt"
)

// mem0Added is what add returns of a memory.
type mem0Added struct {
	ID       string  `json:"id"`
	Memory   string  `json:"memory"`
	Event    string  `json:"event"`
	Previous *string `json:"previous_memory"`
	EventID  string  `json:"event_id"` // in place of the id, while the call is pending
	Data     struct {
		Memory string `json:"memory"`
	} `json:"data"` // of the platform, in place of memory
}

// readLog reads the log of add calls.
func (m *mem0) readLog(file string) {
	m.lines(file, func(n int, text []byte) {
		v := value{file: file, line: n, json: text}
		var call struct {
			Sources json.RawMessage `json:"sources"`
			Result  json.RawMessage `json:"result"`
		}
		if !m.decode(v, &call) {
			return
		}
		sources, ok := m.turnIDs(v.member("sources", call.Sources))
		result := v.member("result", call.Result)
		switch {
		case !ok:
		case call.Sources == nil:
			m.wrong(v, `the line has no "sources"`, "name the turns that add was given")
		case result.absent():
			m.wrong(v, `the line has no "result"`, "log what add returned")
		default:
			for _, e := range m.added(result) {
				m.event(e, sources)
			}
		}
	})
}

// added returns the results of an add call.
func (m *mem0) added(v value) []value {
	if v.begins('[') {
		return m.elements(v)
	}
	var r struct {
		Results json.RawMessage `json:"results"`
		EventID string          `json:"event_id"`
	}
	if !m.decode(v, &r) {
		return nil
	}
	results := v.member("results", r.Results)
	switch {
	case !results.absent():
		return m.elements(results)
	case r.EventID != "":
		m.tally.Add(noteMem0Pending, v.at())
	default:
		m.wrong(v, `there is no "results"`, "log what add returned")
	}
	return nil
}

// event notes a result of an add call.
func (m *mem0) event(v value, sources []string) {
	var r mem0Added
	if !m.decode(v, &r) {
		return
	}
	switch {
	case r.ID == "" && r.EventID != "":
		m.tally.Add(noteMem0Pending, v.at())
		return
	case r.Event == "NONE" || r.Event == "NOOP":
		return
	case r.ID == "":
		m.wrong(v, `the result has no "id"`, mem0NeedsID)
		return
	}
	text := r.Memory
	if text == "" {
		text = r.Data.Memory
	}
	switch r.Event {
	case "ADD", "UPDATE":
		p := m.tell(r.ID, v.at())
		p.events = append(p.events, mem0Event{name: r.Event, sources: sources, log: true, at: v.at()})
		if p.history {
			return // it tells the texts
		}
		if r.Previous != nil && *r.Previous != text {
			p.earlier = append(p.earlier, *r.Previous)
		}
		p.text = text
	case "DELETE":
		p := m.tell(r.ID, v.at())
		p.deleted = true
		if p.text == "" {
			p.text = text
		}
	default:
		m.wrong(v, fmt.Sprintf("unknown event %q of memory %q", r.Event, r.ID), "an event is ADD, UPDATE, DELETE or NONE")
	}
}
