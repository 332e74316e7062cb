package memsys

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// mem0Item is a memory as get_all and search give it.
type mem0Item struct {
	ID          string          `json:"id"`
	Memory      *string         `json:"memory"`
	Metadata    json.RawMessage `json:"metadata"`
	Score       *float64        `json:"score"`
	UserID      string          `json:"user_id"`
	Role        string          `json:"role"`
	ActorID     string          `json:"actor_id"`
	CreatedAt   string          `json:"created_at"`
	UpdatedAt   string          `json:"updated_at"`
	Expiration  string          `json:"expiration_date"`
	ReplacedBy  string          `json:"replaced_by"`
	Synthesized bool            `json:"synthesized"`

	sources []string // metadata.tiap_source_ids
	where   value    // without its bytes
}

// same reports whether two items say the same of a memory.
func (m mem0Item) same(n mem0Item) bool {
	m.where, n.where = value{}, value{}
	return reflect.DeepEqual(m, n)
}

// mem0Page is what get_all, the list of the platform and search give: an array of
// items, or this object.
type mem0Page struct {
	Results   json.RawMessage   `json:"results"`
	Relations []json.RawMessage `json:"relations"`
	Count     int               `json:"count"`
	Next      *string           `json:"next"`
	Previous  *string           `json:"previous"`
}

// mem0NeedsID says what an exporter must add to an item without id.
const mem0NeedsID = `an exporter must add "id", the id that Mem0 gives with each result`

// page reads a response; ok is false when it is none.
func (m *mem0) page(v value) (p mem0Page, items []value, ok bool) {
	if v.begins('[') {
		items = m.elements(v)
		return p, items, true
	}
	if !v.begins('{') {
		m.wrong(v, "this is no response of Mem0", `a response is an array of memories, or an object with them in "results"`)
		return p, nil, false
	}
	if !m.decode(v, &p) {
		return p, nil, false
	}
	results := v.member("results", p.Results)
	if results.absent() {
		if m.evaluation(v) {
			return p, nil, false
		}
		m.wrong(v, `there is no "results"`, `a response is an array of memories, or an object with them in "results"`)
		return p, nil, false
	}
	m.tally.AddN(noteMem0Relation, len(p.Relations), v.at())
	return p, m.elements(results), true
}

// item reads a memory; it returns nil when the value is none.
func (m *mem0) item(v value) *mem0Item {
	it := &mem0Item{where: v}
	it.where.json = nil
	if !m.decode(v, it) {
		return nil
	}
	if it.ID == "" {
		m.wrong(v, `the memory has no "id"`, mem0NeedsID)
		return nil
	}
	if it.Memory == nil {
		m.wrong(v, fmt.Sprintf(`memory %q has no "memory", its text`, it.ID), "export what Mem0 gives, whole")
		return nil
	}
	var ok bool
	it.sources, ok = m.sourceIDs(v.member("metadata", it.Metadata))
	it.Metadata = nil
	if !ok {
		return nil
	}
	return it
}

// sourceIDs reads the turn ids that metadata names.
func (m *mem0) sourceIDs(metadata value) (ids []string, ok bool) {
	if metadata.absent() {
		return nil, true
	}
	var meta struct {
		Sources json.RawMessage `json:"tiap_source_ids"`
	}
	if !m.decode(metadata, &meta) {
		return nil, false
	}
	return m.turnIDs(metadata.member("tiap_source_ids", meta.Sources))
}

// turnIDs reads an array of turn ids, or a single one.
func (m *mem0) turnIDs(v value) (ids []string, ok bool) {
	if v.begins('"') {
		ids = []string{""}
		return ids, m.decode(v, &ids[0])
	}
	return ids, v.absent() || m.decode(v, &ids)
}

// evaluated notes a file of results of Mem0's former evaluation folder.
func (m *mem0) evaluated(file string) bool {
	if isSearchLog(file) {
		return false
	}
	text, err := read(file)
	return err == nil && m.evaluation(value{file: file, json: text})
}

// evaluation notes results of Mem0's former evaluation folder, which have no ids;
// it returns false when the value is something else.
func (m *mem0) evaluation(v value) bool {
	var samples map[string][]map[string]json.RawMessage
	if json.Unmarshal(v.json, &samples) != nil {
		return false
	}
	for _, questions := range samples {
		for _, q := range questions {
			for _, list := range []string{"speaker_1_memories", "speaker_2_memories"} {
				if _, ok := q[list]; ok {
					m.wrong(v, "these are results of Mem0's evaluation, whose memories (speaker_1_memories, speaker_2_memories) are text without ids",
						mem0NeedsID+"; or log what search gives, and the store with get_all")
					return true
				}
			}
		}
	}
	return false
}
