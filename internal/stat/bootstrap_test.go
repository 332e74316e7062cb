package stat_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

// resample computes resample r of a column as the documentation tells it, query
// by query.
func resample(p stat.Plan, c stat.Column, r int) float64 {
	units := make([][]int, 0, p.N)
	unit := map[int32]int{}
	for i := range p.N {
		if p.Clusters == nil {
			units = append(units, []int{i})
			continue
		}
		u, seen := unit[p.Clusters[i]]
		if !seen {
			u = len(units)
			unit[p.Clusters[i]] = u
			units = append(units, nil)
		}
		units[u] = append(units[u], i)
	}
	var drawn stat.Column
	if c.Den != nil {
		drawn.Den = []float64{}
	}
	pcg := rand.NewPCG(p.Seed, uint64(r))
	for range units {
		u, _ := bits.Mul64(pcg.Uint64(), uint64(len(units)))
		for _, i := range units[u] {
			drawn.Num = append(drawn.Num, c.Num[i])
			if c.Den != nil {
				drawn.Den = append(drawn.Den, c.Den[i])
			}
		}
	}
	if v, ok := drawn.Value(); ok {
		return v
	}
	v, _ := c.Value()
	return v
}

func TestBootstrapDrawsUnits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans(30).Draw(t, "plan")
		cols := rapid.SliceOfN(columns(p.N), 0, 7).Draw(t, "columns")
		want := make([][]float64, len(cols))
		for c, col := range cols {
			want[c] = make([]float64, p.Resamples)
			for r := range want[c] {
				want[c][r] = resample(p, col, r)
			}
		}
		got := stat.Bootstrap(p, cols)
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 1e-12)); diff != "" {
			t.Fatalf("Bootstrap() mismatch (-want +got):\n%s", diff)
		}
	})
}

// A sum adds the values times how often each is drawn, in the order of the
// queries: nothing that makes it fast changes a bit.
func TestBootstrapBitForBit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "values"), 1))
		p := stat.Plan{N: rapid.IntRange(1, 600).Draw(t, "n"), Resamples: rapid.IntRange(1, 20).Draw(t, "resamples"), Seed: rng.Uint64()}
		column := func() []float64 {
			xs := make([]float64, p.N)
			kind, most := rng.IntN(4), 1<<rng.IntN(12)
			for i := range xs {
				switch kind {
				case 0:
					xs[i] = rng.NormFloat64()
				case 1:
					xs[i] = max(0, rng.Float64()-0.5)
				case 2:
					xs[i] = float64(rng.IntN(most))
				}
			}
			return xs
		}
		cols := make([]stat.Column, rapid.IntRange(1, 9).Draw(t, "columns"))
		for c := range cols {
			if cols[c].Num = column(); rng.IntN(3) == 0 {
				cols[c].Den = column()
				for i, x := range cols[c].Den {
					cols[c].Den[i] = math.Abs(x)
				}
			}
		}
		got := stat.Bootstrap(p, cols)
		for r := range p.Resamples {
			drawn := make([]float64, p.N)
			pcg := rand.NewPCG(p.Seed, uint64(r))
			for range drawn {
				i, _ := bits.Mul64(pcg.Uint64(), uint64(p.N))
				drawn[i]++
			}
			sum := func(xs []float64) (s float64) {
				for i, x := range xs {
					s += float64(drawn[i] * x)
				}
				return s
			}
			for c, col := range cols {
				den := float64(p.N)
				if col.Den != nil {
					den = sum(col.Den)
				}
				want, ok := col.Value()
				if q := sum(col.Num) / den; ok && den != 0 {
					want = q
				}
				require.Equal(t, math.Float64bits(want), math.Float64bits(got[c][r]), "column %d, resample %d", c, r)
			}
		}
	})
}

func TestBootstrapOfNegatedColumnIsNegated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans(30).Draw(t, "plan")
		col := columns(p.N).Draw(t, "column")
		got := stat.Bootstrap(p, []stat.Column{col, {Num: negate(col.Num), Den: col.Den}})
		require.Equal(t, negate(got[0]), got[1])
	})
}

func TestBootstrapOfColumnIgnoresOthers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans(30).Draw(t, "plan")
		cols := rapid.SliceOfN(columns(p.N), 1, 12).Draw(t, "columns")
		all := stat.Bootstrap(p, cols)
		for c := range cols {
			require.Equal(t, all[c], stat.Bootstrap(p, cols[c:c+1])[0])
		}
	})
}

