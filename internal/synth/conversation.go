package synth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

const (
	queriesPerConversation = 50
	turnsPerSession        = 20
	minTurns               = 160 // three turns a query, as in LoCoMo
	maxFacts               = 8   // of one turn, before a system's density cuts them
)

// form is what a memory is made of.
type form uint8

const (
	raw         form = iota // the turn itself
	fact                    // one turn
	event                   // a few turns in a row
	observation             // facts of several turns, through parents
	summary                 // observations and an event, through parents
	numForms
)

var formNames = [numForms]string{"raw", "fact", "event", "observation", "summary"}

// A conversation has turns, questions about them, and every memory that the
// densest possible parser makes of them. Turns and memories are named by their
// index.
type conversation struct {
	index     int
	id        string
	turns     []string
	memories  []memory
	byTurn    [][]int32 // the memories that descend from a turn, ascending
	questions []question
}

type memory struct {
	id         string
	form       form
	ordinal    int     // of a fact among those of its turn; 0 for other forms
	sources    []int32 // turns recorded with the memory itself
	parents    []int32 // memories
	turns      []int32 // all turns that it descends from, ascending
	batch      bool    // its sources are known by batch only
	hidden     bool    // stored, but not served
	superseded bool
}

type question struct {
	id    string
	units [][]int32 // turns of each evidence unit; none when the query is unscorable
}

// conversations is how many of them the queries need.
func (c Config) conversations() int {
	return (c.Queries-1)/queriesPerConversation + 1
}

// turnsPerConversation leaves more raw memories than a ranking has hits.
func (c Config) turnsPerConversation() int {
	return max(minTurns, c.Depth+c.Depth/8+2)
}

// conversation makes the one with the given index.
func (g *generator) conversation(index int) *conversation {
	rng := g.draw(forStructure, index, 0)
	c := &conversation{index: index, id: fmt.Sprintf("conv-%05d", index)}
	n := g.turnsPerConversation()
	c.turns = make([]string, n)
	c.byTurn = make([][]int32, n)
	for t := range n {
		c.turns[t] = fmt.Sprintf("%s/%s:%d", c.id, session(t), t%turnsPerSession+1)
	}
	for first := 0; first < n; first += turnsPerSession {
		c.addSession(rng, first, min(first+turnsPerSession, n))
	}
	asked := min(queriesPerConversation, g.Queries-index*queriesPerConversation)
	c.questions = make([]question, asked)
	for i := range c.questions {
		c.questions[i] = question{
			id:    fmt.Sprintf("%s/qa%02d", c.id, i),
			units: drawUnits(rng, n),
		}
	}
	return c
}

// session is the label of the session that holds a turn.
func session(turn int) string { return fmt.Sprintf("D%d", turn/turnsPerSession+1) }

// addSession makes the memories of the turns first to end-1.
func (c *conversation) addSession(rng *rand.Rand, first, end int) {
	var leading []int32 // the first fact of each turn, which every density keeps
	for t := first; t < end; t++ {
		if t%16 != 11 { // the system leaves some turns out
			c.add(memory{id: c.turns[t] + "/raw", form: raw, sources: []int32{int32(t)}})
		}
		for i := range drawFacts(rng) {
			m := c.add(memory{
				id:         fmt.Sprintf("%s/fact-%d", c.turns[t], i),
				form:       fact,
				ordinal:    i,
				sources:    []int32{int32(t)},
				superseded: rng.IntN(24) == 0,
			})
			if i == 0 {
				leading = append(leading, m)
			}
		}
	}
	prefix := c.id + "/" + session(first)
	var events, observations []int32
	for i := range 2 {
		n := min(2+rng.IntN(3), end-first)
		start := first + rng.IntN(end-first-n+1)
		m := memory{
			id:     fmt.Sprintf("%s/event-%d", prefix, i),
			form:   event,
			batch:  rng.IntN(4) == 0,
			hidden: rng.IntN(8) == 0,
		}
		for t := start; t < start+n; t++ {
			m.sources = append(m.sources, int32(t))
		}
		events = append(events, c.add(m))
	}
	for i := range 3 {
		n := 2 + rng.IntN(2)
		if n > len(leading) {
			break
		}
		rng.Shuffle(len(leading), func(i, j int) { leading[i], leading[j] = leading[j], leading[i] })
		observations = append(observations, c.add(memory{
			id:      fmt.Sprintf("%s/observation-%d", prefix, i),
			form:    observation,
			parents: slices.Clone(leading[:n]),
		}))
	}
	if first/turnsPerSession%2 == 0 {
		c.add(memory{
			id:      prefix + "/summary",
			form:    summary,
			parents: append(events[:1:1], observations[:min(2, len(observations))]...),
		})
	}
}

