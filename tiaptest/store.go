package tiaptest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lineage"
	"github.com/tiaptest/tiap/internal/parallel"
	"github.com/tiaptest/tiap/internal/problem"
)

// store is the lineage of one ingest as integers.
type store struct {
	ingest  *Ingest
	label   string       // for messages about what was built in code; "" for none
	traits  []traits     // of the memories
	inRun   []int32      // symbol of the run's ids -> memory, -1 for none
	outside intern.Table // ids of the memories that those lack
	rest    []int32      // symbol of outside -> memory
	lineage *lineage.Graph
	byTurn  lineage.Table[lineage.Holder] // turn of evidence -> memories, ascending; none for other turns
}

// Validate reports everything for which [Rescore] would refuse the memories: ids that are
// missing or stand twice, forms and statuses that are none, sources without a turn,
// parents that are not in the store, cycles of parents. Turns may be any.
func (in *Ingest) Validate() error {
	if in == nil {
		return errors.New("there is no ingest; a system needs a store and a run")
	}
	c := storeCheck{store: &store{ingest: in}}
	c.memories(in.symbols())
	c.resolve(new(intern.Table))
	return c.faults.Err()
}

// symbols finds the ids of the memories in the run, -1 for one that it does not have.
// Where both were read from files, they are its first ids, in the same order.
func (in *Ingest) symbols() []int32 {
	symbols := make([]int32, len(in.Memories))
	parallel.Stripes(len(symbols), func(from, end int) {
		id := func(i int) string { return in.Memories[from+i].ID }
		for i := range end - from {
			if sym := from + i; sym >= in.Run.ids.Len() || string(in.Run.ids.Bytes(uint32(sym))) != id(i) {
				in.Run.ids.SymbolsOfStrings(id, symbols[from:end])
				return
			}
			symbols[from+i] = int32(from + i)
		}
	})
	return symbols
}

// memories checks the memories, apart from their lineage. symbols are those of
// their ids in the run, -1 for none.
func (c *storeCheck) memories(symbols []int32) {
	in := c.store.ingest
	if len(in.Memories) == 0 {
		c.add(-1, "the store is empty", "a system needs at least one memory")
	}
	c.store.traits = make([]traits, len(in.Memories))
	c.store.inRun = slices.Repeat([]int32{-1}, in.Run.ids.Len())
	for i := range in.Memories {
		c.memory(i)
		c.store.traits[i] = in.Memories[i].traits()
		if first, again := c.store.number(i, symbols[i]); again {
			c.add(i, fmt.Sprintf("memory %q stands twice in the store%s", in.Memories[i].ID, c.at(first)), "give every memory an id of its own")
		}
	}
}

// number gives the id of a memory its place, unless an earlier memory has that.
// symbol is that of the id in the run, or -1.
func (s *store) number(memory int, symbol int32) (first int, again bool) {
	var place *int32
	if symbol >= 0 {
		if place = &s.inRun[symbol]; *place >= 0 {
			return int(*place), true
		}
	} else {
		sym := s.outside.AddString(s.ingest.Memories[memory].ID)
		if int(sym) < len(s.rest) {
			return int(s.rest[sym]), true
		}
		s.rest = append(s.rest, 0)
		place = &s.rest[sym]
	}
	*place = int32(memory)
	return 0, false
}

