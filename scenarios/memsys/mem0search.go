package memsys

import "github.com/tiaptest/tiap/tiaptest"

// search adds the ranking of an answer to a run.
func (m *mem0) search(run *tiaptest.Run, a *answer) {
	var k tiaptest.Ranking
	if a.failed == "" {
		v := value{file: a.file, line: a.line, json: a.result}
		if a.line > 0 {
			v.path = "result"
		}
		var ok bool
		if k, ok = m.ranking(v); !ok {
			return
		}
	}
	m.made.stale(k, a.at())
	m.rank(run, a, k, m.made.has)
}

// ranking reads what search gave; ok is false when that cannot be ranked.
func (m *mem0) ranking(v value) (k tiaptest.Ranking, ok bool) {
	_, hits, ok := m.page(v)
	if !ok {
		return k, false
	}
	for _, h := range hits {
		it := m.item(h)
		if it == nil {
			ok = false
			continue
		}
		if s := m.stored[it.ID]; s != nil && *s.Memory != *it.Memory {
			m.tally.Add(noteMem0OtherText, it.where.at())
		}
		k.IDs = append(k.IDs, it.ID)
		if it.Score != nil {
			k.Scores = append(k.Scores, *it.Score)
		}
	}
	if len(k.Scores) > 0 && len(k.Scores) < len(k.IDs) {
		m.tally.Add(noteSomeScores, v.at())
		k.Scores = nil
	}
	var up, down bool
	for i := 1; i < len(k.Scores); i++ {
		up = up || k.Scores[i] > k.Scores[i-1]
		down = down || k.Scores[i] < k.Scores[i-1]
	}
	switch {
	case up && down:
		m.tally.Add(noteMem0Unordered, v.at())
	case up:
		m.tally.Add(noteMem0Distances, v.at())
	}
	return k, ok
}
