package sensitivity_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// input is what a table is made of.
type input struct {
	scores  []sensitivity.Score
	answers []sensitivity.Answer
}

// inputs draws scores of up to three systems and targets by two metrics; often
// equal, often not covered.
func inputs() *rapid.Generator[input] {
	return rapid.Custom(func(t *rapid.T) input {
		var in input
		queries := rapid.IntRange(1, 12).Draw(t, "queries")
		value := rapid.SampledFrom([]float64{0, 0, 0.25, 1.0 / 3, 0.5, 0.6, 1})
		for s := range rapid.IntRange(1, 3).Draw(t, "systems") {
			system := fmt.Sprint("S", s)
			for q := range queries {
				for i, target := range []string{"raw", "source", "canonical"}[:rapid.IntRange(1, 3).Draw(t, "targets")] {
					covered := rapid.IntRange(0, 4).Draw(t, "covered") > 0
					size := i + rapid.IntRange(0, 5).Draw(t, "size")
					for _, metric := range []string{"ndcg@5", "ndcg@10", "hit@10"} {
						one := sensitivity.Score{
							System: system, Family: "f", Target: target, Query: query(q), Metric: metric, Size: &size,
							Category: []string{"", "a", "b"}[q%3],
						}
						if covered {
							one.Value = ptr(value.Draw(t, "value"))
						}
						in.scores = append(in.scores, one)
					}
				}
				if rapid.Bool().Draw(t, "answered") {
					in.answers = append(in.answers, sensitivity.Answer{System: system, Query: query(q), F1: ptr(value.Draw(t, "f1")), Correct: ptr(rapid.Bool().Draw(t, "correct"))})
				}
			}
		}
		return in
	})
}

func (in input) analyze(t require.TestingT) *sensitivity.Report {
	var table sensitivity.Table
	require.NoError(t, table.AddAnswers(in.answers...))
	require.NoError(t, table.Add(in.scores...))
	r, err := sensitivity.Analyze(&table)
	require.NoError(t, err)
	return r
}

func marshal(t require.TestingT, r *sensitivity.Report) []byte {
	text, err := json.Marshal(r)
	require.NoError(t, err) // it refuses NaN and infinities
	return text
}

func draw(t *rapid.T) input {
	in := inputs().Draw(t, "input")
	if !slices.ContainsFunc(in.scores, func(s sensitivity.Score) bool { return s.Value != nil }) {
		t.Skip("nothing is covered")
	}
	return in
}

// The order in which scores come changes no byte.
func TestShuffledScoresGiveTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		want := in.analyze(t)
		shuffled := input{rapid.Permutation(in.scores).Draw(t, "scores"), rapid.Permutation(in.answers).Draw(t, "answers")}
		got := shuffled.analyze(t)
		require.Equal(t, string(marshal(t, want)), string(marshal(t, got)))
		var a, b bytes.Buffer
		require.NoError(t, want.WriteText(&a))
		require.NoError(t, got.WriteText(&b))
		require.Equal(t, a.String(), b.String())
	})
}

// near enough: sums over queries in another order may differ in the last places.
var closeTo = cmpopts.EquateApprox(1e-6, 1e-12)

// Other ids of the queries, in another order, change no number.
func TestRelabelledQueriesGiveTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		want := in.analyze(t)
		names := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).Draw(t, "names")
		renamed := make(map[string]string)
		for i, n := range names {
			renamed[query(i)] = fmt.Sprintf("conv-%d/qa", n)
		}
		other := input{slices.Clone(in.scores), slices.Clone(in.answers)}
		for i := range other.scores {
			other.scores[i].Query = renamed[other.scores[i].Query]
		}
		for i := range other.answers {
			other.answers[i].Query = renamed[other.answers[i].Query]
		}
		if diff := cmp.Diff(want, other.analyze(t), closeTo); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Other names of the systems, in the same order, change nothing but the names.
func TestRelabelledSystemsGiveTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		want := marshal(t, in.analyze(t))
		for i := range in.scores {
			in.scores[i].System = "Renamed" + in.scores[i].System
		}
		for i := range in.answers {
			in.answers[i].System = "Renamed" + in.answers[i].System
		}
		got := bytes.ReplaceAll(marshal(t, in.analyze(t)), []byte("Renamed"), nil)
		require.Equal(t, string(want), string(got))
	})
}