func TestBootstrapClusterNumbersAreNames(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	cols := []stat.Column{{Num: normals(rng, 6)}, {Num: normals(rng, 6), Den: []float64{1, 2, 3, 1, 1, 2}}}
	run := func(clusters ...int32) [][]float64 {
		return stat.Bootstrap(stat.Plan{N: 6, Clusters: clusters, Resamples: 20, Seed: 3}, cols)
	}
	require.Equal(t, run(0, 0, 1, 1, 2, 2), run(9, 9, -4, -4, 1<<31-1, 1<<31-1))
	require.NotEqual(t, run(0, 0, 1, 1, 2, 2), run(0, 1, 1, 2, 2, 0))
	require.Equal(t, run(), run(3, 1, 4, 0, 5, 9), "each query alone is no clustering")
}

func TestBootstrapOneClusterNeverVaries(t *testing.T) {
	t.Parallel()
	col := stat.Column{Num: []float64{0.25, 0.5, 0.75}}
	got := stat.Bootstrap(stat.Plan{N: 3, Clusters: []int32{7, 7, 7}, Resamples: 5}, []stat.Column{col})
	require.Equal(t, [][]float64{{0.5, 0.5, 0.5, 0.5, 0.5}}, got)
}

func TestBootstrapWithoutDenominator(t *testing.T) {
	t.Parallel()
	p := stat.Plan{N: 2, Resamples: 200, Seed: 1}
	got := stat.Bootstrap(p, []stat.Column{
		{Num: []float64{1, 0}, Den: []float64{2, 0}}, // a quarter of the resamples draw query 1 alone
		{Num: []float64{0, 0}, Den: []float64{0, 0}}, // no value at all
		{Num: []float64{math.NaN(), math.Inf(1)}},    // nor here
		{Num: []float64{1, 0}},                       // has one beside them
		{Num: []float64{1e308, 1e308}},               // overflows
		{Num: []float64{1, 2}, Den: []float64{1, 2}}, // always 1
	})
	for r := range p.Resamples {
		require.Equal(t, 0.5, got[0][r])
		require.Zero(t, got[1][r])
		require.Zero(t, got[2][r])
		require.Contains(t, []float64{0, 0.5, 1}, got[3][r])
		require.Zero(t, got[4][r])
		require.Equal(t, 1.0, got[5][r])
	}
	require.Contains(t, got[3], 0.0, "no resample without denominator was drawn")
	require.Equal(t, [][]float64{{0, 0, 0}}, stat.Bootstrap(stat.Plan{Resamples: 3}, []stat.Column{{}}), "no queries")
	require.Equal(t, [][]float64{{}}, stat.Bootstrap(stat.Plan{N: 1, Resamples: -1}, []stat.Column{{Num: []float64{1}}}))
}

func TestBootstrapRejectsContradictoryLengths(t *testing.T) {
	t.Parallel()
	two := []float64{1, 2}
	for name, call := range map[string]func(){
		"numerators":   func() { stat.Bootstrap(stat.Plan{N: 3}, []stat.Column{{Num: two}}) },
		"denominators": func() { stat.Bootstrap(stat.Plan{N: 2}, []stat.Column{{Num: two, Den: two[:1]}}) },
		"clusters":     func() { stat.Bootstrap(stat.Plan{N: 2, Clusters: []int32{1}}, []stat.Column{{Num: two}}) },
		"test": func() {
			pairedTest(stat.Plan{N: 1}, 9, term{A: stat.Column{Num: two}, B: stat.Column{Num: two}})
		},
	} {
		require.Panics(t, call, name)
	}
}

// The samples are part of what a golden file of an audit holds: they must not
// change from release to release, nor from machine to machine.
func TestBootstrapSamplesArePinned(t *testing.T) {
	t.Parallel()
	col := stat.Column{Num: []float64{1, 2, 4, 8, 16, 32, 64, 128}}
	got := stat.Bootstrap(stat.Plan{N: 8, Resamples: 4, Seed: 1337}, []stat.Column{col})
	require.Equal(t, [][]float64{{27.125, 33.5, 17.125, 10.25}}, got)
}

// Not parallel: it sets GOMAXPROCS.
func TestResultsDoNotDependOnGOMAXPROCS(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 300
	clusters := make([]int32, n)
	den := make([]float64, n)
	for i := range clusters {
		clusters[i] = rng.Int32N(25)
		den[i] = float64(rng.IntN(4))
	}
	a, b := stat.Column{Num: normals(rng, n)}, stat.Column{Num: normals(rng, n), Den: den}
	run := func(procs int) ([][]float64, float64) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		p := stat.Plan{N: n, Clusters: clusters, Resamples: 500, Seed: 1337}
		pValue, ok := pairedTest(p, 20_000, term{A: a, B: b, Sign: 1})
		require.True(t, ok)
		return stat.Bootstrap(p, []stat.Column{a, b}), pValue
	}
	samples, p := run(1)
	for _, procs := range []int{2, 7} {
		again, pAgain := run(procs)
		require.Equal(t, samples, again)
		require.Equal(t, p, pAgain)
	}
}

