package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
)

// large makes systems that rank three memories of a small store for each query.
// Raw turns stand above facts in some of them, so that winners flip.
func large(tb testing.TB, systems, queries int) *tiaptest.Bundle {
	tb.Helper()
	const turns = 400
	r := rand.New(rand.NewPCG(1, 2))
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "large", Headline: "canonical"}}
	for i := range turns {
		b.AddTurn(fmt.Sprintf("t%d", i), fmt.Sprintf("What was said in turn %d of the conversation.", i))
	}
	gold := make([]int, queries)
	for q := range queries {
		gold[q] = r.IntN(turns)
		b.Scenario.Queries = append(b.Scenario.Queries, tiaptest.Query{
			ID: fmt.Sprintf("conversation-%d/question-%d", q/50, q), Text: fmt.Sprintf("What was said of subject %d?", q), Category: fmt.Sprint(q % 6),
			Evidence: []tiaptest.Unit{{Turns: []string{fmt.Sprintf("t%d", gold[q])}}},
		})
	}
	for s := range systems {
		sys := b.AddSystem(fmt.Sprintf("system-%03d", s), fmt.Sprintf("family-%d", s%10))
		for i := range turns {
			turn := fmt.Sprintf("t%d", i)
			sys.AddMemory("raw/"+turn, "raw", turn).AddMemory("fact/"+turn, "fact", turn)
		}
		for q := range queries {
			raw, fact, other := fmt.Sprintf("raw/t%d", gold[q]), fmt.Sprintf("fact/t%d", gold[q]), fmt.Sprintf("raw/t%d", (gold[q]+1)%turns)
			ids := []string{raw, fact, other}
			r.Shuffle(3, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			sys.AddRanking(b.Scenario.Queries[q].ID, ids...)
		}
	}
	return b
}

// A hundred systems render to under five megabytes. This has fewer queries and
// metrics than BenchmarkLarge, which measures the time.
func TestLargeAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("a large audit")
	}
	a, err := tiaptest.Rescore(large(t, 100, 1000), tiaptest.Resamples(100), tiaptest.Metrics(tiaptest.NDCG(60), tiaptest.MRR(60)))
	require.NoError(t, err)
	opts := study(t, a)
	for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.Text} {
		out := render(t, f, a, opts...)
		t.Logf("%s: %d bytes", f, len(out))
		assert.Less(t, len(out), 5<<20, "%s", f)
		if f == report.HTML {
			wellFormed(t, out)
		}
	}
}

// BenchmarkLarge renders the audit of 100 systems over 20,000 queries.
func BenchmarkLarge(b *testing.B) {
	a, err := tiaptest.Rescore(large(b, 100, 20_000), tiaptest.Resamples(100))
	require.NoError(b, err)
	for _, f := range []report.Format{report.HTML, report.Markdown, report.LaTeX, report.Text} {
		b.Run(string(f), func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = len(render(b, f, a))
			}
			b.ReportMetric(float64(n), "bytes")
		})
	}
}
