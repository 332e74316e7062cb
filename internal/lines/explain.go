package lines

import (
	"errors"
	"io/fs"

	"github.com/tiaptest/tiap/internal/limit"
)

// Explain says why the reading of a file ended with an error of this package or of
// the file system, and how to mend it. Line is where, or 0.
func Explain(err error) (line int, what, mend string) {
	mend = "if the file is truncated or corrupt, copy or export it again"
	if at, ok := errors.AsType[*ReadError](err); ok {
		line, what, err = at.Line+1, "reading stops here: ", at.Err
	}
	if over, ok := errors.AsType[*limit.Error](err); ok {
		return line, what + over.What, over.Mend
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the message names the file
	}
	return line, what + err.Error(), mend
}
