package tiaptest

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
)

// trace collects the hits of a file.
type trace struct {
	file    string
	records *mtelRecords
	found   []*traceSystem // in order of appearance
	byName  map[string]*traceSystem
	spare   sync.Pool // of blocks whose tables are used again
	lines   int
	faults  problem.List
	notes   []diagnostic
}

// traceSystem holds the hits of one system.
type traceSystem struct {
	name     string
	ids      *intern.Table
	queries  *intern.Table
	segments []segment
}

// segment is a stretch of hits of one query on lines, and at ranks, that follow
// one another.
type segment struct {
	stretch
	hits   []uint32  // symbols of ids
	scores []float64 // NaN where there is none
}

type stretch struct {
	query      uint32
	rank, line int32 // of the first hit
	oneLine    bool  // all hits stand on one line
	n          int   // hits
}

func (s *stretch) lineOf(i int) int {
	if s.oneLine {
		i = 0
	}
	return int(s.line) + i
}

// traceBlock is a block of a trace.
type traceBlock struct {
	systems []*blockSystem
	last    *blockSystem // of the hit before
	faults  problem.List
	lines   int
	members *jsonl.Reader
}

// blockSystem holds the hits of one system in a block, with symbols of its own.
type blockSystem struct {
	name         string
	ids, queries intern.Table
	stretches    []stretch
	hits         []uint32 // of the stretches, one after the other
	scores       []float64

	idIn, queryIn []uint32 // symbols of the file
}

type hitLine struct {
	System string   `json:"system"`
	Query  string   `json:"query_id"`
	ID     *string  `json:"retrieved_id"`
	Rank   *int32   `json:"rank"`
	Score  *float64 `json:"score"`

	// The paper's own traces.
	Text  string   `json:"query"`
	Index int      `json:"query_index"`
	TopK  []string `json:"returned_ids_topk"`
	Full  []string `json:"returned_ids_full"`
}

func (t *trace) block(b lines.Block) *traceBlock {
	p, ok := t.spare.Get().(*traceBlock)
	if !ok {
		p = &traceBlock{members: jsonl.NewReader(hitMembers...)}
	}
	for line, text := range b.All() {
		if p.lines++; p.lines == 2 && len(p.systems) == 1 && p.last != nil { // one system is the rule
			p.last.hits = slices.Grow(p.last.hits, b.Lines)
			p.last.scores = slices.Grow(p.last.scores, b.Lines)
		}
		if p.quick(line, text) {
			continue
		}
		var v hitLine
		if wrong := jsonl.Decode(text, &v); wrong != nil {
			p.faults.Add(t.file, line, wrong.What, wrong.Mend)
			continue
		}
		t.general(p, line, &v)
	}
	p.members.Forget()
	return p
}

// hitMembers are the members of a line: those of a plain hit, then those of rankings.
var hitMembers = []string{"system", "query_id", "retrieved_id", "rank", "score",
	"query", "query_index", "returned_ids_topk", "returned_ids_full"}

const (
	hitSystem = iota
	hitQuery
	hitID
	hitRank
	hitScore
	plainHit // so many members a plain hit has
)

// quick reads a plain hit.
func (p *traceBlock) quick(line int, text []byte) bool {
	if !p.members.Read(text) {
		return false
	}
	var system []byte
	if v := p.members.Value(hitSystem); v.Kind() != jsonl.Null {
		var ok bool
		if system, ok = v.Bytes(); !ok {
			return false
		}
	}
	query, ok1 := p.members.Value(hitQuery).Bytes()
	id, ok2 := p.members.Value(hitID).Bytes()
	rank, ok3 := p.members.Value(hitRank).Int()
	if !ok1 || !ok2 || !ok3 || len(query) == 0 || len(id) == 0 || rank < 1 || rank > maxDepth {
		return false
	}
	score := noScore
	if v := p.members.Value(hitScore); v.Kind() != jsonl.Null {
		var ok bool
		if score, ok = v.Float(); !ok {
			return false
		}
	}
	for i := plainHit; i < len(hitMembers); i++ {
		if p.members.Value(i).Kind() != jsonl.Null {
			return false
		}
	}
	p.system(system).add(query, id, line, int32(rank), score)
	return true
}

