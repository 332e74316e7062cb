package tiaptest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/lineage"
	"github.com/tiaptest/tiap/internal/problem"
)

// chooseQueries sets the queries with their units.
func (f *frame) chooseQueries(turns *intern.Table, faults *problem.List) {
	b := f.bundle
	order := byID(b.Scenario.Queries)
	b.Scenario.checkQueries(order, faults)
	of := func(n int32) *Query { return &b.Scenario.Queries[n] }
	if len(f.categories) > 0 {
		order = slices.DeleteFunc(order, func(n int32) bool { return !slices.Contains(f.categories, of(n).Category) })
	}
	for _, c := range f.categories {
		if !slices.ContainsFunc(order, func(n int32) bool { return of(n).Category == c }) {
			faults.Add("", 0, "no query has the category "+strconv.Quote(c), b.Scenario.knownCategories())
		}
	}
	if len(order) == 0 {
		if len(f.categories) == 0 {
			faults.Add("", 0, "the scenario has no query", "add at least one")
		}
		return
	}
	var strangers, unscorable names
	if b.judged != nil {
		f.inSets = b.judged.rows(b.Scenario.Queries, order)
	}
	f.units = lineage.NewTable[int32](len(order))
	f.firstUnit = append(make([]int32, 0, len(order)+1), 0)
	f.queries, f.numbers = make([]*Query, 0, len(order)), make([]int32, 0, len(order))
	for i, n := range order {
		q := of(n)
		if b.judged == nil {
			before := f.units.Len()
			f.addUnits(q, turns, &strangers)
			if f.units.Len() == before {
				unscorable.add(q.ID)
				continue
			}
		} else if !b.judged.scorable(f.inSets, i) {
			unscorable.add(q.ID)
			continue
		}
		for _, rows := range f.inSets {
			rows[len(f.queries)] = rows[i]
		}
		f.queries, f.numbers = append(f.queries, q), append(f.numbers, n)
		f.firstUnit = append(f.firstUnit, int32(f.units.Len()))
	}
	f.unscorable = unscorable.n
	if len(f.queries) == 0 {
		faults.Add("", 0, "no query has usable evidence", "add evidence to the queries")
	}
	if i := slices.IndexFunc(f.queries, func(q *Query) bool { return q.Scope == "" }); f.cluster && i >= 0 {
		faults.Add("", 0, fmt.Sprintf("query %q has no scope to cluster by", f.queries[i].ID), "add \"scope\" to every query, or compare without clusters")
	}
	f.note("unscorable", "", unscorable, "query has no usable evidence", "queries have no usable evidence")
	f.note("unknown-turn", "", strangers, "evidence turn is not in turns.jsonl", "evidence turns are not in turns.jsonl")
}

// addUnits appends the usable evidence units of a query: turns that exist,
// repeated evidence once.
func (f *frame) addUnits(q *Query, turns *intern.Table, strangers *names) {
	first := f.units.Len()
next:
	for _, u := range q.Evidence {
		start := len(f.units.Items)
		for _, t := range u.Turns {
			sym, known := turns.LookupString(t)
			switch {
			case t == "" || f.given > 0 && !known: // stores come later
				strangers.add(t)
				continue
			case !known:
				sym = turns.AddString(t)
			}
			n := int32(sym)
			if !slices.Contains(f.units.Items[start:], n) {
				f.units.Items = append(f.units.Items, n)
			}
		}
		unit := f.units.Items[start:]
		slices.Sort(unit)
		if len(unit) == 0 {
			continue
		}
		for i := first; i < f.units.Len(); i++ {
			if slices.Equal(f.units.List(i), unit) {
				f.units.Items = f.units.Items[:start]
				continue next
			}
		}
		f.units.Add()
		f.unitIDs = append(f.unitIDs, u.ID)
	}
}

// knownCategories says which categories the queries have, of many the first ones.
func (s *Scenario) knownCategories() string {
	const most = 20
	var all []string
	for i := range s.Queries {
		all = append(all, strconv.Quote(s.Queries[i].Category))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	switch n := len(all); {
	case n == 0:
		return "there is no query"
	case n == 1 && all[0] == `""`:
		return "the queries have no category"
	case n > most:
		return fmt.Sprintf("the categories are %s and %d more", strings.Join(all[:most], ", "), n-most)
	}
	return "the categories are " + strings.Join(all, ", ")
}
