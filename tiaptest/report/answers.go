package report

import (
	"fmt"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// answersSection says how far scores go with the quality of answers.
func (b *builder) answersSection() (section, error) {
	s := section{id: "answers", title: "Answers"}
	r := b.o.sensitivity
	if r == nil {
		return s, nil
	}
	if left := r.Strangers; left != nil {
		named := foreigns(left.First)
		if n := left.N - len(left.First); n > 0 {
			named = words(named, fmt.Sprintf(" and %d more", n))
		}
		s.blocks = append(s.blocks, paragraph{tone: warn, text: words(fmt.Sprintf("%d of %d answers %s no system and query of the scores and %s left out: ",
			left.N, left.Of, english.Noun(left.N, "fits", "fit"), english.Noun(left.N, "is", "are")), named, ".")})
	}
	if len(r.Alignment) == 0 {
		return s, nil
	}
	metric := b.studied()
	ranks := table{
		caption: words("Rank correlation of ", metric, " under a target with the quality of the answer: over the queries that the target covers, and over those that every main target covers", b.clustered()),
		head:    columns("system", "answer", "target", "n#", "Spearman#", "95% CI", "common n#", "Spearman#", "95% CI", "best"),
	}
	lifts := table{
		caption: words("How much better answers are where ", metric, " under a target is above 0", b.clustered()),
		head:    columns("system", "answer", "target", "hits#", "misses#", "lift#", "95% CI", "p#"),
	}
	plot := forest{axis: "rank correlation with the quality of answers"}
	drawn := 0
	for _, a := range byMetric(r.Alignment, metric, func(a *sensitivity.Alignment) string { return a.Metric }) {
		for _, x := range a.Targets {
			best := cell{text: words("-"), tone: muted}
			if a.Best != nil && *a.Best == x.Target {
				best = cell{text: words("best"), tone: good}
			}
			ranks.rows = append(ranks.rows, append(cells(foreign(a.System), foreign(a.Answer), foreign(x.Target), x.N, phrase.Decimals(x.Spearman), phrase.Interval(x.SpearmanCI),
				a.Common, phrase.Decimals(x.CommonSpearman), phrase.Interval(x.CommonSpearmanCI)), best))
			lifts.rows = append(lifts.rows, append(cells(foreign(a.System), foreign(a.Answer), foreign(x.Target), x.Hits, x.Misses), gapCells(x.Lift)...))
			if x.CommonSpearman == nil {
				continue
			}
			drawn++
			row := forestRow{label: foreign(x.Target), value: *x.CommonSpearman, ci: x.CommonSpearmanCI, tone: first}
			if row.value < 0 {
				row.tone = second
			}
			plot.add(words(foreign(a.System), ", ", foreign(a.Answer), fmt.Sprintf(", n %d", a.Common)), row)
		}
	}
	left := plot.trim()
	if drawn > 0 {
		s.blocks = append(s.blocks, figure{
			caption: words("Rank correlation of ", metric, " with the quality of answers, over the queries that every main target covers", left),
			alt:     fmt.Sprintf("%d correlations; their numbers are in the table below", drawn), plot: plot,
		})
	}
	if len(ranks.rows) > 0 {
		s.blocks = append(s.blocks, ranks.limit(maxPairs), lifts.limit(maxPairs))
	}
	matches := table{
		caption: words("Systems with the better answers, and whether ", metric, " under each target picks them too"),
		head:    append(columns("pair", "answer", "n#", "better answers"), targetColumns(r.Targets, false)...),
	}
	for _, m := range byMetric(r.WinnerMatches, metric, func(m *sensitivity.WinnerMatch) string { return m.Metric }) {
		better := cell{text: words("tie"), tone: muted}
		if m.AnswerWinner != nil {
			gap := *m.AnswerGap
			if *m.AnswerWinner == m.B {
				gap = -gap
			}
			better = cell{text: words(foreign(*m.AnswerWinner), " ", phrase.Signed(gap))}
		}
		row := cells(words(foreign(m.A), " - ", foreign(m.B)), foreign(m.Answer), m.N, better)
		for _, target := range r.Targets {
			c := named(m.Winners, target)
			if agrees := m.Matches[target]; agrees != nil && *agrees {
				c = cell{text: words(c.text, ", agrees"), tone: good}
			} else if agrees != nil {
				c = cell{text: words(c.text, ", disagrees"), tone: bad}
			}
			row = append(row, c)
		}
		matches.rows = append(matches.rows, row)
	}
	if len(matches.rows) > 0 {
		s.blocks = append(s.blocks, matches.limit(maxPairs))
	}
	return s, nil
}
