package semantic_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// TestCohenKappaPublished is the example of J. L. Fleiss, Statistical Methods for
// Rates and Proportions, 2nd edition, 1981, table 13.1: two judges of 100 patients,
// kappa 0.68 with the standard error 0.087, which is computed from that 0.68.
func TestCohenKappaPublished(t *testing.T) {
	t.Parallel()
	k := semantic.CohenKappa([][]int{{75, 1, 4}, {5, 4, 1}, {0, 0, 10}})
	require.NotNil(t, k)
	assert.InDelta(t, 0.23/0.34, k.Value, 1e-12)
	assert.InDelta(t, 0.087, (k.CI[1]-k.CI[0])/2/1.96, 0.001)
	assert.Equal(t, 100, k.N)
}

// diagnoses are the 30 patients of J. L. Fleiss, Measuring Nominal Scale Agreement
// among Many Raters, 1971, table 1: six psychiatrists each, five diagnoses.
var diagnoses = [][]int{
	{4, 4, 4, 4, 4, 4}, {2, 2, 2, 5, 5, 5}, {2, 3, 3, 3, 3, 5}, {5, 5, 5, 5, 5, 5}, {2, 2, 2, 4, 4, 4},
	{1, 1, 3, 3, 3, 3}, {3, 3, 3, 3, 5, 5}, {1, 1, 3, 3, 3, 4}, {1, 1, 4, 4, 4, 4}, {5, 5, 5, 5, 5, 5},
	{1, 4, 4, 4, 4, 4}, {1, 2, 4, 4, 4, 4}, {2, 2, 2, 3, 3, 3}, {1, 4, 4, 4, 4, 4}, {2, 2, 4, 4, 4, 5},
	{3, 3, 3, 3, 3, 5}, {1, 1, 1, 4, 5, 5}, {1, 1, 1, 1, 1, 2}, {2, 2, 4, 4, 4, 4}, {1, 3, 3, 5, 5, 5},
	{5, 5, 5, 5, 5, 5}, {2, 4, 4, 4, 4, 4}, {2, 2, 4, 5, 5, 5}, {1, 1, 4, 4, 4, 4}, {1, 4, 4, 4, 4, 5},
	{2, 2, 2, 2, 2, 4}, {1, 1, 1, 1, 5, 5}, {2, 2, 4, 4, 4, 4}, {1, 3, 3, 3, 3, 3}, {5, 5, 5, 5, 5, 5},
}

func TestFleissKappaPublished(t *testing.T) {
	t.Parallel()
	var ratings [][]int
	for _, patient := range diagnoses {
		row := make([]int, 5)
		for _, d := range patient {
			row[d-1]++
		}
		ratings = append(ratings, row)
	}
	k := semantic.FleissKappa(ratings)
	require.NotNil(t, k)
	assert.InDelta(t, 0.430, k.Value, 0.0005)
	assert.Equal(t, 30, k.N)
	t.Logf("%.6f %.4f", k.Value, k.CI)

	// Fourteen judges, ten subjects: the second example that is often reprinted.
	k = semantic.FleissKappa([][]int{
		{0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0}, {2, 2, 8, 1, 1},
		{7, 7, 0, 0, 0}, {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2}, {6, 5, 2, 1, 0}, {0, 2, 2, 3, 7},
	})
	assert.InDelta(t, 0.210, k.Value, 0.0005)
}

func TestKappaUndefined(t *testing.T) {
	t.Parallel()
	for _, table := range [][][]int{nil, {{0, 0}, {0, 0}}, {{5, 0}, {0, 0}}, {{1, 2}}, {{1, -1}, {0, 1}}} {
		assert.Nil(t, semantic.CohenKappa(table), "%v", table)
	}
	for _, ratings := range [][][]int{nil, {{1, 0}, {0, 1}}, {{2, 0}, {3, 0}}, {{2, 0}, {1, 1, 1}}, {{3, -1}}} {
		assert.Nil(t, semantic.FleissKappa(ratings), "%v", ratings)
	}
	one := semantic.FleissKappa([][]int{{1, 1}})
	require.NotNil(t, one)
	assert.Nil(t, one.CI, "one case has no spread")
	two := semantic.CohenKappa([][]int{{1, 0, 0}, {0, 0, 1}, {0, 0, 0}})
	require.NotNil(t, two)
	assert.InDelta(t, 1.0/3, two.Value, 1e-12)
	assert.NotNil(t, two.CI, "two cases may have spread")
	assert.InDelta(t, -1, one.Value, 1e-12)
	perfect := semantic.CohenKappa([][]int{{5, 0}, {0, 7}})
	assert.InDelta(t, 1, perfect.Value, 1e-12)
	assert.Nil(t, perfect.CI, "the formula sees no spread")
}

