package tiaptest

import (
	"github.com/tiaptest/tiap/internal/decide"
	"github.com/tiaptest/tiap/internal/stat"
)

// carry finds the queries that carry a flip and how few of them must be left out.
func (r *results) carry(f *Flip, c comparison, m int, g *group, t, u int) {
	at := func(s *scored, t int) stat.Column { return g.columns[g.column(s, t, m)] }
	gap1 := newParts(at(c.a, t), at(c.b, t))
	gap2 := newParts(at(c.a, u), at(c.b, u))
	direction := 1.0
	if *f.Shift.Value < 0 {
		direction = -1
	}
	shift := make([]float64, len(g.subset))
	toward := make([]float64, len(shift))
	for i := range shift {
		shift[i] = gap1.of[i] - gap2.of[i]
		toward[i] = float64(direction * shift[i])
	}
	left := direction * stat.Sum(shift)
	for order := newLargest(toward); len(order) > 0; {
		i := order.next()
		if left <= changed || toward[i] <= 0 {
			break
		}
		left -= toward[i]
		f.CarriedBy++
		if len(f.Carriers) < listedCarriers {
			f.Carriers = append(f.Carriers, Carrier{r.queries[g.subset[i]].ID, shift[i]})
		}
	}
	for _, gaps := range [][2]parts{{gap1, gap2}, {gap2, gap1}} {
		if n, ok := leaveOut(gaps[0], gaps[1], r.minEffect); ok && (f.LeaveOut == nil || n < *f.LeaveOut) {
			f.LeaveOut = &n
		}
	}
}

// parts takes a gap apart by query.
type parts struct {
	a, b stat.Column
	of   []float64 // contribution of each query; they sum to the gap
}

func newParts(a, b stat.Column) parts {
	p := parts{a: a, b: b, of: make([]float64, len(a.Num))}
	na, nb := float64(len(a.Num)), float64(len(b.Num))
	if a.Den != nil {
		na, nb = stat.Sum(a.Den), stat.Sum(b.Den)
	}
	for i := range p.of {
		p.of[i] = a.Num[i]/na - b.Num[i]/nb
	}
	return p
}

// leaveOut counts how few queries must be left out until two gaps are no flip,
// if the winner under the first is to change: the queries that favour it most go
// first. That is the least for means, unless the other winner changes at once.
func leaveOut(first, second parts, minEffect float64) (n int, ok bool) {
	left, other := newSums(first), newSums(second)
	influence := first.of
	if first.a.Den != nil {
		influence = left.influence(first)
	}
	leader := float64(decide.Sign(left.gap(), minEffect))
	favour := make([]float64, len(influence))
	for i, x := range influence {
		favour[i] = leader * x
	}
	order := newLargest(favour)
	for n := range len(favour) - 1 {
		i := order.next()
		left.leave(first, i)
		other.leave(second, i)
		if !left.defined() || !other.defined() {
			return 0, false
		}
		if verdict(left.gap(), other.gap(), minEffect) != verdictFlip {
			return n + 1, true
		}
	}
	return 0, false
}

// sums are the running sums of a gap while queries are left out.
type sums struct{ numA, denA, numB, denB float64 }

func newSums(p parts) sums {
	var s sums
	s.numA, s.denA = totals(p.a)
	s.numB, s.denB = totals(p.b)
	return s
}

func (s *sums) gap() float64 { return s.numA/s.denA - s.numB/s.denB }

func (s *sums) defined() bool { return s.denA > 0 && s.denB > 0 }

func (s *sums) leave(p parts, i int) {
	s.numA, s.denA = without(p.a, i, s.numA, s.denA)
	s.numB, s.denB = without(p.b, i, s.numB, s.denB)
}

// influence is how much each query moves a difference of ratios, to first order.
func (s *sums) influence(p parts) []float64 {
	out := make([]float64, len(p.of))
	for i := range out {
		a := p.a.Num[i] - float64(s.numA/s.denA*p.a.Den[i])
		b := p.b.Num[i] - float64(s.numB/s.denB*p.b.Den[i])
		out[i] = a/s.denA - b/s.denB
	}
	return out
}

func totals(c stat.Column) (num, den float64) {
	if c.Den == nil {
		return stat.Sum(c.Num), float64(len(c.Num))
	}
	return stat.Sum(c.Num), stat.Sum(c.Den)
}

func without(c stat.Column, i int, num, den float64) (float64, float64) {
	if c.Den == nil {
		return num - c.Num[i], den - 1
	}
	return num - c.Num[i], den - c.Den[i]
}
