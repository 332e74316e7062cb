package tiaptest

import (
	"iter"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Every item is in one stripe, and workers that end early leave theirs to others.
func TestStripes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3000).Draw(t, "n")
		met := make([]int32, n)
		stripes(n, func(from, end int) {
			for i := from; i < end; i++ {
				met[i]++
			}
		})
		require.Equal(t, slices.Repeat([]int32{1}, n), met)

		var mu sync.Mutex
		got := make([]int32, n)
		first := true
		workers(n, func(left iter.Seq2[int, int]) {
			mu.Lock()
			lazy := first && n >= 128 && runtime.GOMAXPROCS(0) > 1 // else there is but one worker
			first = false
			mu.Unlock()
			if lazy {
				return
			}
			for from, end := range left {
				for i := from; i < end; i++ {
					got[i]++
				}
			}
		})
		require.Equal(t, met, got)
	})
}