// system returns the hits of a system.
func (p *traceBlock) system(name []byte) *blockSystem {
	if p.last != nil && p.last.name == string(name) {
		return p.last
	}
	i := slices.IndexFunc(p.systems, func(s *blockSystem) bool { return s.name == string(name) })
	if i < 0 {
		i = len(p.systems)
		p.systems = append(p.systems, &blockSystem{name: string(name)})
	}
	p.last = p.systems[i]
	return p.last
}

// noScore stands for the score of a hit that has none; no input holds NaN.
var noScore = math.NaN()

// add appends a hit that has a line of its own.
func (s *blockSystem) add(query, id []byte, line int, rank int32, score float64) {
	if n := len(s.stretches); n > 0 {
		last := &s.stretches[n-1]
		if string(s.queries.Bytes(last.query)) == string(query) &&
			!last.oneLine && last.lineOf(last.n) == line && int(last.rank)+last.n == int(rank) {
			last.n++
			s.append(id, score)
			return
		}
	}
	s.stretches = append(s.stretches, stretch{query: s.queries.Add(query), rank: rank, line: int32(line), n: 1})
	s.append(id, score)
}

func (s *blockSystem) append(id []byte, score float64) {
	s.hits = append(s.hits, s.ids.Add(id))
	s.scores = append(s.scores, score)
}

func (t *trace) general(p *traceBlock, line int, v *hitLine) {
	fault := func(what, mend string) { p.faults.Add(t.file, line, what, mend) }
	if ids := v.Full; ids != nil || v.TopK != nil {
		if ids == nil {
			ids = v.TopK
		}
		if i := slices.Index(ids, ""); i >= 0 {
			fault(fmt.Sprintf("the id of rank %d is empty", i+1), "name the memory")
			return
		}
		s := p.system([]byte(v.System))
		query := s.queries.AddString(t.records.find(v.Query, v.Text, v.Index))
		s.stretches = append(s.stretches, stretch{query: query, rank: 1, line: int32(line), oneLine: true, n: len(ids)})
		for _, id := range ids {
			s.append([]byte(id), noScore)
		}
		return
	}
	switch {
	case v.Query == "":
		fault("the hit has no query_id", `add "query_id"`)
	case v.ID == nil || *v.ID == "":
		fault("the hit has no retrieved_id", `add "retrieved_id"; a query that returned nothing has no line`)
	case v.Rank == nil:
		fault("the hit has no rank", `add "rank", from 1`)
	case *v.Rank < 1:
		fault(fmt.Sprintf("the rank is %d", *v.Rank), "ranks count from 1")
	default:
		score := noScore
		if v.Score != nil {
			score = *v.Score
		}
		p.system([]byte(v.System)).add([]byte(v.Query), []byte(*v.ID), line, *v.Rank, score)
	}
}

func (t *trace) merge(p *traceBlock) error {
	t.lines += p.lines
	t.faults.Append(&p.faults)
	for _, b := range p.systems {
		if len(b.stretches) == 0 {
			continue
		}
		s := t.byName[b.name]
		if s == nil {
			if len(t.found) == limit.Systems {
				return &limit.Error{What: fmt.Sprintf("the trace has more than %d systems", limit.Systems), Mend: `"system" names what is compared; give fewer at once`}
			}
			s = &traceSystem{name: b.name, ids: new(intern.Table), queries: new(intern.Table)}
			t.found = append(t.found, s)
			t.byName[b.name] = s
		}
		b.idIn, b.queryIn = s.ids.AddTable(&b.ids, b.idIn[:0]), s.queries.AddTable(&b.queries, b.queryIn[:0])
		for i, h := range b.hits {
			b.hits[i] = b.idIn[h]
		}
		start := 0
		for _, x := range b.stretches {
			end := start + x.n
			x.query = b.queryIn[x.query]
			s.segments = append(s.segments, segment{x, b.hits[start:end:end], b.scores[start:end:end]})
			start = end
		}
		b.hits, b.scores, b.stretches = nil, nil, b.stretches[:0]
		b.queries.Reset()
		b.ids.Reset()
	}
	p.last, p.faults, p.lines = nil, problem.List{}, 0
	t.spare.Put(p)
	return nil
}
