package crash

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Disks has write write in a folder of a small disk that is full, then in one with
// more and more room until write succeeds, and last in one that is read-only. prepare
// makes what stands there before. After each write check looks at the folder: written
// says whether the write succeeded. Each time but the last one before the read-only
// disk the error must be that of a full disk.
//
// The disk is in memory. Where the process may not mount one the test is skipped.
func Disks(t *testing.T, prepare, write func(dir string) error, check func(t *testing.T, dir string, written bool)) {
	t.Helper()
	const size, page = 1 << 20, 4096
	root := t.TempDir()
	if err := syscall.Mount("tmpfs", root, "tmpfs", 0, "size=1m,mode=755"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(root, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	dir, ballast := filepath.Join(root, "dir"), filepath.Join(root, "ballast")
	if err := errors.Join(os.Mkdir(dir, 0o777), prepare(dir)); err != nil {
		t.Fatal(err)
	}
	check(t, dir, false)
	for free := 0; ; free++ {
		if err := fill(ballast, free*page); err != nil {
			t.Fatal(err)
		}
		err := write(dir)
		check(t, dir, err == nil)
		if err == nil {
			if free == 0 {
				t.Error("there is no room, and the write succeeds")
			}
			break
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("with %d free pages: %v", free, err)
		}
		if free > size/page {
			t.Fatal("no room is enough")
		}
	}
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o777), os.Remove(ballast), prepare(dir)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", root, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if err := write(dir); err == nil {
		t.Error("the disk is read-only, and the write succeeds")
	}
	check(t, dir, false)
}

// fill makes a file that leaves some bytes of its disk free.
func fill(file string, free int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var all int64
	for block := bytes.Repeat([]byte("x"), 4096); ; {
		n, err := f.Write(block)
		all += int64(n)
		if errors.Is(err, syscall.ENOSPC) {
			return f.Truncate(max(0, all-int64(free)))
		}
		if err != nil {
			return err
		}
	}
}
