package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// quietHeap is how much memory the process takes before the first collection.
	quietHeap = 160 << 20
	// largePages is how much memory comes in large pages at most.
	largePages = 512 << 20
)

// ballast counts as memory in use. It is never written, so it takes address space alone.
var ballast []byte

// collectLate puts the first garbage collection off until the process has taken
// quietHeap: until then nearly all that an audit makes is in use, so collections
// find nothing. Each later one comes after another quietHeap and half of what was in use
// at the one before. It leaves a process alone whose environment sets GOGC or
// GOMEMLIMIT, or that has little memory.
func collectLate() {
	memory := ownMemory()
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" || memory < 8*quietHeap {
		return
	}
	debug.SetGCPercent(-1)
	ballast = make([]byte, 2*quietHeap) // of which half is waited for
	askLargePages(inLargePages(memory))
	runtime.GC() // notes that the ballast is in use
	debug.SetGCPercent(50)
}

// inLargePages is how much comes in large pages where there is so much memory.
func inLargePages(memory uint64) int { return int(min(largePages, memory/8)) }
