package memsys

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Kinds of notes of [TRPC].
const (
	noteTRPCGap      = "gap in the sequence of a trace"
	noteTRPCEarlier  = "hit by an id that an update replaced"
	noteTRPCMissing  = "change of a memory that no event added"
	noteTRPCAgain    = "memory added again"
	noteTRPCMerged   = "memory that became equal to another one"
	noteTRPCFailed   = "retrieval that failed beside another of its query"
	noteTRPCPlace    = "turn named by its session and place"
	noteTRPCUntraced = "case of no query of the scenario"
)

// TRPC reads build traces of trpc-agent-go-benchmark (longmemeval.build_trace/v1):
// persistence events make the store, retrieval events the run.
//
// Store takes traces, files of one event a line. Search, optional, takes the traces
// with the retrieval events, when they are others. Log, optional, takes a list of
// names (see the package documentation) for turn_ids, scoped by case_id.
//
// A memory has its id behind its case, as in a1b2c3d4/m1. It descends from the turns
// in the source of the event that added it, and of each event that updated it:
// exactly from one, as a batch from several. Turns are named as in the scenario,
// alone or within their case, or as <session>_<n>, with n from 1, where the scenario
// has that session. What an event deletes stays, as deleted.
//
// In an update, {before, after} or {id, previous_id, memory}, the id changes with the
// text, since it is a digest of it. The memory goes on under its new id, and hits by
// an earlier one are hits of it; when another memory has the new id already, the two
// are one from then on. A difference of snapshots may say the same as a deletion and
// an addition: these are two memories.
//
// A retrieval answers the query whose id or conversation is its case; where a
// conversation has several, and where no query has the case, its text tells. Several
// retrievals of one query are lists, step 01, step 02 and so on, that
// [tiaptest.Merge] joins. Hits are in order of their rank.
//
// The kinds of notes: gap in the sequence of a trace; hit by an id that an update
// replaced; hit of a deleted memory; change of a memory that no event added; memory
// added again; turn named by its session and place; case of no query of the scenario;
// answer to a text that several queries have; memory without lineage; scores left
// out, since some hits have none; and those of every ranking.
func TRPC(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if err := f.check("trpc", []string{"store"}, []string{"search", "log"}); err != nil {
		return nil, err
	}
	t := &trpc{
		importer: newImporter(sc), now: make(map[string]string), gone: make(map[int]bool),
		steps: make(map[*tiaptest.Query][]trpcStep), sessions: make(map[string][]string),
	}
	for i := range t.sc.Turns {
		if turn := &t.sc.Turns[i]; turn.Session != "" {
			t.sessions[turn.Session] = append(t.sessions[turn.Session], turn.ID)
		}
	}
	t.names = t.turnNames(f.Log)
	t.stored.in = t.importer
	t.traces(f.Store, true, len(f.Search) == 0)
	t.traces(f.Search, false, true)
	t.stored.logged(nil, "")
	ingest := &tiaptest.Ingest{}
	t.run(&ingest.Run)
	for i, m := range t.stored.list {
		if !t.gone[i] {
			ingest.Memories = append(ingest.Memories, m)
		}
	}
	t.whole(ingest, f)
	return t.done(&tiaptest.System{
		Name: "trpc", Unit: "memory",
		Lineage: "turn_ids of the events that added or updated a memory",
		Forms:   map[string]string{"memory": "a memory as it was extracted"},
		Ingests: []*tiaptest.Ingest{ingest},
	})
}

// trpc reads one set of traces.
type trpc struct {
	*importer
	names    turnNames
	sessions map[string][]string
	stored   memories
	now      map[string]string // earlier id -> the id that replaced it
	gone     map[int]bool      // places in the store of memories that are others now
	order    []*tiaptest.Query // in order of their first retrieval
	steps    map[*tiaptest.Query][]trpcStep
}

// trpcStep is one retrieval.
type trpcStep struct {
	a *answer
	k tiaptest.Ranking
}

// trpcEvent is a line of a trace.
type trpcEvent struct {
	Schema   string `json:"schema_version"`
	Sequence *int   `json:"sequence"`
	Case     string `json:"case_id"`
	Event    string `json:"event"`
	Time     string `json:"recorded_at"`
	Source   struct {
		Session string   `json:"session_id"`
		Turns   []string `json:"turn_ids"`
		Time    string   `json:"observation_time"`
	} `json:"source"`
	Persistence struct {
		Diff *struct {
			Added   []trpcChange `json:"added"`
			Updated []trpcChange `json:"updated"`
			Deleted []trpcChange `json:"deleted"`
		} `json:"diff"`
	} `json:"persistence"`
	Retrieval json.RawMessage `json:"retrieval"`
}

// trpcState is a memory as a trace has it.
type trpcState struct {
	ID     string `json:"id"`
	Memory struct {
		Value string `json:"value"`
	} `json:"memory"`
}

// trpcChange is a memory that was added or deleted, or an update.
type trpcChange struct {
	trpcState
	Previous string     `json:"previous_id"`
	Before   *trpcState `json:"before"`
	After    *trpcState `json:"after"`
}

