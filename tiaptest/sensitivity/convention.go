package sensitivity

import (
	"maps"
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
)

// Convention is the recommendation of a family of systems under every target by
// one convention of scoring.
type Convention struct {
	Family string `json:"family"`
	Metric string `json:"metric"`

	Credit    string `json:"credit,omitempty"`    // evidence or memory; empty when the table does not know
	Uncovered string `json:"uncovered,omitempty"` // units without an eligible memory: dropped or counted
	// Population is "shared" by the members under all main targets; "all",
	// uncovered queries 0; or "covered", each score over its own queries, which
	// compares nothing alike and is what separately published scores come to.
	Population string `json:"population"`

	N           int                            `json:"n"`           // queries that all scores are over; 0 for covered
	Queries     map[string]map[string]int      `json:"queries"`     // that a score is over, by target and system
	Scores      map[string]map[string]*float64 `json:"scores"`      // by target and system
	Recommended map[string]*string             `json:"recommended"` // by target; nil for a tie
	Flip        bool                           `json:"flip"`        // two targets recommend different members
}

// Conventions rescores a bundle by every crediting and rule for uncovered units,
// and returns what each recommends over every population, for each family of at
// least two systems. The choices of the options are not used,
// nor are metrics that are ratios of sums. What carries no evidence units, as
// TREC qrels, is credited by memory alone.
func Conventions(b *tiaptest.Bundle, opts ...tiaptest.Option) ([]Convention, error) {
	with := func(more ...tiaptest.Option) ([]Convention, bool, error) {
		t, err := rescore(b, append(append(opts[:len(opts):len(opts)], tiaptest.Population("shared")), more...))
		if err != nil {
			return nil, false, err
		}
		f, err := t.frame()
		if err != nil {
			return nil, false, err
		}
		return f.conventions(t), t.units, nil
	}
	out, units, err := with(tiaptest.Credit(tiaptest.ByMemory), tiaptest.Uncovered("dropped"))
	if err != nil || !units {
		return out, err
	}
	for _, rule := range []string{"counted", "dropped"} {
		rows, _, err := with(tiaptest.Credit(tiaptest.ByEvidence), tiaptest.Uncovered(rule))
		if err != nil {
			return nil, err
		}
		out = append(rows, out...)
	}
	return out, nil
}

// rescore makes the table of an audit, without sizes and without spending much on
// its tests.
func rescore(b *tiaptest.Bundle, opts []tiaptest.Option) (*Table, error) {
	a, err := tiaptest.Rescore(b, append(opts, tiaptest.Resamples(fewestResamples))...)
	if err != nil {
		return nil, err
	}
	return fromAudit(a)
}

// fewestResamples is the least that an audit takes; what it resamples is not used.
const fewestResamples = 100

// conventions are the recommendations of each family over every population.
func (f *frame) conventions(t *Table) []Convention {
	out := []Convention{}
	all := make([]int, len(f.queries))
	for q := range all {
		all[q] = q
	}
	for _, members := range f.families() {
		for m := range f.metrics {
			targets := f.comparable(members, m)
			shared := f.shared(members, targets, m)
			for _, population := range []struct {
				name string
				n    int
				of   func(values) []int
			}{
				{"shared", len(shared), func(values) []int { return shared }},
				{"all", len(all), func(values) []int { return all }},
				{"covered", 0, func(v values) []int { return f.inAll(v) }},
			} {
				c := Convention{
					Family: f.family[members[0]], Metric: f.metrics[m],
					Credit: t.credit, Uncovered: t.uncovered, Population: population.name, N: population.n,
				}
				c.recommend(f, members, targets, m, population.of)
				out = append(out, c)
			}
		}
	}
	return out
}

// recommend scores the members under each target over the queries that population
// picks for a score.
func (c *Convention) recommend(f *frame, members, targets []int, m int, population func(values) []int) {
	c.Queries = make(map[string]map[string]int)
	c.Scores = make(map[string]map[string]*float64)
	c.Recommended = make(map[string]*string)
	for _, t := range targets {
		target := f.targets[t]
		c.Queries[target], c.Scores[target] = make(map[string]int), make(map[string]*float64)
		scores := make([]*float64, len(members))
		for i, s := range members {
			column := f.column(s, t, m)
			queries := population(column)
			scores[i] = mean(column.at(queries))
			c.Queries[target][f.systems[s]], c.Scores[target][f.systems[s]] = len(queries), scores[i]
		}
		c.Recommended[target] = leader(f.names(members), scores)
	}
	c.Flip = differ(c.Recommended)
}

// families are the members of each family of at least two systems, by its name.
func (f *frame) families() [][]int {
	members := make(map[string][]int)
	for s, family := range f.family {
		if family != "" {
			members[family] = append(members[family], s)
		}
	}
	var out [][]int
	for _, family := range slices.Sorted(maps.Keys(members)) {
		if len(members[family]) > 1 {
			out = append(out, members[family])
		}
	}
	return out
}

// differ reports whether two winners are different systems.
func differ(winners map[string]*string) bool {
	var first *string
	for _, w := range winners {
		switch {
		case w == nil:
		case first == nil:
			first = w
		case *w != *first:
			return true
		}
	}
	return false
}
