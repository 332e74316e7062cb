package sensitivity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// As many answers as are read, and one more. Not parallel: it takes some 200 MiB.
func TestManyAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("reads half a million answers")
	}
	var text strings.Builder
	for i := range limit.Labels {
		fmt.Fprintf(&text, `{"query":"q%d","system":"s","correct":true}`+"\n", i)
	}
	require.NoError(t, new(sensitivity.Table).ReadAnswers("a.jsonl", strings.NewReader(text.String())))
	text.WriteString(`{"query":"more","system":"s","correct":true}` + "\n")
	err := new(sensitivity.Table).ReadAnswers("a.jsonl", strings.NewReader(text.String()))
	assert.EqualError(t, err, "a.jsonl:524289: reading stops here: the file has more than 524288 lines; keep those of the queries and systems that are looked at")
}
