package sensitivity

import (
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
)

// Convention is the recommendation of a family of systems under every target by
// one convention of scoring.
type Convention struct {
	Family string `json:"family"`
	Metric string `json:"metric"`

	Credit     string `json:"credit,omitempty"`    // evidence or memory; empty when the table does not know
	Uncovered  string `json:"uncovered,omitempty"` // units without an eligible memory: dropped or counted
	Population string `json:"population"`          // shared by the members, or all, uncovered queries 0

	N           int                            `json:"n"`
	Scores      map[string]map[string]*float64 `json:"scores"`      // by target and system
	Recommended map[string]*string             `json:"recommended"` // by target; nil for a tie
	Flip        bool                           `json:"flip"`        // two targets recommend different members
}

// Conventions rescores a bundle by every crediting and rule for uncovered units,
// and returns what each recommends over the shared and over all queries, for
// each family of at least two systems. The choices of the options are not used,
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

// conventions are the recommendations of each family over shared and all queries.
func (f *frame) conventions(t *Table) []Convention {
	out := []Convention{}
	byFamily := make(map[string][]int)
	var families []string
	for s, family := range f.family {
		if family == "" {
			continue
		}
		if byFamily[family] == nil {
			families = append(families, family)
		}
		byFamily[family] = append(byFamily[family], s)
	}
	slices.Sort(families)
	for _, family := range families {
		members := byFamily[family]
		if len(members) < 2 {
			continue
		}
		for m := range f.metrics {
			targets := f.comparable(members, m)
			all := make([]int, len(f.queries))
			for q := range all {
				all[q] = q
			}
			for _, population := range []struct {
				name    string
				queries []int
			}{{"shared", f.shared(members, targets, m)}, {"all", all}} {
				c := Convention{
					Family: family, Metric: f.metrics[m], Credit: t.credit, Uncovered: t.uncovered, Population: population.name,
					N: len(population.queries), Scores: make(map[string]map[string]*float64),
					Recommended: f.winners(members, targets, m, population.queries),
				}
				for _, target := range targets {
					of := make(map[string]*float64)
					for _, s := range members {
						col := f.column(s, target, m)
						of[f.systems[s]] = mean(col.at(population.queries))
					}
					c.Scores[f.targets[target]] = of
				}
				c.Flip = differ(c.Recommended)
				out = append(out, c)
			}
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
