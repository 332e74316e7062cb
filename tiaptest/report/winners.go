package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
)

// winnersSection holds the winners by target, by convention and by family.
func (b *builder) winnersSection() (section, error) {
	s := section{id: "winners", title: "Winners"}
	if len(b.Pairs) == 0 {
		return s, nil
	}
	if n := len(b.Systems); n > 3 {
		s.blocks = append(s.blocks, b.winnersFigure())
	}
	s.blocks = append(s.blocks, b.winnersTable(b.metric()))
	s.blocks = append(s.blocks, b.otherMetrics("Winners by other metrics", b.winnersTable)...)
	s.blocks = append(s.blocks, b.conventionBlocks()...)
	if t := b.recommendations(); len(t.rows) > 0 {
		s.blocks = append(s.blocks, t)
	}
	s.blocks = append(s.blocks, b.targetOrders()...)
	return s, nil
}

func (b *builder) winnersTable(metric string) table {
	t := table{caption: words("Winner of each pair and its lead by ", metric), head: append(columns("pair", "verdict", "n#"), targetColumns(b.targets(), false)...)}
	pairs := b.pairsBy(metric)
	for _, p := range pairs[:min(maxPairs, len(pairs))] {
		row := cells(pairName(p), b.pairVerdict(p), p.N)
		for _, target := range b.targets() {
			row = append(row, winnerCell(p, target))
		}
		t.rows = append(t.rows, row)
	}
	t.more = max(0, len(pairs)-maxPairs)
	return t
}

func pairName(p *tiaptest.Pair) text { return words(foreign(p.A), " - ", foreign(p.B)) }

// winnerCell names the winner of a pair under a target.
func winnerCell(p *tiaptest.Pair, target string) cell {
	g, ok := p.Gaps[target]
	switch {
	case !ok || g.Value == nil:
		return cell{text: words("-"), tone: muted}
	case p.Winners[target] == nil:
		return cell{text: words("tie"), tone: muted}
	case *p.Winners[target] == p.A:
		return cell{text: words(foreign(p.A), " ", phrase.Signed(*g.Value)), tone: first}
	}
	return cell{text: words(foreign(p.B), " ", phrase.Signed(-*g.Value)), tone: second}
}

// pairVerdict sums up a pair: the strongest grade of its flips, and how many of them
// are known, or what it is else.
func (b *builder) pairVerdict(p *tiaptest.Pair) cell {
	var top *tiaptest.Flip
	tie := false
	flips, known := 0, 0
	for i := range p.Flips {
		f := &p.Flips[i]
		tie = tie || f.Verdict == verdictTie
		if f.Verdict != verdictFlip {
			continue
		}
		flips++
		if _, ok := b.a.Known(*f); ok {
			known++
		}
		if top == nil || gradeRank(f.Grade) > gradeRank(top.Grade) {
			top = f
		}
	}
	switch {
	case top != nil && known == flips:
		return cell{text: words("flip (", grade(top), ")", phrase.Known(known, flips)), tone: warn}
	case top != nil:
		return cell{text: words("flip (", grade(top), ")", phrase.Known(known, flips)), tone: bad}
	case tie:
		return cell{text: words("tie"), tone: muted}
	case len(p.Flips) == 0:
		return cell{text: words("-"), tone: muted}
	}
	return cell{text: words("same"), tone: good}
}

// winnersFigure shows the winners of many pairs at a glance.
func (b *builder) winnersFigure() figure {
	var panels []matrixPanel
	var alt []string
	at := make(map[string]int)
	var names []text
	for i, s := range b.Systems {
		at[s.Name] = i
		names = append(names, foreign(s.Name))
	}
	pairs := b.pairsBy(b.metric())
	for _, target := range b.Settings.Targets {
		m := matrixPanel{title: foreign(target), leads: make([][]int8, len(names))}
		wins := make([]int, len(names))
		for i := range m.leads {
			m.leads[i] = make([]int8, len(names))
		}
		for _, p := range pairs {
			if p.Beside != "" || p.Winners[target] == nil {
				continue
			}
			i, j := at[p.A], at[p.B]
			if *p.Winners[target] == p.B {
				i, j = j, i
			}
			m.leads[i][j], m.leads[j][i] = 1, -1
			wins[i]++
		}
		best := slices.Index(wins, slices.Max(wins))
		alt = append(alt, fmt.Sprintf("under %s %s leads in %d of its %d pairs, the most", harmless.Clean(target, nameLength), names[best], wins[best], len(names)-1))
		panels = append(panels, m)
	}
	return figure{
		caption: words("Which system of a row leads which of a column by ", b.metric(), ", under each target"),
		alt:     strings.Join(alt, "; "), plot: matrix{names, panels},
	}
}

