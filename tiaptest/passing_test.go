package tiaptest_test

import (
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestPassing withdraws the credit of the first of two memories of a unit, and of
// the only one of another.
func TestPassing(t *testing.T) {
	t.Parallel()
	passes := func(system string, q tiaptest.Query, m tiaptest.Memory) bool {
		assert.Equal(t, "A", system)
		assert.Equal(t, "q1", q.ID)
		return m.ID == "good"
	}
	target := tiaptest.Passing("checked", tiaptest.Source, passes)
	assert.Equal(t, "checked(source)", target.String())
	b := talk([]tiaptest.Memory{fact("bad", "t1"), fact("good", "t1"), fact("poor", "t2"), raw("else", "t3")}, "bad", "else", "good", "poor")
	a, err := tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Source, target), tiaptest.Headline(tiaptest.Source),
		tiaptest.Metrics(tiaptest.Recall(60), tiaptest.MRR(60), tiaptest.All(60)))
	require.NoError(t, err)
	for metric, want := range map[tiaptest.Metric][2]float64{
		tiaptest.Recall(60): {1, 0.5}, tiaptest.MRR(60): {1, 1.0 / 3}, tiaptest.All(60): {1, 0},
	} {
		for i, of := range []tiaptest.Target{tiaptest.Source, target} {
			got, err := a.Score("A", of, metric)
			require.NoError(t, err)
			assert.InDelta(t, want[i], got, 1e-15, "%s under %s", metric, of)
		}
	}
	text, err := a.Explain("q1")
	require.NoError(t, err)
	assert.Contains(t, text, "missed under checked(source): t2: stored, but not as the target credits it: poor (fact)")
	assert.NotContains(t, text, "missed under checked(source): t1")
	assert.NotContains(t, text, "missed under source")
}

// TestPassingNothing scores 0 where the target that it narrows does not.
func TestPassingNothing(t *testing.T) {
	t.Parallel()
	never := func(string, tiaptest.Query, tiaptest.Memory) bool { return false }
	always := func(string, tiaptest.Query, tiaptest.Memory) bool { return true }
	both := tiaptest.Passing("never", tiaptest.Passing("always", tiaptest.Source, always), never)
	swapped := tiaptest.Passing("always", tiaptest.Passing("never", tiaptest.Source, never), always)
	b := talk([]tiaptest.Memory{fact("f", "t1", "t2")}, "f")
	a, err := tiaptest.Rescore(b, tiaptest.Targets(both, swapped), tiaptest.Headline(both))
	require.NoError(t, err)
	for _, target := range []tiaptest.Target{both, swapped} {
		got, err := a.Score("A", target, tiaptest.Recall(60))
		require.NoError(t, err, target)
		assert.Zero(t, got, target)
	}
}

func TestPassingWithoutRule(t *testing.T) {
	t.Parallel()
	target := tiaptest.Passing("empty", tiaptest.Source, nil)
	_, err := tiaptest.Rescore(talk([]tiaptest.Memory{fact("f", "t1")}, "f"), tiaptest.Targets(target), tiaptest.Headline(target))
	require.ErrorContains(t, err, "target empty(source) has no rule")
}

// byHash passes about half of all memories.
func byHash(system string, q tiaptest.Query, m tiaptest.Memory) bool {
	h := fnv.New32a()
	h.Write([]byte(strings.Join([]string{system, q.ID, m.ID}, "\x00")))
	return h.Sum32()%2 == 0
}

// TestPassingNarrows compares a target with what passes of it: all that covers a
// query still does, nothing is gained, and with nothing refused nothing changes.
func TestPassingNarrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		inner := targetNamed(oneOf(t, "target", baseTargets...))
		half := tiaptest.Passing("half", inner, byHash)
		all := tiaptest.Passing("all", inner, func(string, tiaptest.Query, tiaptest.Memory) bool { return true })
		metrics := []tiaptest.Metric{tiaptest.Recall(5), tiaptest.Hit(5), tiaptest.MRR(5), tiaptest.NDCG(5)}
		a := rescored(t, b, tiaptest.Targets(inner, half, all), tiaptest.Headline(inner), tiaptest.Metrics(metrics...), tiaptest.Resamples(100),
			tiaptest.Credit(tiaptest.Crediting(oneOf(t, "credit", "evidence", "memory"))))
		for _, system := range systemsOf(b) {
			for i, m := range metrics {
				whole, kept, same := must(a.PerQuery(system, inner, m)), must(a.PerQuery(system, half, m)), must(a.PerQuery(system, all, m))
				if len(kept) != len(whole) || len(same) != len(whole) {
					t.Fatalf("%s of %s: %d, %d and %d queries", m, system, len(whole), len(kept), len(same))
				}
				for q, v := range whole {
					if same[q] != v {
						t.Fatalf("%s of %s on %s: %v, and %v when all pass", m, system, q, v, same[q])
					}
					if i < 3 && kept[q] > v {
						t.Fatalf("%s of %s on %s: %v, and %v when some pass", m, system, q, v, kept[q])
					}
				}
			}
		}
	})
}
