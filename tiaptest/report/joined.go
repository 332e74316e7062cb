package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// joinedSection shows what is left of a comparison when targets are joined into one
// score, or queries on which they disagree are left out.
func (b *builder) joinedSection() (section, error) {
	s := section{id: "joined", title: "Targets joined and filtered"}
	r := b.o.sensitivity
	if r == nil || len(r.Systems) < 2 {
		return s, nil
	}
	t := table{
		caption: words("Winner by ", b.studied(), " when the scores under all targets are joined into one, on the queries that all systems share: it overrules the targets that pick another one; rank is the mean rank, of which the lowest leads"),
		head:    columns("joined by", "n#", "winner", "overrules"),
	}
	aggregations := byMetric(r.Aggregations, b.studied(), func(a *sensitivity.Aggregation) string { return a.Metric })
	var shown []string
	if len(aggregations) > 0 && len(aggregations[0].Scores) <= maxMembers {
		shown = slices.Sorted(maps.Keys(aggregations[0].Scores))
	}
	for _, name := range shown {
		t.head = append(t.head, column{foreign(name), true})
	}
	for _, a := range aggregations {
		overrules := cell{text: words("none"), tone: good}
		if len(a.Overrules) > 0 {
			overrules = cell{text: foreigns(a.Overrules), tone: bad}
		}
		winner := cell{text: words("tie"), tone: muted}
		if a.Winner != nil {
			winner = cell{text: foreign(*a.Winner)}
		} else if len(a.Overrules) == 0 {
			overrules = cell{text: words("-"), tone: muted}
		}
		row := cells(a.Rule, a.N, winner, overrules)
		for _, name := range shown {
			row = append(row, cell{text: words(phrase.Decimals(a.Scores[name]))})
		}
		t.rows = append(t.rows, row)
	}
	if len(t.rows) > 0 {
		s.blocks = append(s.blocks, t)
	}
	agreements := byMetric(r.Agreement, b.studied(), func(a *sensitivity.Agreement) string { return a.Metric })
	if len(agreements) == 0 {
		return s, nil
	}
	winners := table{
		caption: words("Winners by ", b.studied(), " over all shared queries, and over those alone on which the targets agree in every system"),
		head:    append(columns("queries", "n#", "share#"), targetColumns(r.Targets, false)...),
	}
	row := func(name string, n int, share string, of map[string]*string) {
		line := cells(name, n, share)
		if n == 0 { // nobody wins, and there is no tie either
			of = nil
		}
		for _, target := range r.Targets {
			line = append(line, named(of, target))
		}
		winners.rows = append(winners.rows, line)
	}
	row("every shared one", agreements[0].N, "100.0%", agreements[0].Winners)
	spreads := table{
		caption: words("Spread of a system's scores by ", b.studied(), ", highest minus lowest target, before and after such filtering"),
		head:    columns("system", "every shared query#"),
	}
	for _, a := range agreements {
		row(agreedBy(a.By), a.Kept, phrase.Percent(a.Share), a.KeptWinners)
		spreads.head = append(spreads.head, column{words(agreedBy(a.By)), true})
	}
	for i, of := range agreements[0].Systems {
		line := cells(foreign(of.System), phrase.Decimals(of.Spread))
		for _, a := range agreements {
			line = append(line, cell{text: words(phrase.Decimals(a.Systems[i].KeptSpread))})
		}
		spreads.rows = append(spreads.rows, line)
	}
	s.blocks = append(s.blocks, winners, spreads.limit(maxPairs))
	return s, nil
}

// agreedBy says when targets agree on a query.
func agreedBy(by string) string {
	if by == "credit" {
		return "every target credits, or none"
	}
	return "scores within " + strings.TrimSpace(by)
}
