package stat

import "math"

// A contrast is the statistic of a paired test, taken apart by unit.
type contrast struct {
	value     float64
	noise     float64   // what value may owe to rounding
	influence []float64 // first-order share of each unit in value; sums to 0

	// All terms on means are one difference, whose summand a swap negates. A
	// ratio has to be kept as sums.
	means  []float64 // by unit, queries times the summand; nil without terms on means
	ratios []ratioTerm

	diff, total []float64 // memory of means, by query and by unit
	swaps       swaps
	resampled   []float64 // memory of an interval
}

// A ratioTerm is a term on ratios, by unit.
type ratioTerm struct {
	sign float64
	a, b sums
}

// sums are the numerators and denominators of a column, by unit.
type sums struct {
	num, den []float64
	all      float64 // all denominators
}

// take takes the statistic of a test apart, reusing the memory of c. It reports
// false when there is no finite value.
func (c *contrast) take(p *Paired, terms []Term) bool {
	c.value, c.noise, c.means, c.ratios = 0, 0, nil, c.ratios[:0]
	c.influence = resized(c.influence, p.n)
	clear(c.influence)
	for _, t := range terms {
		a, b := &p.columns[t.A], &p.columns[t.B]
		if !a.ok || !b.ok {
			return false
		}
		c.noise += float64(rounding * math.Abs(t.Sign) * (math.Abs(a.value) + math.Abs(b.value)))
		if a.Den == nil && b.Den == nil {
			c.addMeans(a.Num, b.Num, t.Sign)
			continue
		}
		r := ratioTerm{t.Sign, p.sumsOf(a), p.sumsOf(b)}
		for g := range c.influence {
			inA := (r.a.num[g] - float64(a.value*r.a.den[g])) / r.a.all
			inB := (r.b.num[g] - float64(b.value*r.b.den[g])) / r.b.all
			c.influence[g] += float64(t.Sign * (inA - inB))
		}
		c.value += float64(t.Sign * (a.value - b.value))
		c.ratios = append(c.ratios, r)
	}
	if c.means != nil {
		n := float64(p.plan.N)
		mean := Sum(c.means) / n
		if p.of != nil {
			c.total = resized(c.total, p.n)
			clear(c.total)
			p.add(c.total, c.means)
			c.means = c.total
		}
		for g, size := range p.size {
			c.influence[g] += (c.means[g] - float64(mean*size)) / n
		}
		c.value += mean
	}
	return len(terms) > 0 && finite(c.value)
}

// addMeans adds a term on means to the difference.
func (c *contrast) addMeans(a, b []float64, sign float64) {
	if c.means == nil {
		c.diff = resized(c.diff, len(a))
		c.means = c.diff
		clear(c.means)
	}
	for i := range c.means {
		c.means[i] += float64(sign * (a[i] - b[i]))
	}
}

// standardError estimates the standard deviation of the value over at least two
// units.
func (c *contrast) standardError() float64 {
	var squares compensated
	for _, e := range c.influence {
		squares = squares.plus(float64(e * e))
	}
	n := float64(len(c.influence))
	return math.Sqrt(n / (n - 1) * squares.value())
}

// resized returns a slice of n values, in the memory of xs if it suffices.
func resized[T any](xs []T, n int) []T {
	if cap(xs) < n {
		return make([]T, n)
	}
	return xs[:n]
}
