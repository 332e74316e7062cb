package scenarios_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/scenarios"
)

// By message every message of a group is a unit, each once.
func TestGoldOfBEAM(t *testing.T) {
	t.Parallel()
	src := filepath.Join("testdata", "beam", "chats")
	byGroup, err := scenarios.BEAM(src)
	require.NoError(t, err)
	byMessage, err := scenarios.BEAM(src, scenarios.Gold("message"))
	require.NoError(t, err)
	require.Equal(t, len(byGroup.Scenario.Queries), len(byMessage.Scenario.Queries))
	several := 0
	for i, q := range byGroup.Scenario.Queries {
		turns := make(map[string]bool)
		for _, u := range q.Evidence {
			if len(u.Turns) > 1 {
				several++
			}
			for _, turn := range u.Turns {
				turns[turn] = true
			}
		}
		units := byMessage.Scenario.Queries[i].Evidence
		assert.Len(t, units, len(turns), q.ID)
		for _, u := range units {
			require.Len(t, u.Turns, 1)
			assert.Empty(t, u.ID)
			assert.True(t, turns[u.Turns[0]], "%s: %s", q.ID, u.Turns[0])
		}
	}
	assert.Positive(t, several, "the sample has no group of several messages")
	assert.Contains(t, byMessage.Summary.Rules, "gold message: each message is an evidence unit, whatever group names it")

	_, err = scenarios.BEAM(src, scenarios.Gold("turn"))
	assert.EqualError(t, err, `gold: unknown level "turn" of beam; use group, message`)
	_, err = scenarios.LoCoMo(filepath.Join("testdata", "locomo", "locomo_sample.json"), scenarios.Gold("turn"))
	assert.EqualError(t, err, "gold: an option of longmemeval and beam, not of locomo; leave it out")
}
