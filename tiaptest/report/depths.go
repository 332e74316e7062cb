package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// sizeShifts says how far the shift between two targets follows the sizes of
// their target sets.
func (b *builder) sizeShifts() []block {
	t := table{
		caption: words("Mean shift from the first target to the second by how many more memories may earn credit under the second, by ", b.metric()),
		head:    columns("system", "targets", "n#", "fewer#", "0#", "1#", "2#", "3#", "4 and more#", "R2#"),
	}
	for _, r := range b.o.sensitivity.SizeShifts {
		if r.Metric != b.metric() {
			continue
		}
		row := cells(foreign(r.System), words(foreign(r.Targets[0]), " to ", foreign(r.Targets[1])), r.N)
		for _, difference := range []string{"<0", "0", "1", "2", "3", "4+"} {
			c := cell{text: words("-"), tone: muted}
			if i := slices.IndexFunc(r.Bins, func(b sensitivity.SizeBin) bool { return b.Difference == difference }); i >= 0 && r.Bins[i].MeanShift != nil {
				c = cell{text: words(fmt.Sprintf("%+.4f (n %d)", *r.Bins[i].MeanShift, r.Bins[i].N))}
			}
			row = append(row, c)
		}
		t.rows = append(t.rows, append(row, cell{text: words(decimals(r.R2))}))
	}
	if len(t.rows) == 0 {
		return nil
	}
	return []block{t.limit(maxPairs)}
}

// depthsSection draws the scores at several depths, when they are given.
func (b *builder) depthsSection() (section, error) {
	s := section{id: "depths", title: "Depths"}
	if b.o.sensitivity == nil {
		return s, nil
	}
	depths := slices.Clone(b.o.sensitivity.Depths)
	base, _, _ := strings.Cut(b.metric(), "@")
	slices.SortStableFunc(depths, func(x, y sensitivity.Depth) int {
		return cmp.Compare(boolInt(y.Metric == base), boolInt(x.Metric == base))
	})
	t := table{caption: words("Scores by depth of retrieval"), head: append(columns("system", "metric", "depth#", "n#"), targetColumns(b.targets(), true)...)}
	plots := 0
	for _, d := range depths {
		plot := lines{x: "depth", y: d.Metric}
		for _, target := range b.targets() {
			line := line{name: foreign(target)}
			for _, c := range d.Cuts {
				if v := c.Scores[target]; v != nil {
					line.points = append(line.points, [2]float64{float64(c.K), *v})
				}
			}
			if len(line.points) > 1 {
				plot.lines = append(plot.lines, line)
			}
		}
		for _, c := range d.Cuts {
			row := cells(foreign(d.System), foreign(d.Metric), c.K, c.N)
			for _, target := range b.targets() {
				row = append(row, cell{text: words(decimals(c.Scores[target]))})
			}
			t.rows = append(t.rows, row)
		}
		if len(plot.lines) > 0 && plots < maxDepths && d.Metric == base {
			plots++
			var alt []string
			for _, l := range plot.lines {
				from, to := l.points[0], l.points[len(l.points)-1]
				alt = append(alt, fmt.Sprintf("%s %.4f at depth %g, %.4f at depth %g", l.name, from[1], from[0], to[1], to[0]))
			}
			s.blocks = append(s.blocks, figure{caption: words(d.Metric, " of ", foreign(d.System), " by depth"), alt: strings.Join(alt, "; "), plot: plot})
		}
	}
	if len(t.rows) > 0 {
		s.blocks = append(s.blocks, group{title: words("Depths as a table"), folded: true, numbers: true, blocks: []block{t.limit(3 * maxPairs)}})
	}
	return s, nil
}

// alignmentSection says how far scores go with the quality of answers, and what
// gap the queries can show.
func (b *builder) alignmentSection() (section, error) {
	s := section{id: "alignment", title: "Answers and power"}
	r := b.o.sensitivity
	if r == nil {
		return s, nil
	}
	t := table{
		caption: words("Rank correlation of the score under a target with the quality of the answer"),
		head:    columns("system", "metric", "answer", "target", "n#", "Spearman#", "95% CI", "lift of answers by a hit#"),
	}
	for _, a := range r.Alignment {
		for _, x := range a.Targets {
			t.rows = append(t.rows, cells(foreign(a.System), foreign(a.Metric), foreign(a.Answer), foreign(x.Target), x.N,
				decimals(x.Spearman), interval(x.SpearmanCI), decimals(x.Lift.Value)))
		}
	}
	if len(t.rows) > 0 {
		s.blocks = append(s.blocks, t.limit(maxPairs))
	}
	t = table{
		caption: words("Smallest gap that the shared queries show at a level of 0.05 and a power of 0.8, by ", b.metric()),
		head:    columns("pair", "target", "n#", "gap#", "smallest#", "queries needed#"),
	}
	for _, p := range r.Power {
		if p.Metric != b.metric() {
			continue
		}
		needed := "-"
		if p.Needed != nil {
			needed = fmt.Sprint(*p.Needed)
		}
		t.rows = append(t.rows, cells(words(foreign(p.A), " - ", foreign(p.B)), foreign(p.Target), p.N, decimals(p.Gap), decimals(p.Smallest), needed))
	}
	if len(t.rows) > 0 {
		s.blocks = append(s.blocks, t.limit(maxPairs))
	}
	return s, nil
}
