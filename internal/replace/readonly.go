//go:build !plan9

package replace

import "syscall"

// readOnly is the error of a file system that takes no files.
const readOnly = syscall.EROFS
