package semantic_test

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tiaptest/tiap/internal/usermodule"
)

// TestScript runs go test in the module of a user. It builds offline, with the
// caches of this one.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), Setup: usermodule.New(t).Setup})
}
