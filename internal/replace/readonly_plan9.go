package replace

import "syscall"

// readOnly is the error of a file system that takes no files.
var readOnly = syscall.EACCES
