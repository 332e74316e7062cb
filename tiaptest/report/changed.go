package report

import (
	"fmt"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// changedSection says how many queries score differently under another target.
func (b *builder) changedSection() (section, error) {
	s := section{id: "changed", title: "Changed queries"}
	if b.o.sensitivity == nil {
		return s, nil
	}
	of := func(metric string, categories bool) table {
		caption := words("Queries whose ", metric, " differs between two targets, of those covered under both")
		t := table{caption: caption, head: columns("system", "targets", "n#", "changed#", "share#", "by 0.1 or more#", "share#", "mean |shift|#", "mean shift#")}
		if categories {
			t.caption = words(caption, ", by category")
			t.head = append(columns("category"), t.head...)
		}
		for _, c := range byMetric(b.o.sensitivity.Changes, metric, func(c *sensitivity.Change) string { return c.Metric }) {
			if (c.Category != "") != categories {
				continue
			}
			var row []cell
			if categories {
				row = cells(foreign(c.Category))
			}
			shift := "-"
			if c.MeanShift != nil {
				shift = phrase.Signed(*c.MeanShift)
			}
			t.rows = append(t.rows, append(row, cells(foreign(c.System), targetPair(c.Targets), c.N, c.Changed, phrase.Percent(c.ChangedShare),
				c.Large, phrase.Percent(c.LargeShare), phrase.Decimals(c.MeanAbs), shift)...))
		}
		return t.limit(maxPairs)
	}
	main := of(b.studied(), false)
	if len(main.rows) == 0 {
		return s, nil
	}
	s.blocks = []block{main}
	var others []block
	for _, m := range b.studiedMetrics() {
		if t := of(m, false); m != b.studied() && len(t.rows) > 0 {
			others = append(others, t)
		}
	}
	if len(others) > 0 {
		s.blocks = append(s.blocks, group{title: words(fmt.Sprintf("Changed queries by %d other %s", len(others), english.Noun(len(others), "metric", "metrics"))), folded: true, blocks: others})
	}
	if t := of(b.studied(), true); len(t.rows) > 0 {
		s.blocks = append(s.blocks, group{title: words("Changed queries by category"), folded: true, blocks: []block{t}})
	}
	return s, nil
}