// resolve resolves the lineage. Turns that sources name get numbers in turns.
// Lineage is left out when the store has faults.
func (c *storeCheck) resolve(turns *intern.Table) {
	s := c.store
	in := s.ingest
	own := lineage.NewTable[lineage.Link](len(in.Memories))
	parents := lineage.NewTable[int32](len(in.Memories))
	links, ancestors := 0, 0
	for i := range in.Memories {
		links, ancestors = links+len(in.Memories[i].Sources), ancestors+len(in.Memories[i].Parents)
		own.Start, parents.Start = append(own.Start, int32(links)), append(parents.Start, int32(ancestors))
	}
	own.Items, parents.Items = make([]lineage.Link, links), make([]int32, ancestors)
	parallel.Stripes(len(in.Memories), func(from, end int) { s.look(turns, from, end, own, parents) })
	named, number := "", int32(-1) // turn that was named last
	for i := range in.Memories {
		m := &in.Memories[i]
		for j, l := range own.List(i) {
			if l.Turn >= 0 { // of the scenario, or of a store before
				continue
			}
			if turn := m.Sources[j].Turn; number < 0 || turn != named {
				named, number = turn, int32(turns.AddString(turn))
			}
			own.List(i)[j].Turn = number
		}
		for j, p := range parents.List(i) {
			if p < 0 {
				c.add(i, fmt.Sprintf("memory %q names the parent %q, which is not in the store", m.ID, m.Parents[j]), "add that memory to the store, or name its turns under sources")
			}
		}
	}
	if c.faults.Len() > 0 {
		return
	}
	graph, cycle := lineage.New(own, parents)
	if cycle != nil {
		names := make([]string, 0, len(cycle)+1)
		for _, i := range append(cycle, cycle[0]) {
			names = append(names, in.Memories[i].ID)
		}
		c.add(int(cycle[0]), "lineage cycle: "+strings.Join(names, " -> "), "remove one of these parents; a memory cannot descend from itself")
		return
	}
	s.lineage = graph
}

// look finds what some memories name: the turns of their sources, and their parents,
// each -1 when it is not known.
func (s *store) look(turns *intern.Table, from, end int, own lineage.Table[lineage.Link], parents lineage.Table[int32]) {
	const together = 256 // memories, so that their ids stay near
	var names []string
	var symbols []int32
	find := func(t *intern.Table) []int32 {
		symbols = slices.Grow(symbols[:0], len(names))[:len(names)]
		t.SymbolsOfStrings(func(i int) string { return names[i] }, symbols)
		return symbols
	}
	for ; from < end; from += together {
		to := min(from+together, end)
		memories := s.ingest.Memories[from:to]
		names = names[:0]
		links := own.Items[own.Start[from]:own.Start[from]]
		for i := range memories {
			for _, l := range memories[i].Sources {
				if n := len(names); n == 0 || l.Turn != names[n-1] { // memories of one turn tend to follow one another
					names = append(names, l.Turn)
				}
				links = append(links, lineage.Link{Turn: int32(len(names) - 1), Routes: l.route()})
			}
		}
		found := find(turns)
		for i, l := range links {
			links[i].Turn = found[l.Turn]
		}
		names = names[:0]
		for i := range memories {
			names = append(names, memories[i].Parents...)
		}
		for i, sym := range find(s.ingest.Run.ids) {
			parents.Items[int(parents.Start[from])+i] = s.numbered(sym, names[i])
		}
	}
}

// memory returns the number of the memory that has an id.
func (s *store) memory(id string) (int32, bool) {
	symbol := int32(-1)
	if sym, ok := s.ingest.Run.ids.LookupString(id); ok {
		symbol = int32(sym)
	}
	n := s.numbered(symbol, id)
	return n, n >= 0
}

// numbered returns the number of the memory that has an id, -1 for none. The symbol
// is that of the id in the run, or -1.
func (s *store) numbered(symbol int32, id string) int32 {
	if symbol >= 0 {
		return s.inRun[symbol]
	}
	if sym, ok := s.outside.LookupString(id); ok {
		return s.rest[sym]
	}
	return -1
}

// index builds the table from turns of evidence to memories.
func (c *storeCheck) index(evidence []bool) {
	s := c.store
	holders, at, ok := s.lineage.Holders(evidence, limit.Inherited)
	if !ok {
		c.add(int(at), fmt.Sprintf("memories inherit more than %d links to turns of evidence from their parents; memory %q is one of them", limit.Inherited, s.ingest.Memories[at].ID),
			"name under parents what a memory was made from alone, or start rolling summaries anew for each conversation")
		return
	}
	s.byTurn = holders
}

