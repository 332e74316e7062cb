package golden

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The names of all verdicts are parsed, in the order in which they are decided;
// no other is.
func TestParseVerdictNames(t *testing.T) {
	t.Parallel()
	all := []Verdict{
		IdentityMismatch, Missing, CoverageLost, Inconclusive, Tie, WinnerFlip, NewFlip, FlipResolved,
		ChangeFlip, RecommendationChanged, Regressed, Improved, QueryLost, Same, New,
	}
	for _, v := range all {
		got, err := ParseVerdict(string(v))
		assert.NoError(t, err)
		assert.Equal(t, v, got)
	}
	for _, name := range []string{"", "Same", "winner flip", "fixed"} {
		got, err := ParseVerdict(name)
		assert.EqualError(t, err, `unknown verdict "`+name+`"; the verdicts are `+verdicts(all))
		assert.Empty(t, got)
	}
}

// judged compares the verdicts on a comparison, beyond noise and within.
func judged(t *testing.T, beyondNoise, inNoise Verdict, judge func(evidence) Verdict, format string, args ...any) {
	t.Helper()
	what := fmt.Sprintf(format, args...)
	assert.Equal(t, beyondNoise, judge(beyond), what)
	assert.Equal(t, inNoise, judge(explained), what+", explained")
}

// Each verdict on coverage, with a tolerance of a tenth. Losses up to the tolerance
// are told, whatever noise there is.
func TestVerdictOfCoverage(t *testing.T) {
	t.Parallel()
	s := newSettings([]Option{Tolerance(0.1)})
	for _, tt := range []struct {
		lost, recorded  int
		beyond, inNoise Verdict
	}{
		{0, 10, Same, Same},
		{0, 0, Same, Same},
		{1, 11, QueryLost, QueryLost},
		{1, 10, QueryLost, QueryLost},
		{1, 9, CoverageLost, Inconclusive},
		{2, 10, CoverageLost, Inconclusive},
		{10, 10, CoverageLost, Inconclusive},
	} {
		judged(t, tt.beyond, tt.inNoise, func(noise evidence) Verdict { return s.coverage(tt.lost, tt.recorded, noise) }, "%d of %d", tt.lost, tt.recorded)
	}
	assert.Equal(t, CoverageLost, newSettings([]Option{Tolerance(0)}).coverage(1, 1000, beyond))
}

// The minimum effect itself is no difference.
func TestSign(t *testing.T) {
	t.Parallel()
	s := newSettings([]Option{MinEffect(0.25)})
	for d, want := range map[float64]int{-1: -1, -0.375: -1, -0.25: 0, -0.125: 0, 0: 0, 0.125: 0, 0.25: 0, 0.375: 1, 1: 1} {
		assert.Equal(t, want, s.sign(d), "%g", d)
	}
}

// verdictCase is a comparison, with the verdicts on it beyond noise and within.
type verdictCase struct {
	was, is         string // signs of gaps: +, 0 or -
	beyond, inNoise Verdict
}

func gapsOf(signs string) (out [2]float64) {
	for i, sign := range signs {
		out[i] = float64(strings.IndexRune("-0+", sign) - 1)
	}
	return out
}

// Each verdict on a winner: what agrees with what was recorded is the same, even
// where noise could explain it, and a tie on one side is no flip.
func TestVerdictOfWinner(t *testing.T) {
	t.Parallel()
	s := newSettings(nil)
	for _, tt := range []verdictCase{
		{"+", "+", Same, Same},
		{"0", "0", Same, Same},
		{"-", "-", Same, Same},
		{"+", "0", Tie, Inconclusive},
		{"0", "+", Tie, Inconclusive},
		{"-", "0", Tie, Inconclusive},
		{"0", "-", Tie, Inconclusive},
		{"+", "-", WinnerFlip, Inconclusive},
		{"-", "+", WinnerFlip, Inconclusive},
	} {
		judged(t, tt.beyond, tt.inNoise, func(noise evidence) Verdict { return s.winner(gapsOf(tt.was)[0], gapsOf(tt.is)[0], noise) }, "%s -> %s", tt.was, tt.is)
	}
}

// Each verdict on two targets: only winners of opposite signs flip, and a flip that
// was accepted and is so no more is new, whatever noise there is.
func TestVerdictOfFlip(t *testing.T) {
	t.Parallel()
	s := newSettings(nil)
	for _, tt := range []verdictCase{
		{"++", "--", Same, Same},
		{"++", "+0", Same, Same},
		{"0-", "00", Same, Same},
		{"+-", "-+", Same, Same},
		{"++", "+-", NewFlip, Inconclusive},
		{"0+", "-+", NewFlip, Inconclusive},
		{"+-", "++", FlipResolved, Inconclusive},
		{"-+", "-0", FlipResolved, Inconclusive},
	} {
		for _, known := range [][2]bool{{false, false}, {false, true}, {true, true}} {
			judged(t, tt.beyond, tt.inNoise, func(noise evidence) Verdict { return s.flip(gapsOf(tt.was), gapsOf(tt.is), known[0], known[1], noise) },
				"%s -> %s, known %v", tt.was, tt.is, known)
		}
	}
	for _, noise := range []evidence{beyond, explained} {
		assert.Equal(t, NewFlip, s.flip(gapsOf("+-"), gapsOf("+-"), true, false, noise), "known no more")
		assert.Equal(t, Same, s.flip(gapsOf("++"), gapsOf("++"), true, false, noise), "there is none to be known")
	}
	assert.Equal(t, NewFlip, s.flip(gapsOf("++"), gapsOf("+-"), true, false, beyond), "it was not there to be known")
	assert.Equal(t, FlipResolved, s.flip(gapsOf("+-"), gapsOf("++"), true, false, beyond))
}

// Each verdict on a system and its recorded self, by a change and by two.
func TestVerdictOfSelf(t *testing.T) {
	t.Parallel()
	s := newSettings([]Option{MinEffect(0.25)})
	for _, tt := range []struct {
		change          float64
		beyond, inNoise Verdict
	}{
		{0, Same, Same},
		{0.25, Same, Same},
		{-0.25, Same, Same},
		{0.5, Improved, Inconclusive},
		{-0.5, Regressed, Inconclusive},
	} {
		judged(t, tt.beyond, tt.inNoise, func(noise evidence) Verdict { return s.self(tt.change, noise) }, "%g", tt.change)
	}
	for _, tt := range []struct {
		changes         string
		beyond, inNoise Verdict
	}{
		{"++", Same, Same},
		{"--", Same, Same},
		{"+0", Same, Same},
		{"0-", Same, Same},
		{"+-", ChangeFlip, Inconclusive},
		{"-+", ChangeFlip, Inconclusive},
	} {
		judged(t, tt.beyond, tt.inNoise, func(noise evidence) Verdict { return s.changeFlip(gapsOf(tt.changes), noise) }, "%s", tt.changes)
	}
}
