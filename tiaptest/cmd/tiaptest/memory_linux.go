package main

import (
	"runtime"
	"syscall"
)

// askLargePages advises the kernel to back the n bytes that the heap takes next by its
// large pages: a process that fills them soon spends a tenth of its time on page faults
// else. Where there are none, nothing happens.
func askLargePages(n int) {
	heap := make([]byte, n) // fresh from the kernel, so that nothing is written
	_ = syscall.Madvise(heap, syscall.MADV_HUGEPAGE)
	heap = nil
	runtime.GC() // hands the range back to the heap
}
