package tiaptest

import (
	"iter"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/parallel"
	"github.com/tiaptest/tiap/internal/rank"
)

// scheme is a crediting with its rule for uncovered units.
type scheme uint8

const (
	evidenceDropped scheme = iota
	evidenceCounted
	memoryDropped
	schemes
)

func (s *settings) scheme() scheme {
	switch {
	case s.credit == ByMemory:
		return memoryDropped
	case s.uncovered == unitsCounted:
		return evidenceCounted
	}
	return evidenceDropped
}

// column holds what one ingest earned under one target and scheme, by query.
type column struct {
	items  []float64   // relevant items: the denominators of recall
	values [][]float64 // [metric][query]; for micro_recall the credited items
}

// ingestScores holds the columns of one ingest.
type ingestScores struct {
	covered [][]bool          // [target][query]
	columns [schemes][]column // [scheme][target]; nil for schemes not computed
	labels  *labelCounts      // of one ingest; nil when no target is by labels
}

// metricsToScore lists the metrics that are scored: those asked for, and those that
// changes between targets are counted by.
func (f *frame) metricsToScore() []Metric {
	ms := slices.Clone(f.metrics)
	for _, m := range changeMetrics(f.depth) {
		if !slices.Contains(ms, m) {
			ms = append(ms, m)
		}
	}
	return ms
}

// score rescores the run of one ingest under every target and scheme.
func (f *frame) score(in *compiledIngest, metrics []Metric) *ingestScores {
	out := &ingestScores{covered: make([][]bool, len(f.targets))}
	for t := range f.targets {
		out.covered[t] = make([]bool, len(f.queries))
	}
	wanted := []scheme{memoryDropped}
	if f.bundle.judged == nil {
		wanted = []scheme{evidenceDropped, evidenceCounted, memoryDropped}
	}
	for _, s := range wanted {
		out.columns[s] = make([]column, len(f.targets))
		for t := range f.targets {
			c := column{items: make([]float64, len(f.queries)), values: make([][]float64, len(metrics))}
			for m := range metrics {
				c.values[m] = make([]float64, len(f.queries))
			}
			out.columns[s][t] = c
		}
	}
	byLabels := slices.ContainsFunc(f.targets, func(t Target) bool { return t.labelled })
	if byLabels {
		out.labels = newLabelCounts(len(f.targets))
	}
	var mu sync.Mutex // of these counts
	parallel.Workers(len(f.queries), func(left iter.Seq2[int, int]) {
		s := f.newScorer(in)
		s.metrics, s.out = metrics, out
		var n *labelCounts
		if byLabels {
			n = newLabelCounts(len(f.targets))
		}
		for from, end := range left {
			for q := from; q < end; q++ {
				s.query(q)
				if byLabels {
					s.countLabels(n)
				}
			}
		}
		if byLabels {
			mu.Lock()
			defer mu.Unlock()
			out.labels.add(n)
		}
	})
	return out
}

// scorer scores queries of one ingest one after the other, reusing its memory.
type scorer struct {
	*frame
	in      *compiledIngest
	metrics []Metric      // that query keeps
	out     *ingestScores // where it keeps them

	slot      []int32 // symbol -> candidate+1, 0 for none
	memories  []int32 // of each candidate; of judged input the symbol of the judged id
	symbols   []int32 // of each candidate, -1 when the run's ids lack it
	seen      []rank.Seen
	passed    []rank.Seen  // those of seen that pass one target
	standings [][]standing // by target and candidate, of seen ones; nil for targets that were not narrowed
	length    int          // of the ranking, cut at the depth
	rank      rank.Scorer

	cands  rank.Candidates
	member []member
	links  []Link

	docs   []judgedDoc
	grades []int32
}

// newScorer returns a scorer of one ingest, without metrics and out.
func (f *frame) newScorer(in *compiledIngest) *scorer {
	return &scorer{frame: f, in: in, slot: make([]int32, in.Run.ids.Len())}
}

// query scores one query under every target and scheme of out, and keeps the values.
func (s *scorer) query(q int) {
	s.prepare(q)
	for by := range s.out.columns {
		for t := range s.out.columns[by] {
			if scheme(by) == evidenceCounted && s.allCovered(t, q) {
				s.copy(evidenceDropped, evidenceCounted, t, q)
			} else {
				s.keep(scheme(by), t, q, s.credit(scheme(by), t))
			}
		}
	}
}

// allCovered reports that no unit of a query that was scored by evidence, uncovered ones
// dropped, is uncovered: to count these too makes no difference then.
func (s *scorer) allCovered(t, q int) bool {
	return s.out.columns[evidenceDropped][t].items[q] == float64(s.cands.Units)
}

// copy keeps under one scheme what was kept under another.
func (s *scorer) copy(from, to scheme, t, q int) {
	a, b := &s.out.columns[from][t], &s.out.columns[to][t]
	b.items[q] = a.items[q]
	for i := range a.values {
		b.values[i][q] = a.values[i][q]
	}
}

// result scores one query under one target.
func (s *scorer) result(by scheme, q, t int) rank.Result {
	s.prepare(q)
	return s.credit(by, t)
}

// prepare finds the candidates of a query in its ranking.
func (s *scorer) prepare(q int) {
	if s.in.store == nil {
		s.judgedCandidates(q)
	} else {
		s.candidates(q)
	}
	s.length = s.look(q)
	if s.in.store != nil {
		s.stand(q)
	}
}

// credit scores the prepared query.
func (s *scorer) credit(by scheme, t int) rank.Result {
	switch {
	case s.in.store == nil:
		j, n := s.bundle.judged, len(s.symbols)
		return s.rank.Graded(s.grades[t*n:(t+1)*n], s.seen, s.length, j.level, j.judgedOnly)
	case by == memoryDropped:
		return s.rank.ByMemory(&s.cands, s.passing(t), s.length, uint(t))
	}
	return s.rank.ByEvidence(&s.cands, s.passing(t), s.length, uint(t), by == evidenceCounted)
}

func (s *scorer) keep(by scheme, t, q int, r rank.Result) {
	c := &s.out.columns[by][t]
	c.items[q] = float64(r.Items)
	if by == memoryDropped {
		s.out.covered[t][q] = r.Items > 0
	}
	for i, m := range s.metrics {
		if m.micro() {
			c.values[i][q] = float64(rank.Credited(r, m.m.K))
		} else {
			c.values[i][q] = m.m.Value(r)
		}
	}
}

// look walks the query's ranking and notes the candidates in it. It returns the
// ranking's length, cut at the depth.
func (s *scorer) look(q int) (length int) {
	s.seen = s.seen[:0]
	row := s.in.rowOf[q]
	if row < 0 {
		return 0
	}
	for c, sym := range s.symbols {
		if sym >= 0 {
			s.slot[sym] = int32(c + 1)
		}
	}
	ids := s.in.ranked(row)
	ids = ids[:min(len(ids), s.depth)]
	for i, sym := range ids {
		if c := s.slot[sym]; c != 0 {
			s.seen = append(s.seen, rank.Seen{Rank: int32(i + 1), Cand: c - 1})
		}
	}
	for _, sym := range s.symbols {
		if sym >= 0 {
			s.slot[sym] = 0
		}
	}
	return len(ids)
}

// ranked returns the symbols of a ranking, lists merged.
func (in *compiledIngest) ranked(row int32) []uint32 {
	w := &in.Run.rows[row]
	if w.failure != "" {
		return nil
	}
	if len(w.lists) == 0 {
		return w.hits
	}
	parts := make([][]uint32, len(w.lists))
	for i := range parts {
		parts[i] = w.list(i)
	}
	return in.merge(parts)
}
