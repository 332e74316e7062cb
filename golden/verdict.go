package golden

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/decide"
)

// Verdict says how what is found compares with what was recorded.
type Verdict string

// The verdicts, in the order in which they are decided: each comparison gets the
// first that applies to it, and a whole comparison of records the first failing
// one among its findings, or else the first that is not Same.
const (
	IdentityMismatch      Verdict = "identity-mismatch"      // other queries, crediting, conventions, depth, metrics or headline: no numbers are compared
	Missing               Verdict = "missing"                // nothing is recorded, or something recorded is gone
	CoverageLost          Verdict = "coverage-lost"          // a target covers fewer queries of a system, or more are absent or failed, beyond the tolerance
	Inconclusive          Verdict = "inconclusive"           // other than recorded, but no more than noise explains, or without common queries
	Tie                   Verdict = "tie"                    // a tie now or when recorded, but not both
	WinnerFlip            Verdict = "winner-flip"            // another system leads under a target
	NewFlip               Verdict = "new-flip"               // two targets name different winners, and did not
	FlipResolved          Verdict = "flip-resolved"          // two targets named different winners, and do not any more
	ChangeFlip            Verdict = "change-flip"            // a system gains on its recorded self under one target and loses under another
	RecommendationChanged Verdict = "recommendation-changed" // another member of a family is best under a target
	Regressed             Verdict = "regressed"              // a system scores lower than its recorded self
	Improved              Verdict = "improved"               // a system scores higher than its recorded self
	QueryLost             Verdict = "query-lost"             // the same, within the tolerance
	Same                  Verdict = "same"
	New                   Verdict = "new" // a system or target that is not recorded
)

// order ranks the verdicts.
var order = map[Verdict]int{
	IdentityMismatch: 0, Missing: 1, CoverageLost: 2, Inconclusive: 3, Tie: 4, WinnerFlip: 5, NewFlip: 6, FlipResolved: 7,
	ChangeFlip: 8, RecommendationChanged: 9, Regressed: 10, Improved: 11, QueryLost: 12, Same: 13, New: 14,
}

// ParseVerdict returns the verdict of a name such as "winner-flip".
func ParseVerdict(name string) (Verdict, error) {
	if _, ok := order[Verdict(name)]; ok {
		return Verdict(name), nil
	}
	all := slices.SortedFunc(maps.Keys(order), func(a, b Verdict) int { return order[a] - order[b] })
	return "", fmt.Errorf("unknown verdict %q; the verdicts are %s", name, verdicts(all))
}

// words are those of a verdict.
func words(v Verdict) string { return strings.ReplaceAll(string(v), "-", " ") }

// failing are the verdicts that fail unless the policy says otherwise.
var failing = []Verdict{IdentityMismatch, Missing, CoverageLost, WinnerFlip, NewFlip, ChangeFlip, RecommendationChanged}

// coverage judges how many queries a target lost: n of those recorded.
func (s *settings) coverage(lost, recorded int, noise evidence) Verdict {
	switch {
	case lost <= 0:
		return Same
	case float64(lost) <= float64(s.tolerance*float64(recorded)):
		return QueryLost
	case noise == explained:
		return Inconclusive
	}
	return CoverageLost
}

// winner judges the gap of two systems under one target.
func (s *settings) winner(recorded, now float64, change evidence) Verdict {
	was, is := s.sign(recorded), s.sign(now)
	switch {
	case was == is:
		return Same
	case change == explained:
		return Inconclusive
	case was == 0 || is == 0:
		return Tie
	}
	return WinnerFlip
}

// flip judges whether two targets name different winners, by the gaps under the
// two. A flip that was recorded as known is recorded only as long as it is known.
func (s *settings) flip(recorded, now [2]float64, wasKnown, isKnown bool, change evidence) Verdict {
	was, is := s.flips(recorded[0], recorded[1]), s.flips(now[0], now[1])
	switch {
	case was && is && wasKnown && !isKnown:
		return NewFlip
	case was == is:
		return Same
	case change == explained:
		return Inconclusive
	case is:
		return NewFlip
	}
	return FlipResolved
}

// flips reports whether two gaps name different winners, or two changes go different
// ways.
func (s *settings) flips(first, second float64) bool {
	return decide.Flip(s.sign(first), s.sign(second))
}

// self judges a system's score under one target against its recorded self.
func (s *settings) self(change float64, found evidence) Verdict {
	switch {
	case s.sign(change) == 0:
		return Same
	case found == explained:
		return Inconclusive
	case change < 0:
		return Regressed
	}
	return Improved
}

// changeFlip judges a system's changes under two targets. shift is the evidence
// that the two changes differ.
func (s *settings) changeFlip(changes [2]float64, shift evidence) Verdict {
	switch {
	case !s.flips(changes[0], changes[1]):
		return Same
	case shift == explained:
		return Inconclusive
	}
	return ChangeFlip
}

// sign is that of a gap or a change.
func (s *settings) sign(d float64) int { return decide.Sign(d, s.minEffect) }

// evidence says whether noise may explain a difference.
type evidence bool

const (
	explained evidence = true  // its interval holds 0
	beyond    evidence = false // its interval does not
)
