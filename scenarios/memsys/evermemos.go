package memsys

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
)

// Kinds of notes of [EverMemOS].
const (
	noteCellMessage   = "message whose turn is told by its text"
	noteCellUntold    = "message of no turn, or of several"
	noteCellScopeless = "cell of no conversation of the scenario"
)

// EverMemOS reads the MemCells of EverMemOS (EverCore) and what the search stage of
// its evaluation saved.
//
// Store takes MemCells {event_id, original_data, episode, timestamp}: an array, an
// object with one under memcells, or one a line in a .jsonl file. Search, optional,
// takes the search results: an array of {query, conversation_id, results, retrieval_metadata},
// in which an error in retrieval_metadata is a failed query. A hit names its MemCell
// by metadata.event_id.
//
// Conversations are named by their id, or by the name of the scenario and their
// position in it, as locomo_0: in conversation_id of a result, and in conversation_id or group_id of a
// MemCell or the name of its file, as memcell_list_conv_0.json. Queries have no ids:
// they are told by their text within the conversation.
//
// A MemCell descends from the messages in its original_data: exactly from one, from
// several as container. A message with dia_id or source_id names its turn. One
// without is told by its text (and timestamp) within the conversation; such links
// have the origin inferred and earn credit under [tiaptest.Inferred] alone.
//
// The kinds of notes: message whose turn is told by its text; message of no turn, or
// of several; cell of no conversation of the scenario; conversation named by its
// position; answer to a text that several queries have; answer to no query of the
// scenario; memory without lineage; scores left out, since some hits have none; and
// those of every ranking.
func EverMemOS(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if err := f.check("evermemos", []string{"store"}, []string{"search"}); err != nil {
		return nil, err
	}
	e := &everMemOS{importer: newImporter(sc)}
	e.texts = newTurnTexts(e.sc)
	e.stored.in = e.importer
	e.items(f.Store, []string{"memcells"}, e.cell)
	e.stored.logged(nil, "")
	ingest := &tiaptest.Ingest{Memories: e.stored.list}
	e.items(f.Search, nil, func(v value) { e.result(&ingest.Run, v) })
	e.whole(ingest, f)
	return e.done(&tiaptest.System{
		Name: "evermemos", Unit: "MemCell",
		Lineage: "original_data of the MemCells",
		Forms:   map[string]string{"memcell": "an episode, told from the messages of a MemCell"},
		Ingests: []*tiaptest.Ingest{ingest},
	})
}

// everMemOS reads one export.
type everMemOS struct {
	*importer
	texts  *turnTexts
	stored memories
}

// everMessage is a message in a MemCell.
type everMessage struct {
	DiaID     string `json:"dia_id"`
	SourceID  string `json:"source_id"`
	Content   string `json:"content"`
	Timestamp string `json:"timestamp"`
}

func (e *everMemOS) cell(v value) {
	var c struct {
		ID           string          `json:"event_id"`
		Conversation string          `json:"conversation_id"`
		Group        string          `json:"group_id"`
		Timestamp    json.RawMessage `json:"timestamp"`
		Episode      string          `json:"episode"`
		Summary      string          `json:"summary"`
		Original     json.RawMessage `json:"original_data"`
	}
	if !e.decode(v, &c) {
		return
	}
	original := v.member("original_data", c.Original)
	switch {
	case c.ID == "":
		e.wrong(v, `the MemCell has no "event_id"`, `an exporter must add "event_id", which hits name in their metadata`)
		return
	case original.absent():
		e.wrong(v, `the MemCell has no "original_data"`, `an exporter must add "original_data", the messages that the MemCell was made of`)
		return
	}
	m := tiaptest.Memory{ID: c.ID, Form: "memcell", Text: c.Episode}
	if m.Text == "" {
		m.Text = c.Summary
	}
	if json.Unmarshal(c.Timestamp, &m.ValidFrom) != nil {
		m.ValidFrom = "" // a number: seconds or milliseconds
	}
	scope, known := e.cellScope(v, c.Conversation, c.Group)
	messages := e.elements(original)
	for _, message := range messages {
		var msg everMessage
		if e.decode(message, &msg) {
			m.Sources = union(m.Sources, e.message(&msg, scope, known, message.at()))
		}
	}
	if len(messages) > 1 {
		for i := range m.Sources {
			m.Sources[i].Precision = "container"
		}
	}
	e.stored.add(v, m)
}

// everFile is how files of MemCells are named.
var everFile = regexp.MustCompile(`_conv(_[0-9]+)\.json`)

// cellScope returns the conversation of a MemCell.
func (e *everMemOS) cellScope(v value, said ...string) (scope string, known bool) {
	if m := everFile.FindStringSubmatch(filepath.Base(v.file)); m != nil {
		said = append(said, m[1])
	}
	for _, name := range said {
		if name == "" {
			continue
		}
		if scope, known = e.conversation(name, v.at()); known {
			return scope, true
		}
	}
	e.tally.Add(noteCellScopeless, v.at())
	return "", false
}

// message returns the link to the turn of a message.
func (e *everMemOS) message(m *everMessage, scope string, known bool, at string) []tiaptest.Link {
	for _, id := range []string{m.SourceID, m.DiaID} {
		if id == "" {
			continue
		}
		if turn, ok := e.turnWithin(scope, id, at); ok {
			return []tiaptest.Link{{Turn: turn}}
		}
		return nil
	}
	var found []*tiaptest.Turn
	if known {
		found = e.texts.of(squeeze(m.Content), scope)
	}
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(t *tiaptest.Turn) bool { return !sameTime(t.Time, m.Timestamp) })
	}
	if len(found) != 1 {
		e.tally.Add(noteCellUntold, at)
		return nil
	}
	e.tally.Add(noteCellMessage, at)
	return []tiaptest.Link{{Turn: found[0].ID, Origin: "inferred"}}
}

// result adds the ranking of a search result.
func (e *everMemOS) result(run *tiaptest.Run, v value) {
	var r struct {
		Query        *string         `json:"query"`
		Conversation *string         `json:"conversation_id"`
		Results      json.RawMessage `json:"results"`
		Metadata     struct {
			Error string `json:"error"`
		} `json:"retrieval_metadata"`
	}
	if !e.decode(v, &r) {
		return
	}
	if r.Query == nil || r.Conversation == nil {
		e.wrong(v, `the search result lacks "query" or "conversation_id"`, "an exporter must add both: they tell which query it answers")
		return
	}
	scope, ok := e.conversation(*r.Conversation, v.at())
	if !ok {
		e.tally.Add(noteUnasked, v.at()+": "+*r.Conversation)
		return
	}
	q, ok := e.asked(scope, *r.Query, v.at())
	if !ok {
		return
	}
	a := &answer{query: q, failed: r.Metadata.Error, file: v.file, line: v.line}
	k, ok := e.found(a, v.member("results", r.Results), nil, func(v value) (foundHit, bool) {
		var h struct {
			Score    *float64 `json:"score"`
			Metadata struct {
				ID string `json:"event_id"`
			} `json:"metadata"`
		}
		if !e.decode(v, &h) {
			return foundHit{}, false
		}
		if h.Metadata.ID == "" {
			e.wrong(v, `the hit has no "metadata"."event_id"`, `an exporter must add "event_id" of its MemCell to the metadata of each hit`)
		}
		return foundHit{h.Metadata.ID, h.Score}, h.Metadata.ID != ""
	})
	if ok {
		e.rank(run, a, k, e.stored.has)
	}
}
