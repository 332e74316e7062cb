package tiaptest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestPairUndefinedUnderOneTarget: nothing is relevant to q2, the only matched query,
// under source. There the pair has no score, under the others it is compared.
func TestPairUndefinedUnderOneTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		return file
	}
	b, err := tiaptest.TREC{
		Qrels: map[string]string{
			"raw":       write("raw", "q1 0 a 1\nq2 0 a 1\n"),
			"source":    write("source", "q1 0 a 1\nq2 0 a 0\n"),
			"canonical": write("canonical", "q1 0 b 1\nq2 0 b 1\n"),
		},
		Runs: map[string]string{"A": write("A", "q2 Q0 a 1 1 A\n"), "B": write("B", "q2 Q0 b 1 1 B\n")},
	}.Open()
	require.NoError(t, err)
	a, err := tiaptest.Rescore(b, tiaptest.Population("matched"), tiaptest.Metrics(tiaptest.MicroRecall(10)))
	require.NoError(t, err)
	p, err := a.Pair("A", "B", tiaptest.MicroRecall(10))
	require.NoError(t, err)
	require.Len(t, p.Flips, 1)
	assert.Equal(t, [2]string{"raw", "canonical"}, p.Flips[0].Targets)
	assert.Equal(t, "flip", p.Flips[0].Verdict)
	for _, want := range []struct {
		target tiaptest.Target
		gap    float64
		winner string // empty: the gap is undefined
	}{{tiaptest.Raw, 1, "A"}, {tiaptest.Source, 0, ""}, {tiaptest.Canonical, -1, "B"}} {
		g, ok := p.Gap(want.target)
		require.True(t, ok, want.target)
		leads, ok := p.Winner(want.target)
		assert.Equal(t, want.winner, leads, want.target)
		assert.Equal(t, want.winner != "", ok, want.target)
		if want.winner == "" {
			assert.Nil(t, g.Value, want.target)
			continue
		}
		require.NotNil(t, g.Value, want.target)
		assert.Equal(t, want.gap, *g.Value, want.target)
	}
}

// TestPairWinner: none leads in a tie, nor under a target that is not compared.
func TestPairWinner(t *testing.T) {
	t.Parallel()
	p, err := auditOf(contest(system("A", "rf"), system("B", "r.f"))).Pair("A", "B", mrr)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		target tiaptest.Target
		want   string // empty for none
	}{
		"leads":        {tiaptest.Canonical, "A"},
		"tie":          {tiaptest.Raw, ""},
		"not compared": {tiaptest.Exact(tiaptest.Canonical), ""},
	} {
		leads, ok := p.Winner(test.target)
		assert.Equal(t, test.want, leads, name)
		assert.Equal(t, test.want != "", ok, name)
	}
}

// TestPairsNeedRepetitions: a randomization test has ten times the repetitions that
// Holm's first step needs at least, over the pairs and targets of one metric: three
// pairs under two targets at a level of 0.001 are 60,000 with the swaps seen.
func TestPairsNeedRepetitions(t *testing.T) {
	t.Parallel()
	b := contest(system("A", times(29, "rf")...), system("B", times(29, ".rf")...), system("C", times(29, "..rf")...))
	p, err := auditOf(b, two(tiaptest.Alpha(0.001))...).Pair("A", "C", mrr)
	require.NoError(t, err)
	g, ok := p.Gap(tiaptest.Raw)
	require.True(t, ok)
	require.NotNil(t, g.P)
	assert.Equal(t, 1.0/60_000, *g.P)
}
