package tiaptest

import (
	"fmt"
	"slices"
	"strings"
)

// SharedSubset fails when systems are compared on different queries, or when
// fewer than min queries are covered under every main target in every system.
func SharedSubset(min int) Rule {
	return rule{fmt.Sprintf("SharedSubset(%d)", min), func(a *Audit, v *verdicts) { verifySharedSubset(a, v, min) }}
}

func verifySharedSubset(a *Audit, v *verdicts, least int) {
	r := a.r
	if r.population == overCovered {
		first, different := []int32(nil), false
		var rows []string
		for i, s := range r.systems {
			for t := range r.main {
				subset := r.scoreSubset(overCovered, s, t, nil)
				rows = append(rows, fmt.Sprintf("%s under %s: %d queries", s.Name, r.targets[t], len(subset)))
				if i == 0 && t == 0 {
					first = subset
				}
				different = different || !slices.Equal(first, subset)
			}
		}
		if different {
			v.add(a.systemNames(), texts(r.targets[:r.main]), "systems are compared on different queries: the population is covered\n    "+
				strings.Join(rows, "\n    ")+"\n    compare over the shared subset instead: leave the population out")
			return
		}
	}
	shared := a.Shared()
	if shared.N >= least && shared.N > 0 {
		return
	}
	text := fmt.Sprintf("the shared subset has %d of %d queries, fewer than %d\n", shared.N, len(r.queries), max(least, 1))
	var systems []string
	for _, c := range a.costs() {
		systems = append(systems, c.system)
		text += fmt.Sprintf("    without %s it would have %d\n", c.system, shared.N+c.n)
	}
	for _, s := range r.systems {
		var counts []string
		for t := range r.main {
			switch {
			case s.unavailable[t]:
				counts = append(counts, fmt.Sprintf("%s unavailable", r.targets[t]))
			default:
				counts = append(counts, fmt.Sprintf("%s %d", r.targets[t], s.covered[t]))
			}
		}
		text += fmt.Sprintf("    %s covers %s\n", s.Name, strings.Join(counts, ", "))
	}
	v.add(systems, texts(r.targets[:r.main]), text)
}

// cost is how many queries a system costs the shared subset.
type cost struct {
	system string
	n      int
}

// costs lists the systems that cost queries, the costliest first.
func (a *Audit) costs() []cost {
	var out []cost
	for _, name := range a.systemNames() {
		if n := a.report.Shared.Cost[name]; n > 0 {
			out = append(out, cost{name, n})
		}
	}
	slices.SortStableFunc(out, func(a, b cost) int { return b.n - a.n })
	return out
}

// CompleteRuns fails when a query is absent from a run or failed. Both count as
// 0 in every score.
func CompleteRuns() Rule {
	return rule{"CompleteRuns()", func(a *Audit, v *verdicts) {
		for _, d := range a.report.Diagnostics {
			if d.Kind == "absent" || d.Kind == "failed" {
				v.add([]string{d.System}, nil, fmt.Sprintf("the run of %s is incomplete: %s", d.System, d.Text))
			}
		}
	}}
}
