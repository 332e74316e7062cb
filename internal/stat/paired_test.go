package stat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/stat"
)

// term is a [stat.Term] with its columns.
type term struct {
	A, B stat.Column
	Sign float64
}

// pairedTest tests the terms alone.
func pairedTest(plan stat.Plan, reps int, terms ...term) (p float64, ok bool) {
	var cols []stat.Column
	var numbered []stat.Term
	for _, t := range terms {
		cols = append(cols, t.A, t.B)
		numbered = append(numbered, stat.Term{A: len(cols) - 2, B: len(cols) - 1, Sign: t.Sign})
	}
	return stat.NewPaired(plan, cols, reps).P(numbered...)
}

// gap is the term that tests a-b.
func gap(a, b []float64) term {
	return term{A: stat.Column{Num: a}, B: stat.Column{Num: b}, Sign: 1}
}

// pairedP tests the terms, which must have a value.
func pairedP(t require.TestingT, p stat.Plan, reps int, terms ...term) float64 {
	pValue, ok := pairedTest(p, reps, terms...)
	require.True(t, ok)
	return pValue
}

// Barley yields of 30 plots in two years (Immer, Hayes and LeRoy Powers 1934);
// the data set immer of R's package MASS.
var (
	barley1931 = []float64{81, 105.4, 119.7, 109.7, 98.3, 146.6, 142, 150.7, 191.5, 145.7, 82.3, 77.3, 78.4, 131.3, 89.6,
		119.8, 121.4, 124, 140.8, 124.8, 98.9, 89, 69.1, 89.3, 104.1, 86.9, 77.1, 78.9, 101.8, 96}
	barley1932 = []float64{80.7, 82.3, 80.4, 87.2, 84.2, 100.4, 115.5, 112.2, 147.7, 108.1, 103.1, 105.1, 116.5, 139.9, 129.6,
		98.9, 61.9, 96.2, 125.5, 75.7, 66.4, 49.9, 96.7, 61.9, 80.3, 67.7, 66.7, 67.4, 91.8, 94.1}
)

func TestPairedPIsTheTTest(t *testing.T) {
	t.Parallel()
	// As printed by R: t.test(immer$Y1, immer$Y2, paired = TRUE) has t = 3.324
	// and p-value = 0.002413 with 29 degrees of freedom.
	plan := stat.Plan{N: 30}
	require.InDelta(t, 0.002413, pairedP(t, plan, 0, gap(barley1931, barley1932)), 5e-7)

	// A ratio with one constant denominator is a mean.
	den := make([]float64, 30)
	for i := range den {
		den[i] = 4
	}
	ratio := term{A: stat.Column{Num: barley1931, Den: den}, B: stat.Column{Num: barley1932, Den: den}, Sign: 1}
	require.InDelta(t, 0.002413, pairedP(t, plan, 0, ratio), 5e-7)
}

func TestPairedPClustersByHand(t *testing.T) {
	t.Parallel()
	// 60 queries in 30 clusters of two; one system is 0. Differences sum to s in
	// cluster c, so that e = (s-2·mean)/60 and se² = 30/29 Σ e².
	plan := stat.Plan{N: 60}
	a, b := make([]float64, 60), make([]float64, 60)
	sums := make([]float64, 30)
	rng := rand.New(rand.NewPCG(1, 2))
	total := 0.0
	for i := range a {
		a[i] = float64(rng.IntN(8)) - 2.5
		plan.Clusters = append(plan.Clusters, int32(i%30))
		sums[i%30] += a[i]
		total += a[i]
	}
	mean := total / 60
	se2 := 0.0
	for _, s := range sums {
		e := (s - 2*mean) / 60
		se2 += e * e * 30 / 29
	}
	require.InDelta(t, stat.StudentP(mean/math.Sqrt(se2), 29), pairedP(t, plan, 0, gap(a, b)), 1e-12)

	// Asking the same questions again adds nothing.
	double := stat.Plan{N: 60}
	for i := range double.N {
		double.Clusters = append(double.Clusters, int32(i/2))
	}
	twice := func(xs []float64) (ys []float64) {
		for _, x := range xs {
			ys = append(ys, x, x)
		}
		return ys
	}
	require.InDelta(t, 0.002413, pairedP(t, double, 0, gap(twice(barley1931), twice(barley1932))), 5e-7)
	double.Clusters = nil
	require.Less(t, pairedP(t, double, 0, gap(twice(barley1931), twice(barley1932))), 0.0005)
}

