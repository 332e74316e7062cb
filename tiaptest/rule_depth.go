package tiaptest

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/english"
)

// NoDepthFlip fails when the metric with another cut-off names another winner
// under some target. The metric's own cut-off is the one that others are held
// against; none may exceed the depth.
func NoDepthFlip(metric Metric, ks ...int) Rule {
	name := "NoDepthFlip(" + metric.String()
	for _, k := range ks {
		name += fmt.Sprintf(", %d", k)
	}
	return rule{name + ")", func(a *Audit, v *verdicts) { verifyNoDepthFlip(a, v, metric, ks) }}
}

func verifyNoDepthFlip(a *Audit, v *verdicts, metric Metric, ks []int) {
	metrics := []Metric{metric}
	if metric.m.K > a.r.depth {
		v.nothing(fmt.Sprintf("the cut-off of %s exceeds the depth %d", metric, a.r.depth))
		return
	}
	for _, k := range ks {
		m := metric
		m.m.K = k
		if k < 1 || k > a.r.depth {
			v.nothing(fmt.Sprintf("the cut-off %d does not lie between 1 and the depth %d", k, a.r.depth))
			return
		}
		if _, err := ParseMetric(m.String()); err != nil || m.String() == metric.String() && m != metric {
			v.nothing(fmt.Sprintf("%s has no cut-off", metric))
			return
		}
		if !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
	}
	if len(metrics) < 2 {
		v.nothing(fmt.Sprintf("it needs a cut-off beside that of %s", metric))
		return
	}
	r := a.r.withMetrics(metrics)
	comparisons := r.comparisons()
	found := make([][]depthGaps, len(comparisons)*len(metrics))
	r.inGroups(comparisons, func(i, m int, g *group) {
		if m == 0 || comparisons[i].beside >= 0 {
			return
		}
		for _, t := range comparisons[i].targets {
			found[i*len(metrics)+m] = append(found[i*len(metrics)+m], r.depthGaps(comparisons[i], g, t, m))
		}
	})
	compared := 0
	for i, c := range comparisons {
		if c.beside >= 0 {
			continue
		}
		for n, t := range c.targets {
			for m := 1; m < len(metrics); m++ {
				d := found[i*len(metrics)+m][n]
				if d.own.Value == nil || d.other.Value == nil {
					continue
				}
				compared++
				if d.verdict != verdictFlip {
					continue
				}
				first, second := winner(c.a.Name, c.b.Name, d.own.Value, r.minEffect), winner(c.a.Name, c.b.Name, d.other.Value, r.minEffect)
				v.add([]string{c.a.Name, c.b.Name}, []string{r.targets[t].name},
					fmt.Sprintf("depth flip under %s: %s picks %s, %s picks %s (shift %s)\n    gap %s-%s: %s at %s, %s at %s\n    %s: %s; %s\n    report the depth with the winner",
						r.targets[t], metric, *first, metrics[m], *second, d.shift.text(),
						c.a.Name, c.b.Name, d.own.text(), metric, d.other.text(), metrics[m],
						populationName(r.population), english.Count(c.queries.len(), "query", "queries"), a.conventionText()))
			}
		}
	}
	if compared == 0 {
		v.nothing(a.r.unpaired(1, "two systems that share queries"))
	}
}

// depthGaps are the gaps of a pair by the first metric and by another one, with
// the shift between them where they name different winners.
type depthGaps struct {
	own, other, shift Gap
	verdict           string
}

func (r *results) depthGaps(c comparison, g *group, t, m int) depthGaps {
	d := depthGaps{own: r.estimate(c, g, term{t, 0, 1}), other: r.estimate(c, g, term{t, m, 1})}
	if d.own.Value != nil && d.other.Value != nil {
		d.verdict = verdict(*d.own.Value, *d.other.Value, r.minEffect)
	}
	if d.verdict == verdictFlip {
		d.shift = r.estimate(c, g, term{t, 0, 1}, term{t, m, -1})
	}
	return d
}

// withMetrics scores the same rankings by other metrics.
func (r *results) withMetrics(metrics []Metric) *results {
	s, f := *r.settings, *r.frame
	s.metrics = metrics
	f.settings = &s
	return f.rescore()
}
