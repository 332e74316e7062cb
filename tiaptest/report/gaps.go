package report

import (
	"fmt"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
)

// gapsSection shows the gaps of the first metric with their intervals.
func (b *builder) gapsSection() (section, error) {
	s := section{id: "gaps", title: "Gaps"}
	pairs := b.pairsBy(b.metric())
	if len(pairs) == 0 {
		return s, nil
	}
	level := phrase.Level(b.Settings.Alpha)
	t := table{
		caption: words("Gap of each pair by ", b.metric(), ": score of the first system minus score of the second, with its ", level, " interval; p is adjusted over pairs and targets"),
		head:    columns("pair", "target", "gap#", level+" CI", "p adj#"),
	}
	plot := forest{axis: "gap by " + b.metric()}
	clear, rows := 0, 0
	for i, p := range pairs {
		group := forestGroup{label: pairName(p)}
		for _, target := range b.targets() {
			g, ok := p.Gaps[target]
			if !ok || g.Value == nil {
				continue
			}
			t.rows = append(t.rows, cells(pairName(p), foreign(target), phrase.Signed(*g.Value), phrase.Interval(g.CI), phrase.P(g.PAdj)))
			if i >= maxForest {
				continue
			}
			row := forestRow{label: foreign(target), value: *g.Value, tone: winnerCell(p, target).tone}
			if len(g.CI) == 2 {
				row.ci = g.CI
			}
			group.rows = append(group.rows, row)
			rows++
			if row.ci != nil && (row.ci[0] > 0 || row.ci[1] < 0) {
				clear++
			}
		}
		if len(group.rows) > 0 {
			plot.groups = append(plot.groups, group)
		}
	}
	caption := words("Gaps by ", b.metric(), " with their ", level, " intervals; right of 0 the first system of a pair leads")
	if n := len(pairs) - maxForest; n > 0 {
		caption = words(caption, fmt.Sprintf("; %d further pairs are not drawn", n))
	}
	if len(plot.groups) > 0 {
		s.blocks = append(s.blocks, figure{caption: caption, alt: fmt.Sprintf("%d %s; 0 lies outside the intervals of %d", rows, english.Noun(rows, "gap", "gaps"), clear), plot: plot})
		s.blocks = append(s.blocks, group{title: words("Gaps as a table"), folded: true, numbers: true, blocks: []block{t.limit(3 * maxPairs)}})
	}
	return s, nil
}