// add resolves the lineage of a memory, stores it and returns its index.
func (c *conversation) add(m memory) int32 {
	m.turns = slices.Clone(m.sources)
	for _, p := range m.parents {
		m.turns = append(m.turns, c.memories[p].turns...)
	}
	slices.Sort(m.turns)
	m.turns = slices.Compact(m.turns)
	index := int32(len(c.memories))
	c.memories = append(c.memories, m)
	for _, t := range m.turns {
		c.byTurn[t] = append(c.byTurn[t], index)
	}
	return index
}

// drawFacts draws how many facts a turn states: none for a third of the turns,
// seldom many.
func drawFacts(rng *rand.Rand) int {
	n := 0
	for n < maxFacts && rng.IntN(8) < 5 {
		n++
	}
	return n
}

// drawUnits draws the evidence of a question about n turns: mostly one turn,
// sometimes two or three, of which one may be a set of two turns; none for one
// question in 64.
func drawUnits(rng *rand.Rand, n int) [][]int32 {
	if rng.IntN(64) == 0 {
		return nil
	}
	size := [...]int{1, 1, 1, 1, 1, 1, 1, 2, 2, 3}[rng.IntN(10)]
	units := make([][]int32, size)
	taken := make([]int32, 0, 4)
	pick := func() int32 {
		for {
			t := int32(rng.IntN(n))
			if !slices.Contains(taken, t) {
				taken = append(taken, t)
				return t
			}
		}
	}
	for i := range units {
		units[i] = []int32{pick()}
	}
	if rng.IntN(20) == 0 {
		units[0] = append(units[0], pick())
	}
	return units
}

// descendants lists the memories, ascending, that descend from the evidence of
// a question and that a system of the given density stores.
func (c *conversation) descendants(q question, density int) []int32 {
	var found []int32
	for _, unit := range q.units {
		for _, t := range unit {
			for _, m := range c.byTurn[t] {
				if c.memories[m].ordinal < density {
					found = append(found, m)
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// target selects the memories that are eligible, by the definitions of TIAP.
type target uint8

const (
	rawTarget target = iota
	sourceTarget
	canonicalTarget
	numTargets
)

var targetNames = [numTargets]string{"raw", "source", "canonical"}

func (t target) allows(m *memory) bool {
	switch t {
	case rawTarget:
		return m.form == raw
	case canonicalTarget:
		return m.form != raw && !m.hidden
	default:
		return true
	}
}

// eligible lists the ids of the memories that the target admits for a question,
// of all that any of the systems stores.
func (g *generator) eligible(c *conversation, q question, t target) []string {
	var ids []string
	for _, m := range c.descendants(q, density(g.Systems-1)) {
		if t.allows(&c.memories[m]) {
			ids = append(ids, c.memories[m].id)
		}
	}
	return ids
}

// category is the kind of a question.
func category(q question) string {
	switch len(q.units) {
	case 0:
		return "unanswerable"
	case 1:
		return "single-hop"
	default:
		return "multi-hop"
	}
}

// fixtureID names the evidence turns in the manner of MTEL-Mem: D1:3|D2:7.
func (c *conversation) fixtureID(q question) string {
	var ids []string
	for _, unit := range q.units {
		for _, t := range unit {
			ids = append(ids, strings.TrimPrefix(c.turns[t], c.id+"/"))
		}
	}
	return strings.Join(ids, "|")
}
