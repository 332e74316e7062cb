package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
)

// flipsSection lists the winner flips and what carries the first of them.
func (b *builder) flipsSection() (section, error) {
	s := section{id: "flips", title: "Winner flips"}
	flips := b.flips()
	if len(flips) == 0 {
		return s, nil
	}
	t := table{caption: words("Winner flips: the sign of the gap differs between two targets on the same rankings and queries"),
		head: columns("metric", "grade", "target", "picks", "target", "picks", "shift#", phrase.Level(b.Settings.Alpha)+" CI", "p#", "leave out#", "carried by#")}
	known := slices.ContainsFunc(flips, func(f *tiaptest.Flip) bool { return b.known(f).text != nil })
	if known {
		t.head = append(t.head, columns("known")...)
	}
	for _, f := range flips[:min(maxFlips, len(flips))] {
		p := b.pairOf(f)
		leave := words("-")
		if f.LeaveOut != nil {
			leave = words(*f.LeaveOut)
		}
		t0, t1 := f.Targets[0], f.Targets[1]
		row := cells(f.Metric, cell{text: words(grade(f)), tone: b.flipTone(f)}, foreign(t0), pick(p, t0), foreign(t1), pick(p, t1),
			phrase.Signed(*f.Shift.Value), phrase.Interval(f.Shift.CI), phrase.P(f.Shift.P), leave, f.CarriedBy)
		if known {
			row = append(row, b.known(f))
		}
		t.rows = append(t.rows, row)
	}
	t.more = max(0, len(flips)-maxFlips)
	s.blocks = append(s.blocks, t, paragraph{text: words("Decisive: both gaps are significant with opposite signs. Likely: the shift between the targets is. Fragile: neither. ",
		"Leave out: so few queries must go for the flip to vanish.")})
	for i, f := range flips[:min(fullFlips, len(flips))] {
		g, err := b.carriers(f)
		if err != nil {
			return s, err
		}
		g.folded = i > 0
		s.blocks = append(s.blocks, g)
	}
	if n := len(flips) - fullFlips; n > 0 {
		s.blocks = append(s.blocks, paragraph{text: words(fmt.Sprintf("The queries that carry the other %d flips are in the JSON report.", n))})
	}
	return s, nil
}

// known says why a flip is known, or that it was, in a cell without text if neither.
func (b *builder) known(f *tiaptest.Flip) cell {
	text, holds := b.a.Known(*f)
	switch {
	case text == "":
		return cell{}
	case holds:
		return cell{text: quoted(text), tone: muted}
	}
	return cell{text: quoted(text), tone: bad}
}

// flipTone is that of a flip: one that is known need only be known.
func (b *builder) flipTone(f *tiaptest.Flip) tone {
	if _, known := b.a.Known(*f); known {
		return warn
	}
	return bad
}

// pick is the system that a target picks.
func pick(p *tiaptest.Pair, target string) cell {
	c := winnerCell(p, target)
	return cell{text: foreign(*p.Winners[target]), tone: c.tone}
}

// carriers shows the queries with the largest contributions to a flip.
func (b *builder) carriers(f *tiaptest.Flip) (group, error) {
	p := b.pairOf(f)
	g := group{title: words("Flip: ", b.flipSentence(p, f))}
	if known := b.known(f).text; known != nil {
		g.title = words(g.title, "; ", known)
	}
	text := words(fmt.Sprintf("Carried by %d %s of %d", f.CarriedBy, english.Noun(f.CarriedBy, "query", "queries"), p.N))
	if f.LeaveOut != nil {
		text = words(text, fmt.Sprintf("; leaving out %d removes it", *f.LeaveOut))
	}
	g.blocks = append(g.blocks, paragraph{text: words(text, ".")})
	for _, c := range f.Carriers[:min(fullCarriers, len(f.Carriers))] {
		blocks, err := b.carrier(f, c)
		if err != nil {
			return g, err
		}
		g.blocks = append(g.blocks, blocks...)
	}
	if n := f.CarriedBy - fullCarriers; n > 0 {
		g.blocks = append(g.blocks, paragraph{text: words(fmt.Sprintf("And %d more %s.", n, english.Noun(n, "query", "queries")))})
	}
	return g, nil
}

