// Package annotation writes annotations for GitHub: commands in the log of a step
// that its runner turns into marks on the files of a pull request.
package annotation

import (
	"fmt"
	"io"
	"strings"

	"github.com/tiaptest/tiap/internal/harmless"
)

// Most is how many annotations are written. GitHub shows ten errors of a step; the
// tenth says how many more there are.
const Most = 9

// How many characters of a title, and how many lines of a message with how many
// characters each, are shown.
const (
	titleLength   = 120
	messageLines  = 24
	messageLength = 200
)

// Annotation is an error at a line of a file.
type Annotation struct {
	File    string // relative to the repository, with slashes; "" when not known
	Line    int    // from 1; 0 when not known
	Title   string
	Message string // of several lines, cut when there are many
}

// Write writes the first of the annotations, a line each, and how many more there
// are. Whatever their texts hold, no line of them is a command of its own, or shows
// or hides what is not its own.
func Write(w io.Writer, as []Annotation) error {
	for i, a := range as {
		if i == Most {
			_, err := fmt.Fprintf(w, "::error::and %d more; see the summary\n", len(as)-Most)
			return err
		}
		var properties []string
		if a.File != "" {
			properties = append(properties, "file="+property.Replace(harmless.Clean(a.File, 4096)))
			if a.Line > 0 {
				properties = append(properties, fmt.Sprintf("line=%d", a.Line))
			}
		}
		if a.Title != "" {
			properties = append(properties, "title="+property.Replace(harmless.Clean(a.Title, titleLength)))
		}
		command := "::error"
		if len(properties) > 0 {
			command += " " + strings.Join(properties, ",")
		}
		if _, err := fmt.Fprintf(w, "%s::%s\n", command, data.Replace(message(a.Message))); err != nil {
			return err
		}
	}
	return nil
}

// message cuts and cleans a text, line by line.
func message(s string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimRight(s, " \t\r\n")) {
		lines = append(lines, harmless.Clean(strings.TrimRight(line, "\r\n"), messageLength))
	}
	if n := len(lines) - messageLines; n > 0 {
		lines = append(lines[:messageLines], fmt.Sprintf("and %d more lines", n))
	}
	return strings.Join(lines, "\n")
}

// The escapes of data and of properties that the runner undoes
// (actions/toolkit, packages/core/src/command.ts).
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
