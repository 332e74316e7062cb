package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// How much of the conventions is shown.
const (
	maxFamilies = 12 // with a table of scores
	maxMembers  = 12 // columns of such a table
)

// conventionsSection says what each family recommends by every convention.
func (b *builder) conventionsSection() (section, error) {
	s := section{id: "conventions", title: "Conventions"}
	if b.o.sensitivity == nil {
		return s, nil
	}
	rows := byMetric(b.o.sensitivity.Conventions, b.studied(), func(c *sensitivity.Convention) string { return c.Metric })
	if len(rows) == 0 {
		return s, nil
	}
	s.blocks = append(s.blocks, b.recommendedBy(rows), b.conventionTable(b.studied(), rows))
	var others []block
	for _, m := range b.studiedMetrics() {
		if m != b.studied() {
			if rows := byMetric(b.o.sensitivity.Conventions, m, func(c *sensitivity.Convention) string { return c.Metric }); len(rows) > 0 {
				others = append(others, b.conventionTable(m, rows))
			}
		}
	}
	if len(others) > 0 {
		s.blocks = append(s.blocks, group{title: words("Conventions by other metrics"), folded: true, blocks: others})
	}
	families := inFamilies(rows)
	var scores []block
	for _, of := range families[:min(maxFamilies, len(families))] {
		scores = append(scores, b.conventionScores(of))
	}
	return section{s.id, s.title, s.details, append(s.blocks, group{title: words("Scores by convention"), folded: true, blocks: scores})}, nil
}

// inFamilies are the conventions of each family.
func inFamilies(rows []*sensitivity.Convention) [][]*sensitivity.Convention {
	var out [][]*sensitivity.Convention
	for i, c := range rows {
		if i == 0 || c.Family != rows[i-1].Family {
			at := slices.IndexFunc(out, func(of []*sensitivity.Convention) bool { return of[0].Family == c.Family })
			if at < 0 {
				out = append(out, nil)
			}
		}
		at := slices.IndexFunc(out, func(of []*sensitivity.Convention) bool { return of == nil || of[0].Family == c.Family })
		out[at] = append(out[at], c)
	}
	return out
}

// recommendedBy counts by how many conventions each member is recommended.
func (b *builder) recommendedBy(rows []*sensitivity.Convention) table {
	t := table{
		caption: words("Of the conventions by ", b.studied(), ", how many recommend each member under a target, and how many recommend different members under different targets"),
		head:    append(columns("family", "conventions#"), targetColumns(b.o.sensitivity.Targets, false)...),
	}
	t.head = append(t.head, columns("depend on the target#")...)
	for _, of := range inFamilies(rows) {
		row := cells(foreign(of[0].Family), len(of))
		flips := 0
		for _, c := range of {
			flips += boolInt(c.Flip)
		}
		for _, target := range b.o.sensitivity.Targets {
			counts, ties, compared := make(map[string]int), 0, false
			for _, c := range of {
				w, ok := c.Recommended[target]
				compared = compared || ok
				switch {
				case ok && w == nil:
					ties++
				case ok:
					counts[*w]++
				}
			}
			members := slices.SortedFunc(maps.Keys(counts), func(x, y string) int { return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y)) })
			var parts []text
			for _, m := range members {
				parts = append(parts, words(foreign(m), " by ", counts[m]))
			}
			if ties > 0 {
				parts = append(parts, words("tie by ", ties))
			}
			c := cell{text: joined(parts, ", ")}
			switch {
			case !compared:
				c = cell{text: words("-"), tone: muted}
			case len(members) > 1:
				c.tone = warn
			}
			row = append(row, c)
		}
		c := cell{text: words(flips), tone: good}
		if flips > 0 {
			c.tone = bad
		}
		t.rows = append(t.rows, append(row, c))
	}
	return t.limit(maxPairs)
}

func (b *builder) conventionTable(metric string, rows []*sensitivity.Convention) table {
	t := table{
		caption: words("Recommended member of each family by ", metric, " under every convention: credit/uncovered units/population, and how lists are merged; over population covered each score has queries of its own"),
		head:    append(columns("family", "verdict", "convention", "n#"), targetColumns(b.o.sensitivity.Targets, false)...),
	}
	for _, c := range rows {
		n := words("-")
		if c.N > 0 {
			n = words(c.N)
		}
		row := cells(foreign(c.Family), agreement(c.Recommended, c.Flip), c.String(), n)
		for _, target := range b.o.sensitivity.Targets {
			row = append(row, named(c.Recommended, target))
		}
		t.rows = append(t.rows, row)
	}
	return t.limit(maxPairs)
}

// conventionScores are the scores of one family.
func (b *builder) conventionScores(rows []*sensitivity.Convention) table {
	var members []string
	for _, c := range rows {
		for _, of := range c.Scores {
			for m := range of {
				if !slices.Contains(members, m) {
					members = append(members, m)
				}
			}
		}
	}
	slices.Sort(members)
	t := table{caption: words("Scores of family ", foreign(rows[0].Family), " by ", rows[0].Metric), head: columns("convention", "target")}
	if n := len(members); n > maxMembers {
		t.caption = words(t.caption, fmt.Sprintf(": the first %d of %d members", maxMembers, n))
		members = members[:maxMembers]
	}
	for _, m := range members {
		t.head = append(t.head, column{foreign(m), true})
	}
	for _, c := range rows {
		for _, target := range b.o.sensitivity.Targets {
			if c.Scores[target] == nil {
				continue
			}
			row := cells(c.String(), foreign(target))
			for _, m := range members {
				of := cell{text: words(phrase.Decimals(c.Scores[target][m]))}
				if c.N == 0 {
					of.text = words(of.text, fmt.Sprintf(" (n %d)", c.Queries[target][m]))
				}
				if w := c.Recommended[target]; w != nil && *w == m {
					of.tone = chief
				}
				row = append(row, of)
			}
			t.rows = append(t.rows, row)
		}
	}
	return t.limit(maxPairs)
}
