package stat

import "fmt"

// A Plan says what is resampled and how often.
type Plan struct {
	N int // queries

	// Clusters gives each query the number of its cluster: the queries of one
	// cluster are drawn, or swapped, together. Any numbers will do; one that no
	// query has means nothing. Nil leaves each query alone.
	Clusters []int32

	Resamples int // of the bootstrap
	Seed      uint64
}

// units are what a plan draws and swaps: its clusters or its single queries.
type units struct {
	n    int
	of   []int32   // unit of each query; nil when query i is unit i
	size []float64 // queries of each unit
}

// units numbers the clusters in the order in which queries first name them.
func (p Plan) units() units {
	if p.Clusters == nil {
		return units{n: p.N, size: ones(p.N)}
	}
	if len(p.Clusters) != p.N {
		panic(fmt.Sprintf("stat: clusters of %d queries in a plan of %d", len(p.Clusters), p.N))
	}
	number := make(map[int32]int32)
	u := units{of: make([]int32, p.N)}
	for i, c := range p.Clusters {
		g, seen := number[c]
		if !seen {
			g = int32(len(number))
			number[c] = g
			u.size = append(u.size, 0)
		}
		u.of[i] = g
		u.size[g]++
	}
	u.n = len(u.size)
	return u
}

// total returns the sum of xs, one value a query, within each unit.
func (u units) total(xs []float64) []float64 {
	if u.of == nil {
		return xs
	}
	sums := make([]float64, u.n)
	u.add(sums, xs)
	return sums
}

// add adds xs, one value a query, to the sums of clusters.
func (u units) add(sums, xs []float64) {
	for i, g := range u.of {
		sums[g] += xs[i]
	}
}

// check panics unless c has a value for each query of the plan.
func (p Plan) check(c Column) {
	if len(c.Num) != p.N || c.Den != nil && len(c.Den) != p.N {
		panic(fmt.Sprintf("stat: column of %d values (%d denominators) in a plan of %d queries", len(c.Num), len(c.Den), p.N))
	}
}

func ones(n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = 1
	}
	return xs
}
