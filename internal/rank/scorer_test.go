package rank_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/rank"
)

// TestScorerForgets: a Scorer that has scored other rankings says the same as a
// new one. Hits, gains or units left over from before fail.
func TestScorerForgets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var used rank.Scorer
		for range rapid.IntRange(2, 4).Draw(t, "rankings") {
			c := drawCandidates(t)
			seen, length := at(drawRanking(t, c)...)
			grades := rapid.SliceOfN(rapid.Int32Range(-1, 3), len(c.Start)-1, len(c.Start)-1).Draw(t, "grades")
			how, target := drawTarget(t)
			graded, judgedOnly := rapid.Bool().Draw(t, "graded"), rapid.Bool().Draw(t, "judged only")
			score := func(s *rank.Scorer) rank.Result {
				switch {
				case graded:
					return s.Graded(grades, seen, length, 1, judgedOnly)
				case how == "memory":
					return s.ByMemory(&c, seen, length, target)
				}
				return s.ByEvidence(&c, seen, length, target, how == "counted")
			}
			if diff := cmp.Diff(score(new(rank.Scorer)), score(&used), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("new scorer - used scorer:\n%s", diff)
			}
		}
	})
}
