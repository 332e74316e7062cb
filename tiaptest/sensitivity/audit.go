package sensitivity

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tiaptest/tiap/tiaptest"
)

// FromAudit returns the values of single queries of an audit, with categories,
// families, conventions and target-set sizes. Of a system with repeats these are
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
	var text bytes.Buffer
	if err := a.WriteJSON(&text); err != nil {
		return nil, err
	}
	var report struct {
		Settings struct {
			Depth      int
			Credit     string
			Uncovered  string
			Population string
			Beside     []string
			Headline   string
		}
		Systems []struct {
			Name, Family string
			Ingests      int
		}
	}
	if err := json.Unmarshal(text.Bytes(), &report); err != nil {
		return nil, err
	}
	s := report.Settings
	t := &Table{
		credit: s.Credit, uncovered: s.Uncovered, population: s.Population, depth: s.Depth,
		headline: s.Headline, beside: make(map[string]bool), ingests: make(map[string]int),
	}
	t.init()
	text.Reset()
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
		}
	}
	return t, nil
}