// TestKappaInterval: no interval has the width zero.
func TestKappaInterval(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table [][]int
		value float64
		ci    bool
	}{
		"one case":                       {[][]int{{0, 1}, {0, 0}}, 0, false},
		"one class by the first judge":   {[][]int{{3, 4}, {0, 0}}, 0, false},
		"one class by the second judge":  {[][]int{{1, 0, 0}, {2, 0, 0}, {5, 0, 0}}, 0, false},
		"never apart":                    {[][]int{{5, 0}, {0, 7}}, 1, false},
		"always apart, in equal numbers": {[][]int{{0, 6}, {6, 0}}, -1, false},
		"once apart":                     {[][]int{{5, 1}, {0, 6}}, 5.0 / 6, true},
	} {
		k := semantic.CohenKappa(c.table)
		require.NotNil(t, k, name)
		assert.InDelta(t, c.value, k.Value, 1e-12, name)
		assert.Equal(t, c.ci, k.CI != nil, name)
	}
	assert.Nil(t, semantic.FleissKappa([][]int{{2, 0}, {0, 3}}).CI, "never apart")
	assert.Nil(t, semantic.FleissKappa([][]int{{1, 1}, {1, 1}, {1, 1}}).CI, "always apart")
	assert.NotNil(t, semantic.FleissKappa([][]int{{2, 0}, {0, 2}, {1, 1}}).CI)
	rapid.Check(t, func(t *rapid.T) {
		table := square(rapid.IntRange(2, 3).Draw(t, "classes"))
		for i := range table {
			for j := range table {
				table[i][j] = rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "cases")
			}
		}
		for _, k := range []*semantic.Estimate{semantic.CohenKappa(table), semantic.FleissKappa(rowsOf(table))} {
			if k != nil && k.CI != nil {
				require.Greater(t, k.N, 1)
				require.Less(t, k.CI[0], k.CI[1])
				require.True(t, k.CI[0] <= k.Value && k.Value <= k.CI[1])
			}
		}
	})
}

// TestFleissKappaVariance compares the interval with the jackknife, for cases with
// different numbers of judges too. With many cases the two are the same.
func TestFleissKappaVariance(t *testing.T) {
	t.Parallel()
	for _, judges := range []func(i int) int{func(int) int { return 6 }, func(i int) int { return 2 + i%5 }} {
		var ratings [][]int
		for i, patient := range diagnoses {
			row := make([]int, 5)
			for _, d := range patient[:judges(i)] {
				row[d-1]++
			}
			ratings = append(ratings, row)
		}
		ratings = slices.Repeat(ratings, 10)
		k := semantic.FleissKappa(ratings)
		n := len(ratings)
		var without []float64
		mean := 0.0
		for i := range ratings {
			v := semantic.FleissKappa(slices.Concat(ratings[:i], ratings[i+1:])).Value
			without = append(without, v)
			mean += v / float64(n)
		}
		variance := 0.0
		for _, v := range without {
			variance += (v - mean) * (v - mean) * float64(n-1) / float64(n)
		}
		assert.InEpsilon(t, math.Sqrt(variance), (k.CI[1]-k.CI[0])/2/1.959963984540054, 0.002)
	}
}

