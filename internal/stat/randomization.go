package stat

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
)

const (
	// swapStream keeps the random numbers of swaps apart from those of
	// resamples under the same seed.
	swapStream = 0x9e3779b97f4a7c15

	// swapBatch is how many repetitions share a generator.
	swapBatch = 4096
)

// randomizationP returns (hits+1)/(reps+1) for a contrast over n units.
func randomizationP(c contrast, n int, seed uint64, reps int) float64 {
	s := newSwaps(c, n)
	var hits atomic.Int64
	batches := (max(reps, 0) + swapBatch - 1) / swapBatch
	inParallel(batches, 1, func() func(lo, hi int) {
		pcg := new(rand.PCG)
		sums := make([]float64, s.rows)
		return func(batch, _ int) {
			pcg.Seed(seed^swapStream, uint64(batch))
			found := 0
			for range min(swapBatch, reps-batch*swapBatch) {
				s.draw(sums, pcg)
				if s.hit(sums) {
					found++
				}
			}
			hits.Add(int64(found))
		}
	})
	return float64(hits.Load()+1) / float64(max(reps, 0)+1)
}

// swaps computes the statistic after the systems were swapped for some units.
//
// A sum over the units of A with some swapped, A*, and the sum of B with the
// same swapped, B*, follow from their constant total and their difference
// D* = Σ ±(a-b), minus where swapped. So all that a repetition needs are such
// signed sums, one or two rows of them a term. They are looked up for eight
// units at a time.
type swaps struct {
	rows   int
	signed [][256]float64 // of row j, units 8k to 8k+7, by the byte of signs: signed[k*rows+j]
	cut    float64        // distance from 0 that makes a hit
	means  bool           // row 0 is the difference of means
	ratios []ratioTotal   // of the further rows, two each
}

// A ratioTotal holds the totals of both systems.
type ratioTotal struct{ sign, num, den float64 }

func newSwaps(c contrast, n int) *swaps {
	s := &swaps{cut: math.Abs(c.value) - c.noise}
	var rows [][]float64
	if c.means != nil {
		s.means = true
		rows = append(rows, c.means)
	}
	for _, r := range c.ratios {
		rows = append(rows, minus(r.numA, r.numB), minus(r.denA, r.denB))
		s.ratios = append(s.ratios, ratioTotal{
			sign: r.sign,
			num:  Sum(r.numA) + Sum(r.numB),
			den:  Sum(r.denA) + Sum(r.denB),
		})
	}
	s.rows = len(rows)
	for lo := 0; lo < n; lo += 8 {
		for _, row := range rows {
			s.signed = append(s.signed, signedSums(row[lo:min(lo+8, n)]))
		}
	}
	return s
}

// signedSums returns Σ ±x for every byte of signs: bit i set is plus for xs[i].
func signedSums(xs []float64) (sums [256]float64) {
	for i := range 8 {
		x := 0.0
		if i < len(xs) {
			x = xs[i]
		}
		for signs := range 1 << i {
			sums[signs|1<<i] = sums[signs] + x
			sums[signs] -= x
		}
	}
	return sums
}

// draw sets sums to the signed sums of all rows under random signs, the same
// for all rows.
func (s *swaps) draw(sums []float64, pcg *rand.PCG) {
	clear(sums)
	var signs uint64
	for k, rest := 0, s.signed; len(rest) > 0; k, rest = k+1, rest[len(sums):] {
		if k%8 == 0 {
			signs = pcg.Uint64()
		}
		for j := range sums {
			sums[j] += rest[j][byte(signs)]
		}
		signs >>= 8
	}
}

// hit tells whether the statistic is at least as far from 0 as the observed one,
// or undefined.
func (s *swaps) hit(sums []float64) bool {
	v := 0.0
	if s.means {
		v, sums = sums[0], sums[1:]
	}
	for i, r := range s.ratios {
		num, den := sums[2*i], sums[2*i+1]
		denA, denB := r.den+den, r.den-den // twice the denominators, as are the numerators
		if min(denA, denB) <= rounding*r.den {
			return true
		}
		v += float64(r.sign * ((r.num+num)/denA - (r.num-num)/denB))
	}
	return !(math.Abs(v) < s.cut) // NaN is a hit
}

func minus(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}
