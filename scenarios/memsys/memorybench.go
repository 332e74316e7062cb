package memsys

import (
	"cmp"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// noteSessionUnknown is a kind of note of [MemoryBench].
const noteSessionUnknown = "session of no turn of the scenario"

// MemoryBench reads a run of supermemory's memorybench: the results folder of the
// run, and what the provider has stored.
//
// Search, optional, takes results folders or files of them, data/runs/<id>/results/<question>.json,
// each {questionId, question, results}. Results are the provider's own objects, best
// first; their id is id, memory_id or uuid, their score score or similarity.
//
// Store takes the provider's stored objects, which memorybench does not save: arrays,
// objects with one under results or memories, or one a line in a .jsonl file. Text is
// memory, content, text or chunk.
//
// A memory descends from the turns of the session in its metadata.sessionId, as
// container. Sessions are named as the scenario does, conv-90/session_1, or with
// dashes, conv-90-session_1. Log, optional, takes a list of names (see the package
// documentation) for sessions that are named otherwise, as those of LongMemEval.
//
// A question is told by its id, conv-90/qa0, or by its text: within the conversation
// that the id begins with, if it does.
//
// The kinds of notes: session of no turn of the scenario; answer to a text that
// several queries have; answer to no query of the scenario; memory without lineage;
// scores left out, since some hits have none; and those of every ranking.
func MemoryBench(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if err := f.check("memorybench", []string{"store"}, []string{"search", "log"}); err != nil {
		return nil, err
	}
	in := newImporter(sc)
	b := &memoryBench{importer: in, names: in.turnNames(f.Log), sessions: make(map[string][]string)}
	for i := range in.sc.Turns {
		if t := &in.sc.Turns[i]; t.Session != "" {
			b.sessions[t.Session] = append(b.sessions[t.Session], t.ID)
			if dashed := strings.ReplaceAll(t.Session, "/", "-"); dashed != t.Session {
				b.sessions[dashed] = append(b.sessions[dashed], t.ID)
			}
		}
	}
	b.stored.in = in
	in.items(f.Store, []string{"results", "memories"}, b.item)
	b.stored.logged(nil, "")
	ingest := &tiaptest.Ingest{Memories: b.stored.list}
	in.documents(f.Search, func(v value) { b.result(&ingest.Run, v) })
	in.whole(ingest, f)
	return in.done(&tiaptest.System{
		Name: "memorybench", Unit: "object of the provider",
		Lineage: "sessions that the metadata name",
		Forms:   map[string]string{"memory": "an object of the provider"},
		Ingests: []*tiaptest.Ingest{ingest},
	})
}

// memoryBench reads one run.
type memoryBench struct {
	*importer
	names    turnNames
	sessions map[string][]string
	stored   memories
}

// benchObject is what a provider stores or finds.
type benchObject struct {
	ID         string   `json:"id"`
	MemoryID   string   `json:"memory_id"`
	UUID       string   `json:"uuid"`
	Memory     string   `json:"memory"`
	Content    string   `json:"content"`
	Text       string   `json:"text"`
	Chunk      string   `json:"chunk"`
	Score      *float64 `json:"score"`
	Similarity *float64 `json:"similarity"`
	Metadata   struct {
		Session string `json:"sessionId"`
	} `json:"metadata"`
}

// object reads an object of the provider; its id is then in ID.
func (b *memoryBench) object(v value) (o benchObject, ok bool) {
	if v.begins('"') {
		b.wrong(v, "the item is text", benchID)
		return o, false
	}
	if !b.decode(v, &o) {
		return o, false
	}
	if o.ID = cmp.Or(o.ID, o.MemoryID, o.UUID); o.ID == "" {
		b.wrong(v, `there is no "id"`, benchID)
		return o, false
	}
	return o, true
}

const benchID = `an exporter must add "id", the provider's id of each item`

func (b *memoryBench) item(v value) {
	o, ok := b.object(v)
	if !ok {
		return
	}
	m := tiaptest.Memory{ID: o.ID, Form: "memory", Text: cmp.Or(o.Memory, o.Content, o.Text, o.Chunk)}
	if session := o.Metadata.Session; session != "" {
		turns := b.names.of("", session)
		if turns == nil {
			turns = b.sessions[session]
		}
		if turns == nil {
			b.tally.Add(noteSessionUnknown, v.at()+": "+session)
		}
		for _, t := range turns {
			m.Sources = append(m.Sources, tiaptest.Link{Turn: t, Precision: "container"})
		}
	}
	b.stored.add(v, m)
}

func (b *memoryBench) result(run *tiaptest.Run, v value) {
	r, ok := b.resultsOf(v, "questionId", "results", "name the results folder of a run", b.within)
	if !ok {
		return
	}
	k, ok := b.found(&r.answer, r.hits, nil, func(v value) (foundHit, bool) {
		o, ok := b.object(v)
		score := o.Score
		if score == nil {
			score = o.Similarity
		}
		return foundHit{o.ID, score}, ok
	})
	if ok {
		b.rank(run, &r.answer, k, b.stored.has)
	}
}

// within is the conversation that the id of a question begins with, the longest of
// several, or "".
func (b *memoryBench) within(question string) (scope string) {
	for _, s := range b.scopes {
		if strings.HasPrefix(question, s+"-") && len(s) > len(scope) {
			scope = s
		}
	}
	return scope
}
