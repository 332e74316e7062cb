package scenarios

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestMendSurrogates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		n          int
	}{
		{`"plain"`, `"plain"`, 0},
		{`"\ud83d\ude00"`, `"\ud83d\ude00"`, 0},
		{`"\ud83d"`, `"\ufffd"`, 1},
		{`"\uDE00x"`, `"\ufffdx"`, 1},
		{`"\ud83d\ud83d\ude00"`, `"\ufffd\ud83d\ude00"`, 1},
		{`"\ude00\ud83d"`, `"\ufffd\ufffd"`, 2},
		{`"\\ud83d"`, `"\\ud83d"`, 0},
		{`"\\\ud83d"`, `"\\\ufffd"`, 1},
		{`"\ud83d\n\u0041"`, `"\ufffd\n\u0041"`, 1},
		{`"\ud83dx\ude00"`, `"\ufffdx\ufffd"`, 2},
		{`"\ud8`, `"\ud8`, 0},
		{`\`, `\`, 0},
		{`"\ud83d\`, `"\ufffd\`, 1},
	} {
		before := c.text
		got, n := mendSurrogates([]byte(c.text))
		assert.Equal(t, c.want, string(got), c.text)
		assert.Equal(t, c.n, n, c.text)
		assert.Equal(t, before, c.text)
	}
}

// What is mended means what encoding/json makes of the original.
func TestMendSurrogatesMeaning(t *testing.T) {
	t.Parallel()
	parts := []string{`\ud83d`, `\ude00`, `\uDBFF`, `\\`, `\n`, `u`, `é`, `\u00e9`, `d83d`}
	rapid.Check(t, func(t *rapid.T) {
		text := `"`
		for _, p := range rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts") {
			text += p
		}
		text += `"`
		mended, _ := mendSurrogates([]byte(text))
		var want, got string
		if json.Unmarshal([]byte(text), &want) != nil {
			return
		}
		if err := json.Unmarshal(mended, &got); err != nil || got != want {
			t.Fatalf("%s became %s: %q, not %q (%v)", text, mended, got, want, err)
		}
	})
}
