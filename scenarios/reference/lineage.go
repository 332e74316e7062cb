package reference

import (
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// lineage says which memories of a store descend from which.
type lineage struct {
	children [][]int // of each memory, by place in the store
	rooted   []bool  // it or an ancestor names a turn
}

func newLineage(memories []tiaptest.Memory) lineage {
	at := make(map[string]int, len(memories))
	for i := range memories {
		at[memories[i].ID] = i
	}
	l := lineage{children: make([][]int, len(memories)), rooted: make([]bool, len(memories))}
	for i := range memories {
		l.rooted[i] = len(memories[i].Sources) > 0
		for _, id := range memories[i].Parents {
			if parent, ok := at[id]; ok {
				l.children[parent] = append(l.children[parent], i)
			}
		}
	}
	l.descend(l.rooted)
	return l
}

// descend adds to a set of memories all that descend from them.
func (l lineage) descend(set []bool) {
	var open []int
	for i, in := range set {
		if in {
			open = append(open, i)
		}
	}
	for len(open) > 0 {
		last := len(open) - 1
		i := open[last]
		open = open[:last]
		for _, child := range l.children[i] {
			if !set[child] {
				set[child] = true
				open = append(open, child)
			}
		}
	}
}

// within lists the memories of a scope, in their order: those of which a source,
// or one of an ancestor, begins with the scope, as conv-26/D1:3 with conv-26. Of a
// memory that descends from no turn the id stands for a source.
func (l lineage) within(memories []tiaptest.Memory, scope string) []tiaptest.Memory {
	prefix := scope + "/"
	set := make([]bool, len(memories))
	for i := range memories {
		set[i] = !l.rooted[i] && strings.HasPrefix(memories[i].ID, prefix)
		for _, s := range memories[i].Sources {
			set[i] = set[i] || strings.HasPrefix(s.Turn, prefix)
		}
	}
	l.descend(set)
	var out []tiaptest.Memory
	for i, in := range set {
		if in {
			out = append(out, memories[i])
		}
	}
	return out
}