// The variance of a bootstrapped mean is known: that of the values over n.
func TestBootstrapSpread(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	const n, resamples = 100, 4000
	col := stat.Column{Num: normals(rng, n)}
	variance := func(xs []float64) (mean, v float64) {
		mean, _ = stat.Mean(xs)
		for _, x := range xs {
			v += (x - mean) * (x - mean) / float64(len(xs))
		}
		return mean, v
	}
	mean, v := variance(col.Num)
	want := math.Sqrt(v / n)
	gotMean, gotV := variance(stat.Bootstrap(stat.Plan{N: n, Resamples: resamples, Seed: 1}, []stat.Column{col})[0])
	require.InDelta(t, mean, gotMean, 4*want/math.Sqrt(resamples))
	require.InEpsilon(t, want, math.Sqrt(gotV), 4/math.Sqrt(2*resamples))
}

func TestBootstrapIntervalCovers(t *testing.T) {
	t.Parallel()
	const n, trials = 100, 600
	tests := map[string]struct {
		clusters int
		column   func(rng *rand.Rand, clusters []int32) stat.Column
		truth    float64
	}{
		"mean": {column: func(rng *rand.Rand, _ []int32) stat.Column {
			c := stat.Column{Num: make([]float64, n)}
			for i := range c.Num {
				c.Num[i] = rng.Float64()
			}
			return c
		}, truth: 0.5},
		"ratio": {column: func(rng *rand.Rand, _ []int32) stat.Column {
			c := stat.Column{Num: make([]float64, n), Den: make([]float64, n)}
			for i := range c.Num {
				c.Den[i] = float64(rng.IntN(4))
				for range int(c.Den[i]) {
					c.Num[i] += float64(rng.IntN(2))
				}
			}
			return c
		}, truth: 0.5},
		"clustered mean": {clusters: 50, column: func(rng *rand.Rand, clusters []int32) stat.Column {
			level := normals(rng, 50)
			c := stat.Column{Num: normals(rng, n)}
			for i := range c.Num {
				c.Num[i] += 2 * level[clusters[i]]
			}
			return c
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			p := stat.Plan{N: n, Resamples: 500}
			for i := range test.clusters {
				p.Clusters = append(p.Clusters, slices.Repeat([]int32{int32(i)}, n/test.clusters)...)
			}
			hits := 0
			for trial := range trials {
				p.Seed = uint64(trial)
				lo, hi := stat.Interval(stat.Bootstrap(p, []stat.Column{test.column(rng, p.Clusters)})[0], 0.95)
				if lo <= test.truth && test.truth <= hi {
					hits++
				}
			}
			// Percentile intervals are known to be a little short at this size.
			require.InDelta(t, 0.945, float64(hits)/trials, 0.03)
		})
	}
}

// BenchmarkBootstrap resamples what five systems have under three targets, by
// one metric and by six, two of them 0 or 1 and one a ratio; half of all values
// are 0.
func BenchmarkBootstrap(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	value := func() float64 { return max(0, rng.Float64()-0.5) }
	one := func() float64 { return float64(rng.IntN(2)) }
	for _, n := range []int{50, 2_000, 20_000} {
		mean := func(value func() float64) stat.Column {
			c := stat.Column{Num: make([]float64, n)}
			for i := range c.Num {
				c.Num[i] = value()
			}
			return c
		}
		var single, six []stat.Column
		for range 15 {
			single = append(single, mean(value))
			six = append(six, mean(value), mean(value), mean(value), mean(one), mean(one), stat.Column{Num: mean(one).Num, Den: mean(func() float64 { return float64(1 + rng.IntN(3)) }).Num})
		}
		for _, cols := range [][]stat.Column{single, six} {
			b.Run(fmt.Sprintf("queries=%d/columns=%d", n, len(cols)), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					stat.Bootstrap(stat.Plan{N: n, Resamples: 1000, Seed: 1}, cols)
				}
			})
		}
	}
}

// Resampling allocates for columns and processors, never for resamples.
func TestBootstrapAllocatesPerColumn(t *testing.T) {
	cols := make([]stat.Column, 10)
	for c := range cols {
		cols[c].Num = normals(rand.New(rand.NewPCG(1, uint64(c))), 500)
	}
	allocs := func(resamples int) float64 {
		return testing.AllocsPerRun(5, func() { stat.Bootstrap(stat.Plan{N: 500, Resamples: resamples}, cols) })
	}
	few := allocs(100)
	require.InDelta(t, few, allocs(10_000), 3)
	require.Less(t, few, float64(5*len(cols)+20*runtime.GOMAXPROCS(0)+20))
}
