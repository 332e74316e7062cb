// Package stat compares retrieval systems over the same queries: paired
// bootstrap intervals, paired tests, Welch's test for repeated ingests and
// Holm's correction.
//
// No function returns NaN or an infinity for finite values whose sums are
// finite; where a statistic has no value, a function says so. Results depend on
// the arguments alone, not on GOMAXPROCS or timing. Slices are only read.
// Lengths that contradict each other are a mistake of the caller and panic.
package stat

import "math"

// A Column holds one system's values under one target, in query order.
//
// With Den nil its statistic is the mean of Num. Otherwise it is the ratio
// Σ Num / Σ Den, as micro-averaged recall is; Den has the length of Num and
// no negative value.
type Column struct{ Num, Den []float64 }

// Value returns the statistic. It is undefined over no query, when the
// denominators sum to 0, and when a sum is not finite.
func (c Column) Value() (v float64, ok bool) {
	if c.Den == nil {
		return Mean(c.Num)
	}
	return quotient(Sum(c.Num), Sum(c.Den))
}

// ValueOver returns the statistic of the given queries alone, equal to that of a
// column that holds only their values in that order.
func (c Column) ValueOver(queries []int32) (v float64, ok bool) {
	if c.Den == nil {
		return quotient(sumOver(c.Num, queries), float64(len(queries)))
	}
	return quotient(sumOver(c.Num, queries), sumOver(c.Den, queries))
}

// quotient returns num/den unless that is NaN or infinite.
func quotient(num, den float64) (q float64, ok bool) {
	q = num / den
	if !finite(q) {
		return 0, false
	}
	return q, true
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