func TestPairedPShift(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{12, 80} {
		a1, b1, a2, b2 := normals(rng, n), normals(rng, n), normals(rng, n), normals(rng, n)
		shift := make([]float64, n)
		for i := range shift {
			shift[i] = (a1[i] - b1[i]) - (a2[i] - b2[i])
		}
		second := gap(a2, b2)
		second.Sign = -1
		plan := stat.Plan{N: n, Seed: 5}
		want := pairedP(t, plan, 999, gap(shift, make([]float64, n)))
		require.InDelta(t, want, pairedP(t, plan, 999, gap(a1, b1), second), 1e-12)
		require.NotEqual(t, want, pairedP(t, plan, 999, gap(a1, b1)))

		// A gap does not shift against itself, however it is rounded.
		for i := range shift {
			a2[i], b2[i] = a1[i]+0.1, b1[i]+0.1
		}
		second = gap(a2, b2)
		second.Sign = -1
		require.Equal(t, 1.0, pairedP(t, plan, 999, gap(a1, b1), second))
	}
}

// swappedUnits numbers the units of a plan as the documentation tells it.
func swappedUnits(plan stat.Plan) (of []int, n int) {
	numbers := map[int32]int{}
	for i := range plan.N {
		if plan.Clusters == nil {
			of = append(of, i)
			n++
			continue
		}
		g, seen := numbers[plan.Clusters[i]]
		if !seen {
			g = n
			numbers[plan.Clusters[i]] = g
			n++
		}
		of = append(of, g)
	}
	return of, n
}

// isHit computes the statistic from columns whose systems are swapped in the
// units that swap says, and holds it against the observed one.
func isHit(plan stat.Plan, terms []term, swap func(unit int) bool) bool {
	of, _ := swappedUnits(plan)
	value := func(swap func(unit int) bool) (v float64, ok bool) {
		for _, term := range terms {
			a, b := clone(term.A), clone(term.B)
			if (a.Den == nil) != (b.Den == nil) { // a mean beside a ratio
				a.Den, b.Den = denominators(a), denominators(b)
			}
			for i, unit := range of {
				if !swap(unit) {
					continue
				}
				a.Num[i], b.Num[i] = b.Num[i], a.Num[i]
				if a.Den != nil {
					a.Den[i], b.Den[i] = b.Den[i], a.Den[i]
				}
			}
			valueA, okA := a.Value()
			valueB, okB := b.Value()
			if !okA || !okB {
				return 0, false
			}
			v += term.Sign * (valueA - valueB)
		}
		return v, true
	}
	observed, _ := value(func(int) bool { return false })
	v, ok := value(swap)
	return !ok || math.Abs(v) >= math.Abs(observed)-1e-10
}

// exactP takes all swaps of the units, one after the other.
func exactP(plan stat.Plan, terms []term) float64 {
	_, units := swappedUnits(plan)
	hits := 0
	for swapped := range uint(1) << units {
		if isHit(plan, terms, func(unit int) bool { return swapped>>unit&1 == 1 }) {
			hits++
		}
	}
	return float64(hits) / float64(uint(1)<<units)
}

// sampledP draws the swaps: 4096 repetitions share a generator, and a bit that is
// not set swaps its unit.
func sampledP(plan stat.Plan, reps int, terms []term) float64 {
	_, units := swappedUnits(plan)
	var pcg rand.PCG
	hits := 0
	for rep := range reps {
		if rep%4096 == 0 {
			pcg.Seed(plan.Seed^0x9e3779b97f4a7c15, uint64(rep/4096))
		}
		var signs []uint64
		for range (units + 63) / 64 {
			signs = append(signs, pcg.Uint64())
		}
		if isHit(plan, terms, func(unit int) bool { return signs[unit/64]>>(unit%64)&1 == 0 }) {
			hits++
		}
	}
	return float64(hits+1) / float64(reps+1)
}

