package sensitivity

import (
	"math"

	"github.com/tiaptest/tiap/internal/stat"
)

// Aggregation is what systems score when the choice of a target is avoided by
// joining the scores under all main targets into one, on the queries that all
// systems share. An aggregate still has a winner, and hides that some target
// picks another one: Overrules names those targets.
type Aggregation struct {
	Metric string `json:"metric"`

	// Rule is how a system's mean scores under the targets are joined: "mean",
	// "min", "geometric" (the n-th root of their product), or "rank": the mean
	// over the targets of the system's rank among all systems, 1 for the best,
	// tied ranks shared (J.-C. de Borda, 1781). Of ranks the lowest leads.
	Rule string `json:"rule"`

	N         int                 `json:"n"`
	Scores    map[string]*float64 `json:"scores"` // by system
	Winner    *string             `json:"winner"` // nil for a tie, and of one system
	Overrules []string            `json:"overrules"`
}

// aggregationRules are the rules in their order.
var aggregationRules = []struct {
	name string
	join func(scores []float64) float64
}{
	{"mean", func(xs []float64) float64 { return *mean(xs) }},
	{"min", func(xs []float64) float64 {
		least := xs[0]
		for _, x := range xs {
			least = min(least, x)
		}
		return least
	}},
	{"geometric", func(xs []float64) float64 {
		logs := make([]float64, len(xs))
		for i, x := range xs {
			if x == 0 {
				return 0
			}
			logs[i] = math.Log(x)
		}
		return math.Exp(stat.Sum(logs) / float64(len(xs)))
	}},
	{"rank", func(ranks []float64) float64 { return *mean(ranks) }},
}

func (f *frame) aggregations() []Aggregation {
	out := []Aggregation{}
	for m, c := range f.commons() {
		byTarget := f.winners(c.systems, c.targets, m, c.queries)
		scores, ranked := make([][]float64, len(c.systems)), make([][]float64, len(c.systems))
		for _, t := range c.targets {
			lost := make([]float64, len(c.systems))
			for i, s := range c.systems {
				column := f.column(s, t, m)
				score := *mean(column.at(c.queries))
				scores[i], lost[i] = append(scores[i], score), -score
			}
			for i, rank := range ranks(lost, different) {
				ranked[i] = append(ranked[i], rank)
			}
		}
		for _, rule := range aggregationRules {
			a := Aggregation{Metric: f.metrics[m], Rule: rule.name, N: len(c.queries), Scores: make(map[string]*float64), Overrules: []string{}}
			toLead := make([]*float64, len(c.systems))
			for i, s := range c.systems {
				from, sign := scores[i], 1.0
				if rule.name == "rank" {
					from, sign = ranked[i], -1
				}
				v := rule.join(from)
				high := sign * v
				a.Scores[f.systems[s]], toLead[i] = &v, &high
			}
			a.Winner = leader(f.names(c.systems), toLead)
			for _, t := range c.targets {
				if w := byTarget[f.targets[t]]; w != nil && a.Winner != nil && *w != *a.Winner {
					a.Overrules = append(a.Overrules, f.targets[t])
				}
			}
			out = append(out, a)
		}
	}
	return out
}
