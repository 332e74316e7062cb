package sensitivity

import "math"

// Agreement is what remains of the queries that all systems share when only
// those are kept on which the targets agree in every system. Filtering makes
// targets agree by leaving out what they are about; Share says how much of the
// comparison that costs, and the spreads how little is left to differ.
type Agreement struct {
	Metric string `json:"metric"`

	// By is when targets agree on a query: "credit" when it scores above 0 under
	// every main target or under none, "0.1" when its scores lie within 0.1 of
	// each other.
	By string `json:"by"`

	N       int               `json:"n"` // shared queries
	Kept    int               `json:"kept"`
	Share   *float64          `json:"share"`
	Systems []AgreementSystem `json:"systems"`

	Winners     map[string]*string `json:"winners"`      // by target, over all shared queries
	KeptWinners map[string]*string `json:"kept_winners"` // by target, over those kept
}

// AgreementSystem holds a system's scores before and after filtering.
type AgreementSystem struct {
	System     string              `json:"system"`
	Scores     map[string]*float64 `json:"scores"`      // by target
	KeptScores map[string]*float64 `json:"kept_scores"` // by target
	Spread     *float64            `json:"spread"`      // highest minus lowest of the scores
	KeptSpread *float64            `json:"kept_spread"`
}

// agreements are the ways to agree, in their order.
var agreements = []struct {
	by    string
	agree func(lowest, highest float64) bool
}{
	{"credit", func(lowest, highest float64) bool { return lowest > 0 || highest == 0 }},
	{"0.1", func(lowest, highest float64) bool { return highest-lowest <= large+noise }},
}

func (f *frame) agreement() []Agreement {
	out := []Agreement{}
	for m, c := range f.commons() {
		for _, rule := range agreements {
			var kept []int
			for _, q := range c.queries {
				if f.agreeOn(q, c, m, rule.agree) {
					kept = append(kept, q)
				}
			}
			a := Agreement{
				Metric: f.metrics[m], By: rule.by, N: len(c.queries), Kept: len(kept), Share: share(len(kept), len(c.queries)),
				Winners: f.winners(c.systems, c.targets, m, c.queries), KeptWinners: f.winners(c.systems, c.targets, m, kept),
			}
			for _, s := range c.systems {
				one := AgreementSystem{System: f.systems[s], Scores: f.scores(s, c.targets, m, c.queries), KeptScores: f.scores(s, c.targets, m, kept)}
				one.Spread, one.KeptSpread = spread(one.Scores), spread(one.KeptScores)
				a.Systems = append(a.Systems, one)
			}
			out = append(out, a)
		}
	}
	return out
}

// agreeOn reports whether the targets agree on a query in every system.
func (f *frame) agreeOn(q int, c common, m int, agree func(lowest, highest float64) bool) bool {
	for _, s := range c.systems {
		lowest, highest := math.Inf(1), math.Inf(-1)
		for _, t := range c.targets {
			v := f.column(s, t, m).v[q]
			lowest, highest = min(lowest, v), max(highest, v)
		}
		if !agree(lowest, highest) {
			return false
		}
	}
	return true
}

// spread is the highest minus the lowest score, nil when one is undefined.
func spread(scores map[string]*float64) *float64 {
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, v := range scores {
		if v == nil {
			return nil
		}
		lowest, highest = min(lowest, *v), max(highest, *v)
	}
	d := highest - lowest
	return &d
}
