package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// A memory counts for the turns of its parents, and not for those that a link is
// only inferred to.
func TestStoreDescent(t *testing.T) {
	stop := recording(t)
	defer stop()
	b := new(tiaptest.Bundle)
	s := b.AddSystem("mine", "").AddMemory("fact", "fact", "t1").AddMemory("guess", "fact")
	in := s.Ingests[0]
	in.Memories[1].Sources = []tiaptest.Link{{Turn: "t2", Origin: "inferred"}}
	in.Memories = append(in.Memories, tiaptest.Memory{ID: "summary", Form: "summary", Parents: []string{"digest", "guess"}},
		tiaptest.Memory{ID: "digest", Form: "summary", Parents: []string{"fact"}, Sources: []tiaptest.Link{{Turn: "t3"}, {Turn: "t3", Precision: "batch"}}})
	require.True(t, golden.Store(t, "descent", s))
	text, err := os.ReadFile(filepath.Join(os.Getenv("TIAP_TESTDATA"), "golden", "descent.store.json"))
	require.NoError(t, err)
	assert.Regexp(t, `(?s)"turns": \{\s*"t1": \{\s*"fact": 1,\s*"summary": 2\s*\},\s*"t3": \{\s*"summary": 2\s*\}\s*\}`, string(text))

	in.Memories[3].Parents = append(in.Memories[3].Parents, "summary")
	q := &quiet{TB: t}
	assert.False(t, golden.Store(q, "cycle", s))
	require.Len(t, q.failures, 1)
	assert.Contains(t, q.failures[0], "descends from itself")
}
