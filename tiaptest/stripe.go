package tiaptest

import (
	"maps"
	"runtime"
	"slices"
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

// stripeResults is stripes for a do that makes something of each stripe. It
// returns that in order.
func stripeResults[T any](n int, do func(from, end int) T) []T {
	var mu sync.Mutex
	made := make(map[int]T)
	stripes(n, func(from, end int) {
		v := do(from, end)
		mu.Lock()
		defer mu.Unlock()
		made[from] = v
	})
	out := make([]T, 0, len(made))
	for _, from := range slices.Sorted(maps.Keys(made)) {
		out = append(out, made[from])
	}
	return out
}
