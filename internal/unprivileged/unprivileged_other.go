//go:build !linux

package unprivileged

import "testing"

// Run does nothing: tests of permissions are skipped where root runs them.
func Run(t *testing.T, names ...string) { t.Helper() }
