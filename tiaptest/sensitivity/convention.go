package sensitivity

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/decide"
	"github.com/tiaptest/tiap/tiaptest"
)

// Convention is the recommendation of a family of systems under every target by
// one convention of scoring.
type Convention struct {
	Family string `json:"family"`
	Metric string `json:"metric"`

	Credit    string `json:"credit,omitempty"`    // evidence or memory; empty when the table does not know
	Uncovered string `json:"uncovered,omitempty"` // units without an eligible memory: dropped or counted
	Merge     string `json:"merge,omitempty"`     // how the lists of a ranking become one; empty without lists
	// Population is "shared" by the members under all main targets; "all",
	// uncovered queries 0; or "covered", each score over its own queries, which
	// compares nothing alike and is what separately published scores come to. In
	// place of covered, TREC qrels have "judged" (trec_eval -c) and "matched"
	// (trec_eval's default): under all main targets, and in all members.
	Population string `json:"population"`

	N           int                            `json:"n"`           // queries that all scores are over; 0 for covered
	Queries     map[string]map[string]int      `json:"queries"`     // that a score is over, by target and system
	Scores      map[string]map[string]*float64 `json:"scores"`      // by target and system
	Recommended map[string]*string             `json:"recommended"` // by target; nil for a tie
	Flip        bool                           `json:"flip"`        // two targets recommend different members
}

// String names the convention as an audit does: "evidence/dropped/shared", with the
// merge rule behind where rankings are lists.
func (c Convention) String() string {
	parts := []string{c.Credit, c.Uncovered, c.Population, c.Merge}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "/")
}

// mergeRules are those of [tiaptest.Merge].
var mergeRules = []string{"order", "interleave", "rrf"}

// Conventions takes an audit by every crediting, rule for uncovered units and, where
// rankings are lists, rule that merges them, and returns what each recommends over
// every population, for each family of at least two systems. The audit's own
// convention is one of them. Metrics that are ratios of sums are left out. What
// carries no evidence units, as TREC qrels, is credited by memory alone.
func Conventions(a *tiaptest.Audit) ([]Convention, error) {
	own, metrics, err := described(a)
	if err != nil {
		return nil, err
	}
	choices := []struct{ credit, uncovered string }{{"evidence", "dropped"}, {"evidence", "counted"}, {"memory", "dropped"}}
	if !own.units {
		choices = choices[2:]
	}
	merges := []string{""}
	if own.units && own.merge != "" {
		merges = mergeRules
	}
	out := []Convention{}
	for _, merge := range merges {
		merged := a
		if merge != "" {
			if merged, err = a.With(tiaptest.Merge(merge)); err != nil {
				return nil, err
			}
		}
		for _, c := range choices {
			by, err := merged.With(tiaptest.Credit(tiaptest.Crediting(c.credit)), tiaptest.Uncovered(c.uncovered), tiaptest.Population("shared"))
			if err != nil {
				return nil, err
			}
			t, err := own.by(by, metrics)
			if err != nil {
				return nil, err
			}
			f, err := t.frame()
			if err != nil {
				return nil, err
			}
			t.credit, t.uncovered, t.merge = c.credit, c.uncovered, cmp.Or(merge, own.merge)
			populations := f.populations()
			if t.trec {
				if populations, err = f.judgedPopulations(by); err != nil {
					return nil, err
				}
			}
			out = append(out, f.conventions(t, populations)...)
		}
	}
	return out, nil
}

// population says which queries the scores of the members of a family are over: n
// in all, those that pick returns for each score.
type population struct {
	name string
	of   func(members, targets []int, m int) (n int, pick func(values) []int)
}

// populations are those that a table knows.
func (f *frame) populations() []population {
	fixed := func(queries []int) (int, func(values) []int) {
		return len(queries), func(values) []int { return queries }
	}
	all := make([]int, len(f.queries))
	for q := range all {
		all[q] = q
	}
	return []population{
		{"shared", func(members, targets []int, m int) (int, func(values) []int) {
			return fixed(f.shared(members, targets, m))
		}},
		{"all", func(_, _ []int, _ int) (int, func(values) []int) { return fixed(all) }},
		{"covered", func(_, _ []int, _ int) (int, func(values) []int) {
			return 0, func(v values) []int { return f.inAll(v) }
		}},
	}
}

// judgedPopulations are those of an audit of TREC qrels.
func (f *frame) judgedPopulations(a *tiaptest.Audit) ([]population, error) {
	numbers := numbers(f.queries)
	var out []population
	for _, name := range []string{"shared", "all", "judged", "matched"} {
		over, err := a.With(tiaptest.Population(name))
		if err != nil {
			return nil, err
		}
		out = append(out, population{name, func(members, _ []int, _ int) (int, func(values) []int) {
			ids, _ := over.SharedQueries(f.names(members)...) // the audit has them
			queries := make([]int, len(ids))
			for i, id := range ids {
				queries[i] = numbers[id]
			}
			return len(queries), func(values) []int { return queries }
		}})
	}
	return out, nil
}

// conventions are the recommendations of each family over every population.
func (f *frame) conventions(t *Table, populations []population) []Convention {
	out := []Convention{}
	for _, members := range f.families() {
		for m := range f.metrics {
			targets := f.comparable(members, m)
			for _, p := range populations {
				n, pick := p.of(members, targets, m)
				c := Convention{
					Family: f.family[members[0]], Metric: f.metrics[m],
					Credit: t.credit, Uncovered: t.uncovered, Merge: t.merge, Population: p.name, N: n,
				}
				c.recommend(f, members, targets, m, pick)
				out = append(out, c)
			}
		}
	}
	return out
}

// recommend scores the members under each target over the queries picked for each
// score.
func (c *Convention) recommend(f *frame, members, targets []int, m int, pick func(values) []int) {
	c.Queries = make(map[string]map[string]int)
	c.Scores = make(map[string]map[string]*float64)
	c.Recommended = make(map[string]*string)
	for _, t := range targets {
		target := f.targets[t]
		c.Queries[target], c.Scores[target] = make(map[string]int), make(map[string]*float64)
		scores := make([]*float64, len(members))
		for i, s := range members {
			column := f.column(s, t, m)
			queries := pick(column)
			scores[i] = mean(column.at(queries))
			c.Queries[target][f.systems[s]], c.Scores[target][f.systems[s]] = len(queries), scores[i]
		}
		c.Recommended[target] = leader(f.names(members), scores)
	}
	var picks []string
	for _, w := range c.Recommended {
		if w != nil {
			picks = append(picks, *w)
		}
	}
	c.Flip = decide.Flip(picks...)
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
