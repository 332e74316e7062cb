package tiaptest

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/stat"
)

// Pair compares two systems under every target, on the same rankings and the
// same queries.
type Pair struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Metric string `json:"metric"`
	Subset string `json:"subset"`
	Beside string `json:"beside,omitempty"` // the diagnostic target set against the headline, if this is such a pair
	N      int    `json:"n"`                // queries compared

	// DifferentDenominators counts queries whose number of relevant items under
	// some target differs between the two systems.
	DifferentDenominators int `json:"different_denominators"`

	Gaps    map[string]Gap     `json:"gaps"`    // by target: score of A minus score of B
	Winners map[string]*string `json:"winners"` // by target: A, B, or nil for a tie or an undefined gap
	Flips   []Flip             `json:"flips"`   // one entry for each two targets
}

// Gap is a difference of two systems' scores, or of two such differences, with
// its uncertainty; what is undefined is nil.
type Gap struct {
	Value *float64  `json:"value"`
	CI    []float64 `json:"ci"`    // lower and upper bound at the level 1-alpha
	P     *float64  `json:"p"`     // two-sided
	PAdj  *float64  `json:"p_adj"` // Holm over the pairs and targets of one metric; nil for a shift
}

// Systems above this number are compared by gaps with intervals only.
const testedSystems = 20

func (r *results) tested() bool { return len(r.systems) <= testedSystems }

// comparison is a pair of systems with the queries and targets it is made on.
type comparison struct {
	a, b    *scored
	targets []int
	beside  int // -1 for the main targets
	subset  []int32
}

// pairs compares every two systems by every metric.
func (r *results) pairs() []Pair {
	comparisons := r.comparisons()
	out := make([]Pair, len(comparisons)*len(r.metrics))
	columns := r.resampled(comparisons)
	for c, comp := range comparisons {
		for m := range r.metrics {
			out[c*len(r.metrics)+m] = r.compare(comp, m, columns[c])
		}
	}
	for m := range r.metrics {
		r.adjust(out, m)
	}
	for i := range out {
		r.decide(&out[i], comparisons[i/len(r.metrics)], i%len(r.metrics), columns[i/len(r.metrics)])
	}
	return out
}

func (r *results) comparisons() []comparison {
	var out []comparison
	for i, a := range r.systems {
		for _, b := range r.systems[i+1:] {
			pair := []*scored{a, b}
			targets := comparableTargets(pair, r.mainTargets())
			out = append(out, comparison{a, b, targets, -1, r.pairSubset(pair, targets)})
			for t := r.main; t < len(r.targets); t++ {
				targets := comparableTargets(pair, []int{r.target(r.headline), t})
				out = append(out, comparison{a, b, targets, t, r.pairSubset(pair, targets)})
			}
		}
	}
	return out
}

func (r *results) pairSubset(pair []*scored, targets []int) []int32 {
	return r.pairPopulation(r.population, pair, targets)
}

// pairPopulation returns the queries of a population on which systems are
// compared under targets.
func (r *results) pairPopulation(population string, pair []*scored, targets []int) []int32 {
	if len(targets) == 0 {
		return nil
	}
	if population == overCovered {
		return r.coveredByEither(pair, targets)
	}
	return r.subset(population, pair, targets)
}

// coveredByEither are the queries that enter an unpaired comparison.
func (r *results) coveredByEither(pair []*scored, targets []int) []int32 {
	var out []int32
	for q := range r.queries {
		if slices.ContainsFunc(pair, func(s *scored) bool {
			return slices.ContainsFunc(targets, func(t int) bool { return s.mean.covered[t][q] })
		}) {
			out = append(out, int32(q))
		}
	}
	return out
}

// paired reports whether both systems are scored on the same queries; over
// their own covered queries they are not.
func (r *results) paired() bool { return r.population != overCovered }

// graded reports whether flips are tested, so that their grades mean something.
func (r *results) graded() bool { return r.paired() && r.tested() }

// columnKey names a column of a comparison.
type columnKey struct {
	s    *scored
	t, m int
}

// resampledColumns are the columns of one subset with their resampled
// statistics; comparisons on the same queries share them.
type resampledColumns struct {
	plan    stat.Plan
	columns map[columnKey]stat.Column
	samples map[columnKey][]float64
	number  map[columnKey]int
	tests   *stat.Paired
}

// single reports whether one cluster holds all queries: drawing it again and again
// says nothing of how the gap varies.
func (g *resampledColumns) single() bool {
	return g.plan.Clusters != nil && slices.Max(g.plan.Clusters) == 0
}

