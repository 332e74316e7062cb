package tiaptest

import (
	"fmt"
	"slices"
	"strings"
)

// AddTurn adds a turn of the conversation and returns the bundle. This and the
// other building methods note mistakes, which [Rescore] and [Bundle.WriteDir]
// report together.
func (b *Bundle) AddTurn(id, text string) *Bundle {
	b.Scenario.Turns = append(b.Scenario.Turns, Turn{ID: id, Text: text})
	return b
}

// AddQuery adds a question. Each gold phrase is text, not an id: it must occur in
// exactly one turn added before, which becomes an evidence unit. Where gold turns
// are known by id, append a [Query] to Scenario.Queries:
//
//	b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{
//		ID: "q1", Text: "When was the tree planted?", Evidence: []tiaptest.Unit{{Turns: []string{"s1/1"}}},
//	})
func (b *Bundle) AddQuery(id, text string, gold ...string) *Bundle {
	q := Query{ID: id, Text: text}
	for _, phrase := range gold {
		var in []string
		for i := range b.Scenario.Turns {
			if phrase != "" && strings.Contains(b.Scenario.Turns[i].Text, phrase) {
				in = append(in, b.Scenario.Turns[i].ID)
			}
		}
		switch len(in) {
		case 1:
			q.Evidence = append(q.Evidence, Unit{Turns: in})
		case 0:
			mend := "quote it from a turn"
			if len(b.Scenario.Turns) == 0 {
				mend = "there are no turns yet: add them before the queries"
			} else if phrase != "" && slices.ContainsFunc(b.Scenario.Turns, func(t Turn) bool { return t.ID == phrase }) {
				mend = "that is the id of a turn: quote its text, or append a Query with this evidence to Scenario.Queries"
			}
			b.problem(fmt.Sprintf("query %q: no turn contains the gold phrase %q", id, phrase), mend)
		default:
			b.problem(fmt.Sprintf("query %q: the turns %s contain the gold phrase %q", id, strings.Join(in, ", "), phrase), "quote more of the turn")
		}
	}
	if id == "" {
		b.problem("a query has no id", "name it")
		return b
	}
	b.Scenario.Queries = append(b.Scenario.Queries, q)
	return b
}

// AddSystem adds a system with one empty ingest and returns it. The family, which
// may be empty, groups variants of one system.
func (b *Bundle) AddSystem(name, family string) *System {
	s := &System{Name: name, Family: family, Ingests: []*Ingest{{}}}
	b.Systems = append(b.Systems, s)
	return s
}

// AddMemory adds a memory that descends from turns, given by their ids, to the
// system's last ingest, and returns the system. One with a text, parents or a
// status is a [Memory] appended to Memories of the ingest.
func (s *System) AddMemory(id, form string, turns ...string) *System {
	m := Memory{ID: id, Form: form}
	for _, t := range turns {
		m.Sources = append(m.Sources, Link{Turn: t})
	}
	in := s.last()
	in.Memories = append(in.Memories, m)
	return s
}

// AddRanking adds the ranking of a query, best first, to the run of the system's
// last ingest, and returns the system.
func (s *System) AddRanking(query string, ids ...string) *System {
	run, k := &s.last().Run, Ranking{Query: query, IDs: ids}
	if wrong := run.check(k); wrong != nil {
		s.problems.Add("", 0, "system "+s.Name+": "+wrong.What, wrong.Mend)
		return s
	}
	run.append(k)
	return s
}

func (s *System) last() *Ingest {
	if len(s.Ingests) == 0 {
		s.Ingests = append(s.Ingests, &Ingest{})
	}
	return s.Ingests[len(s.Ingests)-1]
}

func (b *Bundle) problem(what, mend string) { b.problems.Add("", 0, what, mend) }

// Target returns the target of that name: raw, source or canonical, a modifier
// around one such as current(canonical), or the name of TREC qrels.
func (b *Bundle) Target(name string) (Target, error) {
	if b.judged != nil {
		for _, t := range b.judged.targets {
			if t.name == name {
				return t, nil
			}
		}
		return Target{}, fmt.Errorf("no judgements for target %q; there are some for %s", name, join(b.judged.targets))
	}
	return parseTarget(name)
}
