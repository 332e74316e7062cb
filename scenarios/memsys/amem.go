package memsys

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/tiaptest/tiap/tiaptest"
)

// Kinds of notes of [AMEM].
const (
	noteAMEMEvolved  = "note that evolved, without a record of the notes that changed it"
	noteAMEMDistance = "scores left out, since they are distances"
	noteAMEMNeighbor = "linked neighbour among the hits"
	noteAMEMTime     = "timestamp not understood"
	noteAMEMNarrowed = "raw note linked to the turn of its batch that it holds"
)

// AMEM reads the notes of A-MEM and what search_agentic answered.
//
// Store takes notes {id, content, timestamp, evolution_history, ...}: an array, an
// object with one under notes, or one a line in a .jsonl file. Search, optional, takes
// search logs whose answers are arrays of {id, content, score, is_neighbor}, best
// first, as search_agentic gives them. Log, optional, takes a lineage log (see the
// package documentation), since notes name no source; [InferLineage] is another way.
//
// A-MEM makes one note of each added text and keeps the text. A note whose content
// is a turn of the scenario, white space apart and with or without "speaker: "
// before it, has the form raw, and of the turns that a log names it descends from
// that one alone. Any other has the form note. Context and tags change when
// neighbours evolve, which is not recorded.
//
// The list is the ranking: hits by distance, then linked neighbours without a score.
// What A-MEM calls score is a distance, the lower the better, and is left out.
//
// The kinds of notes: note that evolved, without a record of the notes that changed
// it; scores left out, since they are distances; linked neighbour among the hits;
// timestamp not understood; raw note linked to the turn of its batch that it holds;
// line of the log about no stored memory; memory without
// lineage; and those of every search log.
func AMEM(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if err := f.check("amem", []string{"store"}, []string{"search", "log"}); err != nil {
		return nil, err
	}
	in := newImporter(sc)
	turns := newTurnTexts(in.sc)
	stored := memories{in: in}
	in.items(f.Store, []string{"notes"}, func(v value) {
		var n struct {
			ID        string            `json:"id"`
			Content   string            `json:"content"`
			Timestamp string            `json:"timestamp"`
			Evolution []json.RawMessage `json:"evolution_history"`
		}
		if !in.decode(v, &n) {
			return
		}
		if n.ID == "" {
			in.wrong(v, `there is no "id"`, amemID)
			return
		}
		m := tiaptest.Memory{ID: n.ID, Form: "note", Text: n.Content}
		if n.Timestamp != "" {
			if t, err := time.Parse("200601021504", n.Timestamp); err == nil {
				m.ValidFrom = t.Format("2006-01-02T15:04:05")
			} else {
				in.tally.Add(noteAMEMTime, v.at()+": "+n.Timestamp)
			}
		}
		if len(n.Evolution) > 0 {
			in.tally.Add(noteAMEMEvolved, v.at())
		}
		stored.add(v, m)
	})
	stored.logged(in.lineageLog(f.Log), f.Log)
	for i := range stored.list {
		in.holds(&stored.list[i], turns)
	}
	ingest := &tiaptest.Ingest{Memories: stored.list}
	in.answers(f.Search, func(a *answer) {
		distances := false
		k, ok := in.found(a, a.given(), nil, func(v value) (foundHit, bool) {
			var h struct {
				ID       string   `json:"id"`
				Score    *float64 `json:"score"`
				Neighbor bool     `json:"is_neighbor"`
			}
			if !in.decode(v, &h) {
				return foundHit{}, false
			}
			if h.ID == "" {
				in.wrong(v, `the hit has no "id"`, amemID)
			}
			distances = distances || h.Score != nil
			if h.Neighbor {
				in.tally.Add(noteAMEMNeighbor, v.at())
			}
			return foundHit{id: h.ID}, h.ID != ""
		})
		if distances {
			in.tally.Add(noteAMEMDistance, a.at())
		}
		if ok {
			in.rank(&ingest.Run, a, k, stored.has)
		}
	})
	s := &tiaptest.System{
		Name: "amem", Unit: "note", Lineage: "a log kept at ingest", Forms: make(map[string]string),
		Ingests: []*tiaptest.Ingest{ingest},
	}
	forms := map[string]string{"raw": "a turn as it was added", "note": "a text as it was added"}
	for i := range stored.list {
		s.Forms[stored.list[i].Form] = forms[stored.list[i].Form]
	}
	in.whole(ingest, f)
	return in.done(s)
}

// holds makes a note raw that has the text of a turn: of one of those that it
// descends from, if that is known.
func (in *importer) holds(m *tiaptest.Memory, turns *turnTexts) {
	held := turns.of(squeeze(m.Text), "")
	if len(m.Sources) == 0 {
		if len(held) > 0 {
			m.Form = "raw"
		}
		return
	}
	var links []tiaptest.Link
	for _, l := range m.Sources {
		if slices.ContainsFunc(held, func(t *tiaptest.Turn) bool { return t.ID == l.Turn }) {
			links = append(links, tiaptest.Link{Turn: l.Turn})
		}
	}
	if len(links) == 0 {
		return
	}
	if len(links) < len(m.Sources) {
		in.tally.Add(noteAMEMNarrowed, m.ID)
	}
	m.Form, m.Sources = "raw", links
}

const amemID = `an exporter must add "id", the uuid of the note`
