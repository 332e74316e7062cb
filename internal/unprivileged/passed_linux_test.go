package unprivileged

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPassed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n":                    true,
		"--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n":            true,
		"--- SKIP: TestA (0.00s)\nPASS\n":                                     false,
		"--- FAIL: TestA (0.00s)\nFAIL\n":                                     false,
		"testing: warning: no tests to run\nPASS\n":                           false,
		"--- PASS: TestAB (0.00s)\n":                                          false,
		"    x_test.go:1: --- PASS: TestA (0.00s)\n--- FAIL: TestA (0.00s)\n": false,
	} {
		assert.Equal(t, want, passed(text, "TestA"), text)
	}
	assert.True(t, passed("--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n", "TestA/b"))
	assert.False(t, passed("--- PASS: TestA (0.00s)\n    --- SKIP: TestA/b (0.00s)\n", "TestA/b"))
}
