package tiaptest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/parallel"
	"github.com/tiaptest/tiap/internal/problem"
)

// checkStores begins to look up in the runs what their stores, or the judgements,
// hold, and to check the stores. What it returns waits for that and resolves the
// lineage.
func (f *frame) checkStores() (resolve func(turns *intern.Table, faults *problem.List)) {
	var wg sync.WaitGroup
	var checks []*storeCheck
	for _, s := range f.compiled {
		for i, in := range s.Ingests {
			c := &compiledIngest{Ingest: in, system: s.Name}
			s.ingests = append(s.ingests, c)
			if j := f.bundle.judged; j != nil {
				wg.Go(func() {
					c.symbols = make([]int32, j.ids.Len())
					parallel.Stripes(len(c.symbols), func(from, end int) { in.Run.ids.SymbolsOf(&j.ids, from, c.symbols[from:end]) })
				})
				continue
			}
			label := "system " + s.Name
			if len(s.Ingests) > 1 {
				label = fmt.Sprintf("%s, ingest %d", label, i+1)
			}
			c.store = &store{ingest: in, label: label}
			check := &storeCheck{store: c.store}
			checks = append(checks, check)
			wg.Go(func() {
				c.symbols = in.symbols()
				check.memories(c.symbols)
			})
		}
	}
	return func(turns *intern.Table, faults *problem.List) {
		wg.Wait()
		for _, c := range checks {
			c.resolve(turns)
			faults.Append(&c.faults)
		}
	}
}

// bindTargets finds what each target can look at, and the systems in which it is
// unavailable.
func (f *frame) bindTargets(turns int, faults *problem.List) {
	if j := f.bundle.judged; j != nil {
		f.rows = make([][]int32, len(f.targets))
		for i, t := range f.targets {
			f.rows[i] = f.inSets[f.judgedTarget(t)]
		}
		for _, s := range f.compiled {
			s.unlinked = make([]bool, len(f.targets))
			for i, t := range f.targets {
				s.unlinked[i] = j.missing[f.judgedTarget(t)]
			}
		}
		return
	}
	strangers := f.strangers()
	evidence := make([]bool, turns)
	for _, t := range f.units.Items {
		evidence[t] = true
	}
	for _, s := range f.compiled {
		s.unlinked = make([]bool, len(f.targets))
		for _, in := range s.ingests {
			check := storeCheck{store: in.store}
			check.index(evidence)
			faults.Append(&check.faults)
			for t := range f.targets {
				s.unlinked[t] = s.unlinked[t] || !in.store.available(&f.targets[t])
			}
		}
		var found names
		if len(strangers) > 0 {
			named := make([]bool, turns)
			for _, in := range s.ingests {
				in.store.lineage.Named(named)
			}
			for _, turn := range strangers {
				if named[turn] {
					found.add(f.turn(turn))
				}
			}
		}
		f.note("unknown-source", s.Name, found, "turn that memories descend from is not in turns.jsonl", "turns that memories descend from are not in turns.jsonl")
	}
}

// strangers are the turns, ascending by id, that the scenario lacks.
func (f *frame) strangers() (turns []int32) {
	if f.given == 0 {
		return nil
	}
	for i := f.given; i < f.turns.Len(); i++ {
		turns = append(turns, int32(i))
	}
	slices.SortFunc(turns, func(a, b int32) int { return f.compareTurns(a, b) })
	return turns
}
