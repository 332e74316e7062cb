package reference_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/conformance"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// conformanceLoCoMo reads the published file, which lies outside the checkout.
func conformanceLoCoMo(t *testing.T) *tiaptest.Scenario {
	t.Helper()
	b, err := scenarios.LoCoMo(conformance.Data(t, "locomo/locomo10.json"))
	require.NoError(t, err)
	b.Scenario.Headline = "canonical"
	return &b.Scenario
}

// The reference system at three densities over the whole benchmark, from the
// conversations to the report: by evidence the winner depends on the target, by
// memory it does not.
func TestConformanceLoCoMoDensity(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	scenario := conformanceLoCoMo(t)
	ndcg := tiaptest.NDCG(60)
	start := time.Now()
	b, err := scenarios.Density(t.Context(), scenario, reference.MaxFacts, []int{1, 5, 8}, reference.Lexical,
		record.Options{Cacheable: true, Progress: t.Output()})
	require.NoError(t, err)
	recorded := time.Since(start)

	sizes := make([]int, 3)
	for i, s := range b.Systems {
		sizes[i] = len(s.Ingests[0].Memories)
	}
	assert.Equal(t, []int{11960, 28076, 31190}, sizes, "memories of D1, D5 and D8")

	var reports [2]bytes.Buffer
	for i, credit := range []tiaptest.Crediting{tiaptest.ByEvidence, tiaptest.ByMemory} {
		start := time.Now()
		a, err := tiaptest.Rescore(b, tiaptest.Credit(credit))
		require.NoError(t, err)
		t.Logf("credit %v: %d queries, rescored in %v", credit, a.Shared().N, time.Since(start).Round(time.Millisecond))
		require.NoError(t, a.WriteTable(&reports[i]))
		require.NoError(t, a.Verify(tiaptest.TargetsReported(), tiaptest.SharedSubset(1982), tiaptest.CompleteRuns(), tiaptest.Nested()))
		for _, pair := range [][2]string{{"D1", "D5"}, {"D1", "D8"}, {"D5", "D8"}} {
			p, err := a.Pair(pair[0], pair[1], ndcg)
			require.NoError(t, err)
			for _, f := range p.Flips {
				if f.Verdict == "flip" {
					t.Logf("credit %v, %v, %s - %s, %s and %s: %v flip, shift %+.4f, leaving out %d removes it", credit, ndcg, f.A, f.B, f.Targets[0], f.Targets[1], f.Grade, *f.Shift.Value, *f.LeaveOut)
				}
				rawAgainstCanonical := f.Targets == [2]string{"raw", "canonical"}
				switch {
				case credit == tiaptest.ByMemory:
					assert.Equal(t, "same", f.Verdict, "%v, %v", pair, f.Targets)
				case rawAgainstCanonical:
					assert.Equal(t, "flip", f.Verdict, "%v", pair)
					assert.Equal(t, tiaptest.Decisive, f.Grade, "%v", pair)
				}
			}
		}
		r, err := a.Recommendation("density", ndcg)
		require.NoError(t, err)
		assert.Equal(t, credit == tiaptest.ByEvidence, r.Flip)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("recorded 3 x %d queries over %d turns in %v, %d MiB of memory taken from the system", len(scenario.Queries), len(scenario.Turns), recorded.Round(time.Millisecond), m.Sys>>20)
	t.Logf("by evidence:\n%s\nby memory:\n%s", &reports[0], &reports[1])

	// A second run, one query at a time, makes the same store and rankings.
	again, err := scenarios.Density(t.Context(), scenario, reference.MaxFacts, []int{5}, reference.Lexical,
		record.Options{Cacheable: true, Concurrency: 1})
	require.NoError(t, err)
	one, other := b.Systems[1].Ingests[0], again.Systems[0].Ingests[0]
	require.Equal(t, one.Memories, other.Memories)
	for k := range one.Run.All() {
		same, ok := other.Run.Ranking(k.Query)
		require.True(t, ok)
		require.Equal(t, k, same)
	}
}

// The parser passes the tests of a parser on real dialogue.
func TestConformanceLoCoMoParser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	require.NoError(t, record.TestParser(reference.MaxFacts(5), conformanceLoCoMo(t).Turns, record.Claims{PerTurn: 5}))
}
