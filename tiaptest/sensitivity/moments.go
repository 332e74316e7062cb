package sensitivity

import (
	"cmp"
	"math"
	"slices"

	"github.com/tiaptest/tiap/internal/decide"
	"github.com/tiaptest/tiap/internal/stat"
)

// different is the distance from which on two values differ, above rounding and
// below any difference that counts.
const different = 1e-9

// noise is the part of a quantity that its rounding errors stay below.
const noise = 1e-12

// mean returns the arithmetic mean, nil of no values.
func mean(xs []float64) *float64 {
	m, ok := stat.Mean(xs)
	if !ok {
		return nil
	}
	return &m
}

// difference is second minus first, nil when one of them is.
func difference(first, second *float64) *float64 {
	if first == nil || second == nil {
		return nil
	}
	d := *second - *first
	return &d
}

// share is a part of n, nil of none.
func share(part, n int) *float64 {
	if n == 0 {
		return nil
	}
	s := float64(part) / float64(n)
	return &s
}

// deviations returns the deviations from the mean and the sum of their squares.
// ok is false when there are fewer than two values or they do not vary by more
// than rounding.
func deviations(xs []float64) (devs []float64, squares float64, ok bool) {
	if len(xs) < 2 {
		return nil, 0, false
	}
	largest := 0.0
	for _, x := range xs {
		largest = max(largest, math.Abs(x))
	}
	// Deviations from the first value, so that equal values have none.
	devs = make([]float64, len(xs))
	for i, x := range xs {
		devs[i] = x - xs[0]
	}
	shift := stat.Sum(devs) / float64(len(xs))
	terms := make([]float64, len(xs))
	for i := range devs {
		devs[i] -= shift
		terms[i] = float64(devs[i] * devs[i])
	}
	squares = stat.Sum(terms)
	return devs, squares, math.Sqrt(squares/float64(len(xs))) > noise*largest
}

// standardDeviation is the square root of the unbiased variance, nil when the
// values do not vary.
func standardDeviation(xs []float64) *float64 {
	_, squares, ok := deviations(xs)
	if !ok {
		return nil
	}
	sd := math.Sqrt(squares / float64(len(xs)-1))
	return &sd
}

// pearson is the product-moment correlation, nil when one side does not vary.
func pearson(xs, ys []float64) *float64 {
	dx, sx, okx := deviations(xs)
	dy, sy, oky := deviations(ys)
	if !okx || !oky {
		return nil
	}
	terms := make([]float64, len(dx))
	for i := range dx {
		terms[i] = float64(dx[i] * dy[i])
	}
	r := max(-1, min(1, stat.Sum(terms)/math.Sqrt(sx)/math.Sqrt(sy)))
	return &r
}

// spearman is the rank correlation with mean ranks for ties: Pearson's
// correlation of the ranks (C. Spearman, The Proof and Measurement of
// Association between Two Things, 1904; M. G. Kendall, The Treatment of Ties in
// Ranking Problems, 1945). Only equal values are ties, as in the published
// correlations. It is nil when one side does not vary.
func spearman(xs, ys []float64) *float64 {
	return pearson(ranks(xs, 0), ranks(ys, 0))
}

// ranks gives each value its rank from 1 on, ascending. Values within tie of the
// next lower one share the mean of their ranks.
func ranks(xs []float64, tie float64) []float64 {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(xs[a], xs[b]), a-b) })
	out := make([]float64, len(xs))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && xs[order[j]]-xs[order[j-1]] <= tie {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

// leader names the one with the highest score, nil when a second one is within
// rounding of it, a score is undefined or there are not two.
func leader(names []string, scores []*float64) *string {
	if len(names) < 2 || slices.Contains(scores, nil) {
		return nil
	}
	values := make([]float64, len(scores))
	for i, v := range scores {
		values[i] = *v
	}
	best, leads := decide.Best(values, different)
	if !leads {
		return nil
	}
	return &names[best]
}
