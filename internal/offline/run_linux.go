//go:build amd64 || arm64

package offline

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"
)

// Run runs a command and waits for it. The kernel kills it, and what it starts,
// when it asks for an internet socket, whether or not it would have connected;
// then the error is ErrSocket. Pipes, files and sockets of the machine itself
// work. No right is needed. Where the kernel cannot do it, and on other systems,
// the error is errors.ErrUnsupported.
func Run(cmd *exec.Cmd) error {
	started := make(chan error)
	go func() {
		// The filter holds for this thread and what it starts. It cannot be taken
		// off, so the thread ends with the goroutine.
		runtime.LockOSThread()
		if err := refuseSockets(); err != nil {
			started <- err
			return
		}
		started <- cmd.Start()
	}()
	if err := <-started; err != nil {
		return err
	}
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGSYS {
			return ErrSocket
		}
	}
	return err
}

// Of linux/prctl.h, linux/seccomp.h and linux/bpf_common.h.
const (
	setNoNewPrivileges = 38
	setSeccomp         = 22
	modeFilter         = 2
	allow              = 0x7fff0000
	kill               = 0x80000000 // the whole process

	load     = 0x20 // a word of what the call is, at an offset
	equal    = 0x15 // skip so many instructions if it is equal, so many if not
	answer   = 0x06
	call     = 0  // offset of the number of the call
	argument = 16 // offset of its first argument, low half first
)

// refuseSockets kills the process of this thread when it makes a socket of the
// families AF_INET and AF_INET6.
func refuseSockets() error {
	filter := []syscall.SockFilter{
		{Code: load, K: call},
		{Code: equal, K: syscall.SYS_SOCKET, Jt: 0, Jf: 4},
		{Code: load, K: argument},
		{Code: equal, K: syscall.AF_INET, Jt: 1, Jf: 0},
		{Code: equal, K: syscall.AF_INET6, Jt: 0, Jf: 1},
		{Code: answer, K: kill},
		{Code: answer, K: allow},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivileges, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, errno)
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setSeccomp, modeFilter, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, errno)
	}
	return nil
}
