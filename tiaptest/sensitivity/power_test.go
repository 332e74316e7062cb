package sensitivity_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/stat"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

func TestSmallestGap(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		n                int
		sd, alpha, power float64
		want             float64
	}{
		// Quantiles from tables of Student's t.
		"2 queries":     {2, 1, 0.05, 0.8, (12.7062047 + 1.3763819) / math.Sqrt(2)},
		"16 queries":    {16, 1, 0.05, 0.8, (2.1314495 + 0.8662450) / 4},
		"scales":        {16, 0.25, 0.05, 0.8, (2.1314495 + 0.8662450) / 16},
		"power 0.9":     {16, 1, 0.05, 0.9, (2.1314495 + 1.3406056) / 4},
		"level 0.01":    {11, 1, 0.01, 0.8, (3.1692727 + 0.8790578) / math.Sqrt(11)},
		"level 0.9":     {11, 1, 0.9, 0.8, (0.1288902 + 0.8790578) / math.Sqrt(11)},
		"1000 queries":  {1000, 1, 0.05, 0.8, (1.9623415 + 0.8419812) / math.Sqrt(1000)},
		"nearly normal": {1_000_001, 1, 0.05, 0.8, (1.959966 + 0.841622) / 1000},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := sensitivity.SmallestGap(test.n, test.sd, test.alpha, test.power)
			require.NoError(t, err)
			assert.InEpsilon(t, test.want, got, 1e-6)
		})
	}
}

func TestSmallestGapRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		n                int
		sd, alpha, power float64
	}{
		"one query":     {1, 1, 0.05, 0.8},
		"no deviation":  {10, 0, 0.05, 0.8},
		"deviation NaN": {10, math.NaN(), 0.05, 0.8},
		"infinite":      {10, math.Inf(1), 0.05, 0.8},
		"level 0":       {10, 1, 0, 0.8},
		"level 1":       {10, 1, 1, 0.8},
		"power of half": {10, 1, 0.05, 0.5},
		"power 1":       {10, 1, 0.05, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sensitivity.SmallestGap(test.n, test.sd, test.alpha, test.power)
			require.Error(t, err)
		})
	}
}

// The paired t test finds a gap of that size as often as promised.
func TestSmallestGapHasPower(t *testing.T) {
	t.Parallel()
	const trials = 2000
	for _, n := range []int{30, 100} {
		gap, err := sensitivity.SmallestGap(n, 1, 0.05, 0.8)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		found := 0
		for range trials {
			a, b := stat.Column{Num: make([]float64, n)}, stat.Column{Num: make([]float64, n)}
			for i := range n {
				a.Num[i] = gap + rng.NormFloat64()
			}
			if p, ok := stat.NewPaired(stat.Plan{N: n}, []stat.Column{a, b}, 0).P(stat.Term{A: 0, B: 1, Sign: 1}); ok && p <= 0.05 {
				found++
			}
		}
		assert.InDelta(t, 0.8, float64(found)/trials, 0.03, "n = %d", n)
	}
}

func TestPower(t *testing.T) {
	t.Parallel()
	r := analyze(t, tableOf(t,
		row{"A", "raw", "ndcg", "0.5 0.7 0.6 0.8 1"}, row{"A", "source", "ndcg", "0.5 0.5 0.5 0.5 -"}, row{"A", "canonical", "ndcg", "1 0 1 0 1"},
		row{"B", "raw", "ndcg", "0.4 0.4 0.5 0.5 0"}, row{"B", "source", "ndcg", "0.4 0.4 0.4 0.4 1"}, row{"B", "canonical", "ndcg", "0 1 0 1 1"},
	))
	require.Len(t, r.Power, 3)
	raw := r.Power[0]
	assert.Equal(t, 4, raw.N)
	// Gaps 0.1 0.3 0.1 0.3: mean 0.2, standard deviation √(0.04/3).
	near(t, 0.2, raw.Gap)
	near(t, 0.1154701, raw.SD)
	near(t, (3.1824463+0.9784723)*0.1154701/2, raw.Smallest)
	// Of 4 queries the smallest gap is 0.2402, of 5 (2.7764451 + 0.9409646) sd/√5 = 0.1920.
	assert.Equal(t, ptr(5), raw.Needed)

	source := r.Power[1]
	near(t, 0.1, source.Gap)
	assert.Nil(t, source.SD, "the gaps do not vary")
	assert.Nil(t, source.Smallest)
	assert.Nil(t, source.Needed)

	canonical := r.Power[2]
	near(t, 0, canonical.Gap)
	assert.NotNil(t, canonical.Smallest)
	assert.Nil(t, canonical.Needed, "no number of queries shows no gap")

	tiny := analyze(t, tableOf(t, row{"A", "raw", "ndcg", "0.50000001 1 0"}, row{"B", "raw", "ndcg", "0.5 0 1"})).Power[0]
	assert.Greater(t, *tiny.Gap, 3e-9)
	near(t, 1, tiny.SD)
	assert.Nil(t, tiny.Needed, "more queries than there could be")

	one := analyze(t, tableOf(t, row{"A", "raw", "ndcg", "0.5"}, row{"B", "raw", "ndcg", "0.25"})).Power[0]
	near(t, 0.25, one.Gap)
	assert.Nil(t, one.SD, "of one query")
}
