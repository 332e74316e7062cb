package golden

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/tiaptest"
)

// loss is what a changed parser loses, as shares.
type loss struct {
	turns    float64 // of turns, of which no fact is made
	memories float64 // of memories, whatever their form
	facts    float64 // of facts
	unused   float64 // of memories that no ranking and no query needs
}

// ingested is a system whose parser is not deterministic: each ingest makes one to
// three facts of a turn and ranks them anew, beside memories that are never
// ranked.
func ingested(b *tiaptest.Bundle, r *rand.Rand, name string, lost loss, ingests int) {
	s := b.AddSystem(name, "density")
	for n := range ingests {
		if n > 0 {
			s.Ingests = append(s.Ingests, &tiaptest.Ingest{})
		}
		for q := range noiseQueries {
			turn := fmt.Sprintf("t%d", q)
			if r.Float64() >= lost.memories {
				s.AddMemory("raw-"+turn, "raw", turn)
			}
			made := 1 + r.IntN(3)
			if r.Float64() < lost.turns {
				made = 0
			}
			for f := range 3 {
				if keep := r.Float64(); f < made && keep >= lost.memories && keep >= lost.facts {
					s.AddMemory(fmt.Sprintf("fact%d-%s", f, turn), "fact", turn)
				}
			}
			for f := range 2 {
				if keep := r.Float64(); keep >= lost.memories && keep >= lost.unused {
					s.AddMemory(fmt.Sprintf("unused%d-%s", f, turn), "summary", "elsewhere")
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

// noisy is the record of systems that are equal but for chance and what they lose.
func noisy(t *testing.T, seed uint64, lost ...loss) *Record {
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
	for i, l := range lost {
		ingested(b, r, fmt.Sprintf("D%d", i+1), l, 5)
	}
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Metrics(tiaptest.NDCG(10), tiaptest.Recall(3), tiaptest.MicroRecall(3)), tiaptest.Resamples(100))
	require.NoError(t, err)
	rec, err := NewRecord(a)
	require.NoError(t, err)
	return rec
}

// Without scores of single ingests, noise may explain any other winner.
func TestNoiseUnknown(t *testing.T) {
	t.Parallel()
	was, is := noisy(t, 1, loss{}, loss{}), noisy(t, 2, loss{}, loss{})
	for i := range is.content.Pairs { // as far apart as can be
		for _, byMetric := range is.content.Pairs[i].Margins {
			for m := range byMetric {
				far := decimal(-1)
				if *was.content.Pairs[i].Margins["raw"][m] < 0 {
					far = 1
				}
				byMetric[m] = &far
			}
		}
	}
	was.scores = nil
	d := Diff(was, is)
	require.False(t, d.Failed(), "%+v", d.Findings)
	require.Equal(t, Inconclusive, d.Verdict)
	require.True(t, slices.ContainsFunc(d.Findings, func(f Finding) bool {
		return f.Metric != "" && strings.HasSuffix(f.Text, "; there are no scores of single ingests to tell it from noise")
	}), "%+v", d.Findings)
}

// Re-ingests of three parsers that forget now and then, so that the covered
// queries are others each time: neither winners nor recommendations fail.
func TestNoiseOfCoverage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulates")
	}
	const trials = 50
	failed := make(map[Verdict]int)
	for i := range trials {
		lost := []loss{{facts: 0.1}, {facts: 0.1}, {facts: 0.1}}
		if d := Diff(noisy(t, uint64(20_000+2*i), lost...), noisy(t, uint64(20_001+2*i), lost...)); d.Failed() {
			failed[d.Verdict]++
		}
	}
	t.Logf("of %d re-ingests failed: %v", trials, failed)
	n := 0
	for _, k := range failed {
		n += k
	}
	require.LessOrEqual(t, float64(n), 0.06*trials)
}

// Re-ingests of unchanged systems rarely fail, though their winner is chance. A
// parser that loses a fifth of the turns or of all memories fails; of the facts,
// of which most turns have another one, in most trials; of memories that nothing
// needs it does not fail, and is noted.
func TestNoise(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	doc := strings.Join(strings.Fields(strings.ReplaceAll(string(source), "\n//", " ")), " ")
	if testing.Short() {
		t.Skip("simulates")
	}
	const trials, alarms = 150, 0.06
	var before []*Record
	for i := range trials {
		before = append(before, noisy(t, uint64(2*i), loss{}, loss{}))
	}
	for i, tt := range []struct {
		name        string
		lost        loss
		trials      int
		least, most float64 // share that fails
		changes     float64 // largest share said to have changed
		notes       float64 // smallest share in which the note tells of fewer memories
		documented  string  // how doc.go says what share fails, in percent
	}{
		{name: "nothing", trials: trials, most: alarms, changes: alarms},
		{name: "turns", lost: loss{turns: 0.2}, trials: trials, least: 0.95, most: 1, changes: 1, notes: 1, documented: "a fifth of the turns fails in %.0f %% of trials"},
		{name: "memories", lost: loss{memories: 0.2}, trials: 50, least: 0.9, most: 1, changes: 1, notes: 1, documented: "a fifth of all memories in %.0f %%"},
		{name: "facts", lost: loss{facts: 0.2}, trials: 50, least: 0.5, most: 1, changes: 1, notes: 1, documented: "where two turns of three have others, in %.0f %%"},
		{name: "unused", lost: loss{unused: 0.4}, trials: 50, most: 2 * alarms, changes: 2 * alarms, notes: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			failed, changed, noted := 0, 0, 0
			verdicts := make(map[Verdict]int)
			for n := range tt.trials {
				is := noisy(t, uint64(10_000*i+2*n+1), loss{}, tt.lost)
				d := Diff(before[n], is)
				if verdicts[d.Verdict]++; d.Failed() {
					failed++
				}
				if slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Verdict == Regressed || f.Verdict == Improved }) {
					changed++
				}
				if slices.ContainsFunc(d.Notes, func(n string) bool { return strings.HasPrefix(n, "D2 stores ") }) && is.total("D2") < before[n].total("D2") {
					noted++
				}
			}
			share := func(n int) float64 { return float64(n) / float64(tt.trials) }
			t.Logf("lost %+v: of %d trials %d failed, %d were said to have changed, and the note told of fewer memories in %d; %v", tt.lost, tt.trials, failed, changed, noted, verdicts)
			require.GreaterOrEqual(t, share(failed), tt.least)
			require.LessOrEqual(t, share(failed), tt.most)
			require.LessOrEqual(t, share(changed), tt.changes)
			require.GreaterOrEqual(t, share(noted), tt.notes)
			if tt.documented != "" {
				require.Contains(t, doc, fmt.Sprintf(tt.documented, 100*share(failed)))
			}
		})
	}
}

func (r *Record) total(system string) (n int) {
	for _, count := range r.content.system(system).Memories {
		n += count
	}
	return n
}
