package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/phrase"
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
			t.rows = append(t.rows, cells(pairName(p), foreign(name), len(of), higher, panel.equal, lower, phrase.Signed(mean)))
			alt = append(alt, fmt.Sprintf("under %s %d queries are higher in %s, %d equal, %d higher in %s",
				harmless.Clean(name, nameLength), higher, harmless.Clean(p.A, nameLength), panel.equal, lower, harmless.Clean(p.B, nameLength)))
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
