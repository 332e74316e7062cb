package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smapsEnv makes this test binary a process that calls collectLate and prints how much
// memory large pages are advised for, in KiB.
const smapsEnv = "TIAPTEST_SMAPS"

func init() {
	if os.Getenv(smapsEnv) == "" {
		return
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

// Large pages are advised for the heap of a process that collects late, no others.
func TestLargePages(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no large pages: ", err)
	}
	advised := func(env string) (kib int) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), smapsEnv+"=1", "GOGC=", "GOMEMLIMIT=", env)
		out, err := cmd.Output()
		require.NoError(t, err, string(out))
		_, err = fmt.Sscan(string(out), &kib)
		require.NoError(t, err, string(out))
		return kib
	}
	assert.GreaterOrEqual(t, advised("OTHER=1"), quietHeap>>10)
	assert.Zero(t, advised("GOGC=100"))
}
