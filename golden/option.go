package golden

import (
	"errors"
	"fmt"
	"strings"
)

// Option changes what a comparison with a golden file requires.
type Option interface {
	fmt.Stringer
	apply(*settings)
}

type option struct {
	text string
	set  func(*settings)
}

func (o option) String() string    { return o.text }
func (o option) apply(s *settings) { o.set(s) }

type settings struct {
	fails     map[Verdict]bool
	minEffect float64
	tolerance float64
	fixedRuns bool
	queryCap  int // bytes of compressed per-query scores
	problems  []string
}

// The default of MinEffect. On a thousand queries one exchange of the first two
// ranks moves nDCG by 0.37/1000, so that 0.001 is what two or three queries can
// do; the smallest gap between published winners on LoCoMo is four times that.
const defaultMinEffect = 0.001

// The default size of per-query scores beside a golden file.
const defaultQueryCap = 1 << 20

func newSettings(opts []Option) *settings {
	s := &settings{fails: make(map[Verdict]bool), minEffect: defaultMinEffect, tolerance: 0.01, queryCap: defaultQueryCap}
	for _, v := range failing {
		s.fails[v] = true
	}
	for _, o := range opts {
		if o != nil {
			o.apply(s)
		}
	}
	if len(s.problems) > 0 {
		s.fails[IdentityMismatch] = true // by ReportOnly too: a mistake is for nobody to accept
	}
	return s
}

// err says which options are mistakes.
func (s *settings) err() error {
	if len(s.problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(s.problems, "; "))
}

// know notes names that are no verdicts.
func (s *settings) know(vs []Verdict) {
	for _, v := range vs {
		if _, err := ParseVerdict(string(v)); err != nil {
			s.problems = append(s.problems, err.Error())
		}
	}
}

// FailOn makes verdicts fail, besides those that fail anyway: IdentityMismatch,
// Missing, CoverageLost, WinnerFlip, NewFlip, ChangeFlip and RecommendationChanged.
// [Regressed] is not among them.
func FailOn(vs ...Verdict) Option {
	return option{"fail on " + verdicts(vs), func(s *settings) {
		s.know(vs)
		for _, v := range vs {
			s.fails[v] = true
		}
	}}
}

// ReportOnly lets verdicts pass that would fail. They are still reported.
func ReportOnly(vs ...Verdict) Option {
	return option{"report only " + verdicts(vs), func(s *settings) {
		s.know(vs)
		for _, v := range vs {
			s.fails[v] = false
		}
	}}
}

func verdicts(vs []Verdict) string {
	var names []string
	for _, v := range vs {
		names = append(names, string(v))
	}
	return strings.Join(names, ",")
}

// MinEffect is the largest difference of two scores that counts as none. The
// default is 0.001: on a thousand queries an exchange of the first two ranks in
// one of them moves nDCG by 0.0004.
func MinEffect(difference float64) Option {
	return option{fmt.Sprintf("min effect %g", difference), func(s *settings) {
		if !(difference >= 0 && difference < 1) {
			s.problems = append(s.problems, fmt.Sprintf("min effect %v: it must be at least 0 and less than 1", difference))
			return
		}
		s.minEffect = difference
	}}
}

// Tolerance is the share (0 to 1) of a system's covered queries that a target may
// lose, and of which the run may lose the answers. The default is 0.01.
func Tolerance(share float64) Option {
	return option{fmt.Sprintf("tolerance %g", share), func(s *settings) {
		if !(share >= 0 && share <= 1) {
			s.problems = append(s.problems, fmt.Sprintf("tolerance %v: it must lie between 0 and 1", share))
			return
		}
		s.tolerance = share
	}}
}

// FixedRuns requires the runs of every recorded system to be the recorded ones:
// whatever differs is then due to the targets alone.
func FixedRuns() Option {
	return option{"fixed runs", func(s *settings) { s.fixedRuns = true }}
}

// QueryScores sets up to which compressed size, in bytes, the scores of single
// queries are kept beside a golden file; 0 keeps none. The default is 1 MiB.
// Without them records over different query sets cannot be compared, a failure
// cannot name the queries that moved, and what becomes of a system with another
// store or other rankings, or of the best member of a family, is [Inconclusive].
func QueryScores(size int) Option {
	return option{fmt.Sprintf("query scores up to %d bytes", size), func(s *settings) { s.queryCap = max(0, size) }}
}
