package stat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/stat"
)

// TestPairedPExactFromAsManyRepetitionsAsSwaps: of n equal differences two swaps of
// 2^n are hits. Repetitions that are one too few are drawn, and p is a share of one
// more than their number.
func TestPairedPExactFromAsManyRepetitionsAsSwaps(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3, 6} {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = 1
		}
		swaps := 1 << n
		for _, reps := range []int{swaps, swaps + 1, 10 * swaps} {
			require.Equal(t, 2/float64(swaps), pairedP(t, stat.Plan{N: n}, reps, gap(a, b)), "%d queries, %d repetitions", n, reps)
		}
		p := pairedP(t, stat.Plan{N: n}, swaps-1, gap(a, b)) * float64(swaps)
		require.InDelta(t, float64(int(p+0.5)), p, 1e-9, "%d queries", n)
		require.GreaterOrEqual(t, p, 1-1e-9, "%d queries", n)
	}
}

// TestPairedPOfAWordOfUnits: the swaps of 64 units fill a word, those of 63 are
// more than can be counted. Differences that are equal have no hit but the observed.
func TestPairedPOfAWordOfUnits(t *testing.T) {
	t.Parallel()
	for _, n := range []int{62, 63, 64, 65} {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = 0.5
		}
		require.Equal(t, 1./1000, pairedP(t, stat.Plan{N: n}, 999, gap(a, b)), "%d queries", n)
	}
}
