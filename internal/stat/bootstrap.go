package stat

import (
	"math/bits"
	"math/rand/v2"
)

const (
	// lanes is how many rows one pass over the weights sums. Four sums and four
	// products stay in registers and hide the latency of an addition; with more,
	// the compiler spills sums to memory.
	lanes = 4

	// resampleBatch is how many resamples a goroutine takes at once.
	resampleBatch = 16
)

// Bootstrap returns the statistic of each column in each resample:
// out[c][r], with c in the order of cols and r from 0 to p.Resamples-1.
//
// Resample r draws as many units as there are, with replacement and equal
// chances; a unit is a query or, with p.Clusters, a whole cluster, so that the
// number of queries then varies and a mean is Σ values / Σ sizes. All columns
// see the same draws, which makes out[a][r]-out[b][r] a paired resample of
// their difference. Draws come from a PCG seeded by p.Seed and r.
//
// A resample in which a ratio has denominator 0 gets the column's statistic
// over all queries. A column without any value (see [Column.Value]) gets zeros.
func Bootstrap(p Plan, cols []Column) [][]float64 {
	resamples := max(p.Resamples, 0)
	out := make([][]float64, len(cols))
	all := make([]float64, len(cols)*resamples)
	for c := range out {
		out[c] = all[c*resamples : (c+1)*resamples : (c+1)*resamples]
	}

	// Every statistic is a quotient of two weighted sums. Row 0, the sizes, is
	// the denominator of all means.
	u := p.units()
	rows := [][]float64{u.size}
	type quotientOf struct {
		num, den int     // rows
		whole    float64 // statistic over all queries
	}
	stats := make([]quotientOf, len(cols))
	for c, col := range cols {
		p.check(col)
		s := &stats[c]
		s.whole, _ = col.Value()
		s.num = len(rows)
		rows = append(rows, u.total(col.Num))
		if col.Den != nil {
			s.den = len(rows)
			rows = append(rows, u.total(col.Den))
		}
	}
	blocks := interleave(rows, u.n)

	inParallel(resamples, resampleBatch, func() func(lo, hi int) {
		var (
			pcg    = new(rand.PCG)
			weight = make([]float64, u.n)
			sums   = make([]float64, len(blocks)*lanes)
		)
		return func(lo, hi int) {
			for r := lo; r < hi; r++ {
				pcg.Seed(p.Seed, uint64(r))
				draw(weight, pcg)
				for b, block := range blocks {
					weigh((*[lanes]float64)(sums[b*lanes:]), weight, block)
				}
				for c := range stats {
					s := &stats[c]
					v, ok := quotient(sums[s.num], sums[s.den])
					if !ok {
						v = s.whole
					}
					out[c][r] = v
				}
			}
		}
	})
	return out
}

// interleave lays rows of n values side by side: block b holds, value by value,
// the rows from b*lanes on, filled up with zeros.
func interleave(rows [][]float64, n int) [][][lanes]float64 {
	blocks := make([][][lanes]float64, (len(rows)+lanes-1)/lanes)
	for b := range blocks {
		blocks[b] = make([][lanes]float64, n)
	}
	for j, row := range rows {
		block := blocks[j/lanes]
		for i, x := range row {
			block[i][j%lanes] = x
		}
	}
	return blocks
}

// draw sets weight to how often each unit is drawn in len(weight) draws.
func draw(weight []float64, pcg *rand.PCG) {
	clear(weight)
	n := uint64(len(weight))
	for range weight {
		// The chances of two units differ by less than n in 2^64: no draw needs
		// to be rejected.
		i, _ := bits.Mul64(pcg.Uint64(), n)
		weight[i]++
	}
}

// weigh sets sums to the weighted sum of each lane.
func weigh(sums *[lanes]float64, weight []float64, block [][lanes]float64) {
	block = block[:len(weight)]
	var s0, s1, s2, s3 float64
	for i, w := range weight {
		x := &block[i]
		s0 += float64(w * x[0]) // converted, so that no product is fused with its sum
		s1 += float64(w * x[1])
		s2 += float64(w * x[2])
		s3 += float64(w * x[3])
	}
	*sums = [lanes]float64{s0, s1, s2, s3}
}
