package report

import "fmt"

// coverageSection shows the share of the queries that each target covers.
func (b *builder) coverageSection() (section, error) {
	s := section{id: "coverage", title: "Coverage"}
	t := table{caption: words("Queries with an eligible stored memory"), head: append(columns("system"), targetColumns(b.targets(), true)...)}
	plot := bars{axis: "share of the queries that are covered"}
	var low *bar
	for _, sys := range b.Systems {
		row := cells(foreign(sys.Name))
		for _, target := range b.targets() {
			n, ok := sys.Covered[target]
			if !ok {
				row = append(row, cell{text: words("unavailable"), tone: warn})
				continue
			}
			share := float64(n) / float64(max(1, b.scorable()))
			c := cell{text: words(fmt.Sprintf("%d (%.1f%%)", n, 100*share))}
			if n == 0 {
				c.tone = warn
			}
			row = append(row, c)
			plot.rows = append(plot.rows, bar{label: words(foreign(sys.Name), " ", foreign(target)), shares: []float64{share}})
			if last := &plot.rows[len(plot.rows)-1]; low == nil || share < low.shares[0] {
				low = &bar{label: last.label, shares: last.shares}
			}
		}
		t.rows = append(t.rows, row)
	}
	if low != nil {
		s.blocks = append(s.blocks, figure{
			caption: words(fmt.Sprintf("Share of the %d scorable queries that each target covers", b.scorable())),
			alt:     fmt.Sprintf("%d bars; the lowest is %s at %.1f%%", len(plot.rows), low.label, 100*low.shares[0]), plot: plot,
		})
	}
	s.blocks = append(s.blocks, t)
	s.blocks = append(s.blocks, b.biasBlocks()...)
	if len(b.Stale) > 0 {
		t := table{caption: words("Outdated memories in the rankings, and those of them above every current one"), head: columns("system", "target", "outdated hits#", "above current#")}
		for _, x := range b.Stale {
			t.rows = append(t.rows, cells(foreign(x.System), foreign(x.Target), x.Stale, x.Above))
		}
		s.blocks = append(s.blocks, t.limit(maxPairs))
	}
	return s, nil
}
