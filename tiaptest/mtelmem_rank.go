package tiaptest

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/parallel"
	"github.com/tiaptest/tiap/internal/problem"
)

// systems makes a run of the hits of each system.
func (t *trace) systems(faults *problem.List) []*System {
	faults.Append(&t.faults)
	var out []*System
	gaps := 0
	for _, s := range t.found {
		in := &Ingest{origin: origin{run: t.file}}
		gaps += s.rank(&in.Run, t.file, faults)
		out = append(out, &System{Name: cmp.Or(s.name, lines.Stem(t.file)), Ingests: []*Ingest{in}})
	}
	if gaps > 0 {
		t.notes = append(t.notes, diagnostic{Kind: "rank-gaps", Text: fmt.Sprintf("%s of the trace skip ranks; the order counts", english.Count(gaps, "ranking", "rankings"))})
	}
	return out
}

// rank makes a ranking of the hits of each query and returns how many rankings
// skip ranks.
func (s *traceSystem) rank(run *Run, file string, faults *problem.List) (gaps int) {
	byQuery := func(a, b segment) int { return cmp.Compare(a.query, b.query) }
	if !slices.IsSortedFunc(s.segments, byQuery) {
		slices.SortStableFunc(s.segments, byQuery)
	}
	n := s.queries.Len()
	segments := make([][]segment, n) // of each query
	for rest := s.segments; len(rest) > 0; {
		end := 1
		for end < len(rest) && rest[end].query == rest[0].query {
			end++
		}
		segments[rest[0].query], rest = rest[:end], rest[end:]
	}
	*run = Run{ids: s.ids, queries: s.queries, rows: make([]row, n)}
	var mu sync.Mutex
	found := make(map[int]problem.List) // by the first query of a stripe
	parallel.Workers(n, func(left iter.Seq2[int, int]) {
		r := &ranker{traceSystem: s, file: file, place: make([]int32, s.ids.Len())}
		for from, end := range left {
			for i, g := range segments[from:end] {
				run.rows[from+i] = r.row(g)
			}
			mu.Lock()
			found[from] = r.faults
			mu.Unlock()
			r.faults = problem.List{}
		}
		mu.Lock()
		defer mu.Unlock()
		gaps += r.gaps
	})
	for _, from := range slices.Sorted(maps.Keys(found)) {
		list := found[from]
		faults.Append(&list)
	}
	return gaps
}

// ranker makes rankings one after the other.
type ranker struct {
	*traceSystem
	file   string
	place  []int32 // id -> rank in the ranking at hand
	gaps   int
	faults problem.List
}

// row makes a ranking of the hits of a query.
func (r *ranker) row(segments []segment) row {
	first := &segments[0]
	w := row{query: r.queries.String(first.query), hits: first.hits, scores: first.scores}
	fault := func(line int, what, mend string) {
		r.faults.Add(r.file, line, fmt.Sprintf("query %q has ", w.query)+what, mend)
	}
	at := func(i int) (line int, rank int32) { return first.lineOf(i), first.rank + int32(i) }
	if len(segments) > 1 {
		hits := inOrder(segments)
		w.hits, w.scores = make([]uint32, len(hits)), make([]float64, len(hits))
		for i, h := range hits {
			w.hits[i], w.scores[i] = h.id, h.score
			if i > 0 && h.rank == hits[i-1].rank {
				fault(h.line, fmt.Sprintf("rank %d twice (first in line %d)", h.rank, hits[i-1].line), "give every hit of a query a rank of its own")
			}
		}
		at = func(i int) (line int, rank int32) { return hits[i].line, hits[i].rank }
	}
	for i, h := range w.hits {
		line, rank := at(i)
		if r.place[h] != 0 {
			fault(line, fmt.Sprintf("id %q at ranks %d and %d", r.ids.String(h), r.place[h], rank), "rank every id once")
		}
		r.place[h] = rank
	}
	for _, h := range w.hits {
		r.place[h] = 0
	}
	if last := len(w.hits) - 1; last >= 0 {
		if _, rank := at(last); int(rank) != last+1 {
			r.gaps++
		}
	}
	return w
}

// traceHit is a hit by itself.
type traceHit struct {
	id    uint32
	rank  int32
	line  int
	score float64
}

// inOrder returns the hits of segments by rank, those of one rank by line.
func inOrder(segments []segment) (hits []traceHit) {
	for _, g := range segments {
		for i, id := range g.hits {
			hits = append(hits, traceHit{id, g.rank + int32(i), g.lineOf(i), g.scores[i]})
		}
	}
	slices.SortStableFunc(hits, func(a, b traceHit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.line, b.line))
	})
	return hits
}
