//go:build !linux

package crash

import "testing"

// Disks skips the test: no small disk can be mounted here.
func Disks(t *testing.T, prepare, write func(dir string) error, check func(t *testing.T, dir string, written bool)) {
	t.Helper()
	t.Skip("no small disk: only Linux mounts one in memory")
}
