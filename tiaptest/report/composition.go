package report

import (
	"fmt"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// Composition adds by how many memories queries pass whose evidence is spread, and
// how far credit spreads from single memories. Each must come from [semantic.Compose]
// on the same audit.
func Composition(list ...*semantic.Composition) Option {
	return option{"Composition", func(o *options) { o.composition = list }}
}

// compositionSection shows what passes are made of.
func (b *builder) compositionSection() (section, error) {
	s := section{id: "composition", title: "Composition"}
	passes := table{
		caption: words("Queries with two covered evidence units or more: those that pass, with every unit credited within the depth, and by how many memories"),
		head:    columns("system", "target", "queries#", "pass#", "share#", "by one single memory#", "share of passes#", "with distinct memories#", "share of passes#"),
	}
	spread := table{
		caption: words("How far credit spreads from memories, by the precision of their best link to the evidence"),
		head:    columns("system", "target", "links", "memories that earn#", "credits#", "units credited#", "most units of a credit#", "most queries of a memory#", "credits of a memory, mean#"),
	}
	plot := bars{axis: "share of the passes that one single memory makes"}
	for _, c := range b.o.composition {
		passes.rows = append(passes.rows, cells(foreign(c.System), foreign(c.Target), c.Queries, c.Passed, part(c.Passed, c.Queries),
			c.Single, part(c.Single, c.Passed), c.Distinct, part(c.Distinct, c.Passed)))
		if c.Passed > 0 {
			plot.rows = append(plot.rows, bar{label: words(foreign(c.System), " ", foreign(c.Target)), shares: []float64{float64(c.Single) / float64(c.Passed)}})
		}
		for _, f := range c.FanOut {
			spread.rows = append(spread.rows, cells(foreign(c.System), foreign(c.Target), f.Precision, f.Memories, f.Credits, f.Units, f.MaxUnits, f.MaxQueries, fmt.Sprintf("%.2f", f.PerMemory)))
		}
	}
	left := plot.trim()
	if len(plot.rows) > 0 {
		s.blocks = append(s.blocks, figure{
			caption: words("Passes of queries with spread evidence that come from one single memory", left),
			alt:     fmt.Sprintf("%d bars, one for each system and target; their numbers are in the table below", len(plot.rows)), plot: plot,
		})
	}
	for _, t := range []table{passes, spread} {
		if len(t.rows) > 0 {
			s.blocks = append(s.blocks, t.limit(maxPairs))
		}
	}
	return s, nil
}

// part is a share of n in percent.
func part(of, n int) string {
	if n == 0 {
		return "-"
	}
	share := float64(of) / float64(n)
	return phrase.Percent(&share)
}
