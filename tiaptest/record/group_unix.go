//go:build unix

package record

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the leader of a process group of its own, so that the
// keyboard's interrupt does not reach it and all that it starts can be ended.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends all processes of a command's group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
