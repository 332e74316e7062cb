package golden_test

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
)

var acceptLine = regexp.MustCompile(`(?m)^ *to accept: (.*)$`)

// talk is a bundle of forty turns and as many queries with two systems, D1 and
// D5. In each the raw turn stands at one rank of every ranking, and a fact made of
// the turn at another.
type talk struct {
	raw, fact map[string]int              // ranks from 1
	without   map[string]func(q int) bool // queries whose turn has no fact
	also      map[string]func(q int) bool // queries whose turn has a fact at rank 9, beside
	ingests   [][]talkIngest              // of D1 and of D5; without them one of each
	edit      func(b *tiaptest.Bundle)
	moved     map[string]func(q int) (raw, fact int) // other ranks in some queries
}

const talkQueries = 40

// talkIngest is what differs in an ingest: all ranks are down by some, and the
// turns of some queries have no fact.
type talkIngest struct {
	down    int
	fact    int // the ranks of facts further down
	without func(q int) bool
}

// D1 leads under every target.
func newTalk() *talk {
	return &talk{raw: map[string]int{"D1": 2, "D5": 4}, fact: map[string]int{"D1": 3, "D5": 5}}
}

func (k *talk) bundle() *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "talk", Unit: "turn", Headline: "canonical"}}
	for q := range talkQueries {
		b.AddTurn(fmt.Sprintf("t%02d", q), fmt.Sprintf("The code word of day %02d is kept.", q))
	}
	for q := range talkQueries {
		b.AddQuery(fmt.Sprintf("q%02d", q), fmt.Sprintf("What is the code word of day %02d?", q), fmt.Sprintf("word of day %02d", q))
	}
	for i, name := range []string{"D1", "D5"} {
		s := b.AddSystem(name, "density")
		s.Unit, s.Lineage, s.Forms = "memory", "recorded at ingest", map[string]string{"fact": "a sentence made of a turn"}
		if k.ingests == nil {
			k.ingest(s, talkIngest{})
			continue
		}
		for n, in := range k.ingests[i] {
			if n > 0 {
				s.Ingests = append(s.Ingests, &tiaptest.Ingest{})
			}
			k.ingest(s, in)
		}
	}
	if k.edit != nil {
		k.edit(b)
	}
	return b
}

// ingest fills the last ingest of a system.
func (k *talk) ingest(s *tiaptest.System, in talkIngest) {
	holds := func(q int, of ...func(int) bool) bool {
		return slices.ContainsFunc(of, func(f func(int) bool) bool { return f != nil && f(q) })
	}
	for q := range talkQueries {
		turn := fmt.Sprintf("t%02d", q)
		s.AddMemory("raw-"+turn, "raw", turn)
		if !holds(q, k.without[s.Name], in.without) {
			s.AddMemory("fact-"+turn, "fact", turn)
		}
		if holds(q, k.also[s.Name]) {
			s.AddMemory("also-"+turn, "fact", turn)
		}
	}
	for i := range 10 {
		s.AddMemory(fmt.Sprintf("other%d", i), "raw", "t-other")
	}
	memories := s.Ingests[len(s.Ingests)-1].Memories
	for i := range memories {
		memories[i].Text = "what " + memories[i].ID + " says"
	}
	for q := range talkQueries {
		raw, fact, also := k.raw[s.Name]+in.down, k.fact[s.Name]+in.down+in.fact, 0
		if f := k.moved[s.Name]; f != nil {
			if r, g := f(q); r > 0 {
				raw, fact = r, g
			}
		}
		if holds(q, k.without[s.Name], in.without) {
			fact = 0
		}
		if holds(q, k.also[s.Name]) {
			also = 9
		}
		s.AddRanking(fmt.Sprintf("q%02d", q), ranking(fmt.Sprintf("t%02d", q), raw, fact, also)...)
	}
}

// repeats are ingests whose ranks are down by some.
func repeats(down ...int) (out []talkIngest) {
	for _, d := range down {
		out = append(out, talkIngest{down: d})
	}
	return out
}

// forgetting are three ingests that each lack the facts of two other queries.
func forgetting(first int) (out []talkIngest) {
	for n := range 3 {
		out = append(out, talkIngest{without: func(q int) bool { return q%20 == first+n }})
	}
	return out
}

// ranking puts the turn and its facts at their ranks among ten others; rank 0 is
// none.
func ranking(turn string, raw, fact, also int) []string {
	ids := []string{}
	for i := range 10 {
		ids = append(ids, fmt.Sprintf("other%d", i))
	}
	type at struct {
		id   string
		rank int
	}
	places := []at{{"raw-" + turn, raw}, {"fact-" + turn, fact}, {"also-" + turn, also}}
	slices.SortFunc(places, func(a, b at) int { return a.rank - b.rank })
	for _, p := range places {
		if p.rank > 0 {
			ids = slices.Insert(ids, p.rank-1, p.id)
		}
	}
	return ids[:10]
}

