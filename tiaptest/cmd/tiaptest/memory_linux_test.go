package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smapsEnv makes this test binary a process that calls collectLate and prints how much
// memory large pages are advised for, in KiB. Named VmSize or VmData, that part of its
// memory is bounded first, to what it has and half of quietHeap.
const smapsEnv = "TIAPTEST_SMAPS"

func init() {
	bounded := os.Getenv(smapsEnv)
	if bounded == "" {
		return
	}
	if resource, ok := map[string]int{"VmSize": syscall.RLIMIT_AS, "VmData": syscall.RLIMIT_DATA}[bounded]; ok {
		if err := bound(resource, bounded); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	collectLate()
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	size, advised := 0, 0
	for line := range strings.Lines(string(maps)) {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "Size":
			_, _ = fmt.Sscan(value, &size)
		case "VmFlags":
			if strings.Contains(value, " hg") {
				advised += size
			}
		}
	}
	fmt.Println(advised)
	os.Exit(0)
}

// bound limits a resource of this process to what the field of /proc/self/status says and
// half of quietHeap. The process does it, not its parent: how much a Go process takes to
// start is not the same each time.
func bound(resource int, field string) error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, line, _ := strings.Cut(string(status), "\n"+field+":")
	var kib uint64
	if _, err := fmt.Sscan(line, &kib); err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(resource, &limit); err != nil {
		return err
	}
	limit.Cur = min(limit.Max, kib<<10+quietHeap/2)
	return syscall.Setrlimit(resource, &limit)
}

// Large pages are advised for the heap of a process that collects late, no others.
func TestLargePages(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no large pages: ", err)
	}
	if bounded() {
		t.Skip("the memory of this process is bounded")
	}
	var machine syscall.Sysinfo_t
	require.NoError(t, syscall.Sysinfo(&machine))
	want := min(largePages, uint64(machine.Totalram)*uint64(machine.Unit)/8)
	assert.GreaterOrEqual(t, advised(t, "unbounded", "OTHER=1"), int(want>>10))
	assert.Zero(t, advised(t, "unbounded", "GOGC=100"))
}

// Where memory is bounded, none of it is taken at once: the process would end.
func TestBoundedMemory(t *testing.T) {
	t.Parallel()
	assert.Zero(t, advised(t, "VmSize", "OTHER=1"))
	assert.Zero(t, advised(t, "VmData", "OTHER=1"))
}

// advised runs a process as smapsEnv says and returns what it prints.
func advised(t *testing.T, bounded, env string) (kib int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), smapsEnv+"="+bounded, "GOGC=", "GOMEMLIMIT=", env)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	_, err = fmt.Sscan(string(out), &kib)
	require.NoError(t, err, string(out))
	return kib
}