func denominators(c stat.Column) []float64 {
	if c.Den != nil {
		return c.Den
	}
	return slices.Repeat([]float64{1}, len(c.Num))
}

func clone(c stat.Column) stat.Column {
	return stat.Column{Num: append([]float64(nil), c.Num...), Den: append([]float64(nil), c.Den...)}
}

func TestPairedPIsExactRandomization(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	column := func(n int, ratio bool) stat.Column {
		c := stat.Column{Num: make([]float64, n)}
		if ratio {
			c.Den = make([]float64, n)
		}
		for i := range c.Num {
			if c.Num[i] = float64(rng.IntN(6)) / 5; ratio { // many ties
				c.Den[i] = float64(rng.IntN(3))
				c.Num[i] *= c.Den[i]
			}
		}
		return c
	}
	for _, ratio := range []bool{false, true} {
		for _, clustered := range []bool{false, true} {
			for _, signs := range [][]float64{{1}, {1, -1}} {
				for _, n := range []int{2, 3, 5, 9, 11, 40} {
					if n > 11 && !clustered {
						continue // too many swaps to enumerate
					}
					plan, units := stat.Plan{N: n, Seed: rng.Uint64()}, n
					if clustered {
						units = min((n+1)/2, 8)
						for i := range n {
							plan.Clusters = append(plan.Clusters, int32(i%units))
						}
					}
					terms := make([]term, 0, 2)
					defined := true
					for _, sign := range signs {
						term := term{A: column(n, ratio), B: column(n, ratio), Sign: sign}
						_, okA := term.A.Value()
						_, okB := term.B.Value()
						defined = defined && okA && okB
						terms = append(terms, term)
					}
					name := fmt.Sprintf("ratio %v, clustered %v, signs %v, n %d", ratio, clustered, signs, n)
					all := 1 << units
					got, ok := pairedTest(plan, all, terms...)
					require.Equal(t, defined, ok, name)
					if !ok {
						continue
					}
					want := exactP(plan, terms)
					require.Equal(t, want, got, name)

					// One repetition less, and swaps are sampled.
					reps := float64(all - 1)
					got, _ = pairedTest(plan, all-1, terms...)
					require.InDelta(t, want, got, 4*math.Sqrt(want*(1-want)/reps)+1/reps, name)
				}
			}
		}
	}
}

// Many tests of one Paired give what each gives alone and what the documentation
// says, whichever of them ran before.
func TestPairedPEqualsPlainRandomization(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan := plans(29).Draw(t, "plan")
		if rapid.IntRange(0, 9).Draw(t, "wide") == 0 && plan.Clusters == nil {
			plan.N = rapid.IntRange(30, 140).Draw(t, "wide n")
		}
		reps := rapid.IntRange(1, 70).Draw(t, "repetitions")
		if rapid.IntRange(0, 49).Draw(t, "batches") == 0 {
			reps += 4096
		}
		cols := make([]stat.Column, 6)
		for i := range cols {
			cols[i] = columns(plan.N).Draw(t, "column")
			for q, x := range cols[i].Num { // no tie by less than rounding
				cols[i].Num[q] = math.Round(64*x) / 60
			}
			if plan.N >= 30 { // no t test where the influence of all is equal
				level := float64(rapid.IntRange(0, 3).Draw(t, "level"))
				cols[i] = stat.Column{Num: make([]float64, plan.N)}
				for q := range cols[i].Num {
					cols[i].Num[q] = level
				}
			}
		}
		paired := stat.NewPaired(plan, cols, reps)
		_, units := swappedUnits(plan)
		for range 3 {
			numbered := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) stat.Term {
				return stat.Term{
					A: rapid.IntRange(0, 5).Draw(t, "a"), B: rapid.IntRange(0, 5).Draw(t, "b"),
					Sign: rapid.SampledFrom([]float64{-1, 1}).Draw(t, "sign"),
				}
			}), 1, 2).Draw(t, "terms")
			var terms []term
			for _, n := range numbered {
				terms = append(terms, term{cols[n.A], cols[n.B], n.Sign})
			}
			got, ok := paired.P(numbered...)
			again, okAlone := pairedTest(plan, reps, terms...)
			require.Equal(t, okAlone, ok)
			require.Equal(t, again, got)
			if !ok || got == 1 {
				continue
			}
			if units < 20 && 1<<units <= reps {
				require.Equal(t, exactP(plan, terms), got)
			} else {
				require.Equal(t, sampledP(plan, reps, terms), got)
			}
		}
	})
}

