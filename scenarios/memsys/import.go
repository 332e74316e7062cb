package memsys

import (
	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/tally"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
)

// Import is a system as read from an export.
type Import struct {
	System *tiaptest.System
	Notes  []scenarios.Note // what was repaired, dropped or could not be linked, by kind
}

// importer reads one export: it resolves names against the scenario, counts what
// it notes and collects what is wrong.
type importer struct {
	sc     *tiaptest.Scenario
	turns  map[string]bool
	byID   map[string]*tiaptest.Query
	byText map[string][]*tiaptest.Query
	scopes []string // the conversations, in the order of their queries
	tally  tally.Tally
	faults problem.List
}

func newImporter(sc *tiaptest.Scenario) *importer {
	if sc == nil {
		sc = new(tiaptest.Scenario)
	}
	in := &importer{
		sc: sc, turns: make(map[string]bool),
		byID: make(map[string]*tiaptest.Query), byText: make(map[string][]*tiaptest.Query),
	}
	for i := range sc.Turns {
		in.turns[sc.Turns[i].ID] = true
	}
	known := make(map[string]bool)
	for i := range sc.Queries {
		q := &sc.Queries[i]
		if q.Scope != "" && !known[q.Scope] {
			known[q.Scope] = true
			in.scopes = append(in.scopes, q.Scope)
		}
		in.byID[q.ID] = q
		in.byText[q.Text] = append(in.byText[q.Text], q)
		for _, u := range q.Evidence {
			for _, t := range u.Turns {
				in.turns[t] = true // known, though turns.jsonl is optional
			}
		}
	}
	return in
}

// done returns the system, or what is wrong with the export.
func (in *importer) done(s *tiaptest.System) (*Import, error) {
	if err := in.faults.Err(); err != nil {
		return nil, err
	}
	out := &Import{System: s}
	for k := range in.tally.All() {
		out.Notes = append(out.Notes, scenarios.Note{Kind: k.Name, Count: k.Count, First: k.First})
	}
	return out, nil
}
