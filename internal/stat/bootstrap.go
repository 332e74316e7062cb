package stat

import (
	"iter"
	"math/bits"
	"math/rand/v2"

	"github.com/tiaptest/tiap/internal/parallel"
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

	// Every statistic is a quotient of two weighted sums. Those of means share
	// the sizes as denominator.
	type quotientOf struct {
		column   int
		num, den location
		whole    float64 // statistic over all queries
	}
	u := p.units()
	var sums weightedSums
	size := sums.add(u.size)
	var stats []quotientOf
	for c, col := range cols {
		p.check(col)
		whole, ok := col.Value()
		if !ok {
			continue
		}
		q := quotientOf{column: c, num: sums.add(u.total(col.Num)), den: size, whole: whole}
		if col.Den != nil {
			q.den = sums.add(u.total(col.Den))
		}
		stats = append(stats, q)
	}

	sums.ready()
	tiles := (resamples + lanes - 1) / lanes
	parallel.Batches(tiles, tileBatch, func(left iter.Seq2[int, int]) {
		pcg := new(rand.PCG)
		w := newWeighting(u.n)
		of := make([][lanes]float64, len(sums.sparse))
		for from, end := range left {
			for tile := from; tile < end; tile++ {
				first := tile * lanes
				count := min(lanes, resamples-first)
				for l := range count {
					pcg.Seed(p.Seed, uint64(first+l))
					draw(w.of[l], pcg)
				}
				sums.weigh(of, w)
				for _, s := range stats {
					for l := range count {
						v, ok := quotient(s.num.in(of, l), s.den.in(of, l))
						if !ok {
							v = s.whole
						}
						out[s.column][first+l] = v
					}
				}
			}
		}
	})
	return out
}

// draw sets drawn to how often each unit is drawn in len(drawn) draws. No unit is
// drawn 256 times where there are as many: the chance of that is below 1/256!.
func draw(drawn []uint8, pcg *rand.PCG) {
	clear(drawn)
	n := uint64(len(drawn))
	for range drawn {
		// The chances of two units differ by less than n in 2^64: no draw needs
		// to be rejected.
		i, _ := bits.Mul64(pcg.Uint64(), n)
		drawn[i]++
	}
}