func TestPairedPOfSleep(t *testing.T) {
	t.Parallel()
	// Nine patients slept longer with the second drug and one alike: only the
	// swaps of none, of all nine, and of the tenth beside them reach the sum.
	plan := stat.Plan{N: 10, Seed: 1337}
	require.Equal(t, 4./1024, pairedP(t, plan, 1024, gap(sleep1, sleep2)))

	// As the samples of a bootstrap, the swaps of a seed must never change.
	require.Equal(t, 5./1024, pairedP(t, plan, 1023, gap(sleep1, sleep2)))
	require.Equal(t, 0.00302, pairedP(t, stat.Plan{N: 29, Seed: 1337}, 99_999, gap(barley1931[:29], barley1932[:29])))
}

func TestPairedPSwapsWithoutDenominatorAreHits(t *testing.T) {
	t.Parallel()
	// Each system has one query to itself: swapping one of the two leaves
	// nothing to one system.
	a := stat.Column{Num: []float64{1, 0}, Den: []float64{1, 0}}
	b := stat.Column{Num: []float64{0, 0.5}, Den: []float64{0, 1}}
	require.Equal(t, 1.0, pairedP(t, stat.Plan{N: 2}, 99, term{A: a, B: b, Sign: 1}))
}

func TestPairedPSwapsAllOfManyUnits(t *testing.T) {
	t.Parallel()
	// Three of 80 queries count, one for each of the numbers that hold the signs
	// and one more; a quarter of the swaps treats the three alike.
	const n = 80
	a, b := stat.Column{Num: make([]float64, n)}, stat.Column{Num: make([]float64, n), Den: make([]float64, n)}
	for _, i := range []int{0, 70, 79} {
		a.Num[i], b.Den[i] = 1, 1
	}
	a.Den = b.Den
	require.InDelta(t, 0.25, pairedP(t, stat.Plan{N: n}, 9_999, term{A: a, B: b, Sign: 1}), 0.02)
}

func TestPairedPOfEqualDifferences(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 10, 29, 30, 200} {
		for _, level := range []float64{0.3, 0.1} {
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				b[i] = level * float64(i%3)
				a[i] = b[i] + 0.2 // equal differences, but for their last bits
			}
			plan := stat.Plan{N: n, Seed: 1}
			require.Equal(t, 1.0, pairedP(t, plan, 999, gap(b, b)), n)
			got := pairedP(t, plan, 999, gap(a, b))
			switch exact := math.Exp2(float64(1 - n)); {
			case n == 1:
				require.Equal(t, 1.0, got)
			case n < 10:
				require.InDelta(t, exact, got, 0.06)
			case n < 29:
				require.InDelta(t, exact, got, 0.01)
			default:
				require.Equal(t, 1./1000, got, n)
			}
		}
	}

	// Proportional sums are equal influences too.
	num, twice, den := make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range den {
		den[i] = float64(i%4 + 1)
		num[i], twice[i] = 0.1*den[i], 0.2*den[i]
	}
	a, b := stat.Column{Num: num, Den: den}, stat.Column{Num: twice, Den: den}
	require.Equal(t, 1./1000, pairedP(t, stat.Plan{N: 40}, 999, term{A: a, B: b, Sign: 1}))
}

