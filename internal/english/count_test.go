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

func TestWithout(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "none of its 0 queries has a label", 1: "its only query has no label", 2: "none of its 2 queries has a label"} {
		assert.Equal(t, want, english.Without("its", n, "query", "queries", "label"))
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		assert.Equal(t, want, english.List(names))
	}
}
