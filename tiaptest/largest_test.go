package tiaptest

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLargestIsStableOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{-1, 0, 0, 1}))).Draw(t, "keys")
		want := make([]int, len(keys))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(i, j int) int { return cmp.Compare(keys[j], keys[i]) })
		got := []int{}
		for order := newLargest(keys); len(order) > 0; {
			got = append(got, order.next())
		}
		require.Equal(t, want, got)
	})
}
