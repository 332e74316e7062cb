package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// queryMetric is the first metric that has values of single queries.
func (b *parsed) queryMetric() (tiaptest.Metric, bool) {
	for _, name := range b.Settings.Metrics {
		if m, err := tiaptest.ParseMetric(name); err == nil && !strings.HasPrefix(name, "micro") {
			return m, true
		}
	}
	return tiaptest.Metric{}, false
}

// target is the audit's target of that name.
func (b *builder) target(name string) tiaptest.Target {
	ts := b.a.Targets()
	return ts[slices.IndexFunc(ts, func(t tiaptest.Target) bool { return t.String() == name })]
}

// changed is the difference from which on two values of a query differ.
const changed = 1e-9

// bins is how many bins a histogram of differences has on each side of 0. The
// queries without a difference have a place of their own between them.
const bins = 10

// spreadSection shows how the difference of two systems spreads over queries.
func (b *builder) spreadSection() (section, error) {
	s := section{id: "spread", title: "Differences by query"}
	metric, ok := b.queryMetric()
	if !ok || len(b.Systems) < 2 {
		return s, nil
	}
	t := table{caption: words("Queries by which system of a pair scores higher, by ", metric.String()), head: columns("pair", "target", "n#", "first higher#", "equal#", "second higher#", "mean difference#")}
	var drawn []block
	pairs := slices.DeleteFunc(b.pairsBy(metric.String()), func(p *tiaptest.Pair) bool { return p.Beside != "" })
	for _, p := range pairs[:min(maxSpread, len(pairs))] {
		queries, err := b.a.SharedQueries(p.A, p.B)
		if err != nil {
			return s, err
		}
		plot := histogram{axis: "difference of a query by " + metric.String()}
		var alt []string
		for _, name := range b.Settings.Targets {
			if _, ok := p.Gaps[name]; !ok {
				continue
			}
			of, err := b.differences(p, name, metric, queries)
			if err != nil {
				return s, err
			}
			if len(of) == 0 {
				continue
			}
			panel := binned(of)
			panel.title = foreign(name)
			plot.panels = append(plot.panels, panel)
			higher, lower := sum(panel.above[:]), sum(panel.below[:])
			mean := 0.0
			for _, d := range of {
				mean += d / float64(len(of))
			}
			t.rows = append(t.rows, cells(pairName(p), foreign(name), len(of), higher, panel.equal, lower, signed(mean)))
			alt = append(alt, fmt.Sprintf("under %s %d queries are higher in %s, %d equal, %d higher in %s",
				clean(name, nameLength), higher, clean(p.A, nameLength), panel.equal, lower, clean(p.B, nameLength)))
		}
		if len(plot.panels) > 0 {
			drawn = append(drawn, figure{
				caption: words("Queries by difference, ", foreign(p.A), " minus ", foreign(p.B), ", by ", metric.String()),
				alt:     strings.Join(alt, "; "), plot: plot,
			})
		}
	}
	if len(t.rows) == 0 {
		return s, nil
	}
	s.blocks = append(drawn, t)
	if n := len(pairs) - maxSpread; n > 0 {
		s.blocks = append(s.blocks, paragraph{text: words(fmt.Sprintf("%d further pairs are not shown.", n)), tone: muted})
	}
	return s, nil
}

// differences are those of two systems on the queries that both have a value of.
func (b *builder) differences(p *tiaptest.Pair, target string, metric tiaptest.Metric, queries []string) ([]float64, error) {
	x, err := b.a.PerQuery(p.A, b.target(target), metric)
	if err != nil {
		return nil, err
	}
	y, err := b.a.PerQuery(p.B, b.target(target), metric)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, q := range queries {
		v, ok := x[q]
		w, ok2 := y[q]
		if ok && ok2 {
			out = append(out, v-w)
		}
	}
	return out, nil
}

func binned(differences []float64) histogramPanel {
	var p histogramPanel
	at := func(d float64) int { return min(bins-1, int(math.Ceil(d*bins))-1) }
	for _, d := range differences {
		switch {
		case d > changed:
			p.above[max(0, at(d))]++
		case d < -changed:
			p.below[max(0, at(-d))]++
		default:
			p.equal++
		}
	}
	return p
}

func sum(ns []int) int {
	total := 0
	for _, n := range ns {
		total += n
	}
	return total
}

// categoriesSection shows the mean of each category of queries.
func (b *builder) categoriesSection() (section, error) {
	s := section{id: "categories", title: "Categories"}
	metric, ok := b.queryMetric()
	if !ok {
		return s, nil
	}
	shared, err := b.a.SharedQueries(b.a.Systems()...)
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

	t := table{caption: words("Mean ", metric.String(), " of each category over the shared subset"), head: columns("system", "target")}
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
		caption: words("Mean ", metric.String(), " by category, over the shared subset"),
		alt:     fmt.Sprintf("Heat map of %d rows and %d categories; its numbers are in the table below", len(t.rows), len(categories)), plot: plot,
	}, group{title: words("Categories as a table"), folded: true, numbers: true, blocks: []block{t}})
	if left > 0 || len(b.Systems) > maxPerQuery {
		s.blocks = append(s.blocks, paragraph{text: words(fmt.Sprintf("The %d largest categories of %d, and %d systems of %d.", len(categories), len(categories)+left, min(maxPerQuery, len(b.Systems)), len(b.Systems))), tone: muted})
	}
	return s, nil
}

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
