package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// quietHeap is how much memory the process takes before the first collection.
const quietHeap = 160 << 20

// ballast counts as memory in use. It is never written, so it takes none.
var ballast []byte

// collectLate puts the first garbage collection off until the process has taken
// quietHeap: until then nearly all that an audit makes is in use, so collections
// find nothing. Each later one waits for as much again and half of what was in use at
// the one before. It leaves a process alone whose environment sets GOGC or GOMEMLIMIT,
// or whose memory is bounded: there, what is taken at once may be too much.
func collectLate() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" || bounded() {
		return
	}
	debug.SetGCPercent(-1)
	ballast = make([]byte, 2*quietHeap)
	askLargePages()
	runtime.GC() // notes that the ballast is in use
	debug.SetGCPercent(50)
}
