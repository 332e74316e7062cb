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
	workers(n, func(stripes iter.Seq2[int, int]) {
		for from, end := range stripes {
			do(from, end)
		}
	})
}

// workers is stripes for work that needs memory of its own: each worker ranges over
// stripes as long as there are some.
func workers(n int, work func(stripes iter.Seq2[int, int])) {
	const (
		least = 64 // items of a stripe
		most  = 8  // stripes of a worker, so that none waits long for the last one
	)
	count := max(1, min(runtime.GOMAXPROCS(0), n/least))
	size := max(least, (n+count*most-1)/(count*most))
	var next atomic.Int64
	stripes := func(yield func(from, end int) bool) {
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
		wg.Go(func() { work(stripes) })
	}
	wg.Wait()
}
