package stat_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

func TestSumKeepsWhatCancels(t *testing.T) {
	t.Parallel()
	require.Equal(t, 2.0, stat.Sum([]float64{1, 1e100, 1, -1e100}))
	require.Equal(t, 0.0, stat.Sum(nil))

	tenths := make([]float64, 10)
	plain := 0.0
	for i := range tenths {
		tenths[i] = 0.1
		plain += 0.1
	}
	require.NotEqual(t, 1.0, plain)
	require.Equal(t, 1.0, stat.Sum(tenths))
}

func TestSumIsNearlyExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOf(rapid.Float64Range(-1e6, 1e6)).Draw(t, "xs")
		exact := new(big.Float).SetPrec(2200)
		size := 0.0
		for _, x := range xs {
			exact.Add(exact, new(big.Float).SetFloat64(x))
			size += math.Abs(x)
		}
		want, _ := exact.Float64()
		// Neumaier's bound: a rounding of the result and one of second order.
		require.InDelta(t, want, stat.Sum(xs), 0x1p-52*math.Abs(want)+0x1p-90*size*float64(len(xs)))
		require.Equal(t, -stat.Sum(xs), stat.Sum(negate(xs)))
	})
}

func TestMean(t *testing.T) {
	t.Parallel()
	mean, ok := stat.Mean([]float64{1, 2, 6})
	require.True(t, ok)
	require.Equal(t, 3.0, mean)
	for name, xs := range map[string][]float64{
		"none":        nil,
		"overflow":    {math.MaxFloat64, math.MaxFloat64},
		"infinite":    {math.Inf(1), 1},
		"not numbers": {math.NaN()},
	} {
		mean, ok := stat.Mean(xs)
		require.False(t, ok, name)
		require.Zero(t, mean, name)
	}
}

func TestColumnValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		column stat.Column
		want   float64
		ok     bool
	}{
		"mean":           {stat.Column{Num: []float64{1, 0, 0.5, 0.5}}, 0.5, true},
		"ratio":          {stat.Column{Num: []float64{1, 0, 2}, Den: []float64{1, 1, 4}}, 0.5, true},
		"no query":       {stat.Column{}, 0, false},
		"no query ratio": {stat.Column{Num: []float64{}, Den: []float64{}}, 0, false},
		"no denominator": {stat.Column{Num: []float64{0, 0}, Den: []float64{0, 0}}, 0, false},
	}
	for name, test := range tests {
		got, ok := test.column.Value()
		require.Equal(t, test.ok, ok, name)
		require.Equal(t, test.want, got, name)
	}
}

func TestColumnValueOver(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := columns(rapid.IntRange(1, 30).Draw(t, "n")).Draw(t, "column")
		queries := rapid.SliceOf(rapid.Int32Range(0, int32(len(c.Num)-1))).Draw(t, "queries")
		picked := stat.Column{}
		if c.Den != nil {
			picked.Den = []float64{}
		}
		for _, q := range queries {
			picked.Num = append(picked.Num, c.Num[q])
			if c.Den != nil {
				picked.Den = append(picked.Den, c.Den[q])
			}
		}
		want, wantOK := picked.Value()
		got, ok := c.ValueOver(queries)
		require.Equal(t, wantOK, ok)
		require.Equal(t, want, got)
	})
}
