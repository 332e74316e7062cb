package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Events of tests without an end, of which each has a name of its own, are refused.
func TestEventsWithoutEnd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes a file of 60 megabytes")
	}
	file := filepath.Join(t.TempDir(), "events.json")
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	b := bufio.NewWriter(f)
	for i := range 1_000_000 {
		fmt.Fprintf(b, `{"Action":"run","Package":"p","Test":"Test%d"}`+"\n", i)
	}
	require.NoError(t, b.Flush())
	said := measured(t, "summarize", file)
	assert.Regexp(t, `events\.json: line \d+: the tests and packages until here that failed, have not ended or said something take more than 64 MiB; test fewer packages at once\n$`, said)
}
