package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// unlimited is RLIM_INFINITY of the kernel.
const unlimited = ^uint64(0)

// ownMemory returns how much memory the machine has, or the container that the process
// runs in, and 0 where memory that is only set aside may be refused, or that cannot be
// told.
func ownMemory() uint64 {
	for _, of := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(of, &limit); err != nil || limit.Cur != unlimited {
			return 0
		}
	}
	const neverOvercommit = 2
	if mode, ok := readNumber("/proc/sys/vm/overcommit_memory"); !ok || mode == neverOvercommit {
		return 0
	}
	var machine syscall.Sysinfo_t
	if err := syscall.Sysinfo(&machine); err != nil {
		return 0
	}
	return within(uint64(machine.Totalram)*uint64(machine.Unit),
		"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
}

// within returns the least of n and the limits in files, of which each may be absent or
// say that there is none.
func within(n uint64, files ...string) uint64 {
	for _, file := range files {
		if limit, ok := readNumber(file); ok {
			n = min(n, limit)
		}
	}
	return n
}

// readNumber reads a file that holds a number and nothing else.
func readNumber(file string) (n uint64, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// askLargePages advises the kernel to back the n bytes that the heap takes after the next
// collection by its large pages: a process that fills them soon spends a tenth of its
// time on page faults else. Where there are none, nothing happens.
func askLargePages(n int) {
	fresh := make([]byte, n) // of the kernel, so that no page is written
	_ = syscall.Madvise(fresh, syscall.MADV_HUGEPAGE)
}
