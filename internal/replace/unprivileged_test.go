package replace_test

import (
	"testing"

	"github.com/tiaptest/tiap/internal/unprivileged"
)

// What is forbidden is so also where root runs these, as a user to which it is.
func TestOutputUnprivileged(t *testing.T) {
	t.Parallel()
	unprivileged.Run(t, "TestOutputInClosedFolder", "TestOutputOfReadOnly")
}
