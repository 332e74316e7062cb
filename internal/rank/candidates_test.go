package rank_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/rank"
)

func TestEligible(t *testing.T) {
	t.Parallel()
	c := rank.Candidates{
		Start: []int32{0, 2, 2, 3},
		Pairs: []rank.Pair{{Unit: 0, Targets: 0b001}, {Unit: 1, Targets: 0b101}, {Unit: 1, Targets: 1 << 63}},
		Units: 2,
	}
	assert.Equal(t, c.Pairs[:2], c.Of(0))
	assert.Empty(t, c.Of(1), "it belongs to no unit")
	assert.Equal(t, c.Pairs[2:], c.Of(2))
	for _, test := range []struct {
		cand   int
		target uint
		want   bool
	}{
		{0, 0, true},
		{0, 1, false},
		{0, 2, true}, // by its second unit alone
		{0, 63, false},
		{1, 0, false},
		{2, 0, false}, // which the candidate before it belongs to a unit under
		{2, 63, true},
		{2, 64, false}, // no target has this number
	} {
		assert.Equal(t, test.want, c.Eligible(test.cand, test.target), "candidate %d under target %d", test.cand, test.target)
	}
}

// TestEligibleEarns: a candidate that is ranked alone earns where it is eligible and
// nowhere else, whatever the crediting.
func TestEligibleEarns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCandidates(t)
		how, target := drawTarget(t)
		for cand := range len(c.Start) - 1 {
			r := result(c, []int32{int32(cand)}, target, how)
			if got := len(r.Hits) > 0; got != c.Eligible(cand, target) {
				t.Fatalf("%s: candidate %d with %v earns under target %d: %t", how, cand, c.Of(cand), target, got)
			}
		}
	})
}
