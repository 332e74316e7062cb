package shell_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/shell"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"testdata/a-b_c.d": "testdata/a-b_c.d", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "^A$": "'^A$'", "$(x)": "'$(x)'",
	} {
		assert.Equal(t, want, shell.Quote(word))
	}
}

// TestShellReadsIt hands quoted words to a shell and compares what it makes of them.
func TestShellReadsIt(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, word := range []string{"plain", "", "two words", "it's", "$HOME", "`id`", "a\\b", "*", "é", "#", "~", "a;b", "tab\tend"} {
		out, err := exec.CommandContext(t.Context(), sh, "-c", "printf %s "+shell.Quote(word)).Output()
		require.NoError(t, err)
		assert.Equal(t, word, string(out))
	}
}
