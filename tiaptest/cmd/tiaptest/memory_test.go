package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// collectEnv makes this test binary a process that calls collectLate and makes
// garbage. It prints the collections after a little and after a lot of it, the most
// memory that its heap took, in MiB, and GOGC.
const collectEnv = "TIAPTEST_COLLECT"

func init() {
	if os.Getenv(collectEnv) == "" {
		return
	}
	collectLate()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	before, most := stats.NumGC, uint64(0)
	litter := func(mib int) {
		for range mib {
			garbage = make([]byte, 1<<20)
			runtime.ReadMemStats(&stats)
			most = max(most, stats.HeapAlloc-uint64(len(ballast)))
		}
	}
	litter(128)
	early := stats.NumGC - before
	litter(960)
	fmt.Println(early, stats.NumGC-before, most>>20, debug.SetGCPercent(100))
	os.Exit(0)
}

var garbage []byte // what it refers to is on the heap

// The first collection comes late, where there is memory for it. What the environment
// says about collections holds.
func TestCollectLate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		env     string
		late    bool
		percent int
	}{
		{"OTHER=1", true, 50},
		{"GOGC=70", false, 70},
		{"GOMEMLIMIT=1GiB", false, 100},
	} {
		if test.late && ownMemory() < 8*quietHeap {
			continue
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), collectEnv+"=1", "GOGC=", "GOMEMLIMIT=", test.env)
		out, err := cmd.Output()
		require.NoError(t, err)
		var early, all, mib, percent int
		_, err = fmt.Sscan(string(out), &early, &all, &mib, &percent)
		require.NoError(t, err, string(out))
		assert.Equal(t, test.late, early == 0, "%s: %d collections within 128 MiB", test.env, early)
		assert.Greater(t, all, 3, test.env)
		assert.Less(t, mib, 200, test.env)
		assert.Equal(t, test.percent, percent, test.env)
	}
}

func TestInLargePages(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 160<<20, inLargePages(8*quietHeap))
	assert.Equal(t, 512<<20, inLargePages(4<<30))
	assert.Equal(t, 512<<20, inLargePages(64<<30))
}
