package scenarios_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// inOrder finds every memory of the query's conversation, in the order of the store.
func inOrder(_ context.Context, memories []tiaptest.Memory) (record.Searcher, error) {
	return record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		var hits []record.Hit
		for _, m := range memories {
			if len(m.ID) > len(q.Scope) && m.ID[:len(q.Scope)] == q.Scope && len(hits) < q.K {
				hits = append(hits, record.Hit{ID: m.ID})
			}
		}
		return hits, nil
	}), nil
}

func TestRank(t *testing.T) {
	t.Parallel()
	src := filepath.Join("testdata", "locomo", "locomo_sample.json")
	b, err := scenarios.LoCoMo(src, scenarios.Rank(inOrder, "raw", "observation"), scenarios.Headline(tiaptest.Canonical))
	require.NoError(t, err)
	forms := make(map[string]bool)
	for _, m := range b.System.Ingests[0].Memories {
		forms[m.Form] = true
	}
	assert.Equal(t, map[string]bool{"raw": true, "observation": true}, forms)
	assert.Equal(t, len(b.Scenario.Queries), b.System.Ingests[0].Run.Len())
	a, err := tiaptest.Rescore(b.Bundle())
	require.NoError(t, err)
	_, err = a.Score("locomo", tiaptest.Canonical, tiaptest.NDCG(60))
	require.NoError(t, err)

	// Import writes the same.
	dir := filepath.Join(t.TempDir(), "out")
	_, err = scenarios.Import(t.Context(), "locomo", src, dir, scenarios.Rank(inOrder, "raw", "observation"), scenarios.Headline(tiaptest.Canonical))
	require.NoError(t, err)
	whole := filepath.Join(t.TempDir(), "whole")
	require.NoError(t, b.Bundle().WriteDir(whole))
	assert.Equal(t, tree(t, whole), tree(t, dir))

	// Without it there is no system.
	plain := filepath.Join(t.TempDir(), "plain")
	_, err = scenarios.Import(t.Context(), "locomo", src, plain)
	require.NoError(t, err)
	assert.NoDirExists(t, filepath.Join(plain, "systems"))
}

func TestRankRefuses(t *testing.T) {
	t.Parallel()
	src := filepath.Join("testdata", "locomo", "locomo_sample.json")
	_, err := scenarios.LoCoMo(src, scenarios.Rank(inOrder, "dream"))
	assert.EqualError(t, err, `no memory has the form "dream"; the forms are event, observation, raw, summary`)
	_, err = scenarios.LoCoMo(src, scenarios.Rank(nil))
	assert.EqualError(t, err, "rank: there is no searcher")
	_, err = scenarios.LongMemEval(filepath.Join("testdata", "longmemeval", "longmemeval_s_sample.json"), scenarios.Rank(inOrder))
	assert.EqualError(t, err, "longmemeval carries no memories to rank; record or import a memory system")
	parent := t.TempDir()
	_, err = scenarios.Import(t.Context(), "locomo", src, filepath.Join(parent, "out"), scenarios.Rank(inOrder, "dream"))
	assert.Error(t, err)
	assert.Empty(t, names(t, parent), "nothing is left behind")
}
