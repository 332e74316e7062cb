//go:build !race

// The race detector lets pools lose what they hold.

package stat_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/stat"
)

// Intervals and tests reuse their memory.
func TestPairedAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{12, 29, 200} {
		den := slices.Repeat([]float64{2}, n)
		cols := []stat.Column{{Num: normals(rng, n)}, {Num: normals(rng, n)}, {Num: normals(rng, n), Den: den}, {Num: normals(rng, n), Den: den}}
		for _, clusters := range [][]int32{nil, make([]int32, n)} {
			for i := range clusters {
				clusters[i] = int32(i / 2)
			}
			paired := stat.NewPaired(stat.Plan{N: n, Clusters: clusters, Resamples: 100}, cols, 9_999)
			for _, terms := range [][]stat.Term{{{A: 0, B: 1, Sign: 1}}, {{A: 2, B: 3, Sign: 1}, {A: 3, B: 2, Sign: -1}}} {
				require.Less(t, testing.AllocsPerRun(20, func() {
					paired.P(terms...)
					paired.Interval(0.95, terms...)
				}), 1.0)
			}
		}
	}
}
