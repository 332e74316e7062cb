package tiaptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/table"
)

// SharedSubset fails when systems are compared on different queries, or when
// fewer than min queries, 1 at least, are covered under every main target in every
// system.
func SharedSubset(min int) Rule {
	return rule{fmt.Sprintf("SharedSubset(%d)", min), func(a *Audit, v *verdicts) { verifySharedSubset(a, v, min) }}
}

func verifySharedSubset(a *Audit, v *verdicts, least int) {
	if least < 1 {
		v.nothing("the least number of shared queries must be at least 1")
		return
	}
	r := a.r
	systems, targets := a.systemNames(), texts(r.targets[:r.main])
	hasScores := func(s *scored) bool {
		return slices.ContainsFunc(r.mainTargets(), func(t int) bool { return !s.excluded(t) })
	}
	if !slices.ContainsFunc(r.systems, hasScores) {
		v.nothing("no target covers a query in any system" + r.excludedText())
		return
	}
	if r.population == overCovered && r.coversDiffer() {
		v.add(systems, targets, "systems are compared on different queries: the population is covered\n\n"+a.coverage(nil)+
			"\n    compare over the shared subset instead: leave the population out")
		return
	}
	shared := a.Shared()
	if shared.N >= least {
		return
	}
	if costs := a.costs(); len(costs) > 0 {
		systems = nil
		for _, c := range costs {
			systems = append(systems, c.system)
		}
	}
	v.add(systems, targets, fmt.Sprintf("the shared subset has %d of %s, fewer than %d\n\n", shared.N, english.Count(len(r.queries), "query", "queries"), least)+a.coverage(shared.Cost)+
		"\n    record the lineage that is missing, leave a system or target out with Systems or Targets, or ask for fewer")
}

// coversDiffer reports whether two systems, or two targets, cover different
// queries.
func (r *results) coversDiffer() bool {
	first := r.scoreSubset(overCovered, r.systems[0], 0, nil)
	for _, s := range r.systems {
		for t := range r.main {
			if !slices.Equal(first, r.scoreSubset(overCovered, s, t, nil)) {
				return true
			}
		}
	}
	return false
}

// coverage is a table of the queries that each system covers under each main
// target, and of what the shared subset would gain without it.
func (a *Audit) coverage(cost map[string]int) string {
	r := a.r
	head := append([]string{"covered by"}, texts(r.targets[:r.main])...)
	if cost != nil {
		head = append(head, "shared without it")
	}
	rows := [][]string{head}
	for _, s := range r.systems {
		row := []string{s.Name}
		for t := range r.main {
			if s.unavailable(t) {
				row = append(row, "unavailable")
			} else {
				row = append(row, fmt.Sprint(s.covered[t]))
			}
		}
		if cost != nil {
			row = append(row, fmt.Sprint(a.Shared().N+cost[s.Name]))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	_ = table.Write(&b, "    ", rows)
	return b.String()
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
		if n := a.report().Shared.Cost[name]; n > 0 {
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
		for _, d := range a.report().Diagnostics {
			if d.Kind == "absent" || d.Kind == "failed" {
				v.add([]string{d.System}, nil, fmt.Sprintf("the run of %s is incomplete: %s\n    run what is missing again and save the rankings", d.System, d.Text))
			}
		}
	}}
}
