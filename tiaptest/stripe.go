package tiaptest

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// stripes splits n items into stripes and calls do for them, as many at the same
// time as there are processors. What do writes stands at places of the items, so
// that their number changes nothing.
func stripes(n int, do func(from, end int)) {
	workers(n, func(left iter.Seq2[int, int]) {
		for from, end := range left {
			do(from, end)
		}
	})
}

// workers is stripes for work that needs memory of its own: each worker ranges over
// stripes, from an item to the one after the last, as long as there are some.
func workers(n int, work func(left iter.Seq2[int, int])) {
	const (
		least = 64 // items of a stripe
		most  = 8  // stripes of a worker, so that none waits long for the last one
	)
	count := max(1, min(runtime.GOMAXPROCS(0), n/least))
	size := max(least, (n+count*most-1)/(count*most))
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
	for range count {
		wg.Go(func() { work(left) })
	}
	wg.Wait()
}

// begun begins to make a value, and returns what waits for it.
func begun[T any](value func() T) (wait func() T) {
	wait = sync.OnceValue(value)
	go wait()
	return wait
}
