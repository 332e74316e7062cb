package tiaptest_test

import (
	"testing"

	"github.com/tiaptest/tiap/internal/unprivileged"
)

// A read-only folder is one also where root runs it, as a user to which it is forbidden.
func TestWriteDirUnprivileged(t *testing.T) {
	t.Parallel()
	unprivileged.Run(t, "TestWriteDirFails/read-only_folder")
}
