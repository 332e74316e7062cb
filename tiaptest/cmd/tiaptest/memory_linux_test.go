package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
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
	field, ok := os.LookupEnv(smapsEnv)
	if !ok {
		return
	}
	if resource, ok := map[string]int{"VmSize": syscall.RLIMIT_AS, "VmData": syscall.RLIMIT_DATA}[field]; ok {
		if err := bound(resource, field); err != nil {
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
	memory := ownMemory()
	if memory < 8*quietHeap {
		t.Skip("this process has little memory")
	}
	assert.GreaterOrEqual(t, advised(t, "", "OTHER=1"), inLargePages(memory)>>10)
	assert.Zero(t, advised(t, "", "GOGC=100"))
}

// Where memory is bounded, none of it is taken at once: the process would end.
func TestBoundedMemory(t *testing.T) {
	t.Parallel()
	assert.Zero(t, advised(t, "VmSize", "OTHER=1"))
	assert.Zero(t, advised(t, "VmData", "OTHER=1"))
}

// advised runs a process as smapsEnv says and returns what it prints.
func advised(t *testing.T, field, env string) (kib int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), smapsEnv+"="+field, "GOGC=", "GOMEMLIMIT=", env)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	_, err = fmt.Sscan(string(out), &kib)
	require.NoError(t, err, string(out))
	return kib
}

func TestReadNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{"0\n": 0, "268435456\n": 256 << 20, "18446744073709551615": math.MaxUint64} {
		file := filepath.Join(t.TempDir(), "limit")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		n, ok := readNumber(file)
		assert.True(t, ok, text)
		assert.Equal(t, want, n, text)
	}
	for _, text := range []string{"max\n", "", "-1\n", "1 2"} {
		file := filepath.Join(t.TempDir(), "limit")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, ok := readNumber(file)
		assert.False(t, ok, text)
	}
	_, ok := readNumber(filepath.Join(t.TempDir(), "absent"))
	assert.False(t, ok)
}

// The lowest limit holds, where there is one.
func TestWithin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	none, low, high, absent := put("none", "max\n"), put("low", "1000\n"), put("high", "9000\n"), filepath.Join(dir, "absent")
	assert.EqualValues(t, 5000, within(5000))
	assert.EqualValues(t, 5000, within(5000, none, absent, high))
	assert.EqualValues(t, 1000, within(5000, absent, low))
	assert.EqualValues(t, 1000, within(5000, low, high))
}