// resampled gathers and resamples the columns of all comparisons, once for each
// distinct subset.
func (r *results) resampled(comparisons []comparison) []*resampledColumns {
	out := make([]*resampledColumns, len(comparisons))
	bySubset := make(map[string]*resampledColumns)
	var order []*resampledColumns
	keys := make(map[*resampledColumns][]columnKey)
	for i, c := range comparisons {
		id := r.subsetDigest(c.subset)
		g := bySubset[id]
		if g == nil {
			g = &resampledColumns{
				plan:    r.plan(c.subset),
				columns: make(map[columnKey]stat.Column),
				samples: make(map[columnKey][]float64),
				number:  make(map[columnKey]int),
			}
			bySubset[id] = g
			order = append(order, g)
		}
		out[i] = g
		for _, s := range []*scored{c.a, c.b} {
			for _, t := range c.targets {
				for m := range r.metrics {
					k := columnKey{s, t, m}
					if _, ok := g.columns[k]; !ok {
						g.columns[k] = r.statColumn(s.mean, r.scheme(), t, m, c.subset)
						keys[g] = append(keys[g], k)
					}
				}
			}
		}
	}
	if !r.paired() {
		return out
	}
	for _, g := range order {
		columns := make([]stat.Column, len(keys[g]))
		for i, k := range keys[g] {
			columns[i] = g.columns[k]
			g.number[k] = i
		}
		g.tests = stat.NewPaired(g.plan, columns, stat.Repetitions(r.alpha, r.hypotheses()))
		for i, samples := range stat.Bootstrap(g.plan, columns) {
			g.samples[keys[g][i]] = samples
		}
	}
	return out
}

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
func (r *results) estimate(c comparison, g *resampledColumns, terms ...term) Gap {
	var e Gap
	value := 0.0
	for _, t := range terms {
		va, okA := r.gapSide(c.a, c, t.target, t.metric)
		vb, okB := r.gapSide(c.b, c, t.target, t.metric)
		if !okA || !okB {
			return e
		}
		value += float64(t.sign * (va - vb))
	}
	e.Value = &value
	if !r.paired() || len(c.subset) < 2 {
		return e
	}
	if w, ok := r.welch(c, terms); ok {
		e.CI = []float64{w.Lo, w.Hi}
		if r.tested() {
			e.P = &w.P
		}
		return e
	}
	diffs := make([]float64, r.resamples)
	tested := make([]stat.Term, len(terms))
	for i, t := range terms {
		a, b := columnKey{c.a, t.target, t.metric}, columnKey{c.b, t.target, t.metric}
		for s := range diffs {
			diffs[s] += float64(t.sign * (g.samples[a][s] - g.samples[b][s]))
		}
		tested[i] = stat.Term{A: g.number[a], B: g.number[b], Sign: t.sign}
	}
	if !g.single() {
		lo, hi := stat.Interval(diffs, 1-r.alpha)
		e.CI = []float64{lo, hi}
	}
	if r.tested() {
		if p, ok := g.tests.P(tested...); ok {
			e.P = &p
		}
	}
	return e
}

// gapSide is one system's score in a comparison: over the compared queries, or
// over its own covered ones when each system has its own.
func (r *results) gapSide(s *scored, c comparison, t, m int) (float64, bool) {
	subset := c.subset
	if !r.paired() {
		subset = r.subset(overCovered, []*scored{s}, []int{t})
	}
	return r.value(s, r.scheme(), t, m, subset)
}

// welch compares ingest means, since queries of one ingest say nothing about
// the noise between ingests. It has no answer when a system has one ingest, or
// when the ingests of neither system differ.
func (r *results) welch(c comparison, terms []term) (w stat.WelchResult, ok bool) {
	sums := func(s *scored) []float64 {
		out := make([]float64, len(s.ingests))
		for _, t := range terms {
			per, ok := r.ingestValues(s, r.scheme(), t.target, t.metric, c.subset)
			if !ok {
				return nil
			}
			for i, v := range per {
				out[i] += float64(t.sign * v)
			}
		}
		return out
	}
	if len(c.a.ingests) < 2 || len(c.b.ingests) < 2 {
		return w, false
	}
	w, ok = stat.Welch(sums(c.a), sums(c.b), 1-r.alpha)
	return w, ok && w.DF > 0
}

// hypotheses is the size of the family that Holm corrects for.
func (r *results) hypotheses() int {
	n := len(r.systems)
	return max(1, n*(n-1)/2*r.main)
}

func (r *results) compare(c comparison, m int, g *resampledColumns) Pair {
	p := Pair{
		A: c.a.Name, B: c.b.Name, Metric: r.metrics[m].String(), Subset: r.population, N: len(c.subset),
		DifferentDenominators: r.differentDenominators(c),
		Gaps:                  make(map[string]Gap), Winners: make(map[string]*string), Flips: []Flip{},
	}
	if c.beside >= 0 {
		p.Beside = r.targets[c.beside].name
	}
	for _, t := range c.targets {
		p.Gaps[r.targets[t].name] = r.estimate(c, g, term{t, m, 1})
	}
	return p
}

func (r *results) differentDenominators(c comparison) int {
	n := 0
	for _, q := range c.subset {
		if slices.ContainsFunc(c.targets, func(t int) bool {
			return c.a.mean.columns[r.scheme()][t].items[q] != c.b.mean.columns[r.scheme()][t].items[q]
		}) {
			n++
		}
	}
	return n
}

