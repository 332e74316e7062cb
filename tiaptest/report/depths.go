package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// depthsSection draws the scores at several depths, when they are given.
func (b *builder) depthsSection() (section, error) {
	s := section{id: "depths", title: "Depths"}
	if b.o.sensitivity == nil {
		return s, nil
	}
	depths := slices.Clone(b.o.sensitivity.Depths)
	base, _, _ := strings.Cut(b.metric(), "@")
	slices.SortStableFunc(depths, func(x, y sensitivity.Depth) int {
		return cmp.Compare(boolInt(y.Metric == base), boolInt(x.Metric == base))
	})
	t := table{caption: words("Scores by depth of retrieval"), head: append(columns("system", "metric", "depth#", "n#"), targetColumns(b.targets(), true)...)}
	plots := 0
	for _, d := range depths {
		plot := lines{x: "depth", y: d.Metric}
		for _, target := range b.targets() {
			line := line{name: foreign(target)}
			for _, c := range d.Cuts {
				if v := c.Scores[target]; v != nil {
					line.points = append(line.points, [2]float64{float64(c.K), *v})
				}
			}
			if len(line.points) > 1 {
				plot.lines = append(plot.lines, line)
			}
		}
		for _, c := range d.Cuts {
			row := cells(foreign(d.System), foreign(d.Metric), c.K, c.N)
			for _, target := range b.targets() {
				row = append(row, cell{text: words(phrase.Decimals(c.Scores[target]))})
			}
			t.rows = append(t.rows, row)
		}
		if len(plot.lines) > 0 && plots < maxDepths && d.Metric == base {
			plots++
			var alt []string
			for _, l := range plot.lines {
				from, to := l.points[0], l.points[len(l.points)-1]
				alt = append(alt, fmt.Sprintf("%s %.4f at depth %g, %.4f at depth %g", l.name, from[1], from[0], to[1], to[0]))
			}
			s.blocks = append(s.blocks, figure{caption: words(d.Metric, " of ", foreign(d.System), " by depth"), alt: strings.Join(alt, "; "), plot: plot})
		}
	}
	if len(t.rows) > 0 {
		s.blocks = append(s.blocks, group{title: words("Depths as a table"), folded: true, numbers: true, blocks: []block{t.limit(3 * maxPairs)}})
	}
	return s, nil
}
