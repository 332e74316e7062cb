package stat

import (
	"math"
	"sync"
)

const (
	// fewUnits is the number of queries, or clusters, from which on a t test
	// stands in for randomization.
	fewUnits = 30

	// rounding is the part of a quantity that its rounding errors stay below.
	// What is smaller counts as nothing.
	rounding = 1e-12
)

// Paired holds columns over the same queries, made ready for any number of
// intervals and tests of differences between them. It is safe for concurrent use.
type Paired struct {
	plan Plan
	units
	columns []tested
	reps    int
	signs   func() []uint64    // allSigns, once
	samples func() [][]float64 // Bootstrap, once
	scratch sync.Pool          // of *contrast
}

// tested is a column with its statistic and, of a ratio, its sums.
type tested struct {
	Column
	value float64
	ok    bool
	sums  sums
}

// A Term is a signed difference of two systems, given by the numbers of their
// columns.
type Term struct {
	A, B int
	Sign float64 // usually 1 or -1
}

// NewPaired makes columns ready for tests that take reps repetitions where they
// sample; [Repetitions] tells how many to take.
func NewPaired(plan Plan, cols []Column, reps int) *Paired {
	p := &Paired{plan: plan, units: plan.units(), columns: make([]tested, len(cols)), reps: max(reps, 0)}
	for i, c := range cols {
		plan.check(c)
		t := &p.columns[i]
		t.Column = c
		t.value, t.ok = c.Value()
		if c.Den != nil {
			t.sums = sums{p.total(c.Num), p.total(c.Den), Sum(c.Den)}
		}
	}
	p.signs = sync.OnceValue(p.allSigns)
	p.samples = sync.OnceValue(func() [][]float64 { return Bootstrap(plan, cols) })
	return p
}

// sumsOf returns the sums of a column. A mean beside a ratio is a ratio with
// denominators 1.
func (p *Paired) sumsOf(t *tested) sums {
	if t.Den != nil {
		return t.sums
	}
	return sums{p.total(t.Num), p.size, float64(p.plan.N)}
}

// Value returns the statistic of column i, as [Column.Value] does.
func (p *Paired) Value(i int) (v float64, ok bool) { return p.columns[i].value, p.columns[i].ok }

// Interval returns the percentile interval of Σ Sign·(statistic of A - statistic
// of B) over the terms, from the resamples of [Bootstrap]. See [Interval].
func (p *Paired) Interval(level float64, terms ...Term) (lo, hi float64) {
	samples := p.samples()
	c := p.borrow()
	defer p.scratch.Put(c)
	c.resampled = resized(c.resampled, max(p.plan.Resamples, 0))
	clear(c.resampled)
	for _, t := range terms {
		a, b := samples[t.A], samples[t.B]
		for i := range c.resampled {
			c.resampled[i] += float64(t.Sign * (a[i] - b[i]))
		}
	}
	return intervalIn(c.resampled, level)
}

// borrow returns memory for one call.
func (p *Paired) borrow() *contrast {
	if c, ok := p.scratch.Get().(*contrast); ok {
		return c
	}
	return new(contrast)
}

// P tests whether Σ Sign·(statistic of A - statistic of B) over the terms differs
// from 0, and returns the two-sided p value, in (0, 1]. One term tests a gap. The
// two terms +(gap under one target) and -(gap under another) test a shift.
//
// With at least 30 units it is the paired t test: t = statistic/se with one
// degree of freedom less than units. A unit is a query or, with clusters in the
// plan, a cluster, and se² = G/(G-1) Σ e² over the G units, where e sums the
// influence of a unit's queries on the statistic: (value-mean)/n in a mean, and
// (num-ratio·den)/Σ den in a ratio (the delta method; W. G. Cochran, Sampling
// Techniques, 1977, sections 6.4 and 9A).
//
// With fewer units, or when the influence of all is equal, it is a
// randomization test: the systems A and B are swapped for some units, in all
// terms at once, and a hit is a statistic at least as far from 0 as the one
// observed. Rounding does not break a tie. Swaps that leave a ratio without
// denominator count as a hit. Where there are no more swaps than repetitions
// (2^G <= reps), each is taken once, and p = hits/2^G is exact. Otherwise each
// repetition swaps each unit with chance 1/2, and p = (hits+1)/(reps+1); the
// swaps come from the plan's seed and are the same in every test over as many
// units.
//
// A statistic of 0, to rounding, has p = 1. ok is false without queries or
// terms, when a column has no value, and when the statistic is not finite.
func (p *Paired) P(terms ...Term) (value float64, ok bool) {
	c := p.borrow()
	defer p.scratch.Put(c)
	switch ok := c.take(p, terms); {
	case !ok:
		return 0, false
	case math.Abs(c.value) <= c.noise:
		return 1, true
	}
	if p.n >= fewUnits {
		if se := c.standardError(); se > c.noise {
			return studentP(c.value/se, float64(p.n-1)), true
		}
	}
	return p.randomization(c), true
}

// Repetitions returns how many repetitions a randomization test needs so that
// the first step of [Holm] over m tests can be significant at alpha with room to
// spare: 1/(reps+1) <= alpha/m/10, at least 9,999 and at most 999,999.
func Repetitions(alpha float64, m int) int {
	const least, most = 9_999, 999_999
	need := math.Ceil(10*float64(max(m, 1))/alpha) - 1
	if !(alpha > 0 && need < most) {
		return most
	}
	return max(int(need), least)
}
