//go:build !unix

package record

import "os/exec"

// Process groups are for Unix; elsewhere only the process itself is ended.
func ownGroup(*exec.Cmd)      {}
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
