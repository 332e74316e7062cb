package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/tiaptest"
)

// parsed is an audit as its JSON report has it: the contract that other readers
// have too.
type parsed struct {
	auditjson.Report[tiaptest.Shared, tiaptest.Pair, tiaptest.Recommendation, convention]

	byKey map[scoreKey]*score
}

type (
	system     = auditjson.System
	score      = auditjson.Score
	convention = auditjson.Convention
)

type scoreKey struct{ system, target, subset, metric string }

// parse reads the JSON report of an audit.
func parse(a *tiaptest.Audit) (*parsed, error) {
	p := &parsed{}
	if err := auditjson.Read(a.WriteJSON, &p.Report); err != nil {
		return nil, err
	}
	p.byKey = make(map[scoreKey]*score, len(p.Scores))
	for i := range p.Scores {
		s := &p.Scores[i]
		p.byKey[scoreKey{s.System, s.Target, s.Subset, s.Metric}] = s
	}
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		for j := range pair.Flips {
			f := &pair.Flips[j]
			f.A, f.B, f.Metric = pair.A, pair.B, pair.Metric
		}
	}
	return p, nil
}

// targets are the main targets, then those beside.
func (p *parsed) targets() []string { return slices.Concat(p.Settings.Targets, p.Settings.Beside) }

// metric is the first metric: the one that a report shows first.
func (p *parsed) metric() string { return p.Settings.Metrics[0] }

// headline is the declared headline target, or "".
func (p *parsed) headline() string {
	if p.Settings.Headline == nil {
		return ""
	}
	return *p.Settings.Headline
}

// scorable counts the queries that have usable evidence.
func (p *parsed) scorable() int { return p.Scenario.Queries - p.Scenario.Unscorable }

// score is a system's score over a population, nil when there is none.
func (p *parsed) score(system, target, subset, metric string) *score {
	return p.byKey[scoreKey{system, target, subset, metric}]
}

// pairsBy are the pairs that a metric compares, those that flip first and the
// strongest grades before weaker ones.
func (p *parsed) pairsBy(metric string) []*tiaptest.Pair {
	var out []*tiaptest.Pair
	for i := range p.Pairs {
		if p.Pairs[i].Metric == metric {
			out = append(out, &p.Pairs[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *tiaptest.Pair) int { return cmp.Compare(weight(b), weight(a)) })
	return out
}

const (
	verdictFlip = "flip"
	verdictTie  = "tie"
	verdictSame = "same"
)

// weight is higher for pairs that are looked at first.
func weight(p *tiaptest.Pair) int {
	w := 0
	for i := range p.Flips {
		if p.Flips[i].Verdict == verdictFlip {
			w = max(w, 1+gradeRank(p.Flips[i].Grade))
		}
	}
	return w
}

func gradeRank(g tiaptest.Grade) int {
	return slices.Index([]tiaptest.Grade{"", tiaptest.Fragile, tiaptest.Likely, tiaptest.Decisive}, g)
}

// flips are the winner flips, the first metric's first, then the others in their
// order; those of one metric with the strongest first.
func (p *parsed) flips() []*tiaptest.Flip {
	var out []*tiaptest.Flip
	for _, m := range p.Settings.Metrics {
		from := len(out)
		for _, pair := range p.pairsBy(m) {
			for i := range pair.Flips {
				if pair.Flips[i].Verdict == verdictFlip {
					out = append(out, &pair.Flips[i])
				}
			}
		}
		slices.SortStableFunc(out[from:], func(a, b *tiaptest.Flip) int {
			return cmp.Compare(gradeRank(b.Grade), gradeRank(a.Grade))
		})
	}
	return out
}

// pairOf is the pair that a flip belongs to.
func (p *parsed) pairOf(f *tiaptest.Flip) *tiaptest.Pair {
	i := slices.IndexFunc(p.Pairs, func(q tiaptest.Pair) bool {
		return q.A == f.A && q.B == f.B && q.Metric == f.Metric &&
			slices.ContainsFunc(q.Flips, func(g tiaptest.Flip) bool { return g.Targets == f.Targets })
	})
	return &p.Pairs[i]
}

// grade names the grade of a flip.
func grade(f *tiaptest.Flip) string {
	if f.Grade == "" {
		return "not graded"
	}
	return string(f.Grade)
}

// conventionKeys are the conventions that winners were asked by, the audit's own
// first.
func (p *parsed) conventionKeys() []string {
	if len(p.Conventions) == 0 {
		return nil
	}
	own := p.ownConvention()
	keys := slices.Sorted(maps.Keys(p.Conventions[0].Winners))
	slices.SortStableFunc(keys, func(a, b string) int {
		rank := func(k string) int {
			switch {
			case k == own:
				return 0
			case strings.HasPrefix(k, "evidence/dropped"):
				return 1
			case strings.HasPrefix(k, "evidence"):
				return 2
			}
			return 3
		}
		return cmp.Compare(rank(a), rank(b))
	})
	return keys
}

// ownConvention is the key of the audit's own convention.
func (p *parsed) ownConvention() string {
	uncovered := p.Settings.Uncovered
	if p.Settings.Credit == string(tiaptest.ByMemory) {
		uncovered = "dropped"
	}
	return p.Settings.Credit + "/" + uncovered + "/" + p.Settings.Population
}
