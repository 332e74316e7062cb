package golden

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// TestLeaveOutIsFewest tries all subsets of the queries.
func TestLeaveOutIsFewest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := &settings{minEffect: rapid.SampledFrom([]float64{0, 0.125, 0.25}).Draw(t, "effect")}
		eighths := rapid.SliceOfN(rapid.IntRange(-8, 8), 1, 9).Draw(t, "gaps")
		gaps := make([]float64, len(eighths))
		sum := 0
		for i, e := range eighths {
			gaps[i] = float64(e) / 8
			sum += e
		}
		want := s.sign(float64(sum)/8/float64(len(gaps))) - 1
		fewest := 0
		for out := uint(1); out < 1<<len(gaps)-1; out++ {
			left, n := 0.0, 0
			for i, g := range gaps {
				if out>>i&1 == 0 {
					left += g
					n++
				}
			}
			if k := bits.OnesCount(out); s.sign(left/float64(n)) <= want && (fewest == 0 || k < fewest) {
				fewest = k
			}
		}
		assert.Equal(t, fewest, s.leaveOut(gaps, want))
	})
}

func TestLeaveOut(t *testing.T) {
	t.Parallel()
	s := &settings{minEffect: 0.001}
	for name, test := range map[string]struct {
		gaps []float64
		want int
		n    int
	}{
		"the largest go first":   {[]float64{0.1, 0.9, -0.5, 0.1}, -1, 1},
		"back to a tie":          {[]float64{0.5, 0.5, 0}, 0, 2},
		"not within the effect":  {[]float64{0.5, -0.0005}, -1, 0},
		"all in one direction":   {[]float64{0.5, 0.25}, -1, 0},
		"a query cannot be left": {[]float64{0.5}, -1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.n, s.leaveOut(test.gaps, test.want))
		})
	}
}
