package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
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

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
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

func decimals(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *x)
}

// coverageSection shows the share of the queries that each target covers.
func (b *builder) coverageSection() (section, error) {
	s := section{id: "coverage", title: "Coverage"}
	t := table{caption: words("Queries with an eligible stored memory"), head: append(columns("system"), targetColumns(b.targets(), true)...)}
	plot := bars{axis: "share of the queries that are covered"}
	var low *bar
	for _, sys := range b.Systems {
		row := cells(foreign(sys.Name))
		for _, target := range b.targets() {
			n, ok := sys.Covered[target]
			if !ok {
				row = append(row, cell{text: words("unavailable"), tone: warn})
				continue
			}
			share := float64(n) / float64(max(1, b.scorable()))
			c := cell{text: words(fmt.Sprintf("%d (%.1f%%)", n, 100*share))}
			if n == 0 {
				c.tone = warn
			}
			row = append(row, c)
			plot.rows = append(plot.rows, bar{label: words(foreign(sys.Name), " ", foreign(target)), shares: []float64{share}})
			if last := &plot.rows[len(plot.rows)-1]; low == nil || share < low.shares[0] {
				low = &bar{label: last.label, shares: last.shares}
			}
		}
		t.rows = append(t.rows, row)
	}
	if low != nil {
		s.blocks = append(s.blocks, figure{
			caption: words(fmt.Sprintf("Share of the %d scorable queries that each target covers", b.scorable())),
			alt:     fmt.Sprintf("%d bars; the lowest is %s at %.1f%%", len(plot.rows), low.label, 100*low.shares[0]), plot: plot,
		})
	}
	s.blocks = append(s.blocks, t)
	if len(b.Stale) > 0 {
		t := table{caption: words("Outdated memories in the rankings, and those of them above every current one"), head: columns("system", "target", "outdated hits#", "above current#")}
		for _, x := range b.Stale {
			t.rows = append(t.rows, cells(foreign(x.System), foreign(x.Target), x.Stale, x.Above))
		}
		s.blocks = append(s.blocks, t.limit(maxPairs))
	}
	return s, nil
}

// systemsSection describes the systems and their runs.
func (b *builder) systemsSection() (section, error) {
	s := section{id: "systems", title: "Systems", details: true}
	t := table{
		caption: words("The systems, their stores and their runs"),
		head:    columns("system", "family", "retrieval unit", "lineage", "ingests#", "memories by form", "links", "absent#", "failed#", "empty#", "unknown ids#"),
	}
	for _, sys := range b.Systems {
		count := func(n int) cell {
			if n > 0 {
				return cell{text: words(n), tone: warn}
			}
			return cell{text: words(n)}
		}
		t.rows = append(t.rows, cells(foreign(sys.Name), foreign(sys.Family), foreign(sys.Unit), foreign(sys.Lineage), sys.Ingests,
			counts(sys.Forms), counts(sys.Links), count(sys.Absent), count(sys.Failed), sys.Empty, count(sys.UnknownIDs)))
	}
	s.blocks = []block{t}
	return s, nil
}

// counts lists numbers by name.
func counts(of map[string]int) text {
	var parts []text
	names := slices.Sorted(maps.Keys(of))
	const most = 8
	for _, name := range names[:min(most, len(names))] {
		parts = append(parts, words(foreign(name), " ", of[name]))
	}
	if n := len(names) - most; n > 0 {
		parts = append(parts, words(fmt.Sprintf("and %d more", n)))
	}
	return joined(parts, ", ")
}

// cardSection is the reporting card: what a report must state for its scores to
// be compared.
func (b *builder) cardSection() (section, error) {
	s := section{id: "card", title: "Reporting card"}
	t := table{caption: words("What has to be stated for scores to be compared (TIAP, arXiv 2605.24060, appendix H)"), head: columns("practice", "stated", "what")}
	row := func(practice string, ok bool, what text) {
		c := cell{text: words("yes"), tone: good}
		if !ok {
			c = cell{text: words("no"), tone: bad}
		}
		t.rows = append(t.rows, []cell{{text: words(practice)}, c, {text: what}})
	}
	headline := b.headline()
	row("Headline target", headline != "", foreign(headline))
	others := slices.DeleteFunc(b.targets(), func(t string) bool { return t == headline })
	row("Other targets beside it", len(others) > 0, foreigns(others))
	row("Crediting and depth", true, words("by ", b.Settings.Credit, fmt.Sprintf(", depth %d", b.Settings.Depth)))
	row("Population", true, words(b.Settings.Population, ", ", b.sharedText()))
	var units, lineages, unavailable, incomplete []string
	for _, sys := range b.Systems {
		if sys.Unit == "" {
			units = append(units, sys.Name)
		}
		if sys.Lineage == "" {
			lineages = append(lineages, sys.Name)
		}
		if slices.Contains(sys.Unavailable, headline) {
			unavailable = append(unavailable, sys.Name)
		}
		if sys.Absent+sys.Failed > 0 {
			incomplete = append(incomplete, sys.Name)
		}
	}
	row("Retrieval unit of every system", len(units) == 0, lacking(units))
	row("Where the lineage comes from", len(lineages) == 0, lacking(lineages))
	row("Headline available everywhere", headline != "" && len(unavailable) == 0, lacking(unavailable))
	row("Every query answered by every system", len(incomplete) == 0, lacking(incomplete))
	s.blocks = []block{t}
	var missing list
	for _, v := range tiaptest.TargetsReported().Verify(b.a) {
		for l := range strings.Lines(v.Text) {
			if l = strings.TrimSpace(l); l != "" && !v.Note {
				missing = append(missing, quoted(l))
			}
		}
	}
	if len(missing) > 0 {
		const most = 20
		if n := len(missing) - most; n > 0 {
			missing = append(missing[:most:most], words(fmt.Sprintf("and %d more", n)))
		}
		s.blocks = append(s.blocks, group{title: words("What the rule TargetsReported misses"), blocks: []block{missing}})
	}
	return s, nil
}

// lacking names the systems that do not state something.
func lacking(names []string) text {
	if len(names) == 0 {
		return nil
	}
	const most = 5
	out := words("missing in ", foreigns(names[:min(most, len(names))]))
	if n := len(names) - most; n > 0 {
		out = words(out, fmt.Sprintf(" and %d more", n))
	}
	return out
}
