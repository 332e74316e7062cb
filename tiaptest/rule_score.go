package tiaptest

import (
	"fmt"
	"strings"
)

// MinCoverage fails when a system has an eligible memory for less than a share
// (0 to 1) of the scorable queries under a target.
func MinCoverage(target Target, share float64) Rule {
	name := fmt.Sprintf("MinCoverage(%s, %s)", target, decimal(share))
	return rule{name, func(a *Audit, v *verdicts) {
		err := a.hasTarget(target)
		switch {
		case err != nil:
			v.nothing(err.Error())
			return
		case !(share > 0 && share <= 1):
			v.nothing("the share must be above 0 and at most 1")
			return
		}
		t := a.r.target(target.name)
		for _, s := range a.r.systems {
			n, of := s.covered[t], len(a.r.queries)
			what := ""
			switch {
			case s.unavailable(t):
				what = fmt.Sprintf("target %s is unavailable in %s: %s", target, s.Name, s.whyUnavailable(t, "its"))
			case float64(n)/float64(of) < share: // exact for a share such as 0.55 of 100
				what = fmt.Sprintf("%s covers %d of %d queries under %s (%.4f), less than %s", s.Name, n, of, target, float64(n)/float64(of), decimal(share))
			default:
				continue
			}
			v.add([]string{s.Name}, []string{target.name}, what+"\n    a query without an eligible memory cannot be found; look at the parser or the recorded lineage")
		}
	}}
}

// MinScore fails when a system scores below a value under a target, over the
// audit's population, or has no score there.
func MinScore(system string, target Target, metric Metric, value float64) Rule {
	name := fmt.Sprintf("MinScore(%s, %s, %s, %s)", system, target, metric, decimal(value))
	return rule{name, func(a *Audit, v *verdicts) {
		row, err := a.row(system, target, metric)
		switch {
		case err != nil:
			v.nothing(err.Error())
		case !(value >= 0 && value <= 1):
			v.nothing("scores lie between 0 and 1")
		case row.Value == nil:
			_, err := a.Score(system, target, metric)
			v.nothing(err.Error())
		case *row.Value < value-changed:
			v.add([]string{system}, []string{target.name}, fmt.Sprintf("%s of %s under %s is %.6g, below %s\n    %s: %d of %d queries\n    %s",
				metric, system, target, *row.Value, decimal(value), populationName(row.Subset), row.N, len(a.r.queries), a.conventionText()))
		}
	}}
}

// Winner fails unless a system leads every other one under a target, each over
// the queries that the two share. Under a target beside, these are covered under
// it and the headline.
func Winner(system string, target Target, metric Metric) Rule {
	name := fmt.Sprintf("Winner(%s, %s, %s)", system, target, metric)
	return rule{name, func(a *Audit, v *verdicts) {
		if err := a.has(system, target, metric); err != nil {
			v.nothing(err.Error())
			return
		}
		compared := 0
		for _, other := range a.systemNames() {
			if other == system {
				continue
			}
			p, _ := a.pair(system, other, metric, a.beside(target))
			g, ok := p.Gaps[target.name]
			if !ok || g.Value == nil {
				text := fmt.Sprintf("%s and %s cannot be compared on %s under %s: they share no query there", system, other, metric, target)
				for _, e := range a.r.exclusions([]*scored{a.r.system(system), a.r.system(other)}) {
					if e.target == target.name {
						text += "\n    " + e.String()
					}
				}
				v.add([]string{system, other}, []string{target.name}, text)
				continue
			}
			compared++
			if w := p.Winners[target.name]; w != nil && *w == system {
				continue
			}
			outcome := fmt.Sprintf("%s leads by %s", other, strings.TrimLeft(g.reversed().text(), "+"))
			if p.Winners[target.name] == nil {
				outcome = fmt.Sprintf("%s is level, with a gap of %s", other, g.text())
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s is not the winner on %s under %s: %s\n", system, metric, target, outcome)
			a.writeBasis(&b, &p)
			b.WriteByte('\n')
			a.writeGaps(&b, &p, "target")
			v.add([]string{system, other}, []string{target.name}, b.String())
		}
		if compared == 0 && len(v.found) == 0 {
			v.nothing(a.r.unpaired(1, "another system"))
		}
	}}
}
