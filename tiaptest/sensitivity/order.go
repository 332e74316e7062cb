package sensitivity

import (
	"cmp"
	"slices"
	"strings"
)

// TargetOrder says in which order the targets score a system, on the queries that
// all systems share: the shared subset of an audit, which a target that a system
// has no value under does not shrink. Orders that differ between systems mean that
// what a target changes depends on the architecture.
type TargetOrder struct {
	System string              `json:"system"`
	Metric string              `json:"metric"`
	N      int                 `json:"n"`
	Scores map[string]*float64 `json:"scores"` // by target
	Order  []string            `json:"order"`  // highest first; tied targets in one entry, joined by "="
}

func (f *frame) targetOrders() []TargetOrder {
	out := []TargetOrder{}
	for m := range f.metrics {
		queries := f.sharedByAll(m)
		for s := range f.systems {
			targets := f.comparable([]int{s}, m)
			if len(targets) < 2 || len(queries) == 0 {
				continue
			}
			scores := f.scores(s, targets, m, queries)
			out = append(out, TargetOrder{
				System: f.systems[s], Metric: f.metrics[m], N: len(queries),
				Scores: scores, Order: f.order(targets, scores),
			})
		}
	}
	return out
}

// order sorts targets by score, highest first. Each is tied with the one before
// when it is within rounding of it; tied ones stand in the table's order.
func (f *frame) order(targets []int, scores map[string]*float64) []string {
	score := func(t int) float64 { return *scores[f.targets[t]] }
	sorted := slices.Clone(targets)
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(score(b), score(a)) })
	var out []string
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && score(sorted[n-1])-score(sorted[n]) <= different {
			n++
		}
		tied := sorted[:n]
		sorted = sorted[n:]
		slices.Sort(tied)
		names := make([]string, n)
		for i, t := range tied {
			names[i] = f.targets[t]
		}
		out = append(out, strings.Join(names, "="))
	}
	return out
}