func TestPairedPUndefined(t *testing.T) {
	t.Parallel()
	zeros := stat.Column{Num: []float64{0, 0}, Den: []float64{0, 0}}
	two := stat.Column{Num: []float64{1, 2}}
	huge := stat.Column{Num: []float64{math.MaxFloat64, 0}}
	tests := map[string]struct {
		plan  stat.Plan
		terms []term
	}{
		"no queries":       {stat.Plan{}, []term{{Sign: 1}}},
		"no terms":         {stat.Plan{N: 2}, nil},
		"no denominator a": {stat.Plan{N: 2}, []term{{A: zeros, B: two, Sign: 1}}},
		"no denominator b": {stat.Plan{N: 2}, []term{{A: two, B: two, Sign: 1}, {A: two, B: zeros, Sign: 1}}},
		"overflow":         {stat.Plan{N: 2}, []term{{A: huge, B: two, Sign: 4}}},
		"sign":             {stat.Plan{N: 2}, []term{{A: two, B: two, Sign: math.NaN()}}},
	}
	for name, test := range tests {
		p, ok := pairedTest(test.plan, 99, test.terms...)
		require.False(t, ok, name)
		require.Zero(t, p, name)
	}
}

// A mean beside a ratio: swapping gives the ratio denominators of 1.
func TestPairedPOfMixedTerm(t *testing.T) {
	t.Parallel()
	for _, n := range []int{9, 50} {
		rng := rand.New(rand.NewPCG(1, 2))
		mean, ratio := stat.Column{Num: normals(rng, n)}, stat.Column{Num: normals(rng, n), Den: make([]float64, n)}
		explicit := stat.Column{Num: mean.Num, Den: make([]float64, n)}
		for i := range n {
			ratio.Den[i], explicit.Den[i] = float64(1+i%3), 1
		}
		plan := stat.Plan{N: n}
		require.Equal(t,
			pairedP(t, plan, 999, term{A: explicit, B: ratio, Sign: 1}),
			pairedP(t, plan, 999, term{A: mean, B: ratio, Sign: 1}))
	}
}

func TestPairedPProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan := plans(50).Draw(t, "plan")
		terms := make([]term, rapid.IntRange(1, 3).Draw(t, "terms"))
		swapped := make([]term, len(terms))
		for i := range terms {
			a, b := columns(plan.N).Draw(t, "a"), columns(plan.N).Draw(t, "b")
			terms[i] = term{A: a, B: b, Sign: rapid.SampledFrom([]float64{-1, 1}).Draw(t, "sign")}
			swapped[i] = term{A: b, B: a, Sign: terms[i].Sign}
		}
		p, ok := pairedTest(plan, 199, terms...)
		require.True(t, 0 <= p && p <= 1)
		require.Equal(t, ok, p > 0)

		mirror, okMirror := pairedTest(plan, 199, swapped...)
		require.Equal(t, ok, okMirror)
		require.Equal(t, p, mirror)

		for i := range terms {
			terms[i].B = terms[i].A
		}
		if p, ok := pairedTest(plan, 199, terms...); ok {
			require.Equal(t, 1.0, p, "a system against itself")
		}
	})
}

// Under the null p is uniform: exactly for randomization, nearly for the t test.
func TestPairedPIsUniformUnderNull(t *testing.T) {
	t.Parallel()
	mean := func(rng *rand.Rand, n int) stat.Column { return stat.Column{Num: normals(rng, n)} }
	ratio := func(rng *rand.Rand, n int) stat.Column {
		c := stat.Column{Num: normals(rng, n), Den: make([]float64, n)}
		for i := range c.Den {
			c.Den[i] = float64(rng.IntN(3))
			c.Num[i] += c.Den[i]
		}
		return c
	}
	tests := []struct {
		n, perCluster int
		column        func(*rand.Rand, int) stat.Column
	}{
		{20, 1, mean}, {100, 1, mean}, {20, 1, ratio}, {100, 1, ratio}, {60, 3, mean}, {200, 4, mean},
	}
	for i, test := range tests {
		t.Run(fmt.Sprintf("%d/n=%d", i, test.n), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			plan := stat.Plan{N: test.n}
			if test.perCluster > 1 {
				for i := range test.n {
					plan.Clusters = append(plan.Clusters, int32(i/test.perCluster))
				}
			}
			ps := make([]float64, 1500)
			for trial := range ps {
				plan.Seed = uint64(trial)
				a, b := test.column(rng, test.n), test.column(rng, test.n)
				if plan.Clusters != nil { // queries of a cluster go together
					common := normals(rng, test.n)
					for i, c := range plan.Clusters {
						a.Num[i] += 2 * common[c]
					}
				}
				ps[trial] = pairedP(t, plan, 499, term{A: a, B: b, Sign: 1})
			}
			requireUniform(t, ps)
		})
	}
}

