package tiaptest

import "slices"

// targetOrder says in which order the targets score a system.
type targetOrder struct {
	System string   `json:"system"`
	Metric string   `json:"metric"`
	N      int      `json:"n"`
	Order  []string `json:"order"` // highest first; tied targets in one entry, joined by "="
}

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
// minimum effect of the one before.
func (r *results) orderBy(values map[int]float64) []string {
	var targets []int
	for t := range values {
		targets = append(targets, t)
	}
	slices.Sort(targets)
	slices.SortStableFunc(targets, func(a, b int) int { return -sign(values[a]-values[b], 0) })
	var order []string
	for i, t := range targets {
		if i > 0 && sign(values[targets[i-1]]-values[t], r.minEffect) == 0 {
			order[len(order)-1] += "=" + r.targets[t].name
			continue
		}
		order = append(order, r.targets[t].name)
	}
	return order
}
