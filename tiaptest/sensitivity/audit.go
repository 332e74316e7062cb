package sensitivity

import (
	"bytes"
	"errors"
	"slices"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/tiaptest"
)

// FromAudit returns the values of single queries of an audit, with categories,
// families, conventions, clusters and target-set sizes. Of a system with repeats these are
// means over its ingests. Metrics that are ratios of sums, such as micro_recall,
// have no such values and are left out. Sizes are not known of qrels and
// records, which name no memories.
func FromAudit(a *tiaptest.Audit) (*Table, error) {
	t, err := fromAudit(a)
	if err != nil {
		return nil, err
	}
	for _, system := range a.Systems() {
		for _, target := range a.Targets() {
			eligible, err := a.Eligible(system, target)
			if err != nil {
				continue // the target is unavailable, or there are no memories
			}
			sizes := make(map[string]float64, len(t.categories))
			for query := range t.categories {
				sizes[query] = 0
			}
			for e := range eligible {
				sizes[e.Query.ID]++
			}
			for query := range sizes {
				sizes[query] /= float64(t.ingests[system])
			}
			t.sizes[place{system, target.String()}] = sizes
		}
	}
	return t, nil
}

// fromAudit leaves out the sizes.
func fromAudit(a *tiaptest.Audit) (*Table, error) {
	report, err := readAudit(a)
	if err != nil {
		return nil, err
	}
	s := report.Settings
	t := &Table{
		credit: s.Credit, uncovered: s.Uncovered, population: s.Population, depth: s.Depth,
		merge: s.Merge, cluster: s.Cluster, beside: make(map[string]bool), ingests: make(map[string]int),
	}
	t.trec = slices.ContainsFunc(report.Scores, func(s auditjson.Score) bool { return s.Subset == "judged" })
	if s.Headline != nil {
		t.headline = *s.Headline
	}
	if s.Cluster != "" {
		t.scopes = make(map[string]string)
	}
	t.init()
	var text bytes.Buffer
	if err := a.WritePerQuery(&text); err != nil {
		return nil, err
	}
	if text.Len() == 0 {
		return nil, errors.New("the audit has no value of a single query; name a metric that has, such as ndcg@60")
	}
	values, err := t.readScores("", &text)
	switch {
	case err != nil:
		return nil, err
	case values == 0:
		return nil, errors.New("the audit has no value: its targets cover no query of any system")
	}
	for _, name := range s.Beside {
		t.beside[name] = true
	}
	for _, system := range report.Systems {
		t.families[system.Name], t.ingests[system.Name] = system.Family, system.Ingests
	}
	for id := range t.categories {
		if q, ok := a.Query(id); ok {
			t.categories[id] = q.Category
			t.units = t.units || len(q.Evidence) > 0
			if t.scopes != nil {
				t.scopes[id] = q.Scope
			}
		}
	}
	return t, nil
}

// auditReport is the JSON report of an audit, without what compares systems.
type auditReport = auditjson.Report[tiaptest.Shared, struct{}, struct{}, struct{}]

func readAudit(a *tiaptest.Audit) (*auditReport, error) {
	var r auditReport
	return &r, auditjson.Read(a.WriteJSON, &r)
}
