package tiaptest_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// contender is a system with its rankings of the queries q1, q2, ... in short.
// Each letter of a ranking is a rank: r is the raw turn that is gold, f and g
// are facts made of it, s and h are the raw turn and a fact of a second gold
// turn, and . is a memory of another turn. "-" leaves a query out of the run and
// "!" fails it.
//
// The store holds r and f for each query, and what is ranked. Letters after a
// bar name what it holds besides the ranking instead: "r..|" stores no fact.
type contender struct {
	name    string
	ingests [][]string
}

func system(name string, rankings ...string) contender {
	return contender{name, [][]string{rankings}}
}

// again adds a repeat of the system.
func (c contender) again(rankings ...string) contender {
	c.ingests = append(slices.Clone(c.ingests), rankings)
	return c
}

// times repeats a ranking for n queries.
func times(n int, ranking string) []string { return slices.Repeat([]string{ranking}, n) }

// contest makes a bundle of contenders that states all that TargetsReported asks
// for.
func contest(contenders ...contender) *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "contest", Unit: "turn", Headline: "canonical"}}
	for i := range contenders[0].ingests[0] {
		turns := 1
		for _, c := range contenders {
			for _, rankings := range c.ingests {
				if strings.ContainsAny(rankings[i], "sh") {
					turns = 2
				}
			}
		}
		q := tiaptest.Query{ID: fmt.Sprintf("q%d", i+1), Text: fmt.Sprintf("Question %d?", i+1), Scope: fmt.Sprintf("talk %d", i/2+1)}
		for t := range turns {
			q.Evidence = append(q.Evidence, tiaptest.Unit{Turns: []string{turn(i, t)}})
		}
		b.Scenario.Queries = append(b.Scenario.Queries, q)
	}
	for _, c := range contenders {
		s := &tiaptest.System{Name: c.name, Unit: "memory", Lineage: "recorded at ingest", Forms: map[string]string{"fact": "one sentence about a turn"}}
		for _, rankings := range c.ingests {
			s.Ingests = append(s.Ingests, ingest(rankings))
		}
		b.Systems = append(b.Systems, s)
	}
	return b
}

// turn is the id of a gold turn of a query.
func turn(query, n int) string { return fmt.Sprintf("t%d.%d", query+1, n+1) }

func ingest(rankings []string) *tiaptest.Ingest {
	in := &tiaptest.Ingest{}
	store := func(query int, letter rune) string {
		m := tiaptest.Memory{ID: fmt.Sprintf("%c%d", letter, query+1), Form: "fact", Sources: []tiaptest.Link{{Turn: turn(query, 0)}}}
		switch letter {
		case 'r':
			m.Form = "raw"
		case 's':
			m.Form, m.Sources[0].Turn = "raw", turn(query, 1)
		case 'h':
			m.Sources[0].Turn = turn(query, 1)
		}
		if !slices.ContainsFunc(in.Memories, func(other tiaptest.Memory) bool { return other.ID == m.ID }) {
			in.Memories = append(in.Memories, m)
		}
		return m.ID
	}
	for i, ranking := range rankings {
		ranking, stored, ok := strings.Cut(ranking, "|")
		if !ok {
			stored = "rf"
		}
		for _, letter := range stored {
			store(i, letter)
		}
		k := tiaptest.Ranking{Query: fmt.Sprintf("q%d", i+1)}
		switch ranking {
		case "-":
			continue
		case "!":
			k.Error = "timeout"
		default:
			for rank, letter := range ranking {
				if letter == '.' {
					k.IDs = append(k.IDs, fmt.Sprintf("x%d", rank+1))
				} else {
					k.IDs = append(k.IDs, store(i, letter))
				}
			}
		}
		if err := in.Run.Add(k); err != nil {
			panic(err)
		}
	}
	for rank := range 9 {
		in.Memories = append(in.Memories, tiaptest.Memory{
			ID: fmt.Sprintf("x%d", rank+1), Form: "raw", Sources: []tiaptest.Link{{Turn: "elsewhere"}},
		})
	}
	return in
}