const trpcSchema = "longmemeval.build_trace/"

// traces reads the events of files: those that change the store, the retrievals,
// or both.
func (t *trpc) traces(files []string, changes, retrievals bool) {
	for _, file := range files {
		last, n := 0, 0
		t.lines(file, func(line int, text []byte) {
			n++
			v := value{file: file, line: line, json: text}
			var e trpcEvent
			if !t.decode(v, &e) {
				return
			}
			if !strings.HasPrefix(e.Schema, trpcSchema) || e.Case == "" {
				t.wrong(v, fmt.Sprintf("this is no event of a build trace: schema_version is %q, case_id %q", e.Schema, e.Case), "name traces of the schema "+trpcSchema+"v1")
				return
			}
			if e.Sequence != nil {
				if last > 0 && *e.Sequence != last+1 && *e.Sequence != 1 {
					t.tally.Add(noteTRPCGap, v.at())
				}
				last = *e.Sequence
			}
			switch {
			case e.Event == "persistence" && changes:
				t.persistence(v, &e)
			case e.Event == "retrieval" && retrievals:
				t.retrieval(v, &e)
			}
		})
		if n == 0 && t.faults.Len() == 0 {
			t.faults.Add(file, 0, "the trace is empty", "name a trace with one event a line")
		}
	}
}

// persistence applies the changes of an event to the store.
func (t *trpc) persistence(v value, e *trpcEvent) {
	if e.Persistence.Diff == nil {
		t.wrong(v, `the persistence has no "diff"`, `an exporter must add "diff" with what was added, updated and deleted`)
		return
	}
	var links []tiaptest.Link
	for _, name := range e.Source.Turns {
		for _, turn := range t.turnsNamed(e, name, v.at()) {
			links = union(links, []tiaptest.Link{{Turn: turn, Precision: batch(len(e.Source.Turns))}})
		}
	}
	d := e.Persistence.Diff
	for i := range d.Deleted {
		if m := t.changed(v, e, cmp.Or(d.Deleted[i].ID, d.Deleted[i].before())); m != nil {
			m.Status = "deleted"
			m.ValidTo = cmp.Or(e.Source.Time, e.Time)
		}
	}
	for i := range d.Updated {
		c := &d.Updated[i]
		after := &c.trpcState
		if c.After != nil {
			after = c.After
		}
		m := t.changed(v, e, cmp.Or(c.before(), c.Previous, after.ID))
		if m == nil {
			continue
		}
		m.Text = cmp.Or(after.Memory.Value, m.Text)
		m.Sources = union(m.Sources, links)
		if id := e.Case + "/" + after.ID; after.ID != "" && id != m.ID {
			t.rename(v, m.ID, id)
		}
	}
	for i := range d.Added {
		s := &d.Added[i].trpcState
		if s.ID == "" {
			t.wrong(v, `what was added has no "id"`, `an exporter must add "id"`)
			continue
		}
		id := e.Case + "/" + s.ID
		if i, again := t.stored.index[id]; again {
			// The id is a digest of the text: added again, it is the same memory.
			t.tally.Add(noteTRPCAgain, v.at()+": "+id)
			m := &t.stored.list[i]
			m.Sources, m.Status, m.ValidTo = union(m.Sources, links), "", ""
			continue
		}
		delete(t.now, id)
		t.stored.add(v, tiaptest.Memory{
			ID: id, Form: "memory", Sources: slices.Clone(links), Text: s.Memory.Value,
			ValidFrom: cmp.Or(e.Source.Time, e.Time),
		})
	}
}

// before is the id that a change names for what was there before it.
func (c *trpcChange) before() string {
	if c.Before == nil {
		return ""
	}
	return c.Before.ID
}

// changed returns the stored memory that a change is about.
func (t *trpc) changed(v value, e *trpcEvent, id string) *tiaptest.Memory {
	if id == "" {
		t.wrong(v, `a change names no memory`, `an exporter must add "id"`)
		return nil
	}
	i, ok := t.stored.index[t.current(e.Case+"/"+id)]
	if !ok {
		t.tally.Add(noteTRPCMissing, v.at()+": "+id)
		return nil
	}
	return &t.stored.list[i]
}

// rename gives a memory a new id, that of another memory when the two are equal now.
func (t *trpc) rename(v value, old, id string) {
	i := t.stored.index[old]
	delete(t.stored.index, old)
	delete(t.now, id)
	t.now[old] = id
	if j, taken := t.stored.index[id]; taken {
		// Equal texts are one memory.
		t.tally.Add(noteTRPCMerged, v.at()+": "+old+" as "+id)
		m := &t.stored.list[j]
		m.Sources, m.Status, m.ValidTo = union(m.Sources, t.stored.list[i].Sources), "", ""
		t.gone[i] = true
		return
	}
	t.stored.index[id] = i
	t.stored.list[i].ID = id
}

// current returns the id that a memory has now.
func (t *trpc) current(id string) string {
	for {
		next, ok := t.now[id]
		if !ok {
			return id
		}
		id = next
	}
}

