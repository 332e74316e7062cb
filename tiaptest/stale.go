package tiaptest

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
)

// staleHits counts how often outdated memories stand above current ones: those that
// a target made by [Current] or [ValidAt] rejects for their status or their time
// alone. It counts over the queries that the target covers, within the depth, and
// over all ingests.
func (r *results) staleHits() []staleness {
	var out []staleness
	for _, s := range r.systems {
		for t, target := range r.targets {
			if !target.current && !target.validAt || s.excluded(t) {
				continue
			}
			row := staleness{System: s.Name, Target: target.name}
			for i, in := range s.compiled.ingests {
				r.addStale(&row, in, s.ingests[i].covered[t], target)
			}
			out = append(out, row)
		}
	}
	return out
}

func (r *results) addStale(row *staleness, in *compiledIngest, covered []bool, target Target) {
	whenever := target
	whenever.current, whenever.validAt = false, false
	f := *r.frame
	f.targets = []Target{target, whenever}
	s := f.newScorer(in)
	for q := range r.queries {
		if !covered[q] {
			continue
		}
		s.prepare(q)
		current := false
		for _, seen := range s.seen {
			switch cand := int(seen.Cand); {
			case s.cands.Eligible(cand, 0):
				current = true
			case s.cands.Eligible(cand, 1):
				row.Stale++
				if !current {
					row.Above++
				}
			}
		}
	}
}

func (a *Audit) writeStale(b *strings.Builder) {
	if len(a.report().Stale) == 0 {
		return
	}
	b.WriteString("\noutdated memories above current ones\n")
	for _, s := range a.report().Stale {
		fmt.Fprintf(b, "    %s under %s: %d of %s\n", s.System, s.Target, s.Above, english.Count(s.Stale, "outdated hit", "outdated hits"))
	}
}
