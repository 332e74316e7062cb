//go:build !linux || !(amd64 || arm64)

package offline

import (
	"errors"
	"os/exec"
)

// Run is for Linux alone: the error is errors.ErrUnsupported.
func Run(*exec.Cmd) error { return errors.ErrUnsupported }