// conventionBlocks show the winners by other conventions of scoring.
func (b *builder) conventionBlocks() []block {
	keys := b.conventionKeys()
	if len(keys) == 0 {
		return nil
	}
	of := func(metric string) table {
		t := table{caption: words("Winner by ", metric, " under each convention: credit / uncovered units / population; the first is this audit's own"), head: columns("pair", "verdict", "target")}
		for _, k := range keys {
			t.head = append(t.head, column{words(strings.ReplaceAll(k, "/", " / ")), false})
		}
		for i := range b.Conventions {
			c := &b.Conventions[i]
			if c.Metric != metric {
				continue
			}
			verdict := agreement(c.Winners, c.Flip)
			if known := b.known(asFlip(c)).text; c.Flip && known != nil {
				verdict = cell{text: words(verdict.text, "; ", known), tone: b.flipTone(asFlip(c))}
			}
			row := cells(words(foreign(c.A), " - ", foreign(c.B)), verdict, foreign(c.Target))
			for _, k := range keys {
				row = append(row, conventionCell(c, k))
			}
			t.rows = append(t.rows, row)
		}
		return t.limit(maxPairs)
	}
	return append([]block{of(b.metric())}, b.otherMetrics("Conventions by other metrics", of)...)
}

// asFlip is a flip between conventions as known findings have it: of one target.
func asFlip(c *convention) *tiaptest.Flip {
	return &tiaptest.Flip{A: c.A, B: c.B, Metric: c.Metric, Targets: [2]string{c.Target, c.Target}}
}

// otherMetrics folds the tables of all metrics but the first into one group.
func (b *parsed) otherMetrics(title string, of func(metric string) table) []block {
	g := group{title: words(title), folded: true}
	for _, m := range b.Settings.Metrics[1:] {
		g.blocks = append(g.blocks, of(m))
	}
	if len(g.blocks) == 0 {
		return nil
	}
	return []block{g}
}

func conventionCell(c *convention, key string) cell {
	gap, w := c.Gaps[key], c.Winners[key]
	switch {
	case gap == nil:
		return cell{text: words("-"), tone: muted}
	case w == nil:
		return cell{text: words("tie"), tone: muted}
	case *w == c.A:
		return cell{text: words(foreign(c.A), " ", phrase.Signed(*gap)), tone: first}
	}
	return cell{text: words(foreign(c.B), " ", phrase.Signed(-*gap)), tone: second}
}

func (b *builder) recommendations() table {
	t := table{caption: words("Recommended member of each family"), head: append(columns("family", "verdict", "metric", "n#"), targetColumns(b.Settings.Targets, false)...)}
	for _, r := range b.Recommendations {
		winners := maps.Clone(r.Winners)
		if r.N == 0 { // where nothing is compared there is no winner, which is no tie
			maps.DeleteFunc(winners, func(_ string, w *string) bool { return w == nil })
		}
		verdict := agreement(winners, r.Flip)
		if b.knownPicks(&r) {
			verdict = cell{text: words(verdict.text, phrase.Known(1, 1)), tone: warn}
		}
		row := cells(foreign(r.Family), verdict, r.Metric, r.N)
		for _, target := range b.Settings.Targets {
			w, ok := winners[target]
			switch {
			case !ok:
				row = append(row, cell{text: words("-"), tone: muted})
			case w == nil:
				row = append(row, cell{text: words("tie"), tone: muted})
			default:
				row = append(row, cell{text: foreign(*w)})
			}
		}
		t.rows = append(t.rows, row)
	}
	return t.limit(maxPairs)
}

// knownPicks reports whether a family is recommended by members whose flips are all
// known, by the rule that such findings are for.
func (b *builder) knownPicks(r *tiaptest.Recommendation) bool {
	metric, err := tiaptest.ParseMetric(r.Metric)
	if !r.Flip || err != nil {
		return false
	}
	vs := tiaptest.StableRecommendation(r.Family, metric).Verify(b.a)
	return len(vs) > 0 && !slices.ContainsFunc(vs, func(v tiaptest.Violation) bool { return !v.Note })
}

// agreement says whether winners are the same: a tie beside a winner is neither the
// same nor another winner.
func agreement(winners map[string]*string, flip bool) cell {
	switch {
	case flip:
		return cell{text: words("differs"), tone: bad}
	case len(winners) == 0:
		return cell{text: words("-"), tone: muted}
	}
	for _, w := range winners {
		if w == nil {
			return cell{text: words("tie"), tone: muted}
		}
	}
	return cell{text: words("same"), tone: good}
}

// targetOrders lists the orders of the first metric, of the targets that all systems
// have, in one line when all have the same.
func (b *builder) targetOrders() []block {
	own := slices.DeleteFunc(slices.Clone(b.TargetOrders), func(o auditjson.TargetOrder) bool { return o.Metric != b.metric() })
	common := auditjson.CommonTargets(own)
	left := "" // what is left out
	if !slices.EqualFunc(own, common, func(o, c auditjson.TargetOrder) bool { return slices.Equal(o.Order, c.Order) }) {
		left = ", without targets that some system has no score under"
	}
	t := table{caption: words("Order in which the targets score each system by ", b.metric(), left, ": what a target changes depends on the system"), head: columns("system", "order")}
	var orders []string
	for _, o := range common {
		orders = append(orders, strings.Join(o.Order, " > "))
		t.rows = append(t.rows, cells(foreign(o.System), quoted(strings.Join(o.Order, " > "))))
	}
	slices.Sort(orders)
	switch orders = slices.Compact(orders); len(orders) {
	case 0:
		return nil
	case 1:
		return []block{paragraph{text: words("The targets score every system in one order by ", b.metric(), left, ": ", quoted(orders[0]), ".")}}
	}
	return []block{t.limit(maxPairs)}
}