// writeTalk writes the bundle in a state that the scripts name.
func writeTalk(dir string, states []string) error {
	k, err := talkIn(states...)
	if err != nil {
		return err
	}
	return k.bundle().WriteDir(dir)
}

func talkIn(states ...string) (*talk, error) {
	k := newTalk()
	for _, state := range states {
		switch state {
		case "flip": // the facts of D5 come first: D5 leads under source and canonical
			k.fact["D5"] = 1
		case "flip-reversed": // D5 leads under raw, D1 under source and canonical
			k.raw["D1"], k.fact["D1"] = 7, 1
		case "flip-tie": // D1 and D5 tie under source and canonical
			k.raw["D1"], k.fact["D1"], k.raw["D5"], k.fact["D5"] = 3, 2, 4, 2
		case "better": // D1 leads by more
			k.raw["D1"] = 1
		case "worse": // and by less
			k.raw["D1"], k.fact["D1"] = 3, 4
		case "gain-lose": // the turn of D5 rises and the fact falls
			k.raw["D5"], k.fact["D5"] = 3, 8
		case "tie": // D5 ranks as D1
			k.raw["D5"], k.fact["D5"] = 2, 3
		case "uncovered": // the facts of six turns are gone
			k.without = map[string]func(int) bool{"D5": func(q int) bool { return q%7 == 0 }}
		case "forgotten", "turns-forgotten": // and still ranked; or these turns are
			form := map[string]string{"forgotten": "fact", "turns-forgotten": "raw"}[state]
			k.edit = func(b *tiaptest.Bundle) {
				in := b.Systems[1].Ingests[0]
				in.Memories = slices.DeleteFunc(in.Memories, func(m tiaptest.Memory) bool {
					var q int
					n, _ := fmt.Sscanf(m.ID, form+"-t%d", &q)
					return n == 1 && q%7 == 0
				})
			}
		case "facts": // the turns of D5 have no fact, one, two, none, ...; the first leads
			k.fact["D5"] = 1
			k.without = map[string]func(int) bool{"D5": func(q int) bool { return q%3 == 0 }}
			k.also = map[string]func(int) bool{"D5": func(q int) bool { return q%3 == 2 }}
		case "facts-dropped": // and lose the first one where they have any
			k.without = map[string]func(int) bool{"D5": func(int) bool { return true }}
			k.also = map[string]func(int) bool{"D5": func(q int) bool { return q%3 == 2 }}
		case "repeats": // three ingests each, D1 ahead but for noise
			k.ingests = [][]talkIngest{repeats(0, 1, 3), repeats(0, 0, 0)}
			k.raw["D5"], k.fact["D5"] = 4, 5
		case "repeats-again": // and D5 ahead, likewise
			k.ingests = [][]talkIngest{repeats(3, 4, 1), repeats(-1, 0, -1)}
		case "repeats-moved": // and D5 ahead by more than noise
			k.ingests = [][]talkIngest{repeats(3, 4, 3), repeats(-3, -3, -3)}
		case "one-repeats": // D1 has one ingest, D5 three
			k.ingests = [][]talkIngest{repeats(0), repeats(0, 0, 0)}
		case "one-repeats-moved": // and D5 leads
			k.ingests = [][]talkIngest{repeats(0), repeats(-3, -3, -3)}
		case "one-repeats-again": // or D5 leads by chance
			k.ingests = [][]talkIngest{repeats(0), repeats(-3, 2, -3)}
		case "one-repeats-fell": // or so because D1 fell
			k.ingests = [][]talkIngest{repeats(4), repeats(0, 0, 0)}
		case "one-repeats-both": // and D5 is another one
			k.ingests = [][]talkIngest{repeats(4), repeats(-1, 2, -2)}
		case "repeats-one": // D1 has three ingests, D5 one
			k.ingests = [][]talkIngest{repeats(0, 0, 0), repeats(0)}
		case "repeats-one-both": // and D5 leads, both are other ones
			k.ingests = [][]talkIngest{repeats(3, 1, 6), repeats(-2)}
		case "repeats-one-fell": // D1 fell behind D5
			k.ingests = [][]talkIngest{repeats(3, 4, 3), repeats(0)}
		case "repeats-fell": // D5 is the same, D1 fell behind it
			k.ingests = [][]talkIngest{repeats(3, 4, 3), repeats(0, 0, 0)}
		case "repeats-unequal": // D1 has three ingests, D5 five
			k.ingests = [][]talkIngest{repeats(0, 1, 3), repeats(0, 0, 0, 0, 0)}
		case "repeats-unequal-again": // and D5 leads by chance
			k.ingests = [][]talkIngest{repeats(3, 4, 1), repeats(-1, 0, -1, 2, -3)}
		case "repeats-unequal-other": // D1 has five, D5 three, D5 leads
			k.ingests = [][]talkIngest{repeats(3, 4, 1, 5, 0), repeats(-1, 0, -1)}
		case "first-half", "second-half": // D5 has facts of half of the queries
			k.without = map[string]func(int) bool{"D5": func(q int) bool { return (q < 20) != (state == "first-half") }}
		case "repeats-near", "repeats-apart": // three ingests of D5 ahead of D1, or behind it by as much as chance may be
			k.raw["D1"], k.fact["D1"], k.raw["D5"], k.fact["D5"] = 4, 5, 3, 4
			k.ingests = [][]talkIngest{repeats(0, 0, 0), repeats(0, 0, 0)}
			if state == "repeats-apart" {
				k.ingests[1] = repeats(2, 3, 4)
			}
		case "repeats-shift": // D1 leads, ingests of D5 differ as much under raw as under canonical
			k.raw["D1"], k.fact["D1"] = 3, 4
			k.ingests = [][]talkIngest{repeats(0, 0, 0), {{down: -1}, {down: 0, fact: 1}, {down: -1}}}
		case "repeats-shifted": // likewise, but the facts are before the turns
			k.raw["D1"], k.fact["D1"] = 3, 4
			k.ingests = [][]talkIngest{repeats(0, 0, 0), {{down: 0, fact: -2}, {down: 2, fact: -3}, {down: 0, fact: -2}}}
		case "repeats-mixed": // three ingests of D5, of turns at the ranks 4, 6 and 5 and facts at 7, 9 and 8
			k.ingests = [][]talkIngest{repeats(0, 0, 0), {{down: 0, fact: 2}, {down: 2, fact: 2}, {down: 1, fact: 2}}}
		case "repeats-mixed-again": // turns at 3, 6 and 4, facts at 8, 9 and 9
			k.ingests = [][]talkIngest{repeats(0, 0, 0), {{down: -1, fact: 4}, {down: 2, fact: 2}, {down: 0, fact: 4}}}
		case "repeats-mixed-moved": // turns at 1, facts likewise
			k.ingests = [][]talkIngest{repeats(0, 0, 0), {{down: -3, fact: 6}, {down: -3, fact: 7}, {down: -3, fact: 7}}}
		case "forgets": // three ingests that cover all but six queries
			k.ingests = [][]talkIngest{repeats(0, 0, 0), forgetting(0)}
		case "forgets-others": // and all but six others
			k.ingests = [][]talkIngest{repeats(0, 0, 0), forgetting(5)}
		case "forgets-in-two": // two ingests of each, D5 covers all but four queries
			k.ingests = [][]talkIngest{repeats(0, 0), forgetting(0)[:2]}
		case "forgets-ten": // three ingests without the facts of ten queries
			k.ingests = [][]talkIngest{repeats(0, 0, 0), slices.Repeat([]talkIngest{{without: func(q int) bool { return q < 10 }}}, 3)}
		case "forgets-six": // or of six others
			k.ingests = [][]talkIngest{repeats(0, 0, 0), slices.Repeat([]talkIngest{{without: func(q int) bool { return q >= 34 }}}, 3)}
		case "forgets-some": // or of four, two and three
			k.ingests = [][]talkIngest{repeats(0, 0, 0), {}}
			for _, n := range []int{4, 2, 3} {
				k.ingests[1] = append(k.ingests[1], talkIngest{without: func(q int) bool { return q < n }})
			}
		case "no-facts": // D5 stores none
			k.without = map[string]func(int) bool{"D5": func(int) bool { return true }}
		case "query": // another question
			k.edit = func(b *tiaptest.Bundle) { b.Scenario.Queries[0].Text = "Which day is it?" }
		case "fewer": // a system is gone
			k.edit = func(b *tiaptest.Bundle) { b.Systems = b.Systems[:1] }
		case "more": // a system is added
			k.edit = func(b *tiaptest.Bundle) {
				s := *b.Systems[0]
				s.Name = "D8"
				b.Systems = append(b.Systems, &s)
			}
		case "harmless": // other ids and texts
			k.edit = func(b *tiaptest.Bundle) {
				for _, s := range b.Systems {
					for i := range s.Ingests[0].Memories {
						s.Ingests[0].Memories[i].Text = "reworded"
					}
				}
			}
		case "slight": // one query of D5 a rank higher
			k.moved = map[string]func(int) (int, int){"D5": func(q int) (int, int) {
				if q == 3 {
					return 3, 5
				}
				return 0, 0
			}}
		case "uneven": // the queries of D5 differ, D1 leads
			k.moved = map[string]func(int) (int, int){"D5": func(q int) (int, int) { return 1 + q%5, 8 - q%5 }}
		case "uneven-flip": // and D5 leads under source and canonical
			k.moved = map[string]func(int) (int, int){"D5": func(q int) (int, int) { return 7 - q%3, 1 + q%3 }}
		case "scopes": // four queries are of a talk, resampled together
			edit := k.edit
			k.edit = func(b *tiaptest.Bundle) {
				for q := range b.Scenario.Queries {
					b.Scenario.Queries[q].Scope = fmt.Sprintf("talk %d", q/4)
				}
				if edit != nil {
					edit(b)
				}
			}
		default:
			return nil, fmt.Errorf("unknown state %q", state)
		}
	}
	return k, nil
}
