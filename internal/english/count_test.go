package english_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/internal/english"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{-1: "-1 queries", 0: "0 queries", 1: "1 query", 2: "2 queries", 1000: "1000 queries"} {
		assert.Equal(t, want, english.Count(n, "query", "queries"))
		assert.Equal(t, n == 1, english.Noun(n, "query", "queries") == "query")
	}
}
