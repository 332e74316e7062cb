package tiaptest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/decide"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/parallel"
)

// convention is one way of scoring beside the target.
type convention struct {
	by         scheme
	population string
	merge      string // how lists become one ranking, where that is not the audit's rule
}

// credit is the crediting of a convention.
func (c convention) credit() Crediting {
	if c.by == memoryDropped {
		return ByMemory
	}
	return ByEvidence
}

// uncovered is the rule for uncovered units, of which crediting by memory knows none.
func (c convention) uncovered() string {
	if c.by == evidenceCounted {
		return unitsCounted
	}
	return unitsDropped
}

// key names a convention in the JSON report.
func (c convention) key() string {
	key := fmt.Sprintf("%s/%s/%s", c.credit(), c.uncovered(), c.population)
	if c.merge != "" {
		key += "/" + c.merge
	}
	return key
}

// difference says how a convention, which compares n queries, differs from another one.
func (c convention) difference(own convention, n int) string {
	var parts []string
	if credit := c.credit(); credit != own.credit() {
		parts = append(parts, "by "+string(credit))
	}
	if uncovered := c.uncovered(); uncovered != own.uncovered() {
		parts = append(parts, "with uncovered units "+uncovered)
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

	outcomes []outcome // the audit's own first
}

// outcome is what a convention says of two systems under one target.
type outcome struct {
	convention
	n       int      // queries compared
	differs string   // how it differs from the audit's own convention
	gap     *float64 // nil where undefined
	winner  *string  // nil for a tie, and where the gap is
}

// leader is the system that leads, or "neither".
func (o *outcome) leader() string {
	if o.winner == nil {
		return "neither"
	}
	return *o.winner
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
	outcomes := make([]outcome, len(usual)) // gaps and winners are filled in by row
	for i, c := range usual {
		if _, ok := subsets[c.population]; !ok {
			subsets[c.population] = r.pairSet(c.population, pair, targets).list()
		}
		n := len(subsets[c.population])
		outcomes[i] = outcome{convention: c, n: n, differs: c.difference(usual[0], n)}
	}
	var rows []conventionRow
	for m, metric := range r.metrics {
		for _, t := range targets {
			row := conventionRow{outcomes: slices.Clone(outcomes), Convention: auditjson.Convention{
				A: pair[0].Name, B: pair[1].Name, Metric: metric.String(), Target: r.targets[t].name,
				Gaps: make(map[string]*float64), Winners: make(map[string]*string),
			}}
			for i := range row.outcomes {
				o := &row.outcomes[i]
				o.gap = r.gapBy(o.convention, remerged[o.merge], pair, subsets[o.population], t, m)
				o.winner = winner(row.A, row.B, o.gap, r.minEffect)
				key := o.key()
				row.Gaps[key], row.Winners[key] = o.gap, o.winner
			}
			row.Flip = row.flips(r.minEffect)
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

// flips reports whether two conventions name different winners, by gaps that are above
// a minimum effect.
func (c *conventionRow) flips(minEffect float64) bool {
	var signs []int
	for _, o := range c.outcomes {
		if o.gap != nil {
			signs = append(signs, decide.Sign(*o.gap, minEffect))
		}
	}
	return decide.Flip(signs...)
}

// text says who leads, and by which convention it is another one.
func (c *conventionRow) text() string {
	own := c.outcomes[0].leader()
	var others []string
	by := make(map[string][]string) // the differences of the conventions, by winner
	for _, o := range c.outcomes {
		if o.winner == nil || *o.winner == own {
			continue
		}
		w := *o.winner
		if by[w] == nil {
			others = append(others, w)
		}
		by[w] = append(by[w], o.differs)
	}
	for i, other := range others {
		others[i] += " " + by[other][0]
		if more := len(by[other]) - 1; more > 0 {
			others[i] += " and by " + english.Count(more, "other choice", "other choices")
		}
	}
	return own + " leads, but " + strings.Join(others, ", ")
}
