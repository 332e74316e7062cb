// Package parallel spreads items over the processors there are.
package parallel

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for 0 to n-1.
func Each(n int, do func(i int)) {
	Batches(n, 1, func(left iter.Seq2[int, int]) {
		for i := range left {
			do(i)
		}
	})
}

// Stripes calls do for stripes of n items, from one to the one after the last. What do
// writes should stand at places of the items, so that the number of stripes, which
// depends on the processors, changes nothing.
func Stripes(n int, do func(from, end int)) {
	Workers(n, func(left iter.Seq2[int, int]) {
		for from, end := range left {
			do(from, end)
		}
	})
}

// Workers is Stripes for work that needs memory of its own: each worker ranges over
// stripes as long as there are some.
func Workers(n int, work func(left iter.Seq2[int, int])) {
	const (
		least = 64 // items of a stripe
		most  = 8  // stripes of a worker, so that none waits long for the last one
	)
	count := max(1, min(runtime.GOMAXPROCS(0), n/least))
	Batches(n, max(least, (n+count*most-1)/(count*most)), work)
}

// Batches is Workers for batches of a given size, of which the last may have fewer
// items. Without items it calls work for none.
func Batches(n, size int, work func(left iter.Seq2[int, int])) {
	var next atomic.Int64
	left := func(yield func(from, end int) bool) {
		for {
			end := int(next.Add(int64(size)))
			from := end - size
			if from >= n || !yield(from, min(end, n)) {
				return
			}
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+size-1)/size) {
		wg.Go(func() { work(left) })
	}
	wg.Wait()
}
