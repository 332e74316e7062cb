package report

import (
	"fmt"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// powerSection says what gap the queries can show.
func (b *builder) powerSection() (section, error) {
	s := section{id: "power", title: "Power"}
	r := b.o.sensitivity
	if r == nil {
		return s, nil
	}
	t := table{
		caption: words("Smallest gap that the shared queries show at a level of 0.05 and a power of 0.8, by ", b.studied(), b.clustered()),
		head:    columns("pair", "target", "n#", "gap#", "smallest#", "queries needed#"),
	}
	plot := forest{axis: "gap by " + b.studied()}
	drawn, shown := 0, 0
	for _, p := range byMetric(r.Power, b.studied(), func(p *sensitivity.Power) string { return p.Metric }) {
		needed := "-"
		switch {
		case p.Needed == nil:
		case *p.Needed < 1_000_000: // longer numbers could pass for a commit
			needed = fmt.Sprint(*p.Needed)
		default:
			needed = "a million or more"
		}
		pair := words(foreign(p.A), " - ", foreign(p.B))
		t.rows = append(t.rows, cells(pair, foreign(p.Target), p.N, phrase.Decimals(p.Gap), phrase.Decimals(p.Smallest), needed))
		if p.Smallest == nil {
			continue
		}
		row := forestRow{label: foreign(p.Target), value: *p.Gap, ci: []float64{-*p.Smallest, *p.Smallest}, tone: muted, title: "smallest that shows " + phrase.Decimals(p.Smallest)}
		if *p.Gap >= *p.Smallest || -*p.Gap >= *p.Smallest {
			row.tone = first
			shown++
		}
		drawn++
		plot.add(pair, row)
	}
	left := plot.trim()
	if drawn > 0 {
		s.blocks = append(s.blocks, figure{
			caption: words("Gaps (marks) and the gaps that the shared queries are too few to show (lines), by ", b.studied(), left),
			alt:     fmt.Sprintf("%d %s, of which %d lie beyond the smallest that the queries show", drawn, english.Noun(drawn, "gap", "gaps"), shown), plot: plot,
		})
	}
	if len(t.rows) > 0 {
		s.blocks = append(s.blocks, t.limit(maxPairs))
	}
	return s, nil
}
