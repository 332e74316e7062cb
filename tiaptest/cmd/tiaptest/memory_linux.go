package main

import (
	"os"
	"strings"
	"syscall"
)

// largePages is how much memory comes in large pages at most.
const largePages = 512 << 20

// unlimited is RLIM_INFINITY of the kernel.
const unlimited = ^uint64(0)

// bounded reports whether the kernel refuses memory that is only set aside.
func bounded() bool {
	for _, of := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(of, &limit); err != nil || limit.Cur != unlimited {
			return true
		}
	}
	mode, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	return err != nil || strings.TrimSpace(string(mode)) == "2"
}

// askLargePages advises the kernel to back what the heap takes after the next collection,
// up to largePages and an eighth of the memory of the machine, by its large pages: a
// process that fills them soon spends a tenth of its time on page faults else. Where
// there are none, nothing happens.
func askLargePages() {
	var machine syscall.Sysinfo_t
	if err := syscall.Sysinfo(&machine); err != nil {
		return
	}
	fresh := make([]byte, min(largePages, uint64(machine.Totalram)*uint64(machine.Unit)/8)) // of the kernel, so that no page is written
	if len(fresh) > 0 {
		_ = syscall.Madvise(fresh, syscall.MADV_HUGEPAGE)
	}
}
