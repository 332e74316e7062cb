package quickstart_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestReadme keeps the failure that the README shows true.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(readme), "\n    winner flip")
	require.True(t, found, "README.md shows no failure")
	var shown []string
	for _, line := range strings.Split("    winner flip"+block, "\n") {
		if line != "" && !strings.HasPrefix(line, "    ") {
			break
		}
		shown = append(shown, strings.TrimPrefix(line, "    "))
	}
	a := tiaptest.Load(t, "testdata/garden", options)
	message := a.Verify(tiaptest.NoWinnerFlip(ndcg)).Error()
	want := strings.Split(message, "\n")
	assert.Equal(t, want[:8], shown[:len(shown)-1])
}
