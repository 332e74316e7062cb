package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// biasBlocks say whether the queries that a target covers are the easier ones.
func (b *builder) biasBlocks() []block {
	if b.o.sensitivity == nil {
		return nil
	}
	t := table{
		caption: words("Are covered queries easier: what is known of the queries that a target covers and of the others, by ", b.studied(), b.clustered()),
		head:    columns("system", "covered under", "measured by", "covered#", "mean#", "others#", "mean#", "difference#", "95% CI", "p#"),
	}
	plot := forest{axis: "covered minus others"}
	clear := 0
	rows := byMetric(b.o.sensitivity.CoverageBias, b.studied(), func(c *sensitivity.CoverageBias) string { return c.Metric })
	slices.SortStableFunc(rows, func(x, y *sensitivity.CoverageBias) int {
		return cmp.Or(cmp.Compare(x.System, y.System), cmp.Compare(x.Answer, y.Answer))
	})
	for _, c := range rows {
		if c.Gap.Value == nil { // all queries are covered, or none of the others is known
			continue
		}
		by := words("answers, ", foreign(c.Answer))
		if c.Answer == "" {
			by = words("score under ", foreign(c.Base))
		}
		t.rows = append(t.rows, append(cells(foreign(c.System), foreign(c.Target), by, c.Covered, phrase.Decimals(c.CoveredMean), c.Uncovered, phrase.Decimals(c.UncoveredMean)), gapCells(c.Gap)...))
		row := forestRow{label: foreign(c.Target), value: *c.Gap.Value, tone: first}
		if row.value < 0 {
			row.tone = second
		}
		if len(c.Gap.CI) == 2 {
			row.ci = c.Gap.CI
			if row.ci[0] > 0 || row.ci[1] < 0 {
				clear++
			}
		}
		plot.add(words(foreign(c.System), ", ", by), row)
	}
	if len(t.rows) == 0 {
		return nil
	}
	left := plot.trim()
	return []block{figure{
		caption: words("Covered queries against the others by ", b.studied(), " or answers; right of 0 the covered ones are easier", left),
		alt:     fmt.Sprintf("%d %s; 0 lies outside the intervals of %d", len(t.rows), english.Noun(len(t.rows), "difference", "differences"), clear), plot: plot,
	}, t.limit(maxPairs)}
}
