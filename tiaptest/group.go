package tiaptest

import (
	"slices"

	"github.com/tiaptest/tiap/internal/parallel"
	"github.com/tiaptest/tiap/internal/stat"
)

// group holds what the comparisons on one subset share: the columns of their
// systems, which are resampled once.
type group struct {
	subset  []int32
	members []int // numbers of the comparisons
	first   map[side]int
	columns []stat.Column // none where systems have queries of their own
	scores  []score       // of each column
	paired  *stat.Paired  // over the columns

	// single tells that one cluster holds all queries: drawing it again and again
	// says nothing of how a gap varies.
	single bool
}

// side is a system under a target. Its columns stand side by side, one for each
// metric.
type side struct {
	s *scored
	t int
}

// score is a value that can be undefined.
type score struct {
	value float64
	ok    bool
}

// column is the number of a column.
func (g *group) column(s *scored, t, m int) int { return g.first[side{s, t}] + m }

// inGroups calls do for each comparison and metric, with the group of the
// comparison. Calls run at the same time, in any order. A group's columns are
// gathered and resampled for its calls and then dropped, since each two systems
// can have a subset of their own.
func (r *results) inGroups(comparisons []comparison, do func(comparison, metric int, g *group)) {
	var groups [][]int
	bySet := make(map[string]int)
	for i, c := range comparisons {
		key := c.queries.key()
		n, ok := bySet[key]
		if !ok {
			n = len(groups)
			bySet[key] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	parallel.Each(len(groups), func(n int) {
		g := r.group(comparisons, groups[n])
		parallel.Each(len(g.members)*len(r.metrics), func(i int) {
			do(g.members[i/len(r.metrics)], i%len(r.metrics), g)
		})
	})
}

// group gathers and resamples the columns of comparisons on one subset.
func (r *results) group(comparisons []comparison, members []int) *group {
	g := &group{subset: comparisons[members[0]].queries.list(), members: members, first: make(map[side]int)}
	var sides []side
	for _, i := range members {
		c := comparisons[i]
		for _, s := range []*scored{c.a, c.b} {
			for _, t := range c.targets {
				if _, ok := g.first[side{s, t}]; !ok {
					g.first[side{s, t}] = len(sides) * len(r.metrics)
					sides = append(sides, side{s, t})
				}
			}
		}
	}
	g.scores = make([]score, len(sides)*len(r.metrics))
	if !r.paired() {
		for _, at := range sides {
			own := at.s.cover[at.t].list()
			for m := range r.metrics {
				g.score(at, m).set(r.value(at.s, r.scheme(), at.t, m, own))
			}
		}
		return g
	}
	for _, at := range sides {
		for m := range r.metrics {
			c := r.statColumn(at.s.mean, r.scheme(), at.t, m)
			g.columns = append(g.columns, stat.Column{Num: g.gather(c.Num), Den: g.gather(c.Den)})
		}
	}
	plan := r.plan(g.subset)
	g.single = plan.Clusters != nil && slices.Max(plan.Clusters) == 0
	g.paired = stat.NewPaired(plan, g.columns, stat.Repetitions(r.alpha, r.hypotheses()))
	for _, at := range sides {
		for m := range r.metrics {
			if len(at.s.ingests) == 1 {
				g.score(at, m).set(g.paired.Value(g.column(at.s, at.t, m)))
			} else {
				g.score(at, m).set(r.value(at.s, r.scheme(), at.t, m, g.subset))
			}
		}
	}
	return g
}

// gather returns the values of the group's queries; they are only to be read.
func (g *group) gather(xs []float64) []float64 {
	if xs == nil || len(xs) == len(g.subset) { // no values, or those of all queries
		return xs
	}
	out := make([]float64, len(g.subset))
	for i, q := range g.subset {
		out[i] = xs[q]
	}
	return out
}

func (g *group) score(at side, m int) *score { return &g.scores[g.column(at.s, at.t, m)] }

func (s *score) set(value float64, ok bool) { *s = score{value, ok} }

func (r *results) plan(subset []int32) stat.Plan {
	p := stat.Plan{N: len(subset), Resamples: r.resamples, Seed: r.seed}
	if r.cluster {
		scopes := make(map[string]int32)
		for _, q := range subset {
			scope := r.queries[q].Scope
			if _, ok := scopes[scope]; !ok {
				scopes[scope] = int32(len(scopes))
			}
			p.Clusters = append(p.Clusters, scopes[scope])
		}
	}
	return p
}

// term is one signed gap of an estimate: a shift has two, which differ in the
// target or in the metric.
type term struct {
	target, metric int
	sign           float64
}

// estimate computes a sum of signed gaps with interval and p value.
func (r *results) estimate(c comparison, g *group, terms ...term) Gap {
	var e Gap
	value := 0.0
	for _, t := range terms {
		a, b := g.score(side{c.a, t.target}, t.metric), g.score(side{c.b, t.target}, t.metric)
		if !a.ok || !b.ok {
			return e
		}
		value += float64(t.sign * (a.value - b.value))
	}
	e.Value = &value
	if !r.paired() || len(g.subset) < 2 {
		return e
	}
	if w, ok := r.welch(c, g.subset, terms); ok {
		e.CI = []float64{w.Lo, w.Hi}
		if r.tested() {
			e.P = &w.P
		}
		return e
	}
	tested := make([]stat.Term, len(terms))
	for i, t := range terms {
		tested[i] = stat.Term{A: g.column(c.a, t.target, t.metric), B: g.column(c.b, t.target, t.metric), Sign: t.sign}
	}
	if !g.single {
		lo, hi := g.paired.Interval(1-r.alpha, tested...)
		e.CI = []float64{lo, hi}
	}
	if r.tested() {
		if p, ok := g.paired.P(tested...); ok {
			e.P = &p
		}
	}
	return e
}

// gapSide is one system's score in a comparison: over the compared queries, or
// over its own covered ones when each system has its own.
func (r *results) gapSide(s *scored, subset []int32, t, m int) (float64, bool) {
	if !r.paired() {
		subset = r.subset(overCovered, []*scored{s}, []int{t})
	}
	return r.value(s, r.scheme(), t, m, subset)
}

// welch compares ingest means, since queries of one ingest say nothing about
// the noise between ingests. It has no answer when a system has one ingest, or
// when the ingests of neither system differ.
func (r *results) welch(c comparison, subset []int32, terms []term) (w stat.WelchResult, ok bool) {
	if len(c.a.ingests) < 2 || len(c.b.ingests) < 2 {
		return w, false
	}
	sums := func(s *scored) []float64 {
		out := make([]float64, len(s.ingests))
		for _, t := range terms {
			per, ok := r.ingestValues(s, r.scheme(), t.target, t.metric, subset)
			if !ok {
				return nil
			}
			for i, v := range per {
				out[i] += float64(t.sign * v)
			}
		}
		return out
	}
	w, ok = stat.Welch(sums(c.a), sums(c.b), 1-r.alpha)
	return w, ok && w.DF > 0
}
