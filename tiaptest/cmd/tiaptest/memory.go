package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// quietHeap is how much memory the process takes before the first collection.
const quietHeap = 160 << 20

// collectLate puts the first garbage collection off until the process has taken
// quietHeap: until then nearly all that an audit makes is in use, so collections
// find nothing. From then on they come as always. It leaves a process alone whose
// environment sets GOGC or GOMEMLIMIT.
func collectLate() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	percent := debug.SetGCPercent(-1)
	askLargePages(quietHeap)
	limit := debug.SetMemoryLimit(quietHeap)
	first := new([64]byte) // large enough for an allocation of its own; the first collection finds it
	runtime.AddCleanup(first, func(limit int64) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}, limit)
}
