package report

import (
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/internal/harmless"
)

// How many characters of foreign text are shown.
const (
	nameLength = 80
	textLength = 300
)

// How much of a message is shown.
const (
	messageLines = 60
	lineLength   = 240
)

// newMessage takes in a foreign message of several lines. It stands in lines of
// its own in every format, so none of them may be a command of a log.
func newMessage(s string) message {
	var m message
	for line := range strings.Lines(harmless.Guard(s)) {
		m = append(m, strings.TrimRight(harmless.Clean(strings.TrimSuffix(line, "\n"), lineLength), " "))
	}
	if n := len(m) - messageLines; n > 0 {
		m = append(m[:messageLines:messageLines], fmt.Sprintf("and %d more lines", n))
	}
	return m
}
