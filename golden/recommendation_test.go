package golden_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// family is a record of D1, D5 and D8, each with the turn of a query at the rank that
// ranks holds by ingest. D8 covers the first ten of forty queries alone, so that the
// best member is found on fewer queries than D1 and D5 are compared on.
func family(t *testing.T, ingests int, metric tiaptest.Metric, rank func(system string, ingest, q int) int) *golden.Record {
	t.Helper()
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "family", Headline: "raw"}}
	for q := range talkQueries {
		b.AddTurn(fmt.Sprintf("t%02d", q), fmt.Sprintf("The word of day %02d.", q))
		b.AddQuery(fmt.Sprintf("q%02d", q), "Which word?", fmt.Sprintf("word of day %02d", q))
	}
	for _, name := range []string{"D1", "D5", "D8"} {
		s := b.AddSystem(name, "density")
		for n := range ingests {
			if n > 0 {
				s.Ingests = append(s.Ingests, &tiaptest.Ingest{})
			}
			for i := range 10 {
				s.AddMemory(fmt.Sprintf("other%d", i), "raw", "t-other")
			}
			for q := range talkQueries {
				turn := fmt.Sprintf("t%02d", q)
				if name != "D8" || q < 10 {
					s.AddMemory("raw-"+turn, "raw", turn)
				}
				s.AddRanking(fmt.Sprintf("q%02d", q), ranking(turn, rank(name, n, q), 0, 0)...)
			}
		}
	}
	r, err := golden.NewRecord(rescoreWith(t, b, tiaptest.Targets(tiaptest.Raw, tiaptest.Source), tiaptest.Depth(10),
		tiaptest.Metrics(metric, tiaptest.NDCG(10)), tiaptest.Resamples(100)))
	require.NoError(t, err)
	return r
}

// ofFamily are the findings on the three members by a metric under raw.
func ofFamily(d *golden.Difference, metric tiaptest.Metric) (out []golden.Finding) {
	for _, f := range d.Findings {
		if len(f.Systems) == 3 && f.Metric == metric.String() && f.Targets[0] == "raw" {
			out = append(out, f)
		}
	}
	return out
}

// Another best member is judged by the noise between ingests, also where the two as a
// pair are as they were: on all queries that both cover D1 leads.
func TestRecommendationOfIngests(t *testing.T) {
	t.Parallel()
	mrr := tiaptest.MRR(10)
	// D5 ranks the turn first in so many of ten queries, by ingest, and third in the others.
	record := func(first [3]int) *golden.Record {
		return family(t, 3, mrr, func(system string, ingest, q int) int {
			switch {
			case system == "D8":
				return 10
			case system == "D1":
				return 2
			case q >= 10:
				return 9
			case q < first[ingest]:
				return 1
			}
			return 3
		})
	}
	was := record([3]int{0, 0, 1})
	for name, test := range map[string]struct {
		first   [3]int
		verdict golden.Verdict // empty for none
		text    string
	}{
		"as before": {[3]int{1, 0, 0}, "", ""},
		// By Welch's test p is 0.035: of one test it would be another best member, of four it is none.
		"by chance": {[3]int{10, 5, 7}, golden.Inconclusive, "inconclusive on mrr@10 under raw: family density D1 -> D5"},
		"surely":    {[3]int{10, 9, 10}, golden.RecommendationChanged, "recommendation changed on mrr@10 under raw: family density D1 -> D5"},
	} {
		d := golden.Diff(was, record(test.first))
		for _, f := range d.Findings {
			assert.NotEqual(t, golden.WinnerFlip, f.Verdict, name)
		}
		found := ofFamily(d, mrr)
		if test.verdict == "" {
			assert.Empty(t, found, name)
			continue
		}
		require.Len(t, found, 1, name)
		assert.Equal(t, test.verdict, found[0].Verdict, name)
		assert.Equal(t, test.text, found[0].Text, name)
		assert.Equal(t, 10, found[0].N, name)
	}
}

// Where single queries have no scores, as by micro_recall, another best member is not
// judged, and is told where the two as a pair say nothing of it.
func TestRecommendationUnjudged(t *testing.T) {
	t.Parallel()
	micro := tiaptest.MicroRecall(1)
	record := func(d1, d5 int) *golden.Record { // ranks in the first ten queries
		return family(t, 1, micro, func(system string, _, q int) int {
			switch {
			case system == "D8":
				return 10
			case q < 10:
				return map[string]int{"D1": d1, "D5": d5}[system]
			}
			return map[string]int{"D1": 1, "D5": 2}[system]
		})
	}
	was := record(1, 2)
	assert.Empty(t, ofFamily(golden.Diff(was, record(1, 3)), micro))
	found := ofFamily(golden.Diff(was, record(2, 1)), micro)
	require.Len(t, found, 1)
	assert.Equal(t, golden.Inconclusive, found[0].Verdict)
	assert.Equal(t, "inconclusive on micro_recall@1 under raw: family density D1 -> D5, without common queries that have scores of their own", found[0].Text)
}
