package sensitivity

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tiaptest/tiap/tiaptest"
)

// FromAudit returns the values of single queries of an audit, with categories,
// families and conventions. Of a system with repeats these are means over its
// ingests. Metrics that are ratios of sums, such as micro_recall, have no such
// values and are left out. Target-set sizes are not known to an audit; [Table.Add]
// adds them.
func FromAudit(a *tiaptest.Audit) (*Table, error) {
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
		Systems []struct{ Name, Family string }
	}
	if err := json.Unmarshal(text.Bytes(), &report); err != nil {
		return nil, err
	}
	s := report.Settings
	t := &Table{
		credit: s.Credit, uncovered: s.Uncovered, population: s.Population, depth: s.Depth,
		headline: s.Headline, beside: make(map[string]bool),
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
		t.families[system.Name] = system.Family
	}
	for id := range t.categories {
		if q, ok := a.Query(id); ok {
			t.categories[id] = q.Category
			t.units = t.units || len(q.Evidence) > 0
		}
	}
	return t, nil
}
