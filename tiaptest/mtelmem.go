package tiaptest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/trec"
)

// MTELMem names the files of an audit over MTEL-Mem's own formats (the
// artifacts of arXiv 2605.24060). Records give the ids that earn credit for each
// query under each target; they carry no evidence units, so the crediting is
// [ByMemory], as in MTEL-Mem's packaged scorer.
type MTELMem struct {
	// Records is a JSONL file of query records with query_id, raw_ids,
	// source_ids and canonical_ids.
	Records string

	// Traces are JSONL files of ranked hits, one a line (system, query_id,
	// retrieved_id, rank, score), or of rankings as the paper's own traces
	// have them, one query a line (query or query_index, returned_ids_topk).
	// The latter are joined to the records by query_id, by the text of the
	// query or by its position; their system is named by the file.
	Traces []string
}

// Open reads the files. Problems name file and line and are reported together.
func (m MTELMem) Open() (*Bundle, error) {
	b := &Bundle{Scenario: Scenario{Name: "mtel-mem"}}
	if m.Records == "" || len(m.Traces) == 0 {
		return nil, errors.New("MTEL-Mem input needs a file of records and at least one trace")
	}
	var faults problem.List
	records := readRecords(m.Records, b, &faults)
	for _, file := range m.Traces {
		t := trace{file: file, records: records, byName: make(map[string]*traceSystem)}
		r := fileReader(file)
		parseFile(r, filepath.Base(file), t.block, t.merge)
		faults.Append(&r.faults)
		if t.lines == 0 && r.faults.Len() == 0 {
			faults.Add(file, 0, "the file is empty", "a trace needs one hit or one query a line")
		}
		for _, s := range t.systems(&faults) {
			if b.system(s.Name) != nil {
				faults.Add(file, 0, fmt.Sprintf("system %q stands in two traces", s.Name), "give every system one trace")
			}
			b.Systems = append(b.Systems, s)
		}
		b.reported = append(b.reported, t.notes...)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return b, nil
}

// fileReader reads a file outside a bundle.
func fileReader(file string) *reader {
	dir := filepath.Dir(file)
	r := &reader{fsys: os.DirFS(dir), dir: dir, readable: "name a readable file", pipes: true}
	if dir == "." && filepath.Base(file) == file {
		r.dir = ""
	}
	return r
}

// words is a member that is a string in some files and a number in others.
type words string

func (w *words) UnmarshalJSON(text []byte) error {
	var n json.Number
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, (*string)(w))
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return errors.New("neither a string nor a number; make it one of them")
	}
	*w = words(n)
	return nil
}

type recordLine struct {
	ID        string   `json:"query_id"`
	Category  words    `json:"category"`
	Text      string   `json:"query_text"`
	Answer    string   `json:"reference_answer"`
	Raw       []string `json:"raw_ids"`
	Source    []string `json:"source_ids"`
	Canonical []string `json:"canonical_ids"`
}

// recordDecoder decodes lines of a file of records.
type recordDecoder struct{ plainLines }

var recordMembers = []string{"query_id", "query_text", "reference_answer", "category", "raw_ids", "source_ids", "canonical_ids"}

func newRecordDecoder() *recordDecoder { return &recordDecoder{newPlainLines(recordMembers)} }

// Decode stores the record on the line in v, which is zero.
func (d *recordDecoder) Decode(line []byte, v *recordLine) *problem.Problem {
	if d.read(line, &v.ID, &v.Text, &v.Answer) && d.category(&v.Category) &&
		d.strings(4, &v.Raw) && d.strings(5, &v.Source) && d.strings(6, &v.Canonical) {
		return nil
	}
	*v = recordLine{}
	return jsonl.Decode(line, v)
}

// category reads a string or a number.
func (d *recordDecoder) category(into *words) bool {
	v := d.members.Value(3)
	switch v.Kind() {
	case jsonl.Null:
		return true
	case jsonl.Number:
		*into = words(d.texts.Add(v.Raw()))
		return true
	}
	s, ok := v.Bytes()
	*into = words(d.texts.Add(s))
	return ok
}

// mtelRecords finds records by text and position.
type mtelRecords struct {
	queries []Query               // in the order of the file
	byText  func() map[string]int // position; -1 when several have the text
}

