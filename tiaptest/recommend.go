package tiaptest

import (
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/decide"
)

// Recommendation is the best member of a family of systems under each target.
type Recommendation struct {
	Family  string             `json:"family"`
	Metric  string             `json:"metric"`
	N       int                `json:"n"`
	Winners map[string]*string `json:"winners"` // by target; nil when the best are tied, and when the members share no query
	Flip    bool               `json:"flip"`    // two targets recommend different members
}

// picks is the member that is best under a target, "" where there is none.
func (r *Recommendation) picks(target string) string {
	if w := r.Winners[target]; w != nil {
		return *w
	}
	return ""
}

// verdict sums up a recommendation: a tie beside a member is neither the same nor
// another member.
func (r *Recommendation) verdict() string {
	tied := false
	for _, w := range r.Winners {
		tied = tied || w == nil
	}
	switch {
	case r.Flip:
		return verdictFlip
	case len(r.Winners) < 2 || tied && r.N == 0:
		return "-"
	case tied:
		return verdictTie
	}
	return verdictSame
}

// recommendations compares the members of each family on the queries that all
// of them share.
func (r *results) recommendations() []Recommendation {
	out := []Recommendation{}
	var families []string
	for _, s := range r.systems {
		if s.Family != "" && !slices.Contains(families, s.Family) {
			families = append(families, s.Family)
		}
	}
	slices.Sort(families)
	for _, family := range families {
		members := r.family(family)
		if len(members) < 2 {
			continue
		}
		targets := comparableTargets(members, r.mainTargets())
		subset := r.pairSubset(members, targets)
		for m, metric := range r.metrics {
			rec := Recommendation{Family: family, Metric: metric.String(), N: len(subset), Winners: make(map[string]*string)}
			picked := make([]string, len(targets))
			for i, t := range targets {
				name := r.targets[t].name
				rec.Winners[name] = r.best(members, t, m, subset)
				picked[i] = rec.picks(name)
			}
			rec.Flip = decide.Flip(picked...)
			out = append(out, rec)
		}
	}
	return out
}

// family returns the systems of a family.
func (r *results) family(name string) []*scored {
	var members []*scored
	for _, s := range r.systems {
		if s.Family == name {
			members = append(members, s)
		}
	}
	return members
}

// best names the member that is best under a target, or nil when another one ties with
// it or a score is undefined.
func (r *results) best(members []*scored, t, m int, subset []int32) *string {
	values := make([]float64, len(members))
	for i, s := range members {
		v, ok := r.gapSide(s, subset, t, m)
		if !ok {
			return nil
		}
		values[i] = v
	}
	best, leads := decide.Best(values, r.minEffect)
	if !leads {
		return nil
	}
	name := members[best].Name
	return &name
}

// Recommendation returns the best member of a family by a metric.
func (a *Audit) Recommendation(family string, metric Metric) (Recommendation, error) {
	if err := a.hasMetric(metric); err != nil {
		return Recommendation{}, err
	}
	for _, rec := range a.report().Recommendations {
		if rec.Family == family && rec.Metric == metric.String() {
			return rec, nil
		}
	}
	return Recommendation{}, fmt.Errorf("no family %q with at least two systems; say which systems are its members (Family, in system.json \"family\")", family)
}
