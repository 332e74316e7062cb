package tiaptest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/parallel"
)

// convention is one way of scoring beside the target.
type convention struct {
	by         scheme
	population string
	merge      string // how lists become one ranking, where that is not the audit's rule
}

func (c convention) String() string {
	words := [schemes]string{evidenceDropped: "evidence/dropped", evidenceCounted: "evidence/counted", memoryDropped: "memory/dropped"}
	key := words[c.by] + "/" + c.population
	if c.merge != "" {
		key += "/" + c.merge
	}
	return key
}

// beside says how a convention differs from another one.
func (c convention) beside(own convention, n int) string {
	var parts []string
	if (c.by == memoryDropped) != (own.by == memoryDropped) {
		parts = append(parts, map[bool]string{true: "by memory", false: "by evidence"}[c.by == memoryDropped])
	}
	if (c.by == evidenceCounted) != (own.by == evidenceCounted) {
		parts = append(parts, map[bool]string{true: "with uncovered units counted", false: "with uncovered units dropped"}[c.by == evidenceCounted])
	}
	if c.population != own.population {
		parts = append(parts, fmt.Sprintf("over the %d queries of population %s", n, c.population))
	}
	if c.merge != "" {
		parts = append(parts, "with lists merged by "+c.merge)
	}
	return strings.Join(parts, " and ")
}

// conventionRow says which of two systems leads under one target by each
// convention.
type conventionRow struct {
	auditjson.Convention

	order []string // of the keys, the audit's own convention first
	words []string // of each key: how it differs from the audit's own
	n     []int    // of each key: queries compared
}

// usual are the conventions that an audit tries: its own first, then each that
// differs from the published one in a single choice, then those that differ from its
// own in one, of which lists merged by another rule come last.
func (r *results) usual() []convention {
	own := convention{by: r.scheme(), population: r.population}
	list := []convention{
		{by: evidenceDropped, population: overShared},
		{by: memoryDropped, population: overShared},
		{by: evidenceCounted, population: overShared},
		{by: evidenceDropped, population: overAll},
	}
	for _, c := range []convention{
		{by: own.by, population: overShared},
		{by: evidenceDropped, population: own.population},
		{by: memoryDropped, population: own.population},
		{by: evidenceCounted, population: own.population},
		{by: own.by, population: overAll},
	} {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	if j := r.bundle.judged; j != nil {
		list = []convention{{by: memoryDropped, population: overShared}, {by: memoryDropped, population: overAll}}
		if j.trec {
			list = append(list, convention{by: memoryDropped, population: overJudged}, convention{by: memoryDropped, population: overMatched})
		}
	}
	list = slices.DeleteFunc(list, func(c convention) bool { return c == own })
	list = slices.Insert(list, 0, own)
	if r.hasLists() {
		for _, rule := range slices.Sorted(maps.Keys(mergers)) {
			if rule != r.merge {
				list = append(list, convention{own.by, own.population, rule})
			}
		}
	}
	return list
}

// remerged scores the systems whose rankings are lists anew, by each merge rule
// of the conventions.
func (r *results) remerged(conventions []convention) map[string]map[*scored]*scored {
	out := make(map[string]map[*scored]*scored)
	for _, c := range conventions {
		if c.merge == "" {
			continue
		}
		out[c.merge] = make(map[*scored]*scored)
		for _, s := range r.systems {
			if !s.hasLists() {
				continue
			}
			other := *s
			other.ingests = nil
			for _, in := range s.compiled.ingests {
				in := *in
				in.merge = mergers[c.merge]
				other.ingests = append(other.ingests, r.score(&in, r.computed))
			}
			out[c.merge][s] = &other
		}
	}
	return out
}

func (r *results) conventions() []conventionRow {
	out := []conventionRow{}
	if !r.tested() {
		return out
	}
	usual := r.usual()
	remerged := r.remerged(usual)
	var pairs [][]*scored
	for i, a := range r.systems {
		for _, b := range r.systems[i+1:] {
			pairs = append(pairs, []*scored{a, b})
		}
	}
	rows := make([][]conventionRow, len(pairs))
	parallel.Each(len(pairs), func(i int) { rows[i] = r.compareBy(usual, remerged, pairs[i]) })
	return append(out, slices.Concat(rows...)...)
}

// compareBy compares a pair by the usual conventions.
func (r *results) compareBy(usual []convention, remerged map[string]map[*scored]*scored, pair []*scored) []conventionRow {
	targets := comparableTargets(pair, r.mainTargets())
	subsets := make(map[string][]int32)
	order, words, n := make([]string, len(usual)), make([]string, len(usual)), make([]int, len(usual))
	for i, c := range usual {
		if _, ok := subsets[c.population]; !ok {
			subsets[c.population] = r.pairSet(c.population, pair, targets).list()
		}
		n[i] = len(subsets[c.population])
		order[i], words[i] = c.String(), c.beside(usual[0], n[i])
	}
	var rows []conventionRow
	for m, metric := range r.metrics {
		for _, t := range targets {
			row := conventionRow{order: order, words: words, n: n, Convention: auditjson.Convention{
				A: pair[0].Name, B: pair[1].Name, Metric: metric.String(), Target: r.targets[t].name,
				Gaps: make(map[string]*float64), Winners: make(map[string]*string),
			}}
			for i, c := range usual {
				gap := r.gapBy(c, remerged[c.merge], pair, subsets[c.population], t, m)
				row.Gaps[order[i]] = gap
				row.Winners[order[i]] = winner(row.A, row.B, gap, r.minEffect)
			}
			row.Flip = differ(row.Winners)
			rows = append(rows, row)
		}
	}
	return rows
}

// gapBy is the gap of a pair under a target by a convention, over a subset of its
// population. merged holds the systems that the convention scores anew; what is
// covered stays the same.
func (r *results) gapBy(c convention, merged map[*scored]*scored, pair []*scored, subset []int32, t, m int) *float64 {
	var values [2]float64
	for i, s := range pair {
		if c.population == overCovered {
			subset = s.cover[t].list()
		}
		if other := merged[s]; other != nil {
			s = other
		}
		v, ok := r.value(s, c.by, t, m, subset)
		if !ok {
			return nil
		}
		values[i] = v
	}
	gap := values[0] - values[1]
	return &gap
}

// differ reports whether two of the winners are different systems.
func differ(winners map[string]*string) bool {
	first := ""
	for _, w := range winners {
		switch {
		case w == nil:
		case first == "":
			first = *w
		case *w != first:
			return true
		}
	}
	return false
}

// text says who leads, and by which convention it is another one.
func (c *conventionRow) text() string {
	own := "neither"
	if w := c.Winners[c.order[0]]; w != nil {
		own = *w
	}
	var others []string
	words := make(map[string][]string)
	for i, key := range c.order {
		w := c.Winners[key]
		if w == nil || *w == own {
			continue
		}
		if words[*w] == nil {
			others = append(others, *w)
		}
		words[*w] = append(words[*w], c.words[i])
	}
	for i, other := range others {
		others[i] += " " + words[other][0]
		if more := len(words[other]) - 1; more > 0 {
			others[i] += " and by " + english.Count(more, "other choice", "other choices")
		}
	}
	return own + " leads, but " + strings.Join(others, ", ")
}
