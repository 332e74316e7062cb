package reference

import (
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// digest collects the statements of a session for its summary.
type digest struct {
	people []string
	turns  []tiaptest.Turn // that have text
	picks  []pick
}

type pick struct {
	note
	at int // in the order of the turns
}

// statementsInSummary is how many statements a summary has at most.
const statementsInSummary = 6

// add takes the fullest statement of a turn.
func (d *digest) add(t tiaptest.Turn, found []note) {
	if len(found) > 0 && found[0].weight >= 0 {
		d.picks = append(d.picks, pick{found[0], len(d.turns)})
	}
	d.turns = append(d.turns, t)
}

// memory is the summary: the fullest statements, in their order. It descends from
// every turn of the session as from a container, since each had a chance to be in
// it. A session in which nobody states anything has none.
func (d *digest) memory() (tiaptest.Memory, bool) {
	if len(d.picks) == 0 {
		return tiaptest.Memory{}, false
	}
	picks := slices.Clone(d.picks)
	slices.SortStableFunc(picks, func(a, b pick) int { return b.weight - a.weight })
	picks = picks[:min(len(picks), statementsInSummary)]
	slices.SortStableFunc(picks, func(a, b pick) int { return a.at - b.at })
	var b strings.Builder
	b.WriteString("Session")
	if t, ok := day(d.turns[0].Time); ok {
		b.WriteString(" on " + t.Format(onDay))
	}
	if len(d.people) > 0 {
		b.WriteString(" with " + strings.Join(d.people, " and "))
	}
	b.WriteString(":")
	for _, p := range picks {
		b.WriteString(" " + p.text)
		if !strings.ContainsAny(p.text[len(p.text)-1:], ".!") {
			b.WriteString(".")
		}
	}
	m := tiaptest.Memory{ID: d.turns[0].ID + "/" + summary, Form: summary, Text: b.String()}
	for _, t := range d.turns {
		m.Sources = append(m.Sources, tiaptest.Link{Turn: t.ID, Precision: "container"})
	}
	return m, true
}
