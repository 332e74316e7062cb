package stat

import (
	"math"
	"math/rand/v2"
)

const (
	// swapStream keeps the random numbers of swaps apart from those of
	// resamples under the same seed.
	swapStream = 0x9e3779b97f4a7c15

	// swapBatch is how many repetitions share a generator.
	swapBatch = 4096
)

// randomization returns the p value of a contrast by swaps.
func (p *Paired) randomization(c *contrast) float64 {
	s := &c.swaps
	s.set(c, p)
	switch {
	case p.exact():
		signs := p.signs()
		return float64(s.hits(signs)) / float64(len(signs))
	case p.n <= 64:
		return float64(s.hits(p.signs())+1) / float64(p.reps+1)
	}
	hits := 0
	p.eachRepetition(func(signs []uint64) {
		if s.hit(signs) {
			hits++
		}
	})
	return float64(hits+1) / float64(p.reps+1)
}

// exact reports whether the repetitions suffice to take all swaps.
func (p *Paired) exact() bool { return p.n < 63 && uint64(1)<<p.n <= uint64(p.reps) }

// allSigns returns the signs of each repetition over at most 64 units, one bit
// for each unit.
func (p *Paired) allSigns() []uint64 {
	if p.exact() {
		all := make([]uint64, 1<<p.n)
		for i := range all {
			all[i] = uint64(i)
		}
		return all
	}
	all := make([]uint64, 0, p.reps)
	p.eachRepetition(func(signs []uint64) { all = append(all, signs[0]) })
	return all
}

// eachRepetition calls do with random signs for the units, one bit each.
func (p *Paired) eachRepetition(do func(signs []uint64)) {
	pcg := new(rand.PCG)
	signs := make([]uint64, (p.n+63)/64)
	for i := range p.reps {
		if i%swapBatch == 0 {
			pcg.Seed(p.plan.Seed^swapStream, uint64(i/swapBatch))
		}
		for j := range signs {
			signs[j] = pcg.Uint64()
		}
		do(signs)
	}
}

// swaps computes the statistic after the systems were swapped for some units.
//
// A sum over the units of A with some swapped, A*, and the sum of B with the
// same swapped, B*, follow from their constant total and their difference
// D* = Σ ±(a-b), minus where swapped. So all that a repetition needs are such
// signed sums, one or two rows of them a term. They are looked up for eight
// units at a time.
type swaps struct {
	sums   []float64      // one of each row
	signed [][256]float64 // of row j, units 8k to 8k+7, by the byte of signs: signed[k*rows+j]
	cut    float64        // distance from 0 that makes a hit
	means  bool           // row 0 is the difference of means
	ratios []ratioTotal   // of the further rows, two each
	row    []float64
}

// A ratioTotal holds the totals of both systems.
type ratioTotal struct{ sign, num, den float64 }

// set makes s compute a contrast, reusing its memory.
func (s *swaps) set(c *contrast, p *Paired) {
	s.cut = math.Abs(c.value) - c.noise
	s.means = c.means != nil
	s.ratios = s.ratios[:0]
	rows := 2 * len(c.ratios)
	if s.means {
		rows++
	}
	blocks := (p.n + 7) / 8
	s.sums = resized(s.sums, rows)
	s.signed = resized(s.signed, rows*blocks)
	s.row = resized(s.row, p.n)
	j := 0
	add := func(at func(g int) float64) {
		for g := range s.row {
			s.row[g] = at(g)
		}
		for k := range blocks {
			signedSums(&s.signed[k*rows+j], s.row[8*k:min(8*k+8, p.n)])
		}
		j++
	}
	if s.means {
		n := float64(p.plan.N)
		add(func(g int) float64 { return c.means[g] / n })
	}
	for _, r := range c.ratios {
		add(func(g int) float64 { return r.a.num[g] - r.b.num[g] })
		add(func(g int) float64 { return r.a.den[g] - r.b.den[g] })
		s.ratios = append(s.ratios, ratioTotal{
			sign: r.sign,
			num:  Sum(r.a.num) + Sum(r.b.num),
			den:  Sum(r.a.den) + Sum(r.b.den),
		})
	}
}

// signedSums sets sums to Σ ±x for every byte of signs: bit i set is plus for
// xs[i].
func signedSums(sums *[256]float64, xs []float64) {
	sums[0] = 0
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
}

// hits counts the hits under signs for at most 64 units.
func (s *swaps) hits(signs []uint64) int {
	hits := 0
	if len(s.ratios) > 0 {
		for i := range signs {
			if s.hit(signs[i : i+1]) {
				hits++
			}
		}
		return hits
	}
	for _, w := range signs {
		v := 0.0
		for k := range s.signed {
			v += s.signed[k][byte(w)]
			w >>= 8
		}
		if !(math.Abs(v) < s.cut) {
			hits++
		}
	}
	return hits
}

// hit tells whether the statistic under signs is at least as far from 0 as the
// observed one, or undefined.
func (s *swaps) hit(signs []uint64) bool {
	sums := s.sums
	clear(sums)
	for k, rest := 0, s.signed; len(rest) > 0; k, rest = k+1, rest[len(sums):] {
		b := byte(signs[k/8] >> (k % 8 * 8))
		for j := range sums {
			sums[j] += rest[j][b]
		}
	}
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
