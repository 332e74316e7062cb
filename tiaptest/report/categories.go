package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// categoriesSection shows the mean of each category of queries.
func (b *builder) categoriesSection() (section, error) {
	s := section{id: "categories", title: "Categories"}
	metric, ok := b.queryMetric()
	if !ok {
		return s, nil
	}
	shared, err := b.a.SharedQueries(b.scored()...)
	if err != nil {
		return s, err
	}
	categoryOf := make(map[string]string, len(shared))
	count := make(map[string]int)
	for _, id := range shared {
		q, _ := b.a.Query(id)
		categoryOf[id] = q.Category
		count[q.Category]++
	}
	if len(count) < 2 {
		return s, nil
	}
	categories := slices.SortedFunc(maps.Keys(count), func(x, y string) int { return cmp.Or(cmp.Compare(count[y], count[x]), cmp.Compare(x, y)) })
	const most = 12
	left := max(0, len(categories)-most)
	categories = categories[:len(categories)-left]
	slices.Sort(categories)

	t := table{caption: words("Mean ", metric.String(), " of each category over the queries that all systems share"), head: columns("system", "target")}
	plot := heat{low: 0, high: 1}
	for _, c := range categories {
		label := foreign(c)
		if c == "" {
			label = words("none")
		}
		t.head = append(t.head, column{words(label, fmt.Sprintf(" (n %d)", count[c])), true})
		plot.columns = append(plot.columns, words(label, fmt.Sprintf(" (%d)", count[c])))
	}
	for _, sys := range b.Systems[:min(maxPerQuery, len(b.Systems))] {
		for _, target := range b.Settings.Targets {
			if slices.Contains(sys.Unavailable, target) || sys.Covered[target] == 0 {
				continue
			}
			values, err := b.a.PerQuery(sys.Name, b.target(target), metric)
			if err != nil {
				return s, err
			}
			sums, ns := make(map[string]float64), make(map[string]int)
			for _, id := range shared {
				if v, ok := values[id]; ok {
					sums[categoryOf[id]] += v
					ns[categoryOf[id]]++
				}
			}
			row := cells(foreign(sys.Name), foreign(target))
			line := make([]*float64, len(categories))
			for i, c := range categories {
				if ns[c] == 0 {
					row = append(row, cell{text: words("-"), tone: muted})
					continue
				}
				mean := sums[c] / float64(ns[c])
				line[i] = &mean
				row = append(row, cell{text: words(fmt.Sprintf("%.4f", mean))})
			}
			t.rows = append(t.rows, row)
			plot.rows = append(plot.rows, words(foreign(sys.Name), " ", foreign(target)))
			plot.values = append(plot.values, line)
		}
	}
	if len(t.rows) == 0 {
		return s, nil
	}
	s.blocks = append(s.blocks, figure{
		caption: words("Mean ", metric.String(), " by category, over the queries that all systems share"),
		alt:     fmt.Sprintf("Heat map of %d rows and %d categories; its numbers are in the table below", len(t.rows), len(categories)), plot: plot,
	}, group{title: words("Categories as a table"), folded: true, numbers: true, blocks: []block{t}})
	if left > 0 || len(b.Systems) > maxPerQuery {
		s.blocks = append(s.blocks, paragraph{text: words(fmt.Sprintf("The %d largest categories of %d, and %d systems of %d.", len(categories), len(categories)+left, min(maxPerQuery, len(b.Systems)), len(b.Systems))), tone: muted})
	}
	return s, nil
}

// scored are the systems that have a score under some main target.
func (b *parsed) scored() []string {
	var out []string
	for _, s := range b.Systems {
		if slices.ContainsFunc(b.Settings.Targets, func(t string) bool { return s.Covered[t] > 0 }) {
			out = append(out, s.Name)
		}
	}
	return out
}