// turnsNamed returns the turns that an event's source names.
func (t *trpc) turnsNamed(e *trpcEvent, name, at string) []string {
	if turns := t.names.of(e.Case, name); turns != nil {
		return turns
	}
	for _, id := range []string{e.Case + "/" + name, name} {
		if t.turns[id] {
			return []string{id}
		}
	}
	if session, digits, ok := cutLast(name, "_"); ok {
		n, err := strconv.Atoi(digits)
		for _, s := range []string{e.Case + "/" + session, session} {
			if turns := t.sessions[s]; err == nil && n >= 1 && n <= len(turns) {
				t.tally.Add(noteTRPCPlace, at+": "+name)
				return turns[n-1 : n]
			}
		}
	}
	if turn, ok := t.turn(name, at); ok {
		return []string{turn}
	}
	return nil
}

// retrieval keeps a retrieval for the query that it answers.
func (t *trpc) retrieval(v value, e *trpcEvent) {
	if len(e.Retrieval) == 0 {
		t.wrong(v, `the event has no "retrieval"`, "export the trace again")
		return
	}
	var r struct {
		Query struct {
			Value string `json:"value"`
		} `json:"query"`
		Hits  json.RawMessage `json:"hits"`
		Error string          `json:"error"`
	}
	v = v.member("retrieval", e.Retrieval)
	if !t.decode(v, &r) {
		return
	}
	q := t.query(e.Case, r.Query.Value, v.at())
	if q == nil {
		return
	}
	a := &answer{query: q, failed: r.Error, file: v.file, line: v.line}
	hits := v.member("hits", r.Hits)
	if hits.absent() {
		hits.json = json.RawMessage("[]") // Go writes null for no hits
	}
	ranks := make(map[int]bool)
	type ranked struct {
		rank int
		foundHit
	}
	var order []ranked
	k, ok := t.found(a, hits, nil, func(v value) (foundHit, bool) {
		var h struct {
			ID    string   `json:"memory_id"`
			Score *float64 `json:"score"`
			Rank  int      `json:"rank"`
		}
		if !t.decode(v, &h) {
			return foundHit{}, false
		}
		if h.ID == "" || h.Rank < 1 || ranks[h.Rank] {
			t.wrong(v, fmt.Sprintf("the hit has the memory_id %q and the rank %d", h.ID, h.Rank), `an exporter must add "memory_id" and a "rank" of its own, from 1`)
			return foundHit{}, false
		}
		ranks[h.Rank] = true
		hit := foundHit{e.Case + "/" + h.ID, h.Score}
		order = append(order, ranked{h.Rank, hit})
		return hit, true
	})
	if !ok {
		return
	}
	slices.SortFunc(order, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for i, h := range order {
		k.IDs[i] = h.id
		if len(k.Scores) > 0 {
			k.Scores[i] = *h.score
		}
	}
	if t.steps[q] == nil {
		t.order = append(t.order, q)
	}
	t.steps[q] = append(t.steps[q], trpcStep{a, k})
}

// query returns the query that a retrieval of a case answers, or nil.
func (t *trpc) query(id, text, at string) *tiaptest.Query {
	if q := t.byID[id]; q != nil {
		return q
	}
	var of []*tiaptest.Query
	for i := range t.sc.Queries {
		if t.sc.Queries[i].Scope == id {
			of = append(of, &t.sc.Queries[i])
		}
	}
	switch len(of) {
	case 0:
		t.tally.Add(noteTRPCUntraced, at+": "+id)
		id = ""
	case 1:
		return of[0]
	}
	q, _ := t.asked(id, text, at)
	return q
}

// run adds the rankings of all queries, when the whole store is known.
func (t *trpc) run(run *tiaptest.Run) {
	for _, q := range t.order {
		steps := t.answered(t.steps[q])
		for _, s := range steps {
			for i, id := range s.k.IDs {
				now := t.current(id)
				if now != id {
					t.tally.Add(noteTRPCEarlier, s.a.at()+": "+id)
					s.k.IDs[i] = now
				}
			}
			t.stored.stale(s.k, s.a.at())
		}
		k := steps[0].k
		if len(steps) > 1 {
			k = tiaptest.Ranking{}
			for i, s := range steps {
				k.Lists = append(k.Lists, tiaptest.List{Name: fmt.Sprintf("step %02d", i+1), IDs: s.k.IDs})
			}
		}
		t.rank(run, steps[0].a, k, t.stored.has)
	}
}

// answered leaves out retrievals that failed, unless all did.
func (t *trpc) answered(steps []trpcStep) []trpcStep {
	failed := func(s trpcStep) bool { return s.a.failed != "" }
	if !slices.ContainsFunc(steps, func(s trpcStep) bool { return !failed(s) }) {
		return steps[:1]
	}
	return slices.DeleteFunc(steps, func(s trpcStep) bool {
		if failed(s) {
			t.tally.Add(noteTRPCFailed, s.a.at())
		}
		return failed(s)
	})
}
