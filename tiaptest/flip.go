package tiaptest

import (
	"cmp"
	"slices"

	"github.com/tiaptest/tiap/internal/stat"
)

// Flip says whether the winner of two systems differs between two targets.
type Flip struct {
	A      string `json:"-"`
	B      string `json:"-"`
	Metric string `json:"-"`

	Targets [2]string `json:"targets"`
	Verdict string    `json:"verdict"` // "same", "tie" or "flip"
	Grade   Grade     `json:"grade"`   // of a flip; none without tests
	Shift   Gap       `json:"shift"`   // gap under the first target minus gap under the second

	// LeaveOut is how few queries must be left out for the flip to vanish, nil
	// when there is no flip or leaving queries out does not remove it.
	LeaveOut *int `json:"leave_out"`

	// CarriedBy is the number of queries with the largest contributions without
	// which no shift would remain; Carriers are the first hundred of them,
	// largest first.
	CarriedBy int       `json:"carried_by"`
	Carriers  []Carrier `json:"carriers"`
}

// Carrier is a query with its contribution to a shift.
type Carrier struct {
	Query string  `json:"query"`
	Shift float64 `json:"shift"`
}

// listedCarriers is how many carriers of a flip an audit lists.
const listedCarriers = 100

const (
	verdictSame = "same"
	verdictTie  = "tie"
	verdictFlip = "flip"
)

// verdict decides whether two gaps name different winners. A gap within the
// minimum effect names none.
func verdict(gap1, gap2, minEffect float64) string {
	s1, s2 := sign(gap1, minEffect), sign(gap2, minEffect)
	switch {
	case s1 == 0 || s2 == 0:
		return verdictTie
	case s1 != s2:
		return verdictFlip
	}
	return verdictSame
}

// sign is 0 for a gap within the minimum effect.
func sign(gap, minEffect float64) int {
	switch {
	case gap > minEffect:
		return 1
	case gap < -minEffect:
		return -1
	}
	return 0
}

// Grade says how far the statistics bear a flip out.
type Grade string

// The grades, weakest first. A flip that was not tested has none.
const (
	Fragile  Grade = "fragile"  // neither of the below
	Likely   Grade = "likely"   // the shift between the targets is significant
	Decisive Grade = "decisive" // both gaps are significant after Holm, with opposite signs
)

func (g Grade) rank() int { return slices.Index([]Grade{Fragile, Likely, Decisive}, g) }

// MarshalJSON writes null for no grade.
func (g Grade) MarshalJSON() ([]byte, error) {
	if g == "" {
		return []byte("null"), nil
	}
	return []byte(`"` + g + `"`), nil
}

// grade grades a flip, whose gaps have opposite signs.
func grade(first, second, shift Gap, alpha float64) Grade {
	significant := func(p *float64) bool { return p != nil && *p < alpha }
	switch {
	case significant(first.PAdj) && significant(second.PAdj):
		return Decisive
	case significant(shift.P):
		return Likely
	}
	return Fragile
}

// carry finds the queries that carry a flip and how few of them must be left out.
func (r *results) carry(f *Flip, c comparison, m int, g *resampledColumns, t, u int) {
	at := func(s *scored, t int) stat.Column { return g.columns[columnKey{s, t, m}] }
	gap1 := newParts(at(c.a, t), at(c.b, t))
	gap2 := newParts(at(c.a, u), at(c.b, u))
	direction := 1.0
	if *f.Shift.Value < 0 {
		direction = -1
	}
	shift := make([]float64, len(c.subset))
	order := make([]int, len(c.subset))
	for i := range shift {
		shift[i] = gap1.of[i] - gap2.of[i]
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(float64(direction*shift[j]), float64(direction*shift[i]))
	})
	left := direction * stat.Sum(shift)
	for _, i := range order {
		if left <= changed || float64(direction*shift[i]) <= 0 {
			break
		}
		left -= float64(direction * shift[i])
		f.CarriedBy++
		if len(f.Carriers) < listedCarriers {
			f.Carriers = append(f.Carriers, Carrier{r.queries[c.subset[i]].ID, shift[i]})
		}
	}
	n1, ok1 := gap1.leaveOut(r.minEffect)
	n2, ok2 := gap2.leaveOut(r.minEffect)
	switch {
	case ok1 && ok2:
		n1 = min(n1, n2)
		f.LeaveOut = &n1
	case ok1:
		f.LeaveOut = &n1
	case ok2:
		f.LeaveOut = &n2
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

// leaveOut counts how few queries must be left out until the gap is no longer
// beyond the minimum effect on its side: the ones that favour the leader most
// go first, which is exact for means. For ratios of sums the order is by the
// influence on the ratios, and the count an upper bound.
func (p parts) leaveOut(minEffect float64) (n int, ok bool) {
	influence := p.of
	numA, denA := totals(p.a)
	numB, denB := totals(p.b)
	if p.a.Den != nil {
		influence = make([]float64, len(p.of))
		for i := range influence {
			influence[i] = (p.a.Num[i]-float64(numA/denA*p.a.Den[i]))/denA - (p.b.Num[i]-float64(numB/denB*p.b.Den[i]))/denB
		}
	}
	leader := sign(numA/denA-numB/denB, minEffect)
	if leader == 0 {
		return 0, true
	}
	order := make([]int, len(p.of))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(float64(leader)*influence[j], float64(leader)*influence[i])
	})
	for n, i := range order[:max(0, len(order)-1)] {
		numA, denA = without(p.a, i, numA, denA)
		numB, denB = without(p.b, i, numB, denB)
		if denA <= 0 || denB <= 0 {
			return 0, false
		}
		if sign(numA/denA-numB/denB, minEffect) != leader {
			return n + 1, true
		}
	}
	return 0, false
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

// Flips returns the winner flips of the given metrics, or of all, those between
// the headline and a target beside it included. A flip under several metrics
// stands once for each.
func (a *Audit) Flips(metrics ...Metric) []Flip {
	var out []Flip
	for _, p := range a.report.Pairs {
		if len(metrics) > 0 && !slices.ContainsFunc(metrics, func(m Metric) bool { return m.String() == p.Metric }) {
			continue
		}
		for _, f := range p.Flips {
			if f.Verdict == verdictFlip {
				out = append(out, f)
			}
		}
	}
	return out
}
