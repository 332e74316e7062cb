package tiaptest_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// giveRawParents gives some raw memories parents, whose turns they do not hold.
func giveRawParents(t *rapid.T, b *tiaptest.Bundle) {
	if !chance(t, 20, "raw memories with parents") {
		return
	}
	for _, s := range b.Systems {
		for _, in := range s.Ingests {
			for i := range in.Memories {
				m := &in.Memories[i]
				if m.Form == "raw" && m.ID != "m0" && chance(t, 50, "parent") {
					m.Parents = []string{"m0"} // descends from nothing itself
				}
			}
		}
	}
}

// repeatQueries adds queries that are like those before, with rotated rankings,
// until there are n.
func repeatQueries(b *tiaptest.Bundle, n int) {
	first := b.Scenario.Queries
	for i := len(first); i < n; i++ {
		like := first[i%len(first)]
		q := like
		q.ID = fmt.Sprintf("%s.%d", like.ID, i)
		b.Scenario.Queries = append(b.Scenario.Queries, q)
		for _, s := range b.Systems {
			for _, in := range s.Ingests {
				k, ok := in.Run.Ranking(like.ID)
				if !ok {
					continue
				}
				k.Query = q.ID
				if len(k.IDs) > 0 {
					by := i % len(k.IDs)
					k.IDs = slices.Concat(k.IDs[by:], k.IDs[:by])
				}
				addRanking(in, k)
			}
		}
	}
}

// deepenRankings puts n ids that no memory has before those of each ranking, and
// returns the length of the longest one.
func deepenRankings(b *tiaptest.Bundle, n int) (longest int) {
	var further []string
	for i := range n {
		further = append(further, fmt.Sprint("f", i))
	}
	for _, s := range b.Systems {
		for _, in := range s.Ingests {
			old := in.Run
			in.Run = tiaptest.Run{}
			for k := range old.All() {
				if len(k.IDs) > 0 {
					k.IDs = slices.Concat(further, k.IDs)
				}
				longest = max(longest, len(k.IDs))
				addRanking(in, k)
			}
		}
	}
	return longest
}

// optional adds a member that may be missing where it is empty.
func (s *spelling) optional(o members, name, value string) members {
	switch {
	case value != "":
		return append(o, member{name, value})
	case s.oneIn(6):
		return append(o, member{name, nil})
	case s.oneIn(6):
		return append(o, member{name, ""})
	}
	return o
}

// list adds a member that may be missing where it has no element.
func (s *spelling) list(o members, name string, elements []any) members {
	switch {
	case len(elements) > 0 || s.oneIn(6):
		return append(o, member{name, append([]any{}, elements...)})
	case s.oneIn(6):
		return append(o, member{name, nil})
	}
	return o
}

// id adds the id of a query, by its name, by its alias or by both.
func (s *spelling) id(name, id string) members {
	switch o := (members{{name, s.name(id)}}); {
	case s.oneIn(6):
		return members{{"query_id", s.name(id)}}
	case s.oneIn(6):
		return append(o, member{"query_id", s.name(id)})
	default:
		return s.optional(o, "query_id", "")
	}
}

// bundle writes the files of a bundle, not packed.
func (s *spelling) bundle(b *tiaptest.Bundle) files {
	plain := files{}
	var lines []members
	for _, q := range b.Scenario.Queries {
		o := s.optional(s.id("id", q.ID), "category", q.Category)
		o = s.optional(s.optional(s.optional(o, "time", q.Time), "scope", q.Scope), "text", q.Text)
		var evidence []any
		for i, u := range q.Evidence {
			switch {
			case len(u.Turns) == 1 && !s.oneIn(3):
				evidence = append(evidence, s.name(u.Turns[0]))
			case s.oneIn(2):
				evidence = append(evidence, members{{"turns", s.names(u.Turns)}, {"id", fmt.Sprint("u", i)}})
			default:
				evidence = append(evidence, members{{"turns", s.names(u.Turns)}})
			}
		}
		lines = append(lines, s.list(o, "evidence", evidence))
	}
	plain["queries.jsonl"] = s.lines(lines)
	if lines = nil; len(b.Scenario.Turns) > 0 {
		for _, turn := range b.Scenario.Turns {
			lines = append(lines, s.optional(members{{"id", s.name(turn.ID)}}, "text", turn.Text))
		}
		plain["turns.jsonl"] = s.lines(lines)
	}
	for _, system := range b.Systems {
		dir := "systems/" + system.Name
		if system.Family != "" || s.oneIn(2) {
			small := *s
			small.padding = 0
			plain[dir+"/system.json"] = small.lines([]members{s.optional(nil, "family", system.Family)})
		}
		for i, in := range system.Ingests {
			at := dir
			if i > 0 {
				at = fmt.Sprintf("%s/repeats/%d", dir, i)
			}
			plain[at+"/store.jsonl"] = s.store(in.Memories)
			plain[at+"/run.jsonl"] = s.run(system.Name, in)
		}
	}
	return plain
}

func (s *spelling) store(memories []tiaptest.Memory) []byte {
	var lines []members
	for _, m := range memories {
		o := members{{"id", s.name(m.ID)}, {"form", m.Form}}
		var sources []any
		for _, l := range m.Sources {
			if l.Precision == "" && l.Origin == "" && !s.oneIn(3) {
				sources = append(sources, s.name(l.Turn))
				continue
			}
			sources = append(sources, s.optional(s.optional(members{{"turn", s.name(l.Turn)}}, "precision", l.Precision), "origin", l.Origin))
		}
		o = s.list(s.list(o, "sources", sources), "parents", s.names(m.Parents))
		o = s.optional(s.optional(s.optional(s.optional(o, "status", m.Status), "valid_from", m.ValidFrom), "valid_to", m.ValidTo), "text", m.Text)
		switch {
		case m.NotServing:
			o = append(o, member{"serving", false})
		case s.oneIn(6):
			o = append(o, member{"serving", true})
		case s.oneIn(6):
			o = append(o, member{"serving", nil})
		}
		lines = append(lines, o)
	}
	return s.lines(lines)
}

func (s *spelling) run(system string, in *tiaptest.Ingest) []byte {
	var lines []members
	for k := range in.Run.All() {
		o := s.optional(s.id("query", k.Query), "error", k.Error)
		switch {
		case len(k.Lists) > 0:
			var lists members
			for _, l := range k.Lists {
				lists = append(lists, member{l.Name, s.names(l.IDs)})
			}
			if s.Rand != nil {
				s.Shuffle(len(lists), func(i, j int) { lists[i], lists[j] = lists[j], lists[i] })
			}
			o = append(o, member{"lists", lists})
		case len(k.IDs) > 0 || k.Error == "":
			o = append(o, member{"ranking", s.names(k.IDs)})
			if s.oneIn(3) {
				scores := []any{} // which never reorder
				for range k.IDs {
					scores = append(scores, s.NormFloat64())
				}
				o = append(o, member{"scores", scores})
			}
		}
		if k.K > 0 {
			o = append(o, member{"k", k.K})
		}
		if s.oneIn(9) {
			o = append(o, member{"system", strings.Repeat(system, 1+s.IntN(2))})
		}
		lines = append(lines, o)
	}
	return s.lines(lines)
}
