package tiaptest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A list that is short enough stays as it is; of a longer one the greatest weights are
// written, equal ones in their order.
func TestForemost(t *testing.T) {
	t.Parallel()
	weight := func(n int) float64 { return float64(n / 10) }
	list := []int{10, 11, 30, 20, 31}
	for most, want := range map[int][2][]int{
		6: {list, nil},
		5: {list, nil},
		4: {{30, 31, 20, 10}, {11}},
		1: {{30}, {31, 20, 10, 11}},
	} {
		shown, left := foremost(list, most, weight)
		assert.Equal(t, want[0], shown, "%d", most)
		assert.Equal(t, want[1], left, "%d", most)
	}
	assert.Equal(t, []int{10, 11, 30, 20, 31}, list)
}

// Flips that are not known come first, then the grade decides, then the shift.
func TestFlipWeight(t *testing.T) {
	t.Parallel()
	b := &Bundle{}
	b.AddTurn("t", "one")
	b.AddQuery("q", "which?", "one")
	for _, name := range []string{"A", "B", "C"} {
		b.AddSystem(name, "").AddMemory("raw", "raw", "t").AddRanking("q", "raw")
	}
	a, err := Rescore(b, Metrics(MRR(5)), Known(Finding{A: "A", B: "B", Metric: MRR(5), Targets: [2]Target{Raw, Source}, Reason: "why"}))
	require.NoError(t, err)
	flip := func(other string, grade Grade, shift float64) *Flip {
		return &Flip{A: "A", B: other, Metric: "mrr@5", Targets: [2]string{"raw", "source"}, Verdict: verdictFlip, Grade: grade, Shift: Gap{Value: &shift}}
	}
	sorted := []*Flip{
		{Verdict: verdictTie, Shift: Gap{Value: new(float64)}},
		flip("B", "", 0), flip("B", "", -2), flip("B", Fragile, 0.1), flip("B", Decisive, 2),
		flip("C", "", 0), flip("C", "", 1.9), flip("C", Fragile, 0), flip("C", Fragile, -0.5), flip("C", Likely, 0.1), flip("C", Decisive, 0), flip("C", Decisive, 1),
	}
	for i, f := range sorted {
		if w := a.weight(f); i == 0 {
			assert.Zero(t, w)
		} else {
			assert.Greater(t, w, a.weight(sorted[i-1]), "%d", i)
		}
	}
	for range 2 { // in either order
		var p Pair
		for _, f := range sorted {
			p.Flips = append(p.Flips, *f)
		}
		assert.InDelta(t, max(a.weight(sorted[0]), a.weight(sorted[len(sorted)-1])), a.pairWeight(&p), 0)
		slices.Reverse(sorted)
	}
}
