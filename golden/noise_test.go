package golden

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/tiaptest"
)

// ingested is a system whose parser is not deterministic: each ingest makes one to
// three facts of a turn, none of the share of turns that are lost, and ranks them
// anew.
func ingested(b *tiaptest.Bundle, r *rand.Rand, name string, lost float64, ingests int) {
	s := b.AddSystem(name, "density")
	for n := range ingests {
		if n > 0 {
			s.Ingests = append(s.Ingests, &tiaptest.Ingest{})
		}
		for q := range noiseQueries {
			turn := fmt.Sprintf("t%d", q)
			s.AddMemory("raw-"+turn, "raw", turn)
			made := 1 + r.IntN(3)
			if r.Float64() < lost {
				made = 0
			}
			for f := range 3 {
				if f < made {
					s.AddMemory(fmt.Sprintf("fact%d-%s", f, turn), "fact", turn)
				}
			}
		}
		for i := range 6 {
			s.AddMemory(fmt.Sprintf("other%d", i), "raw", "elsewhere")
		}
		held := make(map[string]bool)
		for _, m := range s.Ingests[n].Memories {
			held[m.ID] = true
		}
		for q := range noiseQueries {
			var ids []string
			for _, i := range r.Perm(6) {
				ids = append(ids, fmt.Sprintf("other%d", i))
			}
			for _, id := range []string{fmt.Sprintf("raw-t%d", q), fmt.Sprintf("fact0-t%d", q), fmt.Sprintf("fact1-t%d", q), fmt.Sprintf("fact2-t%d", q)} {
				if held[id] {
					at := r.IntN(len(ids) + 1)
					ids = append(ids[:at], append([]string{id}, ids[at:]...)...)
				}
			}
			s.AddRanking(fmt.Sprintf("q%d", q), ids...)
		}
	}
}

const noiseQueries = 60

func noisy(t *testing.T, seed uint64, lost float64) *Record {
	t.Helper()
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "noise", Headline: "canonical"}}
	for q := range noiseQueries {
		b.AddTurn(fmt.Sprintf("t%d", q), fmt.Sprintf("word %d.", q))
	}
	b.AddTurn("elsewhere", "nothing")
	for q := range noiseQueries {
		b.AddQuery(fmt.Sprintf("q%d", q), "which?", fmt.Sprintf("word %d.", q))
	}
	r := rand.New(rand.NewPCG(seed, 1))
	ingested(b, r, "D1", 0, 5) // the two are equal but for chance
	ingested(b, r, "D5", lost, 5)
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Metrics(tiaptest.NDCG(10), tiaptest.Recall(10)), tiaptest.Resamples(100))
	require.NoError(t, err)
	rec, err := NewRecord(a)
	require.NoError(t, err)
	return rec
}

// Re-ingests of unchanged systems rarely fail, though their winner is chance; a
// parser that loses the facts of a fifth of the turns fails.
func TestNoise(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulates")
	}
	const trials = 150
	alarms, changes, seen := 0, 0, 0
	for i := range trials {
		was, is := noisy(t, uint64(2*i), 0), noisy(t, uint64(2*i+1), 0)
		d := Diff(was, is)
		if d.Failed() {
			alarms++
		}
		for _, f := range d.Findings {
			if f.Verdict == Regressed || f.Verdict == Improved {
				changes++
				break
			}
		}
		if Diff(was, noisy(t, uint64(10_000+i), 0.2)).Failed() {
			seen++
		}
	}
	t.Logf("of %d unchanged re-ingests %d failed and %d were said to have changed; a loss of 20 %% failed in %d", trials, alarms, changes, seen)
	require.LessOrEqual(t, float64(alarms), 0.06*trials)
	require.LessOrEqual(t, float64(changes), 0.06*trials)
	require.GreaterOrEqual(t, float64(seen), 0.95*trials)
}
