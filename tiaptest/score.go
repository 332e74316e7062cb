package tiaptest

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/lineage"
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
		s := scorer{frame: f, in: in, metrics: metrics, out: out, slot: make([]int32, in.Run.ids.Len())}
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

// scorer scores queries one after the other, reusing its memory.
type scorer struct {
	*frame
	in      *compiledIngest
	metrics []Metric
	out     *ingestScores

	slot      []int32 // symbol -> candidate+1, 0 for none
	memories  []int32 // of each candidate; of judged input the symbol of the judged id
	symbols   []int32 // of each candidate, -1 when never ranked
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

// member is a candidate memory with a unit that it belongs to.
type member struct {
	memory, unit int32
	routes       lineage.Routes
}

type judgedDoc struct {
	doc    uint32 // symbol of the judged ids
	target int
	grade  int32
}

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
		return s.rank.ByMemory(s.cands, s.passing(t), s.length, uint(t))
	}
	return s.rank.ByEvidence(s.cands, s.passing(t), s.length, uint(t), by == evidenceCounted)
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

// candidates gathers the memories that descend from a turn of the query's
// evidence, with their units and the targets that credit them.
func (s *scorer) candidates(q int) {
	s.member = s.member[:0]
	units := s.units
	first, end := s.firstUnit[q], s.firstUnit[q+1]
	for u := first; u < end; u++ {
		for _, turn := range units.List(int(u)) {
			for _, h := range s.in.store.byTurn.List(int(turn)) {
				s.member = append(s.member, member{h.Item, u - first, h.Routes})
			}
		}
	}
	slices.SortFunc(s.member, func(a, b member) int {
		if a.memory != b.memory {
			return int(a.memory) - int(b.memory)
		}
		return int(a.unit) - int(b.unit)
	})
	s.memories, s.symbols = s.memories[:0], s.symbols[:0]
	s.cands = rank.Candidates{Start: s.cands.Start[:0], Pairs: s.cands.Pairs[:0], Units: int(end - first)}
	for i := 0; i < len(s.member); {
		memory := s.member[i].memory
		s.cands.Start = append(s.cands.Start, int32(len(s.cands.Pairs)))
		s.memories = append(s.memories, memory)
		s.symbols = append(s.symbols, s.in.symbols[memory])
		for i < len(s.member) && s.member[i].memory == memory {
			unit, routes := s.member[i].unit, lineage.Routes(0)
			for ; i < len(s.member) && s.member[i].memory == memory && s.member[i].unit == unit; i++ {
				routes |= s.member[i].routes
			}
			if bits := s.credits(q, memory, unit, routes); bits != 0 {
				s.cands.Pairs = append(s.cands.Pairs, rank.Pair{Unit: unit, Targets: bits})
			}
		}
	}
	s.cands.Start = append(s.cands.Start, int32(len(s.cands.Pairs)))
}

// credits returns the targets, as bits, under which a memory may earn credit
// for a unit of the query.
func (s *scorer) credits(q int, memory, unit int32, routes lineage.Routes) (bits uint64) {
	m := &s.in.Memories[memory]
	for t := range s.targets {
		target := &s.targets[t]
		if !target.credits(m, routes) || target.validAt && !s.in.valid[memory].holds(s.asked[q]) {
			continue
		}
		switch target.base {
		case baseOwn:
			if !s.ownRule(target, q, memory, unit) {
				continue
			}
		case baseRaw:
			if len(m.Parents) > 0 && !s.holdsItself(target, q, m, unit) {
				continue
			}
		}
		bits |= 1 << t
	}
	return bits
}

// judgedCandidates gathers the judged ids of a query with their grades.
func (s *scorer) judgedCandidates(q int) {
	j := s.bundle.judged
	s.docs = s.docs[:0]
	for t := range s.targets {
		if row := s.rows[t][q]; row >= 0 {
			set := j.sets[s.judgedTarget(s.targets[t])]
			for i, doc := range set.Docs[row] {
				s.docs = append(s.docs, judgedDoc{doc, t, set.Grades[row][i]})
			}
		}
	}
	slices.SortFunc(s.docs, func(a, b judgedDoc) int { return cmp.Compare(a.doc, b.doc) })
	s.memories, s.symbols = s.memories[:0], s.symbols[:0]
	for i, d := range s.docs {
		if i == 0 || d.doc != s.docs[i-1].doc {
			s.memories = append(s.memories, int32(d.doc))
			s.symbols = append(s.symbols, s.in.symbols[d.doc])
		}
	}
	n := len(s.memories)
	s.grades = slices.Grow(s.grades[:0], n*len(s.targets))[:n*len(s.targets)]
	for i := range s.grades {
		s.grades[i] = rank.Unjudged
	}
	c := -1
	for i, d := range s.docs {
		if i == 0 || d.doc != s.docs[i-1].doc {
			c++
		}
		s.grades[d.target*n+c] = d.grade
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

// holdsItself reports whether a memory names a turn of the unit among its own
// sources: what a raw memory only inherits from parents it does not hold.
func (s *scorer) holdsItself(t *Target, q int, m *Memory, unit int32) bool {
	turns := s.units.List(int(s.firstUnit[q] + unit))
	return slices.ContainsFunc(m.Sources, func(l Link) bool {
		return t.routes(l.route()) != 0 && slices.ContainsFunc(turns, func(n int32) bool { return s.turnNames[n] == l.Turn })
	})
}

// ownRule asks a user's target about a memory and a unit.
func (s *scorer) ownRule(t *Target, q int, memory, unit int32) bool {
	turns := s.units.List(int(s.firstUnit[q] + unit))
	s.links = s.links[:0]
	for _, turn := range turns {
		s.links = appendLinks(s.links, s.turnNames[turn], t.routes(s.in.store.routes(memory, turn)))
	}
	named := make([]string, len(turns))
	for i, n := range turns {
		named[i] = s.turnNames[n]
	}
	return t.eligible(s.in.Memories[memory], s.links, Unit{ID: s.unitIDs[s.firstUnit[q]+unit], Turns: named})
}

// appendLinks appends one link for each route to a turn, best first.
func appendLinks(links []Link, turn string, routes lineage.Routes) []Link {
	for _, origin := range []string{"recorded", "inferred"} {
		for _, precision := range []string{"exact", "batch", "container"} {
			if l := (Link{Turn: turn, Precision: precision, Origin: origin}); routes&l.route() != 0 {
				links = append(links, l)
			}
		}
	}
	return links
}