// adjust corrects the p values of one metric by Holm: over all pairs and main
// targets, and by itself for each target beside.
func (r *results) adjust(pairs []Pair, m int) {
	type place struct {
		pair   int
		target string
	}
	families := make(map[string][]place)
	for i := m; i < len(pairs); i += len(r.metrics) {
		for _, t := range r.targets {
			if g, ok := pairs[i].Gaps[t.name]; ok && g.P != nil {
				families[pairs[i].Beside] = append(families[pairs[i].Beside], place{i, t.name})
			}
		}
	}
	for _, places := range families {
		ps := make([]float64, len(places))
		for i, at := range places {
			ps[i] = *pairs[at.pair].Gaps[at.target].P
		}
		for i, adjusted := range stat.Holm(ps) {
			g := pairs[places[i].pair].Gaps[places[i].target]
			g.PAdj = &adjusted
			pairs[places[i].pair].Gaps[places[i].target] = g
		}
	}
}

// decide names the winners of a pair and judges each two targets.
func (r *results) decide(p *Pair, c comparison, m int, g *resampledColumns) {
	for _, t := range c.targets {
		p.Winners[r.targets[t].name] = winner(p.A, p.B, p.Gaps[r.targets[t].name].Value, r.minEffect)
	}
	for i, t := range c.targets {
		for _, u := range c.targets[i+1:] {
			f := Flip{
				A: p.A, B: p.B, Metric: p.Metric, Targets: [2]string{r.targets[t].name, r.targets[u].name},
				Carriers: []Carrier{},
			}
			first, second := p.Gaps[f.Targets[0]], p.Gaps[f.Targets[1]]
			if first.Value == nil || second.Value == nil {
				continue
			}
			f.Verdict = verdict(*first.Value, *second.Value, r.minEffect)
			f.Shift = r.estimate(c, g, term{t, m, 1}, term{u, m, -1})
			if f.Verdict == verdictFlip && r.graded() {
				f.Grade = grade(first, second, f.Shift, r.alpha)
				r.carry(&f, c, m, g, t, u)
			}
			p.Flips = append(p.Flips, f)
		}
	}
}

// winner names the system that leads, or nil where none does.
func winner(a, b string, gap *float64, minEffect float64) *string {
	switch {
	case gap == nil || sign(*gap, minEffect) == 0:
		return nil
	case *gap > 0:
		return &a
	}
	return &b
}

// Gap returns the gap under a target; ok is false when the pair was not compared
// under it.
func (p Pair) Gap(t Target) (g Gap, ok bool) {
	g, ok = p.Gaps[t.name]
	return g, ok
}

// Winner returns the system that leads under a target; ok is false for a tie and
// when the pair was not compared under it.
func (p Pair) Winner(t Target) (system string, ok bool) {
	if w := p.Winners[t.name]; w != nil {
		return *w, true
	}
	return "", false
}

// Pair returns the comparison of two systems by a metric under the main targets.
// The order of the names decides the sign of its gaps.
func (a *Audit) Pair(first, second string, metric Metric) (Pair, error) {
	if err := a.hasMetric(metric); err != nil {
		return Pair{}, err
	}
	if p, ok := a.pair(first, second, metric, ""); ok {
		return p, nil
	}
	return Pair{}, fmt.Errorf("the audit has no pair %s and %s; it has the systems %v", first, second, a.systemNames())
}

// pair is the comparison of two systems under the main targets, or under the
// headline and a target beside.
func (a *Audit) pair(first, second string, metric Metric, beside string) (Pair, bool) {
	for _, p := range a.report.Pairs {
		if p.Metric != metric.String() || p.Beside != beside {
			continue
		}
		switch {
		case p.A == first && p.B == second:
			return p, true
		case p.A == second && p.B == first:
			return p.reversed(), true
		}
	}
	return Pair{}, false
}

// beside is the name of a target that stands beside the main ones, else empty.
func (a *Audit) beside(target Target) string {
	if a.r.target(target.name) < a.r.main {
		return ""
	}
	return target.name
}

// reversed is the same comparison seen from the other system.
func (p Pair) reversed() Pair {
	p.A, p.B = p.B, p.A
	gaps := make(map[string]Gap, len(p.Gaps))
	for t, g := range p.Gaps {
		gaps[t] = g.reversed()
	}
	p.Gaps = gaps
	flips := make([]Flip, len(p.Flips))
	for i, f := range p.Flips {
		f.A, f.B, f.Shift = f.B, f.A, f.Shift.reversed()
		carriers := make([]Carrier, len(f.Carriers))
		for j, c := range f.Carriers {
			carriers[j] = Carrier{c.Query, -c.Shift}
		}
		f.Carriers = carriers
		flips[i] = f
	}
	p.Flips = flips
	return p
}

func (g Gap) reversed() Gap {
	if g.Value != nil {
		v := 0 - *g.Value
		g.Value = &v
	}
	if g.CI != nil {
		g.CI = []float64{0 - g.CI[1], 0 - g.CI[0]}
	}
	return g
}
