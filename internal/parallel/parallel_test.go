package parallel_test

import (
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/parallel"
)

func Example() {
	squares := make([]int, 5)
	parallel.Each(len(squares), func(i int) { squares[i] = i * i })
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

// Every item is met once, by batches that are no larger than they may be.
func TestEveryItemOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3000).Draw(t, "n")
		size := rapid.IntRange(1, 100).Draw(t, "size")
		once := slices.Repeat([]int32{1}, n)
		met := func(over func(meet func(from, end int))) []int32 {
			got := make([]int32, n)
			over(func(from, end int) {
				for i := from; i < end; i++ {
					got[i]++
				}
			})
			return got
		}
		require.Equal(t, once, met(func(meet func(from, end int)) { parallel.Each(n, func(i int) { meet(i, i+1) }) }))
		require.Equal(t, once, met(func(meet func(from, end int)) { parallel.Stripes(n, meet) }))
		require.Equal(t, once, met(func(meet func(from, end int)) {
			parallel.Batches(n, size, func(left iter.Seq2[int, int]) {
				for from, end := range left {
					if from%size != 0 || end-from > size || end-from < size && end != n {
						panic(fmt.Sprintf("batch from %d to %d of size %d", from, end, size))
					}
					meet(from, end)
				}
			})
		}))
	})
}

// Workers that end early leave what is theirs to others.
func TestLazyWorker(t *testing.T) {
	t.Parallel()
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("there is but one worker")
	}
	const n = 1000
	var started atomic.Int32
	var all sync.WaitGroup
	got := make([]int32, n)
	all.Add(1)
	parallel.Workers(n, func(left iter.Seq2[int, int]) {
		if started.Add(1) == 1 {
			all.Done()
			return
		}
		all.Wait()
		for from, end := range left {
			for i := from; i < end; i++ {
				got[i]++
			}
		}
	})
	require.Equal(t, slices.Repeat([]int32{1}, n), got)
}

// Work of its own memory is begun once for each processor at most, and never without
// items.
func TestWorkersBegun(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 63, 64, 10_000} {
		var begun atomic.Int32
		parallel.Workers(n, func(iter.Seq2[int, int]) { begun.Add(1) })
		require.LessOrEqual(t, int(begun.Load()), min(n, runtime.GOMAXPROCS(0)), n)
		require.Equal(t, n > 0, begun.Load() > 0, n)
	}
}
