package golden

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// keptCarriers is how many carriers a finding keeps.
const keptCarriers = 20

// carry names the queries with the largest changes in the direction of the
// finding.
func (f *Finding) carry(q *queryScores, at []int, changes []float64) {
	total := 0.0
	by := make([]int, len(changes))
	for i := range changes {
		by[i] = i
		total += changes[i]
	}
	slices.SortStableFunc(by, func(i, j int) int { return cmp.Compare(changes[j], changes[i]) })
	sum := 0.0
	for n, i := range by {
		if changes[i] <= 0 || sum >= total-1e-12 {
			break
		}
		if len(f.Carriers) < keptCarriers {
			f.Carriers = append(f.Carriers, tiaptest.Carrier{Query: q.ids[at[i]], Shift: changes[i]})
		}
		f.CarriedBy = n + 1
		sum += changes[i]
	}
}

// leaveOut counts how few queries must be left out until the sign of the mean
// gap is want or below: those with the largest gaps go first. It is 0 where
// leaving out does not help.
func (s *settings) leaveOut(gaps []float64, want int) int {
	sorted := slices.Sorted(slices.Values(gaps))
	left := 0.0
	for _, g := range sorted {
		left += g
	}
	for n := len(sorted) - 1; n > 0; n-- {
		left -= sorted[n]
		if s.sign(left/float64(n)) <= want {
			return len(sorted) - n
		}
	}
	return 0
}

// credit is where a system earns the first credit for a query under a target: a rank,
// or "none".
type credit struct{ target, system, was, is string }

// firstCredits says at which ranks the systems of a finding earn the first credit
// for its carriers, recorded and now: reciprocal rank tells it, if it is a metric
// of the audit and no mean over ingests.
func (c *comparison) firstCredits(f *Finding) map[string][]credit {
	metrics := c.want.content.Identity.Metrics
	i := slices.IndexFunc(metrics, func(m string) bool { return m == "mrr" || strings.HasPrefix(m, "mrr@") })
	if i < 0 || !c.scored() || f.block == nil {
		return nil
	}
	out := make(map[string][]credit)
	for _, carrier := range f.Carriers {
		for _, t := range f.Targets {
			for _, s := range f.Systems {
				was, ok1 := c.want.scores.firstCredit(columnKey{s, t, metrics[i]}, carrier.Query)
				is, ok2 := c.got.scores.firstCredit(columnKey{s, t, metrics[i]}, carrier.Query)
				if ok1 && ok2 {
					out[carrier.Query] = append(out[carrier.Query], credit{t, s, was, is})
				}
			}
		}
	}
	return out
}
