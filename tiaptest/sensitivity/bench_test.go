package sensitivity_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// large is a bundle of random rankings.
func large(b *testing.B, systems, queries int) *tiaptest.Audit {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	bundle := &tiaptest.Bundle{}
	for q := range queries {
		turn := fmt.Sprint("t", q)
		bundle.Scenario.Turns = append(bundle.Scenario.Turns, tiaptest.Turn{ID: turn})
		bundle.Scenario.Queries = append(bundle.Scenario.Queries, tiaptest.Query{
			ID: fmt.Sprint("q", q), Category: fmt.Sprint(q % 5), Evidence: []tiaptest.Unit{{Turns: []string{turn}}},
		})
	}
	for s := range systems {
		system := bundle.AddSystem(fmt.Sprint("S", s), "f")
		for q := range queries {
			turn := fmt.Sprint("t", q)
			raw, fact := fmt.Sprint("raw", q), fmt.Sprint("fact", q)
			system.AddMemory(raw, "raw", turn).AddMemory(fact, "fact", turn)
			ranking := []string{raw, fact, fmt.Sprint("raw", (q+1)%queries), fmt.Sprint("fact", (q+2)%queries)}
			rng.Shuffle(len(ranking), func(i, j int) { ranking[i], ranking[j] = ranking[j], ranking[i] })
			system.AddRanking(fmt.Sprint("q", q), ranking...)
		}
	}
	a, err := tiaptest.Rescore(bundle, tiaptest.Resamples(100))
	require.NoError(b, err)
	return a
}

func BenchmarkFromAudit(b *testing.B) {
	a := large(b, 3, 2000)
	b.ReportAllocs()
	for b.Loop() {
		_, err := sensitivity.FromAudit(a)
		require.NoError(b, err)
	}
}

func BenchmarkConventions(b *testing.B) {
	a := large(b, 3, 2000)
	b.ReportAllocs()
	for b.Loop() {
		_, err := sensitivity.Conventions(a)
		require.NoError(b, err)
	}
}

func BenchmarkAnalyze(b *testing.B) {
	table, err := sensitivity.FromAudit(large(b, 3, 2000))
	require.NoError(b, err)
	rng := rand.New(rand.NewPCG(1, 2))
	for s := range 3 {
		for q := range 2000 {
			f1 := rng.Float64()
			require.NoError(b, table.AddAnswers(sensitivity.Answer{System: fmt.Sprint("S", s), Query: fmt.Sprint("q", q), F1: &f1}))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := sensitivity.Analyze(table)
		require.NoError(b, err)
		require.NoError(b, r.WriteText(io.Discard))
	}
}