func TestPairedPHasPower(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{20, 100} {
		a, b := normals(rng, n), normals(rng, n)
		for i := range a {
			a[i] += 2
		}
		require.Less(t, pairedP(t, stat.Plan{N: n}, 9_999, gap(a, b)), 0.001)
	}
}

func TestRepetitions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		alpha float64
		m     int
		want  int
	}{
		{0.05, 1, 9_999},
		{0.05, 50, 9_999},
		{0.05, 51, 10_199},
		{0.05, 500, 99_999},
		{0.05, 5_000, 999_999},
		{0.05, 1_000_000, 999_999},
		{1e-300, 1, 999_999},
		{0.01, 0, 9_999},
		{0.01, -3, 9_999},
		{0, 1, 999_999},
		{-1, 1, 999_999},
		{math.NaN(), 1, 999_999},
		{math.Inf(1), 1, 9_999},
	}
	for _, test := range tests {
		require.Equal(t, test.want, stat.Repetitions(test.alpha, test.m), "%+v", test)
	}
	rapid.Check(t, func(t *rapid.T) {
		alpha := rapid.Float64Range(1e-4, 0.5).Draw(t, "alpha")
		m := rapid.IntRange(1, 1000).Draw(t, "m")
		if reps := stat.Repetitions(alpha, m); reps < 999_999 {
			require.LessOrEqual(t, 1/float64(reps+1), alpha/float64(m)/10*(1+1e-12))
			if reps > 9_999 {
				require.Greater(t, 1/float64(reps), alpha/float64(m)/10*(1-1e-12))
			}
		}
	})
}

// The interval of terms is that of their differences in each resample.
func TestPairedInterval(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan := plans(30).Draw(t, "plan")
		cols := rapid.SliceOfN(columns(plan.N), 4, 4).Draw(t, "columns")
		samples := stat.Bootstrap(plan, cols)
		diffs := make([]float64, plan.Resamples)
		for r := range diffs {
			diffs[r] = (samples[0][r] - samples[1][r]) - (samples[2][r] - samples[3][r])
		}
		wantLo, wantHi := stat.Interval(diffs, 0.9)
		lo, hi := stat.NewPaired(plan, cols, 0).Interval(0.9, stat.Term{A: 0, B: 1, Sign: 1}, stat.Term{A: 2, B: 3, Sign: -1})
		require.Equal(t, [2]float64{wantLo, wantHi}, [2]float64{lo, hi})
	})
}

func BenchmarkPaired(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	den := make([]float64, 2000)
	for i := range den {
		den[i] = float64(1 + i%3)
	}
	for _, n := range []int{13, 29, 2000} {
		for _, ratio := range []bool{false, true} {
			b.Run(fmt.Sprintf("queries=%d/ratio=%v/shift", n, ratio), func(b *testing.B) {
				cols := make([]stat.Column, 4)
				for i := range cols {
					cols[i].Num = normals(rng, n)
					if ratio {
						cols[i].Den = den[:n]
					}
				}
				paired := stat.NewPaired(stat.Plan{N: n}, cols, 9_999)
				b.ReportAllocs()
				for b.Loop() {
					paired.P(stat.Term{A: 0, B: 1, Sign: 1}, stat.Term{A: 2, B: 3, Sign: -1})
				}
			})
		}
	}
}