// carrier shows one query with both rankings.
func (b *builder) carrier(f *tiaptest.Flip, c tiaptest.Carrier) ([]block, error) {
	q, ok := b.a.Query(c.Query)
	if !ok {
		return []block{paragraph{text: words("Query ", foreign(c.Query))}}, nil
	}
	head := words(strong("Query"), " ", foreign(q.ID))
	if q.Text != "" {
		head = words(head, ": ", quoted(q.Text))
	}
	items := list{words("contributes ", phrase.Signed(c.Shift), " to the shift")}
	if q.Category != "" {
		items = append(items, words("category ", foreign(q.Category)))
	}
	for _, u := range q.Evidence {
		item := words("gold ", foreign(strings.Join(u.Turns, " or ")))
		if t, ok := b.a.Turn(u.Turns[0]); ok && t.Text != "" {
			item = words(item, ": ")
			if t.Speaker != "" {
				item = words(item, foreign(t.Speaker), ": ")
			}
			item = words(item, quoted(t.Text))
		}
		items = append(items, item)
	}
	if q.Answer != "" {
		items = append(items, words("answer ", quoted(q.Answer)))
	}
	if command := b.a.ExplainCommand(q.ID); command != "" {
		items = append(items, words("look: ", quoted(command)))
	}
	var pair beside
	for i, name := range []string{f.A, f.B} {
		t, err := b.ranking(name, q.ID, f.Targets)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			pair.left = t
		} else {
			pair.right = t
		}
	}
	return []block{paragraph{text: head}, items, pair}, nil
}

// How many ranks are shown in any case, and how many of those that earn further
// down.
const (
	firstRanks  = 8
	creditRanks = 5
)

// ranking is a system's ranking of a query, with what two targets give.
func (b *builder) ranking(system, query string, targets [2]string) (table, error) {
	t := table{caption: words("Ranking of ", foreign(system)), head: columns("rank#", "memory")}
	t.head = append(t.head, targetColumns(targets[:], true)...)
	places, err := b.a.Ranked(system, query)
	if err != nil {
		return t, err
	}
	all := b.targets()
	at := [2]int{slices.Index(all, targets[0]), slices.Index(all, targets[1])}
	credited := 0
	for _, p := range places {
		eligible := p.Eligible[at[0]] || p.Eligible[at[1]]
		if p.Rank > firstRanks {
			if !eligible || credited == creditRanks {
				continue
			}
			credited++
		}
		memory := foreign(p.Memory.ID)
		if p.Memory.Form != "" {
			memory = words(memory, " (", foreign(p.Memory.Form), ")")
		}
		if p.Memory.Text != "" {
			memory = words(memory, ": ", text{{s: harmless.Clean(p.Memory.Text, 2*nameLength), foreign: true}})
		}
		row := cells(p.Rank, memory)
		for _, i := range at {
			row = append(row, earned(p, i))
		}
		t.rows = append(t.rows, row)
	}
	if n := len(places) - len(t.rows); n > 0 {
		t.caption = words(t.caption, fmt.Sprintf(" (%d of %d ranks)", len(t.rows), len(places)))
	}
	if len(places) == 0 {
		t.caption = words(t.caption, " (empty)")
	}
	return t, nil
}

// earned says what a place earns under a target: "eligible" when the target credits
// the memory and it earns nothing, as its evidence was credited before.
func earned(p tiaptest.Ranked, target int) cell {
	switch {
	case p.Gains[target] > 0:
		return cell{text: words(fmt.Sprintf("+%g", p.Gains[target])), tone: good}
	case p.Eligible[target]:
		return cell{text: words("eligible"), tone: muted}
	}
	return cell{text: words("-"), tone: muted}
}
