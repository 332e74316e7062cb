package tiaptest

import (
	"runtime"
	"sync"
)

// stripes splits n items into stripes, one for each processor, and calls do for
// each at the same time. What do writes stands at places of the items, so that
// the number of processors changes nothing.
func stripes(n int, do func(from, end int)) {
	workers := max(1, min(runtime.GOMAXPROCS(0), n/64))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { do(n*w/workers, n*(w+1)/workers) })
	}
	wg.Wait()
}
