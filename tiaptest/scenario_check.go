package tiaptest

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/problem"
)

// byID returns the numbers of queries, ascending by id, those of one id in order.
func byID(queries []Query) []int32 {
	order := make([]int32, len(queries))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(queries[a].ID, queries[b].ID), cmp.Compare(a, b))
	})
	return order
}

// checkQueries looks for what is wrong with queries by themselves, which are in the
// order of [byID].
func (s *Scenario) checkQueries(order []int32, faults *problem.List) {
	again := make([]bool, len(order))
	for i, n := range order {
		again[n] = i > 0 && s.Queries[order[i-1]].ID == s.Queries[n].ID
	}
	for i := range s.Queries {
		q := &s.Queries[i]
		switch {
		case q.ID == "":
			faults.Add("", 0, "a query has no id", "name it")
		case !utf8.ValidString(q.ID):
			faults.Add("", 0, fmt.Sprintf("the query id %q is not UTF-8", q.ID), "ids are text in UTF-8")
		case again[i]:
			faults.Add("", 0, fmt.Sprintf("two queries have the id %q", q.ID), "give every query an id of its own")
		case slices.ContainsFunc(q.Evidence, func(u Unit) bool { return len(u.Turns) == 0 }):
			faults.Add("", 0, fmt.Sprintf("query %q has an evidence unit without turns", q.ID), "name its turns, or leave the unit out")
		}
		for i, u := range q.Evidence {
			if u.ID != "" && slices.ContainsFunc(q.Evidence[:i], func(v Unit) bool { return v.ID == u.ID }) {
				faults.Add("", 0, fmt.Sprintf("query %q has two evidence units with the id %q", q.ID, u.ID), "give every unit an id of its own, or none")
			}
		}
	}
}

// checkTurns looks for what is wrong with the ids of turns, which it adds to the table.
func (s *Scenario) checkTurns(ids *intern.Table, faults *problem.List) {
	ids.Expect(len(s.Turns))
	for i := range s.Turns {
		id := s.Turns[i].ID
		if id == "" {
			faults.Add("", 0, "a turn has no id", "name it")
			continue
		}
		before := ids.Len()
		if ids.AddString(id); ids.Len() == before {
			faults.Add("", 0, fmt.Sprintf("two turns have the id %q", id), "give every turn an id of its own")
		}
	}
}
