package report

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// Support adds how many of the contested credits of each system are supported, as
// labels say, and how far those who gave the labels agree.
func Support(ls *semantic.Labels, o semantic.Options) Option {
	return option{"Support", func(opts *options) { opts.labels, opts.counting = ls, o }}
}

// supportSection shows what the support labels say of contested credits.
func (b *builder) supportSection() (section, error) {
	s := section{id: "support", title: "Support"}
	if b.o.labels == nil {
		return s, nil
	}
	t := table{
		caption: words("Contested credits, which a target gives and raw does not, and what their support labels say"),
		head:    columns("system", "target", "contested#", "labelled#", "without a verdict#", "supported#", "share of labelled#", "95% CI"),
	}
	plot := bars{axis: "share of the contested credits", legend: []string{"supported", "not supported", "no label"}, judged: true}
	measured, err := b.support(b.Systems[:min(maxPerQuery, len(b.Systems))])
	if err != nil {
		return s, err
	}
	for _, m := range measured {
		row := cells(foreign(m.System), foreign(m.Target), m.Contested, m.Labelled, m.Ties, m.Supported)
		t.rows = append(t.rows, append(row, estimateCells(m.Share, phrase.Percent, false)...))
		if m.Contested > 0 {
			of := func(n int) float64 { return float64(n) / float64(m.Contested) }
			plot.rows = append(plot.rows, bar{
				label:  words(foreign(m.System), " ", foreign(m.Target)),
				shares: []float64{of(m.Supported), of(m.Labelled - m.Supported), of(m.Contested - m.Labelled)},
			})
		}
	}
	left := plot.trim()
	if len(plot.rows) > 0 {
		s.blocks = append(s.blocks, figure{
			caption: words("Contested credits by what their support labels say", left),
			alt:     fmt.Sprintf("%d bars, one for each system and target; their numbers are in the table below", len(plot.rows)), plot: plot,
		})
	}
	if len(t.rows) > 0 {
		s.blocks = append(s.blocks, t.limit(3*maxPairs))
	}
	judges, err := b.judgesBlocks()
	s.blocks = append(s.blocks, judges...)
	return s, err
}

// support measures the support of the contested credits of systems, by target.
func (b *builder) support(systems []system) ([]semantic.Support, error) {
	var out []semantic.Support
	for _, sys := range systems {
		for _, name := range b.targets() {
			if name == tiaptest.Raw.String() || slices.Contains(sys.Unavailable, name) {
				continue
			}
			m, err := semantic.Measure(b.a, sys.Name, b.target(name), b.o.labels, b.o.counting)
			if err != nil {
				return nil, fmt.Errorf("support labels: %w", err)
			}
			out = append(out, m)
		}
	}
	return out, nil
}
