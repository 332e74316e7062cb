package replace_test

import (
	"testing"

	"github.com/tiaptest/tiap/internal/unprivileged"
)

// A folder takes no other file also where root runs it, as a user to which it is forbidden.
func TestOutputUnprivileged(t *testing.T) {
	t.Parallel()
	unprivileged.Run(t, "TestOutputInClosedFolder")
}
