package tiaptest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// uneven is a bundle of random rankings. A system lacks one fact in ten, so that
// each two systems share queries of their own.
func uneven(systems, queries int) *Bundle {
	rng := rand.New(rand.NewPCG(1, 2))
	b := &Bundle{}
	for q := range queries {
		turn := fmt.Sprint("t", q)
		b.Scenario.Turns = append(b.Scenario.Turns, Turn{ID: turn})
		b.Scenario.Queries = append(b.Scenario.Queries, Query{
			ID: fmt.Sprint("q", q), Scope: fmt.Sprint("c", q%11), Evidence: []Unit{{Turns: []string{turn}}},
		})
	}
	for s := range systems {
		system := b.AddSystem(fmt.Sprint("S", s), "f")
		for q := range queries {
			turn := fmt.Sprint("t", q)
			system.AddMemory(fmt.Sprint("raw", q), "raw", turn)
			if rng.IntN(10) > 0 {
				system.AddMemory(fmt.Sprint("fact", q), "fact", turn)
			}
			ranking := []string{fmt.Sprint("raw", q), fmt.Sprint("fact", q), fmt.Sprint("raw", (q+1)%queries), fmt.Sprint("fact", (q+2)%queries)}
			rng.Shuffle(len(ranking), func(i, j int) { ranking[i], ranking[j] = ranking[j], ranking[i] })
			system.AddRanking(fmt.Sprint("q", q), ranking...)
		}
	}
	return b
}

// rescored computes what an audit compares.
func rescored(t testing.TB, b *Bundle, opts ...Option) *results {
	t.Helper()
	s, err := newSettings(opts)
	require.NoError(t, err)
	f, err := compile(b, s)
	require.NoError(t, err)
	return f.rescore()
}

// Not parallel: it sets GOMAXPROCS.
func TestAuditWhateverGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, test := range []struct {
		name    string
		queries int
		opts    []Option
	}{
		{"t tests", 200, nil},
		{"randomization", 24, nil},
		{"all swaps", 12, nil},
		{"clusters", 200, []Option{Cluster()}},
		{"own queries", 200, []Option{Population("covered")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bundle := uneven(4, test.queries)
			var want []byte
			for _, procs := range []int{1, 2, 7} {
				runtime.GOMAXPROCS(procs)
				a, err := Rescore(bundle, test.opts...)
				require.NoError(t, err)
				var got bytes.Buffer
				require.NoError(t, a.WriteJSON(&got))
				if want == nil {
					want = got.Bytes()
				}
				require.True(t, bytes.Equal(want, got.Bytes()), "GOMAXPROCS %d changes the report", procs)
			}
		})
	}
}

// What a pair says depends on its own systems and metric alone, whichever others
// share its columns; only the family that Holm corrects for grows with them.
func TestPairsIgnoreOthers(t *testing.T) {
	t.Parallel()
	bundle := uneven(4, 100)
	all := rescored(t, bundle).pairs()
	for _, p := range rescored(t, bundle, Systems("S1", "S3"), Metrics(MRR(60), MicroRecall(60))).pairs() {
		var same *Pair
		for i := range all {
			if all[i].A == p.A && all[i].B == p.B && all[i].Metric == p.Metric {
				same = &all[i]
			}
		}
		require.NotNil(t, same)
		require.Equal(t, p.N, same.N)
		require.Equal(t, p.Winners, same.Winners)
		require.Equal(t, p.DifferentDenominators, same.DifferentDenominators)
		for target, gap := range p.Gaps {
			require.Equal(t, gap.Value, same.Gaps[target].Value)
			require.Equal(t, gap.CI, same.Gaps[target].CI)
			require.Equal(t, gap.P, same.Gaps[target].P)
		}
		require.Len(t, same.Flips, len(p.Flips))
		for i, f := range p.Flips {
			require.Equal(t, f.Shift, same.Flips[i].Shift)
			require.Equal(t, f.Carriers, same.Flips[i].Carriers)
		}
	}
}

// BenchmarkPairs measures the statistics of an audit: subsets, intervals, tests
// and flips of all pairs.
func BenchmarkPairs(b *testing.B) {
	for _, size := range []struct{ systems, queries int }{{2, 20_000}, {5, 2_000}, {20, 2_000}, {20, 25}, {100, 200}} {
		bundle := uneven(size.systems, size.queries)
		for name, opts := range map[string][]Option{"one metric": {Metrics(NDCG(60))}, "default metrics": nil} {
			r := rescored(b, bundle, opts...)
			b.Run(fmt.Sprintf("systems=%d/queries=%d/%s", size.systems, size.queries, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r.pairs()
				}
			})
		}
	}
}

// BenchmarkRescore measures a whole audit of a bundle in memory.
func BenchmarkRescore(b *testing.B) {
	for _, size := range []struct{ systems, queries int }{{5, 2_000}, {20, 2_000}} {
		bundle := uneven(size.systems, size.queries)
		b.Run(fmt.Sprintf("systems=%d/queries=%d", size.systems, size.queries), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a, err := Rescore(bundle)
				require.NoError(b, err)
				require.NoError(b, a.WriteJSON(io.Discard))
			}
		})
	}
}
