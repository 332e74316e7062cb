package tiaptest

import (
	"fmt"
	"math"
	"slices"

	"github.com/tiaptest/tiap/internal/english"
)

// NoWinnerFlip fails when two systems have different winners under two targets,
// on the same rankings and the same queries, unless that is a known finding.
func NoWinnerFlip(metric Metric, opts ...RuleOption) Rule {
	return newRule("NoWinnerFlip", []fmt.Stringer{metric}, opts, []string{"From", "Between", "Above"}, func(a *Audit, v *verdicts, s ruleSettings) {
		verifyNoWinnerFlip(a, v, metric, s)
	})
}

func verifyNoWinnerFlip(a *Audit, v *verdicts, metric Metric, s ruleSettings) {
	if err := a.hasMetric(metric); err != nil {
		v.nothing(err.Error())
		return
	}
	if s.from != Fragile && !a.r.graded() {
		v.nothing(fmt.Sprintf("no flip is graded here, so none could be %s: tests need at most %d systems, scored on the same queries", s.from, testedSystems))
		return
	}
	known := newKnownSet(a, metric, func(f Finding) bool { return !f.ofConvention() && s.about(f.A, f.B) })
	compared, most := 0, 0
	for i := range a.report().Pairs {
		p := &a.report().Pairs[i]
		if p.Metric != metric.String() || p.Beside != "" || !s.about(p.A, p.B) {
			continue
		}
		if len(p.Flips) > 0 {
			most = max(most, p.N)
		}
		if a.r.reaches(p, s.from) {
			compared += len(p.Flips)
		}
		for j := range p.Flips {
			f := &p.Flips[j]
			if f.Verdict != verdictFlip {
				continue
			}
			systems, targets := []string{p.A, p.B}, f.Targets[:]
			finding, holds := known.of(f)
			switch {
			case holds:
				v.note(systems, targets, "known: "+a.flipSentence(p, f)+": "+finding.why())
			case s.matters(f.Grade, p.Gaps[f.Targets[0]], p.Gaps[f.Targets[1]]):
				v.add(systems, targets, a.flipText(p, f, v.full)+a.advice(f))
				v.found[len(v.found)-1].flip = &toldFlip{a, p, f}
			case s.from != Fragile && f.Grade == "":
				v.note(systems, targets, a.flipSentence(p, f))
			}
		}
	}
	switch {
	case compared > 0:
	case most > 0:
		v.nothing(fmt.Sprintf("no flip on %s could be %s, however clear; add queries, or leave From out", english.Count(most, "query", "queries"), s.from))
		return
	default:
		v.nothing(a.r.unpaired(2, "two systems that share queries under two targets"))
		return
	}
	looked := slices.DeleteFunc(slices.Clone(a.r.systems), func(one *scored) bool {
		return !slices.ContainsFunc(a.r.systems, func(other *scored) bool { return other != one && s.about(one.Name, other.Name) })
	})
	for _, e := range a.r.exclusions(looked) {
		v.note(e.systems, []string{e.target}, e.String())
	}
	known.report(v)
}

// reaches reports whether tests on as few queries as a pair shares can grade a flip
// so high. Below 30 the smallest p is that of a randomization test, 2/2^n.
func (r *results) reaches(p *Pair, from Grade) bool {
	if p.N >= 30 || len(r.system(p.A).ingests) > 1 && len(r.system(p.B).ingests) > 1 {
		return true // a t test, of queries or of ingest means
	}
	least := math.Ldexp(1, 1-p.N)
	switch from {
	case Likely:
		return least < r.alpha
	case Decisive:
		return float64(least*float64(r.hypotheses())) < r.alpha
	}
	return true
}
