package report

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/phrase"
)

// scoresSection lists every score with its target and n.
func (b *builder) scoresSection() (section, error) {
	s := section{id: "scores", title: "Scores"}
	s.blocks = append(s.blocks, b.scoreTable(b.Settings.Population))
	for _, other := range []string{"covered", "shared", "all", "judged", "matched"} {
		if other == b.Settings.Population || b.Scores == nil || b.score(b.Scores[0].System, b.Scores[0].Target, other, b.Scores[0].Metric) == nil {
			continue
		}
		if b.sameScores(other) {
			continue
		}
		s.blocks = append(s.blocks, group{title: words("Over population ", other), folded: true, blocks: []block{b.scoreTable(other)}})
	}
	return s, nil
}

// sameScores reports whether another population has the same queries and scores
// as the audit's own.
func (b *builder) sameScores(population string) bool {
	for i := range b.Scores {
		s := &b.Scores[i]
		if s.Subset != population {
			continue
		}
		own := b.score(s.System, s.Target, b.Settings.Population, s.Metric)
		if own == nil || own.N != s.N || phrase.Decimals(own.Value) != phrase.Decimals(s.Value) {
			return false
		}
	}
	return true
}

// scoreTable has the scores over a population, which stands in a column where it is
// not the audit's own: whoever reads numbers out of a table may read no captions.
func (b *builder) scoreTable(population string) table {
	own := population == b.Settings.Population
	t := table{caption: words("Scores over population ", population, ", credit by ", b.Settings.Credit, fmt.Sprintf(", depth %d", b.Settings.Depth))}
	t.head = columns("system", "target")
	if !own {
		t.head = append(t.head, columns("population")...)
	}
	n := len(t.head)
	t.head = append(t.head, columns("n#")...)
	for _, m := range b.Settings.Metrics {
		t.head = append(t.head, column{words(m), true})
	}
	if h := b.headline(); h != "" {
		t.caption = words(t.caption, ", headline ", foreign(h))
	}
	noise := false
	for _, s := range b.Systems {
		for _, target := range b.targets() {
			row := cells(foreign(s.Name), foreign(target))
			if !own {
				row = append(row, cell{text: words(population)})
			}
			row = append(row, cell{text: words("-")})
			if target == b.headline() {
				row[1].tone = chief
			}
			for _, m := range b.Settings.Metrics {
				c := cell{text: words("-"), tone: muted}
				if sc := b.score(s.Name, target, population, m); sc != nil {
					row[n].text = words(sc.N)
					c = scoreCell(sc)
					noise = noise || sc.SD != nil
				}
				row = append(row, c)
			}
			if slices.Contains(s.Unavailable, target) {
				row[n] = cell{text: words("unavailable"), tone: warn}
			}
			t.rows = append(t.rows, row)
		}
	}
	if noise {
		t.caption = words(t.caption, "; +- is the standard deviation over ingests")
	}
	return t
}

func scoreCell(s *score) cell {
	switch {
	case s.Value == nil:
		return cell{text: words("-"), tone: muted}
	case s.SD != nil:
		return cell{text: words(fmt.Sprintf("%.4f +- %.4f", *s.Value, *s.SD))}
	}
	return cell{text: words(fmt.Sprintf("%.4f", *s.Value))}
}
