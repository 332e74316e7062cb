package rank_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/rank"
)

const targets = 3 // of which the second is part of the first

// drawCandidates draws candidates with some units each; what belongs to a unit
// under target 1 does under target 0.
func drawCandidates(t *rapid.T) rank.Candidates {
	c := rank.Candidates{Start: []int32{0}, Units: rapid.IntRange(1, 4).Draw(t, "units")}
	for range rapid.IntRange(1, 6).Draw(t, "candidates") {
		for unit := range c.Units {
			if bits := rapid.SampledFrom([]uint64{0, 0, 1, 3, 4, 5, 7}).Draw(t, "targets"); bits != 0 {
				c.Pairs = append(c.Pairs, rank.Pair{Unit: int32(unit), Targets: bits})
			}
		}
		c.Start = append(c.Start, int32(len(c.Pairs)))
	}
	return c
}

// drawRanking draws a ranking that holds each candidate once at most, and ids
// that are none.
func drawRanking(t *rapid.T, c rank.Candidates) []int32 {
	ids := []int32{-1, -1, -1}
	for i := range len(c.Start) - 1 {
		ids = append(ids, int32(i))
	}
	return rapid.Permutation(ids).Draw(t, "ranking")[:rapid.IntRange(0, len(ids)).Draw(t, "length")]
}

var creditings = []string{"evidence", "counted", "memory"}

// result scores a ranking by one of the creditings.
func result(c rank.Candidates, ranking []int32, target uint, how string) rank.Result {
	var s rank.Scorer
	seen, length := at(ranking...)
	if how == "memory" {
		return s.ByMemory(&c, seen, length, target)
	}
	return s.ByEvidence(&c, seen, length, target, how == "counted")
}

// drawTarget draws a crediting and a target.
func drawTarget(t *rapid.T) (how string, target uint) {
	return rapid.SampledFrom(creditings).Draw(t, "crediting"), uint(rapid.IntRange(0, targets-1).Draw(t, "target"))
}

// TestCreditedOnce: a rank earns once, no item is credited twice, and never more
// than there are; without that by evidence a score could pass 1.
func TestCreditedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCandidates(t)
		ranking := drawRanking(t, c)
		how, target := drawTarget(t)
		r := result(c, ranking, target, how)
		last, items := int32(0), 0
		for _, h := range r.Hits {
			if h.Rank <= last || int(h.Rank) > r.Length || h.Items < 1 || h.Gain != 1 || how == "memory" && h.Items != 1 {
				t.Fatalf("%s: hits %v of %v", how, r.Hits, ranking)
			}
			last, items = h.Rank, items+int(h.Items)
		}
		if items > r.Items || items != rank.Credited(r, 0) || how == "counted" && r.Items != c.Units {
			t.Fatalf("%s: %d items credited of %d, %d units", how, items, r.Items, c.Units)
		}
		for _, m := range kinds {
			if v := m.Value(r); !(v >= 0 && v <= 1) {
				t.Fatalf("%s: %v is %v", how, m, v)
			}
		}
	})
}

// TestCutsAreRankings: at k a ranking is worth what its first k ids are. A
// metric that looks past its cut-off fails.
func TestCutsAreRankings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCandidates(t)
		ranking := drawRanking(t, c)
		how, target := drawTarget(t)
		long := result(c, ranking, target, how)
		for k := 1; k <= len(ranking); k++ {
			cut := result(c, ranking[:k], target, how)
			for _, m := range kinds {
				if m.K == 0 {
					continue // some have no cut-off
				}
				m.K = k
				if m.Value(cut) != m.Value(long) {
					t.Fatalf("%s: %v is %v of %v, and %v of its beginning", how, m, m.Value(long), ranking, m.Value(cut))
				}
			}
		}
	})
}

// TestHigherIsNotWorse: a candidate that changes places with the id before it,
// which is no candidate, lowers no metric; nDCG tells the two rankings apart if
// the candidate earns. Discounts that do not fall fail.
func TestHigherIsNotWorse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCandidates(t)
		ranking := drawRanking(t, c)
		how, target := drawTarget(t)
		before := result(c, ranking, target, how)
		for i := 1; i < len(ranking); i++ {
			if ranking[i-1] >= 0 || ranking[i] < 0 {
				continue
			}
			higher := slices.Clone(ranking)
			higher[i-1], higher[i] = higher[i], higher[i-1]
			after := result(c, higher, target, how)
			for _, m := range kinds {
				if m.Value(after) < m.Value(before) {
					t.Fatalf("%s: %v is %v of %v, %v of %v", how, m, m.Value(before), ranking, m.Value(after), higher)
				}
			}
			earns := slices.ContainsFunc(before.Hits, func(h rank.Hit) bool { return int(h.Rank) == i+1 })
			m := rank.Metric{Kind: rank.NDCG}
			if rose := m.Value(after) > m.Value(before); rose != earns {
				t.Fatalf("%s: nDCG rises: %v, the candidate earns: %v; %v and %v", how, rose, earns, ranking, higher)
			}
		}
	})
}

// TestWiderTarget: what belongs to units under target 1 does under target 0, so
// that there are no fewer items, the first credit is no later, and no cut-off
// credits fewer.
func TestWiderTarget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCandidates(t)
		ranking := drawRanking(t, c)
		how, _ := drawTarget(t)
		wide, narrow := result(c, ranking, 0, how), result(c, ranking, 1, how)
		if wide.Items < narrow.Items {
			t.Fatalf("%s: %d items, %d under a part of the target", how, wide.Items, narrow.Items)
		}
		if len(narrow.Hits) > 0 && (len(wide.Hits) == 0 || wide.Hits[0].Rank > narrow.Hits[0].Rank) {
			t.Fatalf("%s: %v first earns at %v, and under a part of the target at %v", how, ranking, wide.Hits, narrow.Hits)
		}
		for k := range len(ranking) + 1 {
			if rank.Credited(wide, k) < rank.Credited(narrow, k) {
				t.Fatalf("%s: %d credited at %d, %d under a part of the target", how, rank.Credited(wide, k), k, rank.Credited(narrow, k))
			}
		}
	})
}

// TestRenumbering: the order in which a candidate's units are listed, and the
// numbers of units, mean nothing.
func TestRenumbering(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCandidates(t)
		ranking := drawRanking(t, c)
		how, target := drawTarget(t)
		numbers := make([]int32, c.Units)
		for i := range numbers {
			numbers[i] = int32(i)
		}
		numbers = rapid.Permutation(numbers).Draw(t, "numbers")
		other := rank.Candidates{Start: c.Start, Units: c.Units}
		for i := range len(c.Start) - 1 {
			pairs := slices.Clone(c.Of(i))
			slices.Reverse(pairs)
			for _, p := range pairs {
				other.Pairs = append(other.Pairs, rank.Pair{Unit: numbers[p.Unit], Targets: p.Targets})
			}
		}
		want, got := result(c, ranking, target, how), result(other, ranking, target, how)
		if want.Items != got.Items || !slices.Equal(want.Hits, got.Hits) {
			t.Fatalf("%s: %v of %d, renumbered %v of %d", how, want.Hits, want.Items, got.Hits, got.Items)
		}
	})
}
