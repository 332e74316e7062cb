package report

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// sizeLimit is the number of queries times systems up to which target-set sizes
// are counted: each asks for every eligible memory.
const sizeLimit = 200_000

// sizesSection shows how many memories may earn credit for a query.
func (b *builder) sizesSection() (section, error) {
	s := section{id: "sizes", title: "Target-set sizes"}
	t := table{
		caption: words("Queries by target-set size: the stored memories that may earn credit for a query"),
		head:    columns("system", "target", "0#", "1#", "2#", "3#", "4 and more#", "mean, of covered#"),
	}
	plot := bars{axis: "share of the queries", legend: []string{"0 memories", "1", "2", "3", "4 and more"}}
	if b.scorable()*len(b.Systems) <= sizeLimit {
		for _, sys := range b.Systems {
			for _, target := range b.targets() {
				sizes, ok := b.sizes(sys.Name, target)
				if !ok {
					continue
				}
				total, covered := 0, 0
				var counts [5]int
				for _, n := range sizes {
					counts[min(n, 4)]++
					total += n
					covered++
				}
				counts[0] = b.scorable() - covered
				row := cells(foreign(sys.Name), foreign(target))
				bar := bar{label: words(foreign(sys.Name), " ", foreign(target))}
				for _, n := range counts {
					row = append(row, cell{text: words(n)})
					bar.shares = append(bar.shares, float64(n)/float64(max(1, b.scorable())))
				}
				mean := words("-")
				if covered > 0 {
					mean = words(fmt.Sprintf("%.2f", float64(total)/float64(covered)))
				}
				t.rows = append(t.rows, append(row, cell{text: mean}))
				plot.rows = append(plot.rows, bar)
			}
		}
	}
	if b.scorable()*len(b.Systems) > sizeLimit {
		s.blocks = append(s.blocks, paragraph{
			text: words(fmt.Sprintf("Not counted: the audit has %d systems and %d queries, and sizes are counted up to a product of %d.", len(b.Systems), b.scorable(), sizeLimit)),
			tone: muted,
		})
	}
	if len(t.rows) > 0 {
		s.blocks = append(s.blocks, figure{
			caption: words("Share of the queries by target-set size"),
			alt:     fmt.Sprintf("%d bars, one for each system and target; their numbers are in the table below", len(plot.rows)), plot: plot,
		}, group{title: words("Sizes as a table"), folded: true, numbers: true, blocks: []block{t.limit(3 * maxPairs)}})
	}
	if r := b.o.sensitivity; r != nil {
		s.blocks = append(s.blocks, b.sizeShifts()...)
	}
	return s, nil
}

// sizes counts the eligible memories of each covered query in the first ingest;
// ok is false where a target or the input has no memories to count.
func (b *builder) sizes(system, target string) (map[string]int, bool) {
	eligible, err := b.a.Eligible(system, b.target(target))
	if err != nil {
		return nil, false
	}
	sizes := make(map[string]int)
	for e := range eligible {
		if e.Ingest == 0 {
			sizes[e.Query.ID]++
		}
	}
	return sizes, true
}

// sizeShifts says how far the shift between two targets follows the sizes of
// their target sets.
func (b *builder) sizeShifts() []block {
	t := table{
		caption: words("Mean shift from the first target to the second by how many more memories may earn credit under the second, by ", b.studied()),
		head:    columns("system", "targets", "n#", "fewer#", "0#", "1#", "2#", "3#", "4 and more#", "R2#"),
	}
	for _, r := range b.o.sensitivity.SizeShifts {
		if r.Metric != b.studied() {
			continue
		}
		row := cells(foreign(r.System), words(foreign(r.Targets[0]), " to ", foreign(r.Targets[1])), r.N)
		for _, difference := range []string{"<0", "0", "1", "2", "3", "4+"} {
			c := cell{text: words("-"), tone: muted}
			if i := slices.IndexFunc(r.Bins, func(b sensitivity.SizeBin) bool { return b.Difference == difference }); i >= 0 && r.Bins[i].MeanShift != nil {
				c = cell{text: words(fmt.Sprintf("%s (n %d)", phrase.Signed(*r.Bins[i].MeanShift), r.Bins[i].N))}
			}
			row = append(row, c)
		}
		t.rows = append(t.rows, append(row, cell{text: words(phrase.Decimals(r.R2))}))
	}
	if len(t.rows) == 0 {
		return nil
	}
	return []block{t.limit(maxPairs)}
}