// routes are those from a memory to a turn of evidence.
func (s *store) routes(memory, turn int32) lineage.Routes {
	holders := s.byTurn.List(int(turn))
	i, ok := slices.BinarySearchFunc(holders, memory, func(h lineage.Holder, memory int32) int { return cmp.Compare(h.Item, memory) })
	if !ok {
		return 0
	}
	return holders[i].Routes
}

// available reports whether the store can speak about a target: of the memories
// that the target could credit, at least one has lineage, or there is none of
// them while others have lineage.
func (s *store) available(t *Target) bool {
	concerned, any := false, false
	for i, m := range s.traits {
		linked := s.lineage.Linked(i)
		any = any || linked
		if t.concerns(m) {
			if linked {
				return true
			}
			concerned = true
		}
	}
	return any && !concerned
}

func precisionOf(name string) (p lineage.Precision, ok bool) {
	switch name {
	case "", "exact":
		return lineage.Exact, true
	case "batch":
		return lineage.Batch, true
	case "container":
		return lineage.Container, true
	}
	return 0, false
}

func originOf(name string) (inferred, ok bool) {
	switch name {
	case "", "recorded":
		return false, true
	case "inferred":
		return true, true
	}
	return false, false
}

// route is the route of a link that is sound.
func (l Link) route() lineage.Routes {
	p, _ := precisionOf(l.Precision)
	inferred, _ := originOf(l.Origin)
	return lineage.Route(p, inferred)
}

// storeCheck finds the faults of a store and makes it ready.
type storeCheck struct {
	store  *store
	faults problem.List
}

func (c *storeCheck) add(i int, what, mend string) {
	file, line := c.store.ingest.origin.store, 0
	if i >= 0 {
		file, line = c.store.ingest.origin.memory(i)
	}
	if file == "" && c.store.label != "" {
		what = c.store.label + ": " + what
	}
	c.faults.Add(file, line, what, mend)
}

// at names the place of a memory after another one's message.
func (c *storeCheck) at(i int) string {
	if _, line := c.store.ingest.origin.memory(i); line > 0 {
		return fmt.Sprintf(" (first in line %d)", line)
	}
	return ""
}

func (c *storeCheck) memory(i int) {
	m := &c.store.ingest.Memories[i]
	if m.ID == "" {
		c.add(i, "a memory has no id", `add "id"`)
	}
	if !utf8.ValidString(m.ID) {
		c.add(i, fmt.Sprintf("the memory id %q is not UTF-8", m.ID), "ids are text in UTF-8")
	}
	if m.Form == "" {
		c.add(i, fmt.Sprintf("memory %q has no form", m.ID), `add "form": "raw" for an original turn, else what the memory is`)
	}
	if m.Form != formRaw && strings.EqualFold(strings.TrimSpace(m.Form), formRaw) {
		c.add(i, fmt.Sprintf("memory %q has the form %q", m.ID, m.Form), `write "raw", or name a derived form otherwise; the two are credited differently`)
	}
	switch m.Status {
	case "", statusActive, "superseded", "deleted":
	default:
		c.add(i, fmt.Sprintf("memory %q has the unknown status %q", m.ID, m.Status), "use active, superseded or deleted")
	}
	for _, l := range m.Sources {
		if l.Turn == "" {
			c.add(i, fmt.Sprintf("memory %q has a source without a turn id", m.ID), "name the turn, or leave the source out")
		}
		if _, ok := precisionOf(l.Precision); !ok {
			c.add(i, fmt.Sprintf("memory %q has the unknown precision %q", m.ID, l.Precision), "use exact, batch or container")
		}
		if _, ok := originOf(l.Origin); !ok {
			c.add(i, fmt.Sprintf("memory %q has the unknown origin %q", m.ID, l.Origin), "use recorded or inferred")
		}
	}
}
