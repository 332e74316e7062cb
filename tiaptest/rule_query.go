package tiaptest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
)

// EachQuery fails when a query that is covered under a target scores below min
// in some system: a mean hides one query that always fails behind many that
// never do. A system with repeats is judged by how many of its ingests reach
// min: a query fails when at most one in five do. [Except] names queries that
// may fail; with [Against] a query fails only if it passed before, in at least
// four of five ingests.
func EachQuery(metric Metric, target Target, min float64, opts ...RuleOption) Rule {
	return newRule("EachQuery", []fmt.Stringer{metric, target, number(min)}, opts, []string{"Except", "Against"}, func(a *Audit, v *verdicts, s ruleSettings) {
		verifyEachQuery(a, v, metric, target, min, s)
	})
}

type number float64

func (n number) String() string { return decimal(float64(n)) }

func verifyEachQuery(a *Audit, v *verdicts, metric Metric, target Target, min float64, s ruleSettings) {
	r, t := a.r, a.r.target(target.name)
	if err := a.hasMetric(metric); err != nil {
		v.nothing(err.Error())
		return
	}
	err := a.hasTarget(target)
	switch {
	case err != nil:
		v.nothing(err.Error())
		return
	case metric.micro():
		v.nothing(fmt.Sprintf("%s is a ratio of sums over queries; it has no value for a single query", metric))
		return
	case !(min > 0 && min <= 1):
		v.nothing("the least score must be above 0 and at most 1")
		return
	}
	if s.base != nil {
		if s.base.hasMetric(metric) != nil || s.base.hasTarget(target) != nil {
			v.nothing(fmt.Sprintf("the earlier audit has no %s under %s", metric, target))
			return
		}
	}
	var strangers names
	for _, id := range s.except {
		if r.query(id) < 0 {
			strangers.add(id)
		}
	}
	if strangers.n > 0 {
		v.add(nil, nil, fmt.Sprintf("Except names queries that the audit does not have: %s", strangers))
	}
	compared := 0
	excepted := make(map[string]bool) // whether it fails in a system
	for _, system := range r.systems {
		var failing []int
		for q := range r.queries {
			if !system.mean.covered[t][q] {
				continue
			}
			passed, of := r.passes(system, t, r.metric(metric), q, min)
			failed, id := passed*5 <= of, r.queries[q].ID
			passedBefore, known := s.passedBefore(system.Name, target, metric, id, min)
			if known {
				compared++
			}
			switch {
			case slices.Contains(s.except, id):
				excepted[id] = excepted[id] || failed
			case failed && passedBefore:
				failing = append(failing, q)
			}
		}
		if len(failing) > 0 {
			v.add([]string{system.Name}, []string{target.name}, a.failingText(v, system, t, metric, min, failing, s.base != nil))
		}
	}
	if compared == 0 {
		why := fmt.Sprintf("no query is covered under %s", target)
		if s.base != nil {
			why += " in the same system of both audits"
		}
		v.nothing(why)
	}
	var passing names
	for _, id := range slices.Sorted(maps.Keys(excepted)) {
		if !excepted[id] {
			passing.add(id)
		}
	}
	if passing.n > 0 {
		v.note(nil, []string{target.name}, fmt.Sprintf("%s in every system, remove from Except: %s", english.Count(passing.n, "excepted query passes", "excepted queries pass"), passing))
	}
}

// passes counts the ingests in which a query reaches a score.
func (r *results) passes(s *scored, t, m, q int, min float64) (passed, of int) {
	for _, in := range s.ingests {
		if in.columns[r.scheme()][t].values[m][q] >= min-changed {
			passed++
		}
	}
	return passed, len(s.ingests)
}

// passedBefore reports whether a query passed in the earlier audit, if there is
// one to compare with, and whether that audit knows. Without one every query
// counts.
func (s *ruleSettings) passedBefore(system string, target Target, metric Metric, query string, min float64) (passed, known bool) {
	if s.base == nil {
		return true, true
	}
	r := s.base.r
	before, t, q := r.system(system), r.target(target.name), r.query(query)
	if before == nil || q < 0 || !before.mean.covered[t][q] {
		return false, false
	}
	n, of := r.passes(before, t, r.metric(metric), q, min)
	return n*5 >= of*4, true
}

// creditText says where a query has its first credit, or why it has none.
func (r *results) creditText(s *scored, t, q int) string {
	where := ""
	if len(s.ingests) > 1 {
		where = " in the first ingest"
	}
	in := s.compiled.ingests[0]
	switch row := in.rowOf[q]; {
	case row < 0:
		return "absent from the run" + where
	case in.Run.rows[row].failure != "":
		return "failed" + where + ": " + printable(in.Run.rows[row].failure)
	}
	if n, _ := r.firstCredit(s, t, q); n > 0 {
		return fmt.Sprintf("first credit at rank %d%s", n, where)
	}
	return "no credit" + where
}

// query is the number of a scorable query, or -1.
func (r *results) query(id string) int {
	q, ok := slices.BinarySearchFunc(r.queries, id, func(q *Query, id string) int { return strings.Compare(q.ID, id) })
	if !ok {
		return -1
	}
	return q
}

// shownQueries is how many failing queries a text names.
const shownQueries = 10

func (a *Audit) failingText(v *verdicts, s *scored, t int, metric Metric, min float64, failing []int, before bool) string {
	r := a.r
	var b strings.Builder
	were := " scored"
	if before {
		were = " that passed before scored"
	}
	fmt.Fprintf(&b, "%s%s below %s on %s under %s in %s, of %d covered\n    %s\n", english.Count(len(failing), "query", "queries"), were, decimal(min), metric, r.targets[t], s.Name, s.covered[t], a.conventionText())
	shown := v.shown(len(failing), shownQueries)
	for _, q := range failing[:shown] {
		value := fmt.Sprintf("%.4f", s.mean.columns[r.scheme()][t].values[r.metric(metric)][q])
		if passed, of := r.passes(s, t, r.metric(metric), q, min); of > 1 {
			value += fmt.Sprintf(" (%d of %d ingests pass)", passed, of)
		}
		fmt.Fprintf(&b, "    %s: %s, %s\n", r.queryText(q), value, r.creditText(s, t, q))
	}
	if n := len(failing) - shown; n > 0 {
		fmt.Fprintf(&b, "    and %d more\n", n)
	}
	if look := a.ExplainCommand(r.queries[failing[0]].ID); look != "" {
		fmt.Fprintf(&b, "    look: %s\n", look)
	}
	b.WriteString("    if a query may fail, name it with Except\n")
	return b.String()
}
