package sensitivity

import (
	"slices"

	"github.com/tiaptest/tiap/tiaptest"
)

// Alignment says how far a system's scores under each target go with the quality
// of its answers. A target that aligns better says more about what the user gets.
type Alignment struct {
	System string `json:"system"`
	Metric string `json:"metric"`
	Answer string `json:"answer"` // f1 or correct

	Common  int               `json:"common"` // queries with an answer that are covered under every main target
	Targets []TargetAlignment `json:"targets"`

	// Best is the target with the highest correlation on the common queries. It is nil
	// for a tie, and unless the interval of that correlation lies above 0: scores that
	// do not go with the answers are no better for being the least bad. A correlation
	// of 1, which has no interval, does from 4 queries on.
	Best *string `json:"best"`
}

// TargetAlignment is the alignment of one target.
type TargetAlignment struct {
	Target string `json:"target"`
	N      int    `json:"n"` // queries covered under the target that have an answer

	// Spearman is the rank correlation of score and answer quality over these
	// queries, CommonSpearman over those common to all main targets. They are
	// nil when one of the two does not vary, and the latter beside the main
	// targets. The intervals hold the middle 95 % by Fisher's transformation
	// with the variance (1+r²/2)/(n-3) (D. G. Bonett and T. A. Wright, Sample Size
	// Requirements for Estimating Pearson, Kendall and Spearman Correlations,
	// Psychometrika 65, 2000); nil below 4 queries and when r is 1 or -1. Of a
	// clustered audit they are by Student's t and the jackknife of the transformed
	// correlation that leaves out one cluster after the other (J. W. Tukey, Bias and
	// Confidence in Not-Quite Large Samples, 1958).
	Spearman         *float64  `json:"spearman"`
	SpearmanCI       []float64 `json:"spearman_ci"`
	CommonSpearman   *float64  `json:"common_spearman"`
	CommonSpearmanCI []float64 `json:"common_spearman_ci"`

	// Lift is the mean answer quality of the queries that score above 0 minus
	// that of the others, with interval and p as in [CoverageBias].
	Hits   int          `json:"hits"`
	Misses int          `json:"misses"`
	Lift   tiaptest.Gap `json:"lift"`
}

func (f *frame) alignments() []Alignment {
	out := []Alignment{}
	for s := range f.systems {
		for _, quality := range f.qualities() {
			answers := f.answers[quality][s]
			if answers.n == 0 {
				continue
			}
			for m := range f.metrics {
				a := Alignment{System: f.systems[s], Metric: f.metrics[m], Answer: quality}
				columns := []values{answers}
				for _, t := range f.comparable([]int{s}, m) {
					columns = append(columns, f.column(s, t, m))
				}
				common := f.inAll(columns...)
				if len(columns) == 1 {
					continue
				}
				a.Common = len(common)
				var mains []string
				var correlations []*float64
				for t, target := range f.targets {
					scores := f.column(s, t, m)
					if scores.n == 0 {
						continue
					}
					one := TargetAlignment{Target: target}
					f.align(&one, scores, answers)
					if t < f.main {
						one.CommonSpearman = spearman(scores.at(common), answers.at(common))
						one.CommonSpearmanCI = f.spearmanInterval(one.CommonSpearman, scores, answers, common)
						mains, correlations = append(mains, target), append(correlations, one.CommonSpearman)
					}
					a.Targets = append(a.Targets, one)
				}
				if best := leader(mains, correlations); best != nil && a.aligned(*best) {
					a.Best = best
				}
				out = append(out, a)
			}
		}
	}
	return out
}

// aligned reports whether the correlation of a target is surely positive.
func (a *Alignment) aligned(target string) bool {
	i := slices.IndexFunc(a.Targets, func(t TargetAlignment) bool { return t.Target == target })
	t := &a.Targets[i]
	if t.CommonSpearmanCI == nil {
		return *t.CommonSpearman > 1-different && a.Common >= 4
	}
	return t.CommonSpearmanCI[0] > 0
}

// align sets the scores under one target beside the answers.
func (f *frame) align(a *TargetAlignment, scores, answers values) {
	queries := f.inAll(scores, answers)
	a.N = len(queries)
	a.Spearman = spearman(scores.at(queries), answers.at(queries))
	a.SpearmanCI = f.spearmanInterval(a.Spearman, scores, answers, queries)
	var hits, misses []int
	for _, q := range queries {
		if scores.v[q] > 0 {
			hits = append(hits, q)
		} else {
			misses = append(misses, q)
		}
	}
	a.Hits, a.Misses = len(hits), len(misses)
	a.Lift = f.unpaired(answers, hits, misses)
}

// WinnerMatch says under which targets the system with the better answers also
// leads by its retrieval score, on the queries that both systems answered and
// that are covered under every main target in both.
type WinnerMatch struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Metric string `json:"metric"`
	Answer string `json:"answer"` // f1 or correct
	N      int    `json:"n"`

	AnswerGap    *float64           `json:"answer_gap"` // quality of A minus quality of B
	AnswerWinner *string            `json:"answer_winner"`
	Winners      map[string]*string `json:"winners"` // by target; nil for a tie
	Matches      map[string]*bool   `json:"matches"` // by target; nil where one side is tied
}

func (f *frame) winnerMatches() []WinnerMatch {
	out := []WinnerMatch{}
	for _, pair := range f.pairs() {
		a, b := pair[0], pair[1]
		for _, quality := range f.qualities() {
			first, second := f.answers[quality][a], f.answers[quality][b]
			for m := range f.metrics {
				targets := f.comparable(pair, m)
				columns := []values{first, second}
				for _, t := range targets {
					columns = append(columns, f.column(a, t, m), f.column(b, t, m))
				}
				queries := f.inAll(columns...)
				if len(targets) == 0 || len(queries) == 0 {
					continue
				}
				w := WinnerMatch{A: f.systems[a], B: f.systems[b], Metric: f.metrics[m], Answer: quality, N: len(queries)}
				qualityA, qualityB := mean(first.at(queries)), mean(second.at(queries))
				w.AnswerGap = difference(qualityB, qualityA)
				w.AnswerWinner = leader(f.names(pair), []*float64{qualityA, qualityB})
				w.Winners, w.Matches = f.winners(pair, targets, m, queries), make(map[string]*bool)
				for target, winner := range w.Winners {
					w.Matches[target] = nil
					if winner != nil && w.AnswerWinner != nil {
						match := *winner == *w.AnswerWinner
						w.Matches[target] = &match
					}
				}
				out = append(out, w)
			}
		}
	}
	return out
}

// pairs are all pairs of systems.
func (f *frame) pairs() [][]int {
	var out [][]int
	for a := range f.systems {
		for b := a + 1; b < len(f.systems); b++ {
			out = append(out, []int{a, b})
		}
	}
	return out
}
