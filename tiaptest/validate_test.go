package tiaptest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// Validate refuses what Rescore refuses of a store, and nothing else.
func TestValidateIsRescore(t *testing.T) {
	t.Parallel()
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]string{"a", "b", "c", "d", ""})
		in := &tiaptest.Ingest{Memories: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tiaptest.Memory {
			return tiaptest.Memory{
				ID: id.Draw(t, "id"), Form: rapid.SampledFrom([]string{"raw", "fact", "Raw", ""}).Draw(t, "form"),
				Parents: rapid.SliceOfN(id, 0, 2).Draw(t, "parents"),
				Status:  rapid.SampledFrom([]string{"", "active", "gone"}).Draw(t, "status"),
				Sources: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tiaptest.Link {
					return tiaptest.Link{Turn: rapid.SampledFrom([]string{"t1", "t2", ""}).Draw(t, "turn"), Precision: rapid.SampledFrom([]string{"", "batch", "vague"}).Draw(t, "precision")}
				}), 0, 2).Draw(t, "sources"),
			}
		}), 0, 4).Draw(t, "memories")}
		b := &tiaptest.Bundle{Systems: []*tiaptest.System{{Name: "s", Ingests: []*tiaptest.Ingest{in}}}}
		b.AddTurn("t1", "one").AddQuery("q", "?", "one")
		require.NoError(t, in.Run.Add(tiaptest.Ranking{Query: "q"}))
		got := in.Validate()
		_, want := tiaptest.Rescore(b)
		if got == nil {
			require.NoError(t, want)
			return
		}
		refused++
		require.Error(t, want)
		require.Equal(t, want.Error(), prefixed(got.Error(), "system s: "))
	})
	require.Positive(t, refused)
	require.Error(t, (*tiaptest.Ingest)(nil).Validate())
}

// prefixed puts a prefix before each line.
func prefixed(text, prefix string) string {
	return prefix + strings.ReplaceAll(text, "\n", "\n"+prefix)
}
