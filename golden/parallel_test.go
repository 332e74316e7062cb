package golden_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/golden"
)

// TestParallelSuites has many tests of one process record and compare at the same time,
// some of them one key, and all of them one audit or another.
func TestParallelSuites(t *testing.T) {
	stop := recording(t)
	a, b := rescore(5), rescore(1)
	together := func(verb func(i int)) {
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() { verb(i) })
		}
		all.Wait()
	}
	check := func(i int) {
		audit := a
		if i%2 == 1 {
			audit = b
		}
		for _, key := range []string{fmt.Sprint("own", i), fmt.Sprint("shared", i%2)} {
			q := new(quiet)
			assert.True(t, golden.Check(q, key, audit), "%s: %v", key, q.failures)
		}
	}
	together(check)
	stop()
	together(check)

	copyKey(t, "shared0", "other")
	q := new(quiet)
	assert.False(t, golden.Check(q, "other", b), "a difference is seen")
}
