package hostile_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/hostile"
)

// Fault finds every text that means something to a terminal or a log, alone in its
// line and within one, and no other.
func TestFault(t *testing.T) {
	t.Parallel()
	found := map[string]bool{
		"ansi": true, "clear": true, "carriage return": true, "controls": true, "line breaks": true, "right to left": true, "isolates": true,
		"zero width": true, "tags": true, "not UTF-8": true, "not characters": true, "command": true, "old command": true, "command on a line": true,
		"test protocol": true, "comma": true, // for their tabs
	}
	names := make(map[string]bool)
	for _, h := range hostile.Texts() {
		require.False(t, names[h.Name], "%s twice", h.Name)
		names[h.Name] = true
		assert.Equal(t, found[h.Name], hostile.Fault("a\n  "+h.Text+"\nb\n") != "", h.Name)
	}
	for name := range found {
		assert.True(t, names[name], name)
	}
	assert.Empty(t, hostile.Fault("a :: b\n\nfine 表格 👩‍👧\n"))
}

func TestWithoutCode(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "a `b` c": "a  c", "``a`b`` c ```d```": " c ", "`` ` ``": ""} {
		rest, ok := hostile.WithoutCode(in)
		assert.True(t, ok, "%q", in)
		assert.Equal(t, want, rest, "%q", in)
	}
	for _, open := range []string{"`", "a ``b`", "`a` `b"} {
		_, ok := hostile.WithoutCode(open)
		assert.False(t, ok, "%q", open)
	}
}

// Try puts each text at each place, one at a time.
func TestTry(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := make(map[[2]string]int)
	t.Run("texts", func(t *testing.T) {
		hostile.Try(t, []string{"a", "b"}, func(_ *testing.T, at hostile.At) (map[string]string, error) {
			a, b := at("a", "plain"), at("b", "plain")
			mu.Lock()
			seen[[2]string{a, b}]++
			mu.Unlock()
			if b != "plain" {
				return nil, errors.New("refused")
			}
			return map[string]string{"text": "of a"}, nil
		})
	})
	for _, h := range hostile.Texts() {
		assert.Equal(t, 1, seen[[2]string{h.Text, "plain"}], h.Name)
		assert.Equal(t, 1, seen[[2]string{"plain", h.Text}], h.Name)
	}
	assert.Len(t, seen, 2*len(hostile.Texts()))
}
