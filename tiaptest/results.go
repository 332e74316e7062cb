package tiaptest

import (
	"math"
	"slices"

	"github.com/tiaptest/tiap/internal/stat"
)

// results holds what every system earned. Everything that an audit reports is
// computed from it.
type results struct {
	*frame
	computed []Metric // the metrics asked for, then those of changes
	systems  []*scored
	judged   []querySet // of judged input: the queries that each target's set judges
}

// scored is a system with its scores.
type scored struct {
	*compiled
	ingests    []*ingestScores
	mean       *ingestScores // over ingests; covered means covered in each
	covered    []int         // covered queries per target
	labels     []labelled    // per target, under the audit's crediting
	unlabelled []string      // per target: why it is unavailable for want of labels, or nothing
	cover      []querySet    // the same queries
	ranked     querySet      // queries that the run of each ingest has
}

func (f *frame) rescore() *results {
	r := &results{frame: f, computed: f.metricsToScore()}
	for _, c := range f.compiled {
		s := &scored{compiled: c}
		for _, in := range c.ingests {
			s.ingests = append(s.ingests, f.score(in, r.computed))
		}
		s.mean = meanScores(s.ingests)
		for _, covered := range s.mean.covered {
			set := newQuerySet(len(f.queries), func(q int) bool { return covered[q] })
			s.cover = append(s.cover, set)
			s.covered = append(s.covered, set.len())
		}
		s.ranked = newQuerySet(len(f.queries), func(q int) bool {
			return !slices.ContainsFunc(c.ingests, func(in *compiledIngest) bool { return in.rowOf[q] < 0 })
		})
		s.countLabels(len(f.targets), f.scheme())
		r.systems = append(r.systems, s)
	}
	for _, row := range f.rows {
		r.judged = append(r.judged, newQuerySet(len(f.queries), func(q int) bool { return row[q] >= 0 }))
	}
	f.wait()
	return r
}

// meanScores averages the columns of several ingests, query by query.
func meanScores(ingests []*ingestScores) *ingestScores {
	if len(ingests) == 1 {
		return ingests[0]
	}
	mean := &ingestScores{}
	for t := range ingests[0].covered {
		c := slices.Clone(ingests[0].covered[t])
		for _, in := range ingests[1:] {
			for q := range c {
				c[q] = c[q] && in.covered[t][q]
			}
		}
		mean.covered = append(mean.covered, c)
	}
	average := func(pick func(*ingestScores) []float64) []float64 {
		out := make([]float64, len(pick(ingests[0])))
		at := make([]float64, len(ingests))
		for q := range out {
			for i, in := range ingests {
				at[i] = pick(in)[q]
			}
			out[q], _ = stat.Mean(at)
		}
		return out
	}
	for by := range mean.columns {
		for t := range ingests[0].columns[by] {
			c := column{items: average(func(in *ingestScores) []float64 { return in.columns[by][t].items })}
			for m := range ingests[0].columns[by][t].values {
				c.values = append(c.values, average(func(in *ingestScores) []float64 { return in.columns[by][t].values[m] }))
			}
			mean.columns[by] = append(mean.columns[by], c)
		}
	}
	return mean
}

// unavailable reports whether a target is so in a system.
func (s *scored) unavailable(t int) bool { return s.unlinked[t] || s.unlabelled[t] != "" }

// whyUnavailable says what an unavailable target lacks, of the system as "the" or "its".
func (s *scored) whyUnavailable(t int, the string) string {
	if s.unlinked[t] {
		return the + " store has no lineage for it"
	}
	return s.unlabelled[t]
}

// excluded reports whether a target has no score in a system: it is unavailable
// or covers no query. It then takes part in none of the system's comparisons.
func (s *scored) excluded(t int) bool { return s.unavailable(t) || s.covered[t] == 0 }

// comparableTargets keeps those of the targets that no system excludes.
func comparableTargets(systems []*scored, targets []int) []int {
	return slices.DeleteFunc(slices.Clone(targets), func(t int) bool {
		return slices.ContainsFunc(systems, func(s *scored) bool { return s.excluded(t) })
	})
}

// mainTargets are the numbers of the main targets.
func (r *results) mainTargets() []int {
	ts := make([]int, r.main)
	for i := range ts {
		ts[i] = i
	}
	return ts
}

// set returns the queries of a population, for systems that are compared under
// targets. A system's excluded targets shrink nothing.
func (r *results) set(population string, systems []*scored, targets []int) querySet {
	set := allQueries(len(r.queries))
	switch population {
	case overCovered, overShared:
		for _, s := range systems {
			for _, t := range targets {
				if !s.excluded(t) {
					set.keep(s.cover[t])
				}
			}
		}
	case overJudged, overMatched:
		for _, t := range targets {
			set.keep(r.judged[t])
		}
		if population == overMatched {
			for _, s := range systems {
				set.keep(s.ranked)
			}
		}
	}
	return set
}

// subset lists the queries of [results.set] in order.
func (r *results) subset(population string, systems []*scored, targets []int) []int32 {
	return r.set(population, systems, targets).list()
}

// statColumn is a column of one ingest.
func (r *results) statColumn(in *ingestScores, by scheme, t, m int) stat.Column {
	c := in.columns[by][t]
	col := stat.Column{Num: c.values[m]}
	if r.computed[m].micro() {
		col.Den = c.items
	}
	return col
}

// value is a system's score over a subset: the mean over its ingests. It is
// undefined over no query.
func (r *results) value(s *scored, by scheme, t, m int, subset []int32) (float64, bool) {
	per, ok := r.ingestValues(s, by, t, m, subset)
	if !ok {
		return 0, false
	}
	return stat.Mean(per)
}

// ingestValues are a system's scores over a subset, one per ingest.
func (r *results) ingestValues(s *scored, by scheme, t, m int, subset []int32) ([]float64, bool) {
	out := make([]float64, len(s.ingests))
	for i, in := range s.ingests {
		v, ok := r.statColumn(in, by, t, m).ValueOver(subset)
		if !ok {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// spread is the standard deviation over ingests, the noise floor of re-ingests.
func spread(values []float64) *float64 {
	if len(values) < 2 {
		return nil
	}
	mean, _ := stat.Mean(values)
	squares := make([]float64, len(values))
	for i, v := range values {
		d := v - mean
		squares[i] = d * d
	}
	sd := math.Sqrt(stat.Sum(squares) / float64(len(values)-1))
	return &sd
}