// TestKappaIntervals simulates two judges who agree beyond chance and counts how
// often the intervals hold the kappa of the whole population.
func TestKappaIntervals(t *testing.T) {
	t.Parallel()
	joint := [][]float64{{0.25, 0.06, 0.04}, {0.08, 0.2, 0.05}, {0.02, 0.06, 0.24}}
	whole := square(3)
	for i := range joint {
		for j := range joint {
			whole[i][j] = int(math.Round(joint[i][j] * 100000))
		}
	}
	cohen := semantic.CohenKappa(whole).Value
	fleiss := semantic.FleissKappa(rowsOf(whole)).Value
	r := rand.New(rand.NewPCG(1, 2))
	const trials, n = 600, 120
	coveredC, coveredF := 0, 0
	for range trials {
		table := square(3)
		for range n {
			u := r.Float64()
			i, j := 0, 0
		find:
			for i = range joint {
				for j = range joint {
					if u -= joint[i][j]; u < 0 {
						break find
					}
				}
			}
			table[i][j]++
		}
		c, f := semantic.CohenKappa(table), semantic.FleissKappa(rowsOf(table))
		if c.CI[0] <= cohen && cohen <= c.CI[1] {
			coveredC++
		}
		if f.CI[0] <= fleiss && fleiss <= f.CI[1] {
			coveredF++
		}
	}
	// Within four standard errors of 0.95, and a little for the normal interval.
	assert.InDelta(t, 0.95, float64(coveredC)/trials, 0.04)
	assert.InDelta(t, 0.95, float64(coveredF)/trials, 0.04)
}

func square(n int) [][]int {
	t := make([][]int, n)
	for i := range t {
		t[i] = make([]int, n)
	}
	return t
}

