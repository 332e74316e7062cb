package jsonl_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/jsonl"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var texts jsonl.Texts
		var want, got []string
		for range 50 {
			b := bytes.Repeat([]byte{byte('a' + len(got)%26)}, rapid.SampledFrom([]int{0, 1, 20, 1000, 4096, 4097, 70_000}).Draw(t, "length"))
			want, got = append(want, string(b)), append(got, texts.Add(b))
			clear(b) // a string is a copy
		}
		require.Equal(t, want, got)
	})
}

func TestTextsShareAllocations(t *testing.T) {
	var texts jsonl.Texts
	id := []byte("conv-26/D1:3")
	require.Less(t, testing.AllocsPerRun(10, func() {
		for range 1000 {
			texts.Add(id)
		}
	}), 3.0)
}
