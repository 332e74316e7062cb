package stat

import (
	"cmp"
	"slices"
)

// Holm returns the p values adjusted for their number by the step-down method
// of S. Holm (A Simple Sequentially Rejective Multiple Test Procedure, 1979), in
// the order of p. Each result is at least its p and at most 1, and the results
// are ordered as the p values are. Rejecting where the result is at most alpha
// keeps the chance of any false rejection at or below alpha.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = least
	}
	return adjusted
}
