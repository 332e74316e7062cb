package semantic

import (
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
)

// Composition says how a system satisfies queries whose evidence is spread over
// several turns: all of it credited within the depth (all@k), and by how many
// memories. Counts are over all ingests; evidence units without an eligible memory
// are left out.
type Composition struct {
	System  string `json:"system"`
	Target  string `json:"target"`
	Queries int    `json:"queries"` // with two covered evidence units or more

	// Passed counts those whose retrieved memories together cover all units. Under
	// [Supported] these are supported memories.
	Passed int `json:"passed"`
	// Single counts those of Passed in which one retrieved memory alone covers
	// all units.
	Single int `json:"single"`
	// Distinct counts those of Passed in which every unit can have a retrieved
	// memory of its own: all@k with distinct memories.
	Distinct int `json:"distinct"`

	FanOut []FanOut `json:"fan_out"` // exact, batch, container; those that occur
}

// FanOut says how far credit spreads from memories whose best link to the evidence
// has a precision: a summary of a batch of turns earns for each of them.
type FanOut struct {
	Precision  string  `json:"precision"`
	Memories   int     `json:"memories"`    // distinct ones that earn
	Credits    int     `json:"credits"`     // ranks that earn
	Units      int     `json:"units"`       // that they credit
	MaxUnits   int     `json:"max_units"`   // by one credit
	MaxQueries int     `json:"max_queries"` // that one memory earns for
	PerMemory  float64 `json:"per_memory"`  // credits of a memory, on average
}

// Compose tells of one system under one target of an audit. It fails as
// [tiaptest.Audit.Eligible] does.
func Compose(a *tiaptest.Audit, system string, t tiaptest.Target) (*Composition, error) {
	found, err := a.Eligible(system, t)
	if err != nil {
		return nil, err
	}
	c := &Composition{System: system, Target: t.String(), FanOut: []FanOut{}}
	spread := make(map[string]*FanOut)
	earned := make(map[string]map[ingestMemory]int)
	var group []tiaptest.Eligible
	for e := range found {
		if len(group) > 0 && (group[0].Query.ID != e.Query.ID || group[0].Ingest != e.Ingest) {
			c.add(group)
			group = group[:0]
		}
		group = append(group, e)
		if e.Credited == 0 {
			continue
		}
		f := spread[e.Precision]
		if f == nil {
			f = &FanOut{Precision: e.Precision}
			spread[e.Precision], earned[e.Precision] = f, make(map[ingestMemory]int)
		}
		f.Credits++
		f.Units += e.Credited
		f.MaxUnits = max(f.MaxUnits, e.Credited)
		m := ingestMemory{e.Ingest, e.Memory.ID}
		earned[e.Precision][m]++
		f.MaxQueries = max(f.MaxQueries, earned[e.Precision][m])
	}
	c.add(group)
	for _, precision := range []string{"exact", "batch", "container"} {
		if f := spread[precision]; f != nil {
			f.Memories = len(earned[precision])
			f.PerMemory = float64(f.Credits) / float64(f.Memories)
			c.FanOut = append(c.FanOut, *f)
		}
	}
	return c, nil
}

type ingestMemory struct {
	ingest int
	memory string
}

// add counts one query by what is eligible for it.
func (c *Composition) add(group []tiaptest.Eligible) {
	if len(group) == 0 {
		return
	}
	stored, covered := make([]bool, group[0].Of), make([]bool, group[0].Of)
	var retrieved [][]int
	for _, e := range group {
		for _, u := range e.Units {
			stored[u] = true
		}
		if e.Rank == 0 || e.Refused {
			continue
		}
		retrieved = append(retrieved, e.Units)
		for _, u := range e.Units {
			covered[u] = true
		}
	}
	units := 0
	for u := range stored {
		if stored[u] {
			units++
		}
	}
	if units < 2 {
		return
	}
	c.Queries++
	if !slices.Equal(stored, covered) {
		return
	}
	c.Passed++
	if slices.ContainsFunc(retrieved, func(of []int) bool { return len(of) == units }) {
		c.Single++
	}
	if matched(retrieved, len(stored)) == units {
		c.Distinct++
	}
}

// matched is how many units can have a memory of their own, by augmenting paths
// (H. W. Kuhn, The Hungarian Method for the Assignment Problem, 1955).
func matched(memories [][]int, units int) (n int) {
	holder := make([]int, units) // memory+1 of each unit
	var visited []bool
	var place func(m int) bool
	place = func(m int) bool {
		for _, u := range memories[m] {
			if visited[u] {
				continue
			}
			visited[u] = true
			if holder[u] == 0 || place(holder[u]-1) {
				holder[u] = m + 1
				return true
			}
		}
		return false
	}
	for m := range memories {
		visited = make([]bool, units)
		if place(m) {
			n++
		}
	}
	return n
}
