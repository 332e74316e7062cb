package tiaptest

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/rank"
)

// Ranked is one place of a ranking with what it earns.
type Ranked struct {
	Rank int // from 1

	// Memory is what stands there. Of an id that the store lacks, and of qrels and
	// records, which have no store, only the ID is known.
	Memory Memory

	// Turns are those that the memory descends from, directly or through parents.
	Turns []string

	// Eligible and Gains say, in the order of [Audit.Targets], whether a target
	// credits the memory for the query and what it earns there. An eligible memory
	// whose evidence units were credited before earns 0. With [TREC.JudgedOnly],
	// whose ranks are those among judged ids, every gain is 0.
	Eligible []bool
	Gains    []float64
}

// Ranked returns what a system returned for a query, cut at the audit's depth and
// with lists merged. A query that failed or is absent from the run has none. Of a
// system with repeats it is the ranking of the first ingest.
func (a *Audit) Ranked(system, query string) ([]Ranked, error) {
	r := a.r
	s, q := r.system(system), r.query(query)
	switch {
	case s == nil:
		return nil, fmt.Errorf("the audit has no system %q", system)
	case q < 0:
		return nil, fmt.Errorf("the audit has no query %q", query)
	}
	if s.compiled.ingests[0].rowOf[q] < 0 {
		return nil, nil
	}
	e := a.explanation(s, q)
	ids := e.ranked[:min(len(e.ranked), r.depth)]
	out := make([]Ranked, 0, len(ids))
	for i, sym := range ids {
		out = append(out, e.place(sym, i+1))
	}
	return out, nil
}

// place describes one place.
func (e *explanation) place(sym uint32, at int) Ranked {
	n := len(e.a.r.targets)
	p := Ranked{Rank: at, Memory: Memory{ID: e.in.Run.ids.String(sym)}, Eligible: make([]bool, n), Gains: make([]float64, n)}
	if e.in.store != nil {
		if m, ok := e.in.store.memory(p.Memory.ID); ok {
			p.Memory = e.in.Memories[m]
			for _, l := range e.links(m) {
				p.Turns = append(p.Turns, e.a.r.turn(l.Turn))
			}
		}
	}
	c := slices.Index(e.work.symbols, int32(sym))
	if c < 0 {
		return p
	}
	for t := range n {
		p.Eligible[t] = e.work.mayEarn(c, t)
		i := slices.IndexFunc(e.gains[t], func(h rank.Hit) bool { return h.Rank == int32(at) })
		if i >= 0 && p.Eligible[t] && !e.a.r.judgedOnly() {
			p.Gains[t] = e.gains[t][i].Gain
		}
	}
	return p
}

// Turn returns a turn of the scenario; ok is false when the scenario does not
// list it.
func (a *Audit) Turn(id string) (t Turn, ok bool) {
	turns := a.r.bundle.Scenario.Turns
	i := slices.IndexFunc(turns, func(t Turn) bool { return t.ID == id })
	if i < 0 {
		return Turn{}, false
	}
	return turns[i], true
}
