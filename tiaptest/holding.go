package tiaptest

import (
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lineage"
)

// holding says what the stores of a system hold.
type holding struct {
	forms map[string]int // memories by form
	links map[string]int // resolved links by origin and precision; nil for judged input, and when they are too many
}

func (f *frame) makeHoldings() []holding {
	all := make([]holding, len(f.compiled))
	for i, s := range f.compiled {
		h := holding{forms: make(map[string]int)}
		counted := f.bundle.judged == nil
		if counted {
			h.links = make(map[string]int)
		}
		for _, in := range s.ingests {
			for j := range in.Memories {
				h.forms[in.Memories[j].Form]++
			}
			counted = counted && in.countLinks(h.links, f.turns.Len())
		}
		if !counted {
			h.links = nil
		}
		all[i] = h
	}
	return all
}

// countLinks adds up the resolved links of an ingest, and reports false when there
// are too many for that.
func (in *compiledIngest) countLinks(links map[string]int, turns int) bool {
	byRoutes, ok := in.store.lineage.Count(turns, limit.Counted)
	if !ok {
		return false
	}
	for routes, n := range byRoutes {
		if n > 0 {
			links[routeName(lineage.Routes(routes))] += n
		}
	}
	return true
}

// routeName names the best route of a link: recorded before inferred, then
// exact before batch before container.
func routeName(routes lineage.Routes) string {
	best := appendLinks(nil, "", routes)[0]
	return best.Origin + " " + best.Precision
}
