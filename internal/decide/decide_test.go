package decide_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/decide"
)

// D1 leads under Raw and D5 under Source, by more than the minimum effect.
func Example() {
	const minEffect = 1e-9
	raw, source := 0.02, -0.01 // gaps of D1 and D5
	fmt.Println(decide.Flip(decide.Sign(raw, minEffect), decide.Sign(source, minEffect)))
	fmt.Println(decide.Flip(decide.Sign(raw, minEffect), decide.Sign(0, minEffect)))

	systems := []string{"D1", "D5", "D8"}
	best, leads := decide.Best([]float64{0.31, 0.33, math.NaN()}, minEffect)
	fmt.Println(systems[best], leads)
	// Output:
	// true
	// false
	// D5 true
}

func TestSign(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gap, minEffect float64
		want           int
	}{
		{0.5, 0, 1}, {-0.5, 0, -1}, {0, 0, 0}, {math.Copysign(0, -1), 0, 0},
		{0.25, 0.25, 0}, {-0.25, 0.25, 0}, // the bound is a tie
		{math.Nextafter(0.25, 1), 0.25, 1}, {math.Nextafter(-0.25, -1), 0.25, -1},
		{1e-300, 0, 1}, {-1e-300, 0, -1},
		{math.NaN(), 0, 0}, {math.NaN(), 0.25, 0},
	} {
		assert.Equal(t, c.want, decide.Sign(c.gap, c.minEffect), "a gap of %v with a minimum effect of %v", c.gap, c.minEffect)
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for name, c := range map[string]struct {
		values    []float64
		minEffect float64
		best      int
		leads     bool
	}{
		"none":                        {nil, 0, -1, false},
		"one":                         {[]float64{0.5}, 0, 0, true},
		"one, a large minimum effect": {[]float64{0}, 9, 0, true},
		"first":                       {[]float64{0.5, 0.25}, 0, 0, true},
		"last":                        {[]float64{0.25, 0, 0.5}, 0, 2, true},
		"equal":                       {[]float64{0.25, 0.5, 0.5}, 0, 1, false},
		"equal below the highest":     {[]float64{0.25, 0.25, 0.5}, 0, 2, true},
		"all zero":                    {[]float64{0, 0}, 0, 0, false},
		"within the minimum effect":   {[]float64{0.5, 0.75, 0.25}, 0.25, 1, false},
		"beyond the minimum effect":   {[]float64{0.5, 0.875, 0.25}, 0.25, 1, true},
		"the higher one comes later":  {[]float64{0.75, 0.5, 0.875}, 0.25, 2, false},
		"below zero":                  {[]float64{-3, -5, -4}, 0.5, 0, true},
		"undefined":                   {[]float64{nan, nan}, 0, -1, false},
		"undefined beside one":        {[]float64{nan, 0, nan}, 0.25, 1, true},
		"undefined beside several":    {[]float64{nan, 0.25, nan, 0.5}, 0, 3, true},
		"undefined beside a tie":      {[]float64{0.5, nan, 0.5}, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			best, leads := decide.Best(c.values, c.minEffect)
			assert.Equal(t, c.best, best)
			assert.Equal(t, c.leads, leads)
		})
	}
}

func TestFlip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		winners []string
		want    bool
	}{
		{nil, false},
		{[]string{"D1"}, false},
		{[]string{"D1", "D1"}, false},
		{[]string{"D1", "D5"}, true},
		{[]string{"D1", ""}, false},
		{[]string{"", "D1"}, false},
		{[]string{"", ""}, false},
		{[]string{"", "D1", "", "D1", "D5"}, true},
	} {
		assert.Equal(t, c.want, decide.Flip(c.winners...), "%q", c.winners)
	}
	assert.True(t, decide.Flip(1, 0, -1))
	assert.False(t, decide.Flip(0, -1, -1))
}

// Seen from the other system, the other one leads; a larger minimum effect makes ties
// and turns no sign.
func TestSignProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gap := rapid.Float64Range(-1, 1).Draw(t, "gap")
		minEffect := rapid.Float64Range(0, 1).Draw(t, "minimum effect")
		larger := rapid.Float64Range(minEffect, 1).Draw(t, "larger")
		s := decide.Sign(gap, minEffect)
		assert.Equal(t, -s, decide.Sign(-gap, minEffect))
		assert.Equal(t, s == 0, math.Abs(gap) <= minEffect)
		assert.Contains(t, []int{0, s}, decide.Sign(gap, larger))
	})
}

// Of two, the best one leads as the sign of their gap says. Of several, the best one
// is ahead of each other by its sign, in whatever order they come and whatever
// undefined values stand between them.
func TestBestProperties(t *testing.T) {
	t.Parallel()
	value := rapid.Map(rapid.IntRange(-3, 12), func(n int) float64 {
		if n == 12 {
			return math.NaN()
		}
		return float64(n) / 8
	})
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(value, 0, 6).Draw(t, "values")
		minEffect := rapid.SampledFrom([]float64{0, 1e-9, 0.125, 0.2}).Draw(t, "minimum effect")
		best, leads := decide.Best(values, minEffect)

		defined := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
		if len(defined) == 0 {
			assert.Equal(t, -1, best)
			assert.False(t, leads)
			return
		}
		assert.Equal(t, slices.Max(defined), values[best])
		ahead := 0
		for i, v := range values {
			if i != best && decide.Sign(values[best]-v, minEffect) == 1 {
				ahead++
			}
		}
		assert.Equal(t, leads, ahead == len(defined)-1)

		reversed := slices.Clone(values)
		slices.Reverse(reversed)
		other, still := decide.Best(reversed, minEffect)
		assert.Equal(t, leads, still)
		if leads {
			assert.Equal(t, best, len(values)-1-other)
		}
		if len(values) == 2 && len(defined) == 2 {
			want := map[int]int{1: 0, -1: 1}
			at, one := want[decide.Sign(values[0]-values[1], minEffect)]
			assert.Equal(t, one, leads)
			if one {
				assert.Equal(t, at, best)
			}
		}
	})
}

// There is a flip where there are at least two winners, in whatever order and however
// often they stand there.
func TestFlipProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		winners := rapid.SliceOfN(rapid.SampledFrom([]string{"", "D1", "D5", "D8"}), 0, 6).Draw(t, "winners")
		named := slices.DeleteFunc(slices.Clone(winners), func(w string) bool { return w == "" })
		slices.Sort(named)
		flip := len(slices.Compact(named)) > 1
		assert.Equal(t, flip, decide.Flip(winners...))
		shuffled := rapid.Permutation(winners).Draw(t, "shuffled")
		assert.Equal(t, flip, decide.Flip(shuffled...))
	})
}
