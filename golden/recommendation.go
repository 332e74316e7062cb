package golden

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tiaptest/tiap/internal/decide"
)

// recommendations compares the best members of families.
func (c *comparison) recommendations() {
	for i := range c.want.content.Recommendations {
		w := &c.want.content.Recommendations[i]
		all := c.want.content.members(w.Family)
		members := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !slices.Contains(c.got.content.members(w.Family), s) })
		if len(members) < 2 {
			continue
		}
		var inWant, inGot []int
		if c.scored() {
			inWant, inGot = common(c.want.scores, c.got.scores, setKey(all...), setKey(c.got.content.members(w.Family)...))
		}
		for _, t := range targetsOf(w.Winners) {
			for _, metric := range c.want.content.Identity.Metrics {
				c.recommendation(w, members, t, metric, inWant, inGot)
			}
		}
	}
}

// recommendation compares the best member of a family under one target, among members
// of both records.
func (c *comparison) recommendation(w *recommendationRecord, members []string, t, metric string, inWant, inGot []int) {
	if len(inGot) == 0 || isRatio(metric) {
		c.unjudged(w, members, t, metric)
		return
	}
	was, ok1 := c.best(c.want.scores, members, t, metric, inWant)
	is, ok2 := c.best(c.got.scores, members, t, metric, inGot)
	if !ok1 || !ok2 || was == is {
		return
	}
	v, pair := RecommendationChanged, c.winners[winnerKey(was, is, t, metric)]
	switch {
	case was == "" || is == "":
		v = Tie
	case pair.verdict == Inconclusive:
		return // said of the pair
	case c.repeats(was, is):
		tests := len(c.want.content.Recommendations) * len(w.Winners) * len(c.want.content.Identity.Metrics)
		now, recorded := c.got.scores.ingestGaps(was, is, t, metric, inGot), c.want.scores.ingestGaps(was, is, t, metric, inWant)
		if e, ok := c.stat.repeated(now, recorded, tests); !ok || e.noise == explained {
			v = Inconclusive
		}
	}
	c.addUnless(v == RecommendationChanged && pair.known, Finding{
		Verdict: v, Systems: members, Targets: []string{t}, Metric: metric, N: len(inGot),
		Text: fmt.Sprintf("%s on %s under %s: family %s %s -> %s", words(v), metric, t, w.Family, cmp.Or(was, tied), cmp.Or(is, tied)),
	})
}

// unjudged says that a family has another best member than recorded where single
// queries have no scores to judge it by, unless the two members as a pair say so.
func (c *comparison) unjudged(w *recommendationRecord, members []string, t, metric string) {
	i := slices.IndexFunc(c.got.content.Recommendations, func(g recommendationRecord) bool { return g.Family == w.Family })
	if i < 0 {
		return
	}
	was, is := w.winner(t, metric), c.got.content.Recommendations[i].winner(t, metric)
	if v := c.winners[winnerKey(was, is, t, metric)].verdict; was == is || v != "" && (v != Same || len(members) == 2) {
		return
	}
	c.add(Finding{
		Verdict: Inconclusive, Systems: members, Targets: []string{t}, Metric: metric,
		Text: fmt.Sprintf("inconclusive on %s under %s: family %s %s -> %s, without common queries that have scores of their own", metric, t, w.Family, was, is),
	})
}

// best names the member that is best, "" for a tie; ok is false where a score is
// undefined.
func (c *comparison) best(q *queryScores, members []string, t, metric string, at []int) (name string, ok bool) {
	values := make([]float64, len(members))
	for i, m := range members {
		vs, ok := q.means(m, t, metric, at)
		if !ok {
			return "", false
		}
		values[i] = mean(vs)
	}
	best, leads := decide.Best(values, c.s.minEffect)
	if !leads {
		return "", true
	}
	return members[best], true
}
