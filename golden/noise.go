package golden

import (
	"math"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/stat"
)

// statistics say how sure a comparison must be, and how it resamples: as the audit whose
// record is compared. A record that was read names none, and stands for the defaults.
type statistics struct {
	alpha     float64
	resamples int
	seed      uint64
}

func statisticsOf(s auditjson.Settings) *statistics {
	return &statistics{alpha: s.Alpha, resamples: s.Resamples, seed: s.Seed}
}

// fewestIngests is how many ingests a system needs, recorded and now, for the
// noise between ingests to be known.
const fewestIngests = 3

func mean(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	m, ok := stat.Mean(xs)
	if !ok {
		return math.NaN()
	}
	return m
}

func minus(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = a[i] - b[i]
	}
	return out
}

func scaled(xs []float64, by float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x * by
	}
	return out
}

// estimate is a change with its interval.
type estimate struct {
	value float64
	ci    []float64
	alpha float64 // 1 less the level of ci
	noise evidence
	floor float64 // standard deviation of one ingest, 0 when not known
}

// repeated compares ingest means with Welch's test. The error of the first kind
// is divided by the number of such tests (Bonferroni): each difference then has an
// interval that agrees with its verdict, and is judged by itself, which the steps
// of Holm's method would not leave it.
func (s *statistics) repeated(now, recorded []float64, tests int) (estimate, bool) {
	alpha := s.alpha / float64(max(1, tests))
	w, ok := stat.Welch(now, recorded, 1-alpha)
	if !ok {
		return estimate{}, false
	}
	e := estimate{value: w.Diff, ci: []float64{w.Lo, w.Hi}, alpha: alpha, floor: deviation(now, recorded)}
	e.noise = evidence(w.P > alpha)
	return e, true
}

// deviation is the pooled standard deviation of two samples.
func deviation(samples ...[]float64) float64 {
	squares, df := 0.0, 0
	for _, xs := range samples {
		m := mean(xs)
		for _, x := range xs {
			squares += float64((x - m) * (x - m))
		}
		df += len(xs) - 1
	}
	if df <= 0 {
		return 0
	}
	return math.Sqrt(squares / float64(df))
}

// paired resamples the changes of single queries.
func (s *statistics) paired(changes []float64, scopes []string) estimate {
	e := estimate{value: mean(changes), alpha: s.alpha, noise: explained}
	if len(changes) < 2 {
		return e
	}
	plan := stat.Plan{N: len(changes), Resamples: s.resamples, Seed: s.seed}
	if scopes != nil {
		number := make(map[string]int32)
		for _, scope := range scopes {
			if _, ok := number[scope]; !ok {
				number[scope] = int32(len(number))
			}
			plan.Clusters = append(plan.Clusters, number[scope])
		}
	}
	lo, hi := stat.Interval(stat.Bootstrap(plan, []stat.Column{{Num: changes}})[0], 1-s.alpha)
	e.ci = []float64{lo, hi}
	e.noise = evidence(lo <= 0 && hi >= 0)
	return e
}
