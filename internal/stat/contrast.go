package stat

import "math"

// A contrast is the statistic of a paired test, taken apart by unit.
type contrast struct {
	value     float64
	noise     float64   // what value may owe to rounding
	influence []float64 // first-order share of each unit in value; sums to 0

	// All terms on means are one difference, whose summand a swap negates. A
	// ratio has to be kept as sums.
	means  []float64 // summand of each unit; nil without terms on means
	ratios []ratioTerm
}

// A ratioTerm is a term on ratios, by unit.
type ratioTerm struct {
	sign                   float64
	numA, denA, numB, denB []float64
}

// contrastOf takes the statistic apart. ok is false when it has no finite value.
func contrastOf(plan Plan, u units, terms []Term) (c contrast, ok bool) {
	c.influence = make([]float64, u.n)
	var diff []float64 // of means, by query
	for _, t := range terms {
		plan.check(t.A)
		plan.check(t.B)
		a, okA := t.A.Value()
		b, okB := t.B.Value()
		if !okA || !okB {
			return contrast{}, false
		}
		c.noise += float64(rounding * math.Abs(t.Sign) * (math.Abs(a) + math.Abs(b)))
		if t.A.Den == nil && t.B.Den == nil {
			if diff == nil {
				diff = make([]float64, plan.N)
			}
			for i := range diff {
				diff[i] += float64(t.Sign * (t.A.Num[i] - t.B.Num[i]))
			}
			continue
		}
		r := ratioTerm{sign: t.Sign}
		var inA, inB []float64
		r.numA, r.denA, inA = u.ratio(t.A, a)
		r.numB, r.denB, inB = u.ratio(t.B, b)
		for g := range c.influence {
			c.influence[g] += float64(t.Sign * (inA[g] - inB[g]))
		}
		c.value += float64(t.Sign * (a - b))
		c.ratios = append(c.ratios, r)
	}
	if diff != nil {
		n := float64(plan.N)
		mean := Sum(diff) / n
		total := u.total(diff)
		c.means = make([]float64, u.n)
		for g, size := range u.size {
			c.means[g] = total[g] / n
			c.influence[g] += (total[g] - float64(mean*size)) / n
		}
		c.value += mean
	}
	return c, len(terms) > 0 && finite(c.value)
}

// ratio returns the sums of a column with the given value by unit, and the
// influence of each unit on the value. A mean is a ratio with denominators 1.
func (u units) ratio(c Column, value float64) (num, den, influence []float64) {
	if c.Den == nil {
		c.Den = ones(len(c.Num))
	}
	num, den = u.total(c.Num), u.total(c.Den)
	all := Sum(c.Den)
	influence = make([]float64, u.n)
	for g := range influence {
		influence[g] = (num[g] - float64(value*den[g])) / all
	}
	return num, den, influence
}

// standardError estimates the standard deviation of the value over at least two
// units.
func (c *contrast) standardError() float64 {
	squares := make([]float64, len(c.influence))
	for g, e := range c.influence {
		squares[g] = e * e
	}
	n := float64(len(squares))
	return math.Sqrt(n / (n - 1) * Sum(squares))
}