// rowsOf are the ratings of two judges by their table.
func rowsOf(table [][]int) (rows [][]int) {
	for i, row := range table {
		for j, n := range row {
			for range n {
				r := make([]int, len(table))
				r[i]++
				r[j]++
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func TestAgree(t *testing.T) {
	t.Parallel()
	const s, p, n = semantic.Supports, semantic.Partial, semantic.DoesNotSupport
	ls := labelsOf(
		said("a", map[string]semantic.Label{"q1 vague": n, "q1 dated": s, "q2 both": s, "q2 apple": p}),
		said("a", map[string]semantic.Label{"q1 vague": n, "q2 apple": n}),
		said("b", map[string]semantic.Label{"q1 vague": p, "q1 dated": s, "q2 both": p}),
		said("c", map[string]semantic.Label{"q1 vague": n}),
	)
	once := agree(t, ls, semantic.ThreeClass, semantic.Options{})
	assert.Equal(t, 10, once.Labels)
	assert.Equal(t, 4, once.Cases)
	assert.Equal(t, map[string]int{"supports": 1, "partial": 0, "does_not_support": 1}, once.Counts)
	assert.Equal(t, 2, once.Ties, "q2 both among two judges, q2 apple in one")
	assert.Equal(t, []semantic.SelfAgreement{{Judge: "a", Repeated: 2, Differ: 1}}, once.Self)
	require.Len(t, once.Pairs, 3)
	assert.Equal(t, "a", once.Pairs[0].A)
	assert.Equal(t, "b", once.Pairs[0].B)
	assert.Equal(t, 3, once.Pairs[0].Agreement.N)
	assert.InDelta(t, 1.0/3, once.Pairs[0].Agreement.Value, 1e-12)
	assert.InDelta(t, (1.0/3+1+0)/3, *once.MeanPairwise, 1e-12)
	assert.Equal(t, 3, once.Fleiss.N)

	lower := agree(t, ls, semantic.ThreeClass, semantic.Options{Ties: semantic.Lower})
	assert.Zero(t, lower.Ties)
	assert.Equal(t, map[string]int{"supports": 1, "partial": 1, "does_not_support": 2}, lower.Counts)

	each := agree(t, ls, semantic.ThreeClass, semantic.Options{Repeats: semantic.Each})
	assert.Equal(t, map[string]int{"supports": 3, "partial": 3, "does_not_support": 4}, each.Counts)
	assert.Equal(t, "repeats each, ties none", each.Rule)

	relevant := agree(t, ls, semantic.Relevant, semantic.Options{})
	assert.Equal(t, map[string]int{"relevant": 2, "does_not_support": 1}, relevant.Counts)
	strict := agree(t, ls, semantic.Strict, semantic.Options{Judges: []string{"b"}})
	assert.Equal(t, map[string]int{"supports": 1, "not_fully": 2}, strict.Counts)
	assert.Nil(t, strict.MeanPairwise)
	assert.Equal(t, "repeats once, ties none, counting judge=b", strict.Rule)

	settled := agree(t, ls, semantic.ThreeClass, semantic.Options{Adjudicator: "b"})
	assert.Equal(t, map[string]int{"supports": 1, "partial": 2, "does_not_support": 0}, settled.Counts)
	require.Len(t, settled.Pairs, 1, "b is compared with nobody")
	assert.Equal(t, once.Pairs[1], settled.Pairs[0])

	for _, o := range []semantic.Options{{Repeats: "twice"}, {Ties: "upper"}, {Labelled: math.NaN()}, {Labelled: 2}} {
		_, err := semantic.Agree(ls, semantic.ThreeClass, o)
		require.Error(t, err, "%+v", o)
	}
	_, err := semantic.Agree(ls, "four", semantic.Options{})
	require.ErrorContains(t, err, "unknown view")
}

// TestAgreeBesideATie compares the judges beside one whose own labels are tied.
func TestAgreeBesideATie(t *testing.T) {
	t.Parallel()
	const s, n = semantic.Supports, semantic.DoesNotSupport
	ls := labelsOf(
		said("a", map[string]semantic.Label{"q1 vague": n, "q1 dated": s}),
		said("a", map[string]semantic.Label{"q1 dated": n}),
		said("b", map[string]semantic.Label{"q1 vague": n, "q1 dated": s}),
		said("c", map[string]semantic.Label{"q1 vague": n, "q1 dated": s}),
	)
	a := agree(t, ls, semantic.ThreeClass, semantic.Options{})
	assert.Equal(t, []semantic.SelfAgreement{{Judge: "a", Repeated: 1, Differ: 1}}, a.Self)
	shared := make(map[string]int)
	for _, p := range a.Pairs {
		shared[p.A+p.B] = p.Agreement.N
	}
	assert.Equal(t, map[string]int{"ab": 1, "ac": 1, "bc": 2}, shared)
	assert.Equal(t, 2, a.Fleiss.N)
}

// TestAgreeProperties shuffles labels and renames judges: nothing but names changes.
// Relabelling queries changes nothing at all.
func TestAgreeProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(drawJudgement), 1, 30).Draw(t, "labels")
		o := semantic.Options{
			Repeats: rapid.SampledFrom([]semantic.Repeats{"", semantic.Once, semantic.Each}).Draw(t, "repeats"),
			Ties:    rapid.SampledFrom([]semantic.Ties{"", semantic.NoLabel, semantic.Lower}).Draw(t, "ties"),
		}
		v := rapid.SampledFrom([]semantic.View{semantic.ThreeClass, semantic.Relevant, semantic.Strict}).Draw(t, "view")
		a := must(semantic.Agree(must(semantic.NewLabels(list...)), v, o))
		shuffled := rapid.Permutation(list).Draw(t, "order")
		for i := range shuffled {
			shuffled[i].Query = "renamed " + shuffled[i].Query
		}
		b := must(semantic.Agree(must(semantic.NewLabels(shuffled...)), v, o))
		for _, k := range []*semantic.Estimate{a.Fleiss, b.Fleiss} {
			if k != nil { // sums in another order
				k.Value = math.Round(k.Value*1e9) / 1e9
				for i := range k.CI {
					k.CI[i] = math.Round(k.CI[i]*1e6)/1e6 + 0
				}
			}
		}
		require.Equal(t, a, b)
		n := 0
		for _, m := range a.Counts {
			n += m
		}
		if o.Repeats == semantic.Each {
			require.Equal(t, a.Labels, n)
		} else {
			require.Equal(t, a.Cases, n+a.Ties)
		}
		if o.Ties == semantic.Lower {
			require.Zero(t, a.Ties)
		}
		for _, p := range a.Pairs {
			require.LessOrEqual(t, p.Agreement.CI[0], p.Agreement.Value)
			require.GreaterOrEqual(t, p.Agreement.CI[1], p.Agreement.Value)
			if p.Kappa != nil {
				require.False(t, math.IsNaN(p.Kappa.Value))
				require.False(t, slices.ContainsFunc(p.Kappa.CI, math.IsNaN))
				require.True(t, p.Kappa.Value >= -1 && p.Kappa.Value <= 1)
			}
		}
	})
}
