package tiaptest

import (
	"slices"

	"github.com/tiaptest/tiap/internal/decide"
)

// Flip says whether the winner of two systems differs between two targets.
type Flip struct {
	A      string `json:"-"`
	B      string `json:"-"`
	Metric string `json:"-"`

	Targets [2]string `json:"targets"`
	Verdict string    `json:"verdict"` // "same", "tie" or "flip"
	Grade   Grade     `json:"grade"`   // of a flip; none without tests or where labels are missing
	Shift   Gap       `json:"shift"`   // gap under the first target minus gap under the second

	// LeaveOut is how few queries must be left out until there is no flip, nil
	// when there is no flip or leaving queries out does not remove it. It is an
	// upper bound for ratios of sums, and where both winners change at once.
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

// verdict sums up two gaps. What a tie is and what a flip is, here and wherever winners
// are compared, says package decide.
func verdict(gap1, gap2, minEffect float64) string {
	first, second := decide.Sign(gap1, minEffect), decide.Sign(gap2, minEffect)
	switch {
	case decide.Flip(first, second):
		return verdictFlip
	case first == 0 || second == 0:
		return verdictTie
	}
	return verdictSame
}

// Grade says how far the statistics bear a flip out.
type Grade string

// The grades, weakest first. A flip that was not tested has none, nor has one between
// scores that lack labels (see [Labelled]).
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

// Flips returns the winner flips of the given metrics, or of all, those between
// the headline and a target beside it included. A flip under several metrics
// stands once for each.
func (a *Audit) Flips(metrics ...Metric) []Flip {
	var out []Flip
	for _, p := range a.report().Pairs {
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
