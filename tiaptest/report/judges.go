package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// viewNames says what the views of labels tell apart.
var viewNames = []struct {
	view semantic.View
	name string
}{
	{semantic.ThreeClass, "three classes"},
	{semantic.Relevant, "some support or none"},
	{semantic.Strict, "full support or less"},
}

// judgesBlocks say what the labels are worth: how far judges agree, and what people
// make of the shares that models give.
func (b *builder) judgesBlocks() ([]block, error) {
	all := table{
		caption: words("Agreement of the judges; a tie is a memory without a verdict"),
		head:    columns("view", "labels#", "memories#", "ties#", "verdicts", "mean agreement of pairs#", "Fleiss kappa#", "95% CI", "of two judges#"),
	}
	pairs := table{
		caption: words("Agreement of each two judges on the memories that both labelled"),
		head:    columns("judges", "view", "memories#", "agreement#", "95% CI", "Cohen kappa#", "95% CI"),
	}
	self := table{caption: words("Agreement of judges with themselves on memories that they labelled more than once, by three classes"), head: columns("judge", "repeated#", "differ#")}
	shares := table{
		caption: words("Shares of the classes as models say, and corrected by what people say of a part of the memories"),
		head:    columns("view", "class", "memories of models#", "of people too#", "by models#", "95% CI", "corrected#", "95% CI"),
	}
	for _, v := range viewNames {
		a, err := semantic.Agree(b.o.labels, v.view, b.o.counting)
		if err != nil {
			return nil, fmt.Errorf("support labels: %w", err)
		}
		var verdicts []text
		for _, class := range slices.Sorted(maps.Keys(a.Counts)) {
			verdicts = append(verdicts, words(class, " ", a.Counts[class]))
		}
		row := cells(v.name, a.Labels, a.Cases, a.Ties, joined(verdicts, ", "), phrase.Percent(a.MeanPairwise))
		all.rows = append(all.rows, append(row, estimateCells(a.Fleiss, phrase.Decimals, true)...))
		for _, p := range a.Pairs {
			n := 0
			if p.Agreement != nil {
				n = p.Agreement.N
			}
			row := cells(words(foreign(p.A), " - ", foreign(p.B)), v.name, n)
			row = append(row, estimateCells(p.Agreement, phrase.Percent, false)...)
			pairs.rows = append(pairs.rows, append(row, estimateCells(p.Kappa, phrase.Decimals, false)...))
		}
		if v.view == semantic.ThreeClass {
			for _, s := range a.Self {
				self.rows = append(self.rows, cells(foreign(s.Judge), s.Repeated, s.Differ))
			}
		}
		p, err := semantic.Prevalence(b.o.labels, v.view, b.o.counting)
		if err != nil {
			continue // there are no models, or no people whose labels could correct theirs
		}
		for _, class := range slices.Sorted(maps.Keys(p.Model)) {
			by, corrected := p.Model[class], p.Corrected[class]
			row := append(cells(v.name, class, p.N, p.Humans), estimateCells(&by, phrase.Percent, false)...)
			shares.rows = append(shares.rows, append(row, estimateCells(&corrected, phrase.Percent, false)...))
		}
	}
	var out []block
	for _, t := range []table{all, pairs, self, shares} {
		if len(t.rows) > 0 {
			out = append(out, t.limit(maxPairs))
		}
	}
	return out, nil
}

// estimateCells are a statistic with its interval and, where it is asked for, the
// number of cases.
func estimateCells(e *semantic.Estimate, format func(*float64) string, n bool) []cell {
	value, ci, cases := "-", "-", "-"
	if e != nil {
		value, cases = format(&e.Value), fmt.Sprint(e.N)
		if len(e.CI) == 2 {
			ci = "[" + format(&e.CI[0]) + ", " + format(&e.CI[1]) + "]"
		}
	}
	if n {
		return cells(value, ci, cases)
	}
	return cells(value, ci)
}
