package sensitivity

import (
	"errors"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/tiaptest"
)

// FromAudit returns the values of single queries of an audit, with categories,
// families, conventions, clusters and target-set sizes. Of a system with repeats these are
// means over its ingests. Metrics that are ratios of sums, such as micro_recall,
// have no such values and are left out. Sizes are not known of qrels and
// records, which name no memories.
func FromAudit(a *tiaptest.Audit) (*Table, error) {
	t, metrics, err := described(a)
	if err != nil {
		return nil, err
	}
	if err := t.addValues(a, metrics); err != nil {
		return nil, err
	}
	for _, system := range a.Systems() {
		for _, target := range a.Targets() {
			eligible, err := a.Eligible(system, target)
			if err != nil {
				continue // the target is unavailable, or there are no memories
			}
			sizes, q := make([]float64, len(t.queries)), 0
			for e := range eligible {
				for t.queries[q] != e.Query.ID {
					q++
				}
				sizes[q]++
			}
			known := new(cells)
			for q := range sizes {
				sizes[q] /= float64(t.ingests[system])
				known.set(q, &sizes[q])
			}
			t.sizes[place{system, target.String()}] = known
		}
	}
	return t, nil
}

// described is the table of an audit without values, and the metrics that have values
// of single queries.
func described(a *tiaptest.Audit) (t *Table, metrics []tiaptest.Metric, err error) {
	report, err := readAudit(a)
	if err != nil {
		return nil, nil, err
	}
	s := report.Settings
	t = &Table{
		credit: s.Credit, uncovered: s.Uncovered, population: s.Population, depth: s.Depth,
		merge: s.Merge, cluster: s.Cluster, beside: make(map[string]bool), ingests: make(map[string]int),
	}
	t.init()
	t.trec = slices.ContainsFunc(report.Scores, func(s auditjson.Score) bool { return s.Subset == "judged" })
	if s.Headline != nil {
		t.headline = *s.Headline
	}
	for _, name := range s.Beside {
		t.beside[name] = true
	}
	for _, target := range a.Targets() {
		t.targets[target.String()] = true
	}
	for _, system := range report.Systems {
		t.families[system.Name], t.ingests[system.Name] = system.Family, system.Ingests
	}
	t.addQueries(a)
	for _, name := range s.Metrics {
		m, err := tiaptest.ParseMetric(name)
		if err != nil {
			return nil, nil, err
		}
		if stem, _ := cutOff(name); stem != "micro_recall" {
			metrics = append(metrics, m)
		}
	}
	return t, metrics, nil
}

// addQueries adds the queries of an audit, ascending.
func (t *Table) addQueries(a *tiaptest.Audit) {
	var queries []tiaptest.Query
	for i := range a.Bundle().Scenario.Queries {
		if q, ok := a.Query(a.Bundle().Scenario.Queries[i].ID); ok {
			queries = append(queries, q)
		}
	}
	slices.SortFunc(queries, func(p, q tiaptest.Query) int { return strings.Compare(p.ID, q.ID) })
	if t.cluster != "" {
		t.scopes = []string{}
	}
	for _, q := range queries {
		n := t.query(q.ID)
		t.categories[n] = q.Category
		t.units = t.units || len(q.Evidence) > 0
		if t.scopes != nil {
			t.scopes[n] = q.Scope
		}
	}
}

// addValues adds the values of an audit, of which the table has the queries.
func (t *Table) addValues(a *tiaptest.Audit, metrics []tiaptest.Metric) error {
	if len(metrics) == 0 {
		return errors.New("the audit has no value of a single query; name a metric that has, such as ndcg@60")
	}
	some := false
	for _, system := range a.Systems() {
		for _, target := range a.Targets() {
			for _, metric := range metrics {
				values, err := a.Values(system, target, metric)
				if err != nil {
					return err
				}
				c := cellsOf(t.columns, column{system, target.String(), metric.String()})
				c.v, c.said = make([]float64, len(t.queries)), slices.Repeat([]saying{noValue}, len(t.queries))
				q := 0
				for id, v := range values {
					for t.queries[q] != id {
						q++
					}
					c.v[q], c.said[q] = v, aValue
					some = true
				}
			}
		}
	}
	switch {
	case some:
		return nil
	case !t.units: // of records
		return errors.New("the audit has no value: its targets cover no query of any system; name the ids that each target credits in the records")
	}
	return errors.New("the audit has no value: its targets cover no query of any system; " +
		"let the memories descend from turns of the evidence, by the same ids (sources in store.jsonl, Memory.Sources in code)")
}

// by is a table of the same systems and queries with the values of an audit by
// another convention or by other metrics, without sizes and answers.
func (t *Table) by(a *tiaptest.Audit, metrics []tiaptest.Metric) (*Table, error) {
	other := *t
	other.columns, other.sizes, other.answers = make(map[column]*cells), nil, nil
	return &other, other.addValues(a, metrics)
}

// auditReport is the JSON report of an audit, without what compares systems.
type auditReport = auditjson.Report[tiaptest.Shared, struct{}, struct{}, struct{}]

func readAudit(a *tiaptest.Audit) (*auditReport, error) {
	var r auditReport
	return &r, auditjson.Read(a.WriteJSON, &r)
}
