package main

import (
	"runtime"
	"syscall"
)

// unlimited is RLIM_INFINITY of the kernel.
const unlimited = ^uint64(0)

// askLargePages advises the kernel to back the n bytes that the heap takes next by its
// large pages: a process that fills them soon spends a tenth of its time on page faults
// else. Where there are none, nothing happens, nor where the address space is bounded:
// there, what is taken at once may be too much.
func askLargePages(n int) {
	for _, of := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(of, &limit); err != nil || limit.Cur != unlimited {
			return
		}
	}
	fresh := make([]byte, n) // of the kernel, so that no page is written
	_ = syscall.Madvise(fresh, syscall.MADV_HUGEPAGE)
	runtime.GC() // hands the range to the heap
}
