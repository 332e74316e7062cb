package tiaptest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/decide"
)

// targetOrders ranks the main targets of each system on the shared subset.
func (r *results) targetOrders(sharedSubset []int32) []targetOrder {
	out := []targetOrder{}
	for _, s := range r.systems {
		targets := slices.DeleteFunc(r.mainTargets(), s.excluded)
		if len(targets) < 2 || len(sharedSubset) == 0 {
			continue
		}
		for m, metric := range r.metrics {
			values := make(map[int]float64)
			for _, t := range targets {
				v, ok := r.value(s, r.scheme(), t, m, sharedSubset)
				if ok {
					values[t] = v
				}
			}
			out = append(out, targetOrder{System: s.Name, Metric: metric.String(), N: len(sharedSubset), Order: r.orderBy(values)})
		}
	}
	return out
}

// orderBy sorts targets by value, highest first, and joins those within the
// minimum effect of the one before. Joined targets stand in the audit's order,
// so that no difference too small to count, such as rounding, makes two orders
// differ.
func (r *results) orderBy(values map[int]float64) []string {
	targets := slices.Sorted(maps.Keys(values))
	slices.SortStableFunc(targets, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	var order []string
	for len(targets) > 0 {
		n := 1
		for n < len(targets) && decide.Sign(values[targets[n-1]]-values[targets[n]], r.minEffect) == 0 {
			n++
		}
		tied := targets[:n]
		targets = targets[n:]
		slices.Sort(tied)
		names := make([]string, n)
		for i, t := range tied {
			names[i] = r.targets[t].name
		}
		order = append(order, strings.Join(names, "="))
	}
	return order
}
