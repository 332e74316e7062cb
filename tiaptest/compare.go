package tiaptest

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/decide"
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
//
// P is that of a paired t test from 30 queries on (of as many scopes with
// [Cluster]). Below, it is that of a randomization test, which swaps the two
// systems at random: over up to 13 queries it takes all 2^n swaps and p is
// exact, at least 2/2^n for a mean; over more it takes 9,999 swaps, or as many
// more as Holm's first step needs, and p is at least 1 over one more than that.
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
	queries querySet
}

// pairs compares every two systems by every metric.
func (r *results) pairs() []Pair {
	comparisons := r.comparisons()
	metrics := len(r.metrics)
	out := make([]Pair, len(comparisons)*metrics)
	r.inGroups(comparisons, func(i, m int, g *group) { out[i*metrics+m] = r.compare(comparisons[i], m, g) })
	for i := range out {
		out[i].DifferentDenominators = out[i-i%metrics].DifferentDenominators
	}
	for m := range r.metrics {
		r.adjust(out, m)
	}
	if r.graded() {
		for i := range out {
			r.gradeFlips(&out[i])
		}
	}
	return out
}

func (r *results) comparisons() []comparison {
	var out []comparison
	for i, a := range r.systems {
		for _, b := range r.systems[i+1:] {
			pair := []*scored{a, b}
			targets := comparableTargets(pair, r.mainTargets())
			out = append(out, comparison{a, b, targets, -1, r.pairSet(r.population, pair, targets)})
			for t := r.main; t < len(r.targets); t++ {
				targets := comparableTargets(pair, []int{r.target(r.headline), t})
				out = append(out, comparison{a, b, targets, t, r.pairSet(r.population, pair, targets)})
			}
		}
	}
	return out
}

// pairSubset lists the queries on which systems are compared under targets.
func (r *results) pairSubset(systems []*scored, targets []int) []int32 {
	return r.pairSet(r.population, systems, targets).list()
}

// pairSet returns the queries of a population on which systems are compared
// under targets.
func (r *results) pairSet(population string, systems []*scored, targets []int) querySet {
	switch {
	case len(targets) == 0:
		return nil
	case population == overCovered:
		return coveredByEither(systems, targets)
	}
	return r.set(population, systems, targets)
}

// coveredByEither are the queries that enter an unpaired comparison.
func coveredByEither(systems []*scored, targets []int) querySet {
	var set querySet
	for _, s := range systems {
		for _, t := range targets {
			if set == nil {
				set = slices.Clone(s.cover[t])
			}
			set.add(s.cover[t])
		}
	}
	return set
}

// paired reports whether both systems are scored on the same queries; over
// their own covered queries they are not.
func (r *results) paired() bool { return r.population != overCovered }

// graded reports whether flips are tested, so that their grades mean something.
func (r *results) graded() bool { return r.paired() && r.tested() }

// hypotheses is the size of the family that Holm corrects for.
func (r *results) hypotheses() int {
	n := len(r.systems)
	return max(1, n*(n-1)/2*r.main)
}

// compare compares a pair by a metric. Flips are left to be graded.
func (r *results) compare(c comparison, m int, g *group) Pair {
	p := Pair{
		A: c.a.Name, B: c.b.Name, Metric: r.metrics[m].String(), Subset: r.population, N: len(g.subset),
		Gaps: make(map[string]Gap), Winners: make(map[string]*string), Flips: []Flip{},
	}
	if m == 0 { // for all metrics
		p.DifferentDenominators = r.differentDenominators(c, g.subset)
	}
	if c.beside >= 0 {
		p.Beside = r.targets[c.beside].name
	}
	for _, t := range c.targets {
		gap := r.estimate(c, g, term{t, m, 1})
		p.Gaps[r.targets[t].name] = gap
		p.Winners[r.targets[t].name] = winner(p.A, p.B, gap.Value, r.minEffect)
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
				r.carry(&f, c, m, g, t, u)
			}
			p.Flips = append(p.Flips, f)
		}
	}
	return p
}

func (r *results) differentDenominators(c comparison, subset []int32) int {
	n := 0
	for _, q := range subset {
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

// gradeFlips grades the flips of a pair, whose p values are adjusted, but for those
// between scores that lack labels: the statistics know nothing of that.
func (r *results) gradeFlips(p *Pair) {
	for i := range p.Flips {
		if f := &p.Flips[i]; f.Verdict == verdictFlip && r.bare([2]string{p.A, p.B}, f.Targets) == "" {
			f.Grade = grade(p.Gaps[f.Targets[0]], p.Gaps[f.Targets[1]], f.Shift, r.alpha)
		}
	}
}

// winner names the system that leads, or nil where none does.
func winner(a, b string, gap *float64, minEffect float64) *string {
	if gap == nil {
		return nil
	}
	switch decide.Sign(*gap, minEffect) {
	case 1:
		return &a
	case -1:
		return &b
	}
	return nil
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
	for _, p := range a.report().Pairs {
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