// readRecords fills the scenario and the judgements of b.
func readRecords(file string, b *Bundle, faults *problem.List) *mtelRecords {
	type entry struct {
		id   string
		sets [3][]string
	}
	var entries []entry
	var first firsts
	names := [3]string{"raw_ids", "source_ids", "canonical_ids"}
	missing := []bool{true, true, true}
	r := fileReader(file)
	records(r, filepath.Base(file), newRecordDecoder, func(n int) {
		entries = make([]entry, 0, n)
		first.expect(n)
		b.Scenario.Queries = make([]Query, 0, n)
	}, func(line int, v *recordLine) {
		if v.ID == "" {
			r.fault(filepath.Base(file), line, "the record has no query_id", `add "query_id"`)
			return
		}
		if before, again := first.add(v.ID, line); again {
			r.fault(filepath.Base(file), line, fmt.Sprintf("query %q has two records (first in line %d)", v.ID, before), "keep one of them")
			return
		}
		e := entry{v.ID, [3][]string{v.Raw, v.Source, v.Canonical}}
		for t, ids := range e.sets {
			missing[t] = missing[t] && ids == nil
			if slices.Contains(ids, "") {
				r.fault(filepath.Base(file), line, fmt.Sprintf("an id in %s is empty", names[t]), "name the memory")
			}
		}
		entries = append(entries, e)
		b.Scenario.Queries = append(b.Scenario.Queries, Query{ID: v.ID, Text: v.Text, Category: string(v.Category), Answer: v.Answer})
	})
	faults.Append(&r.faults)
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	j := &judgements{format: "MTEL-Mem records", targets: []Target{Raw, Source, Canonical}, level: 1, missing: missing}
	for t := range j.targets {
		total, most := 0, 0
		for _, e := range entries {
			total += len(e.sets[t])
			most = max(most, len(e.sets[t]))
		}
		all, ones := make([]uint32, 0, total), slices.Repeat([]int32{1}, most)
		set := &trec.Qrels{
			Queries: make([]string, 0, len(entries)),
			Docs:    make([][]uint32, 0, len(entries)),
			Grades:  make([][]int32, 0, len(entries)),
		}
		for _, e := range entries {
			slices.Sort(e.sets[t])
			start := len(all)
			for _, id := range slices.Compact(e.sets[t]) {
				all = append(all, j.ids.AddString(id))
			}
			docs := all[start:len(all):len(all)]
			set.Queries = append(set.Queries, e.id)
			set.Docs = append(set.Docs, docs)
			set.Grades = append(set.Grades, ones[:len(docs):len(docs)])
		}
		j.sets = append(j.sets, set)
	}
	b.judged = j
	return &mtelRecords{b.Scenario.Queries, sync.OnceValue(b.Scenario.positions)}
}

// positions finds queries by their text; -1 stands for several that have it.
func (s *Scenario) positions() map[string]int {
	byText := make(map[string]int, len(s.Queries))
	for i := range s.Queries {
		text := s.Queries[i].Text
		if _, again := byText[text]; again {
			byText[text] = -1
		} else {
			byText[text] = i
		}
	}
	return byText
}

// find returns the query id of a line of a paper trace.
func (m *mtelRecords) find(id, text string, index int) string {
	if id != "" {
		return id
	}
	if at, ok := m.byText()[text]; text != "" && ok && at >= 0 {
		return m.queries[at].ID
	}
	if index >= 1 && index <= len(m.queries) && (text == "" || m.queries[index-1].Text == text) {
		return m.queries[index-1].ID
	}
	return fmt.Sprintf("query_index %d", index)
}

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

// hitMembers are the members of a line, as quick numbers them.
var hitMembers = []string{"system", "query_id", "retrieved_id", "rank", "score",
	"query", "query_index", "returned_ids_topk", "returned_ids_full"}

// quick reads a plain hit.
func (p *traceBlock) quick(line int, text []byte) bool {
	if !p.members.Read(text) {
		return false
	}
	var system []byte
	if v := p.members.Value(0); v.Kind() != jsonl.Null {
		var ok bool
		if system, ok = v.Bytes(); !ok {
			return false
		}
	}
	query, ok1 := p.members.Value(1).Bytes()
	id, ok2 := p.members.Value(2).Bytes()
	rank, ok3 := p.members.Value(3).Int()
	if !ok1 || !ok2 || !ok3 || len(query) == 0 || len(id) == 0 || rank < 1 || rank > maxDepth {
		return false
	}
	score := noScore
	if v := p.members.Value(4); v.Kind() != jsonl.Null {
		var ok bool
		if score, ok = v.Float(); !ok {
			return false
		}
	}
	for i := 5; i < len(hitMembers); i++ {
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
	workers(n, func(left iter.Seq2[int, int]) {
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
