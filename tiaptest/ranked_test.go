package tiaptest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// The places of a ranking agree with its score: by evidence, the gains of a
// covered query add up to what recall counts.
func TestRankedAgreesWithScores(t *testing.T) {
	t.Parallel()
	a, err := tiaptest.Rescore(density())
	require.NoError(t, err)
	for _, s := range a.Systems() {
		for i, target := range a.Targets() {
			recall, err := a.PerQuery(s, target, tiaptest.Recall(60))
			require.NoError(t, err)
			require.Len(t, recall, 2)
			for q, want := range recall {
				places, err := a.Ranked(s, q)
				require.NoError(t, err)
				require.Len(t, places, 3)
				gain := 0.0
				for _, p := range places {
					gain += p.Gains[i]
					if p.Gains[i] > 0 {
						assert.True(t, p.Eligible[i])
					}
				}
				assert.InDelta(t, want, gain, 0, "%s %s %s", s, target, q)
			}
		}
	}
}

// A memory that a target refuses is not eligible under it, though the target without
// the refusal credits it.
func TestRankedRefused(t *testing.T) {
	t.Parallel()
	none := tiaptest.Passing("none", tiaptest.Source, func(string, tiaptest.Query, tiaptest.Memory) bool { return false })
	a, err := tiaptest.Rescore(density(), tiaptest.Targets(tiaptest.Source, none), tiaptest.Headline(tiaptest.Source))
	require.NoError(t, err)
	places, err := a.Ranked("D1", "q1")
	require.NoError(t, err)
	credited := false
	for _, p := range places {
		credited = credited || p.Eligible[0]
		assert.False(t, p.Eligible[1], "%s", p.Memory.ID)
		assert.Zero(t, p.Gains[1])
	}
	assert.True(t, credited, "by source")
}

func TestRankedOfIncompleteRuns(t *testing.T) {
	t.Parallel()
	b := density()
	b.Systems[0].Ingests[0].Run = tiaptest.Run{}
	require.NoError(t, b.Systems[0].Ingests[0].Run.Add(tiaptest.Ranking{Query: "q1", IDs: []string{"other", "raw1"}}))
	a, err := tiaptest.Rescore(b, tiaptest.Depth(1))
	require.NoError(t, err)

	places, err := a.Ranked("D1", "q1")
	require.NoError(t, err)
	require.Len(t, places, 1, "cut at the depth")
	assert.Equal(t, tiaptest.Memory{ID: "other"}, places[0].Memory, "unknown to the store")
	assert.Equal(t, []bool{false, false, false}, places[0].Eligible)
	assert.Empty(t, places[0].Turns)

	places, err = a.Ranked("D1", "q2")
	require.NoError(t, err)
	assert.Empty(t, places, "absent from the run")

	_, err = a.Ranked("D7", "q1")
	assert.EqualError(t, err, `the audit has no system "D7"`)
	_, err = a.Ranked("D1", "q7")
	assert.EqualError(t, err, `the audit has no query "q7"`)
	_, ok := a.Turn("t9")
	assert.False(t, ok)
}
