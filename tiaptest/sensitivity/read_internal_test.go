package sensitivity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/problem"
)

// As many lines as may be are read; one more ends it.
func TestReadLinesUpToALimit(t *testing.T) {
	t.Parallel()
	var read []int
	each := func(line int, _ *struct{}, _ *problem.List) { read = append(read, line) }
	require.NoError(t, readLines("f", strings.NewReader("{}\n\n{}\n"), 2, each))
	assert.Equal(t, []int{1, 3}, read)
	assert.EqualError(t, readLines("f", strings.NewReader("{}\n\n{}\n{}\n"), 2, each),
		"f:4: reading stops here: the file has more than 2 lines; keep those of the queries and systems that are looked at")
	assert.EqualError(t, readLines("f", strings.NewReader("\n"), 2, each), "f: the file is empty; it needs one object a line")
}
