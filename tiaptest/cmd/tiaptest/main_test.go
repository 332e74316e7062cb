package main

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What an adapter or a service says is shown, and is neither a command to the log of
// a CI runner nor one to a terminal.
func TestErrorsAreHarmless(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	assert.Equal(t, statusWrong, exitStatus(errors.New("no answer: boom\n::error::all fine\x1b[2J\r##[error]"), &stderr))
	assert.Contains(t, stderr.String(), "no answer: boom\n")
	assert.NotContains(t, stderr.String(), "\n::")
	assert.NotContains(t, stderr.String(), "##[")
	assert.NotContains(t, stderr.String(), "\x1b")
	assert.NotContains(t, stderr.String(), "\r")
}
