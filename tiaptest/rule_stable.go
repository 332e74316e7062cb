package tiaptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/decide"
	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/table"
)

// StableRecommendation fails when two targets recommend different members of a
// family, unless the winner flip between the two members is a known finding.
func StableRecommendation(family string, metric Metric) Rule {
	name := fmt.Sprintf("StableRecommendation(%s, %s)", family, metric)
	return rule{name, func(a *Audit, v *verdicts) { verifyStableRecommendation(a, v, family, metric) }}
}

func verifyStableRecommendation(a *Audit, v *verdicts, family string, metric Metric) {
	rec, err := a.Recommendation(family, metric)
	if err != nil {
		v.nothing(err.Error())
		return
	}
	if rec.N == 0 || len(rec.Winners) < 2 {
		v.nothing(a.r.unpaired(2, fmt.Sprintf("members of family %s that share queries under two targets", family)))
		return
	}
	if !rec.Flip {
		return
	}
	var picks, targets []string
	for _, t := range a.r.targets[:a.r.main] {
		switch w, ok := rec.Winners[t.name]; {
		case !ok:
		case w == nil:
			picks = append(picks, t.name+" recommends none (tied)")
		default:
			picks, targets = append(picks, t.name+" recommends "+*w), append(targets, t.name)
		}
	}
	members := a.r.family(family)
	var names []string
	for _, s := range members {
		names = append(names, s.Name)
	}
	sentence := fmt.Sprintf("recommendation of family %s on %s depends on the target: %s", family, metric, strings.Join(picks, ", "))
	reasons, unknown := a.knownPicks(&rec)
	if unknown == nil {
		v.note(names, targets, "known: "+sentence+": "+strings.Join(reasons, "; "))
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n    %s of the %d members: %d of %s\n    %s\n", sentence, populationName(a.r.population), len(members), rec.N, english.Count(len(a.r.queries), "query", "queries"), a.conventionText())
	for _, e := range a.r.exclusions(members) {
		fmt.Fprintf(&b, "    %s\n", e)
	}
	b.WriteByte('\n')
	rows := [][]string{append([]string{"target"}, names...)}
	common := comparableTargets(members, a.r.mainTargets())
	subset := a.r.pairSubset(members, common)
	for _, t := range common {
		row := []string{a.r.targets[t].name}
		for _, s := range members {
			score := "-"
			if x, ok := a.r.gapSide(s, subset, t, a.r.metric(metric)); ok {
				score = fmt.Sprintf("%.4f", x)
			}
			row = append(row, score)
		}
		rows = append(rows, row)
	}
	_ = table.Write(&b, "    ", rows)
	b.WriteString("\n    recommend with the target named, or by the headline target alone\n")
	b.WriteString(a.advice(unknown))
	v.add(names, targets, b.String())
}

// knownPicks returns the reasons for which the flips between the members that a family
// is recommended by are known, and the first flip that is not known, nil if all are.
func (a *Audit) knownPicks(rec *Recommendation) (reasons []string, unknown *Flip) {
	targets := a.r.targets[:a.r.main]
	for i, t := range targets {
		for _, u := range targets[:i] {
			first, second := rec.picks(u.name), rec.picks(t.name)
			if !decide.Flip(first, second) {
				continue
			}
			f := &Flip{A: first, B: second, Metric: rec.Metric, Targets: [2]string{u.name, t.name}}
			switch known, holds := a.known(f); {
			case !holds && unknown == nil:
				unknown = f
			case holds && !slices.Contains(reasons, known.why()):
				reasons = append(reasons, known.why())
			}
		}
	}
	return reasons, unknown
}

// StableTargetOrder fails when the targets score two systems in different
// orders: what a target changes then depends on the architecture.
func StableTargetOrder(metric Metric) Rule {
	return rule{fmt.Sprintf("StableTargetOrder(%s)", metric), func(a *Audit, v *verdicts) {
		if err := a.hasMetric(metric); err != nil {
			v.nothing(err.Error())
			return
		}
		var orders []targetOrder
		for _, o := range a.report().TargetOrders {
			if o.Metric == metric.String() {
				orders = append(orders, o)
			}
		}
		orders = auditjson.CommonTargets(orders)
		if len(orders) < 2 {
			v.nothing(a.r.unpaired(2, "two systems with scores under two targets on shared queries"))
			return
		}
		different := func(o targetOrder) bool { return !slices.Equal(o.Order, orders[0].Order) }
		if !slices.ContainsFunc(orders, different) {
			return
		}
		text := fmt.Sprintf("target order on %s differs between systems\n    over the %s that all systems share; %s\n\n", metric, english.Count(orders[0].N, "query", "queries"), a.conventionText())
		var names []string
		rows := [][]string{{"system", "order, highest score first"}}
		for _, o := range orders {
			names = append(names, o.System)
			rows = append(rows, []string{o.System, strings.Join(o.Order, " > ")})
		}
		var b strings.Builder
		_ = table.Write(&b, "    ", rows)
		v.add(names, texts(a.r.targets[:a.r.main]), text+b.String()+"\n    do not carry a finding about a target from one system over to another\n")
	}}
}
