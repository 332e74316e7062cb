package stat_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

// TestPairedPOfMeansBesideRatios: means tested together with ratios are ratios with
// denominators 1. The two are computed in different ways; a sign that differs
// between them fails.
func TestPairedPOfMeansBesideRatios(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		for _, n := range []int{7, 40} { // swaps, and a t test
			rng := rand.New(rand.NewPCG(seed, uint64(n)))
			values := func() []float64 {
				xs := normals(rng, n)
				for i := range xs {
					xs[i] += float64(i) / float64(n) // all columns rise: shares of the terms are correlated
				}
				return xs
			}
			ones := slices.Repeat([]float64{1}, n)
			den := make([]float64, n)
			for i := range den {
				den[i] = float64(1 + i%3)
			}
			means := term{A: stat.Column{Num: values()}, B: stat.Column{Num: values()}, Sign: 1}
			explicit := means
			explicit.A.Den, explicit.B.Den = ones, ones
			ratios := term{A: stat.Column{Num: values(), Den: den}, B: stat.Column{Num: values(), Den: den}, Sign: -1}
			plan := stat.Plan{N: n}
			if seed%2 == 1 {
				for i := range n {
					plan.Clusters = append(plan.Clusters, int32(i%max(n*7/8, 1)))
				}
			}
			for _, terms := range [][2][]term{
				{{means, ratios}, {explicit, ratios}},
				{{ratios, means, means}, {ratios, explicit, explicit}},
			} {
				require.InDelta(t, pairedP(t, plan, 999, terms[1]...), pairedP(t, plan, 999, terms[0]...), 1e-9, "seed %d, %d queries", seed, n)
			}
		}
	}
}

// TestPairedForgets: what was asked before changes no answer, though the memory is
// used again.
func TestPairedForgets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan := plans(50).Draw(t, "plan")
		cols := rapid.SliceOfN(columns(plan.N), 4, 4).Draw(t, "columns")
		used := stat.NewPaired(plan, cols, 199)
		column := rapid.IntRange(0, len(cols)-1)
		for range rapid.IntRange(2, 5).Draw(t, "calls") {
			var terms []stat.Term
			for range rapid.IntRange(0, 3).Draw(t, "terms") {
				terms = append(terms, stat.Term{A: column.Draw(t, "a"), B: column.Draw(t, "b"), Sign: rapid.SampledFrom([]float64{1, -1}).Draw(t, "sign")})
			}
			fresh := stat.NewPaired(plan, cols, 199)
			want, wantOK := fresh.P(terms...)
			got, ok := used.P(terms...)
			require.Equal(t, wantOK, ok)
			require.Equal(t, want, got)
			wantLo, wantHi := fresh.Interval(0.9, terms...)
			lo, hi := used.Interval(0.9, terms...)
			require.Equal(t, [2]float64{wantLo, wantHi}, [2]float64{lo, hi})
		}
	})
}
