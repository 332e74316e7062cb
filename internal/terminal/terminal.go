// Package terminal says whether text goes to a terminal and how wide that is, and
// shows there how far a long command is.
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Is reports whether what is written to w appears on a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && f != nil && term.IsTerminal(int(f.Fd()))
}

// Width returns how many characters a line has on the terminal w: columns, the value
// of COLUMNS, when it is a number above 0, otherwise what the terminal says, and 100
// when it does not. It is 0, no limit, when w is no terminal.
func Width(w io.Writer, columns string) int {
	if !Is(w) {
		return 0
	}
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		return n
	}
	if n, _, err := term.GetSize(int(w.(*os.File).Fd())); err == nil && n > 0 {
		return n
	}
	return 100
}

// Watched reports whether somebody can watch w: it is a terminal that can go back to
// the beginning of a line, and not one of continuous integration. getenv looks up
// the environment.
func Watched(w io.Writer, getenv func(string) string) bool {
	return Is(w) && getenv("CI") == "" && getenv("TERM") != "dumb"
}