// Statistics lie where they can lie, and agree with each other.
func TestStatisticsAreInRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := draw(t).analyze(t)
		marshal(t, r)
		within := func(v *float64, lo, hi float64) {
			if v != nil && !(*v >= lo && *v <= hi) {
				t.Fatalf("%v is not in [%v, %v]", *v, lo, hi)
			}
		}
		for _, c := range r.Changes {
			within(c.ChangedShare, 0, 1)
			within(c.MeanAbs, 0, 1)
			if c.MeanShift != nil {
				within(c.MeanShift, -*c.MeanAbs-1e-12, *c.MeanAbs+1e-12)
			}
			require.LessOrEqual(t, c.Large, c.Changed)
			require.LessOrEqual(t, c.Changed, c.N)
			require.Equal(t, c.N == 0, c.MeanAbs == nil)
		}
		for _, s := range r.SizeShifts {
			within(s.Correlation, -1, 1)
			within(s.R2, 0, 1)
			n := 0
			for _, b := range s.Bins {
				n += b.N
			}
			require.Equal(t, s.N, n)
		}
		for _, b := range r.CoverageBias {
			within(b.Gap.P, 0, 1)
			if b.Gap.CI != nil {
				within(b.Gap.Value, b.Gap.CI[0], b.Gap.CI[1])
			}
		}
		for _, a := range r.Aggregations {
			if a.Rule != "rank" {
				continue
			}
			sum := 0.0
			for _, v := range a.Scores {
				sum += *v
			}
			n := float64(len(a.Scores))
			require.InDelta(t, n*(n+1)/2, sum, 1e-9)
		}
		for _, a := range r.Agreement {
			require.LessOrEqual(t, a.Kept, a.N)
			for _, s := range a.Systems {
				if a.By == "0.1" {
					within(s.KeptSpread, 0, 0.1+1e-9)
				}
			}
		}
		for _, a := range r.Alignment {
			for _, x := range a.Targets {
				within(x.Spearman, -1, 1)
				within(x.CommonSpearman, -1, 1)
				if x.SpearmanCI != nil {
					within(x.Spearman, x.SpearmanCI[0], x.SpearmanCI[1])
				}
				require.Equal(t, x.N, x.Hits+x.Misses)
				require.LessOrEqual(t, a.Common, x.N)
			}
		}
		for _, p := range r.Power {
			if p.Needed != nil {
				require.Equal(t, *p.Needed <= p.N, *p.Smallest <= math.Abs(*p.Gap))
			}
		}
	})
}

// The smallest gap falls with the number of queries, and grows with deviation
// and power.
func TestSmallestGapProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 1_000_000).Draw(t, "n")
		sd := rapid.Float64Range(1e-6, 1).Draw(t, "sd")
		alpha := rapid.Float64Range(1e-9, 0.5).Draw(t, "alpha")
		power := rapid.Float64Range(0.51, 0.99).Draw(t, "power")
		gap := func(n int, sd, alpha, power float64) float64 {
			g, err := sensitivity.SmallestGap(n, sd, alpha, power)
			require.NoError(t, err)
			require.Positive(t, g)
			return g
		}
		g := gap(n, sd, alpha, power)
		require.Less(t, gap(n*2, sd, alpha, power), g)
		require.Less(t, gap(n, sd, alpha*1.5, power), g)
		require.Greater(t, gap(n, sd, alpha, power+0.005), g)
		require.InEpsilon(t, 2*g, gap(n, 2*sd, alpha, power), 1e-12)
	})
}

// simulated makes a table in which the score by hit and the F1 of answers are
// drawn independently, unless lift adds to the F1 of hits.
func simulated(t require.TestingT, rng *rand.Rand, n int, lift float64) *sensitivity.Table {
	var table sensitivity.Table
	for i := range n {
		v := float64(rng.IntN(2))
		require.NoError(t, table.Add(sensitivity.Score{System: "A", Target: "raw", Query: query(i), Metric: "hit", Value: &v}))
		f1 := 0.8*rng.Float64() + lift*v
		require.NoError(t, table.AddAnswers(sensitivity.Answer{System: "A", Query: query(i), F1: &f1}))
	}
	return &table
}

// Intervals of lifts and of rank correlations cover at about their level, and p
// is about uniform where there is no lift.
func TestIntervalsCover(t *testing.T) {
	t.Parallel()
	const n, trials = 60, 1000
	rng := rand.New(rand.NewPCG(3, 4))
	lifts, correlations := 0, 0
	var ps []float64
	for range trials {
		table := simulated(t, rng, n, 0.2)
		one := analyze(t, table).Alignment[0].Targets[0]
		if one.Lift.CI[0] <= 0.2 && 0.2 <= one.Lift.CI[1] {
			lifts++
		}
		one = analyze(t, simulated(t, rng, n, 0)).Alignment[0].Targets[0]
		if one.SpearmanCI[0] <= 0 && 0 <= one.SpearmanCI[1] {
			correlations++
		}
		ps = append(ps, *one.Lift.P)
	}
	assert.InDelta(t, 0.95, float64(lifts)/trials, 0.02)
	assert.InDelta(t, 0.95, float64(correlations)/trials, 0.02)

	// Kolmogorov and Smirnov's distance at the 0.001 level.
	slices.Sort(ps)
	distance := 0.0
	for i, p := range ps {
		distance = max(distance, math.Abs(p-float64(i)/trials), math.Abs(p-float64(i+1)/trials))
	}
	assert.Less(t, distance, 1.95/math.Sqrt(trials))
}
