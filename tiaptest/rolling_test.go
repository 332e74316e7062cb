package tiaptest_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// rolling is a bundle of n summaries, each of a turn of its own and of as many
// summaries before it as it has parents; the gold turn is the first.
func rolling(t *testing.T, n, parents int) *tiaptest.Audit {
	t.Helper()
	in := &tiaptest.Ingest{}
	for i := range n {
		m := tiaptest.Memory{ID: fmt.Sprintf("m%d", i), Form: "summary", Sources: []tiaptest.Link{{Turn: fmt.Sprintf("t%d", i)}}}
		for p := i - 1; p >= max(0, i-parents); p-- {
			m.Parents = append(m.Parents, fmt.Sprintf("m%d", p))
		}
		in.Memories = append(in.Memories, m)
	}
	require.NoError(t, in.Run.Add(tiaptest.Ranking{Query: "q", IDs: []string{fmt.Sprintf("m%d", n-1)}}))
	a, err := tiaptest.Rescore(&tiaptest.Bundle{
		Scenario: tiaptest.Scenario{Name: "rolling", Queries: []tiaptest.Query{{ID: "q", Evidence: []tiaptest.Unit{{Turns: []string{"t0"}}}}}},
		Systems:  []*tiaptest.System{{Name: "s", Ingests: []*tiaptest.Ingest{in}}},
	})
	require.NoError(t, err)
	return a
}

// Rolling summaries are credited for the first turn, and what they descend from is
// counted and shown in full.
func TestRollingSummaries(t *testing.T) {
	t.Parallel()
	const n = 5000
	a := rolling(t, n, 1)
	top1, err := a.Score("s", tiaptest.Canonical, tiaptest.Top1())
	require.NoError(t, err)
	assert.InDelta(t, 1, top1, 0)
	var report bytes.Buffer
	require.NoError(t, a.WriteJSON(&report))
	assert.Contains(t, report.String(), fmt.Sprintf(`"recorded exact": %d`, n*(n+1)/2))
	ranked, err := a.Ranked("s", "q")
	require.NoError(t, err)
	require.Len(t, ranked, 1)
	assert.Len(t, ranked[0].Turns, n)
}

// Links that are too many to be counted are left out of the report, which says so.
func TestUncountedLinks(t *testing.T) {
	t.Parallel()
	var report bytes.Buffer
	require.NoError(t, rolling(t, 7500, 3).WriteJSON(&report))
	assert.NotContains(t, report.String(), `"links"`)
	assert.Contains(t, report.String(), `"uncounted-links"`)
}
