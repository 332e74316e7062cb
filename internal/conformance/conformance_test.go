package conformance_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/conformance"
)

// outcome is how a test ends.
type outcome struct {
	testing.TB
	skipped, failed bool
}

func (o *outcome) Helper()               {}
func (o *outcome) Fatal(...any)          { o.failed = true; runtime.Goexit() }
func (o *outcome) Fatalf(string, ...any) { o.failed = true; runtime.Goexit() }
func (o *outcome) Skip(...any)           { o.skipped = true; runtime.Goexit() }

// end runs f in a test of its own.
func end(f func(tb testing.TB)) *outcome {
	o := new(outcome)
	done := make(chan bool)
	go func() {
		defer close(done)
		f(o)
	}()
	<-done
	return o
}

func TestData(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o666))
	t.Setenv("TIAP_CONFORMANCE", dir)
	assert.Equal(t, filepath.Join(dir, "a"), conformance.Data(t, "a"))
	assert.Equal(t, dir, conformance.Data(t, "."))
	assert.Equal(t, &outcome{failed: true}, end(func(tb testing.TB) { conformance.Data(tb, "b") }))

	t.Setenv("TIAP_CONFORMANCE", filepath.Join(dir, "none"))
	assert.Equal(t, &outcome{skipped: true}, end(func(tb testing.TB) { conformance.Data(tb, "a") }))

	t.Setenv("TIAP_CONFORMANCE", "internal") // from the root of the module
	assert.Equal(t, filepath.Join(conformance.Checkout(t), "internal", "conformance"), conformance.Data(t, "conformance"))
}

func TestCheckout(t *testing.T) {
	root := conformance.Checkout(t)
	assert.FileExists(t, filepath.Join(root, "go.mod"))
	t.Chdir(t.TempDir())
	assert.Equal(t, &outcome{failed: true}, end(func(tb testing.TB) { conformance.Checkout(tb) }))
}
