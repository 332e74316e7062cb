package tiaptest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/jsonl"
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
		t := trace{file: file, records: records}
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
	r := &reader{fsys: os.DirFS(dir), dir: dir, readable: "name a readable file"}
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

// mtelRecords finds records by id, text and position.
type mtelRecords struct {
	ids    []string       // in the order of the file
	byID   map[string]int // position
	byText map[string]int // position; -1 when several have the text
	texts  []string
}

// readRecords fills the scenario and the judgements of b.
func readRecords(file string, b *Bundle, faults *problem.List) *mtelRecords {
	out := &mtelRecords{byID: make(map[string]int), byText: make(map[string]int)}
	type entry struct {
		id   string
		sets [3][]string
	}
	var entries []entry
	names := [3]string{"raw_ids", "source_ids", "canonical_ids"}
	missing := []bool{true, true, true}
	r := fileReader(file)
	records(r, filepath.Base(file), func(line int, v *recordLine) {
		if v.ID == "" {
			r.fault(filepath.Base(file), line, "the record has no query_id", `add "query_id"`)
			return
		}
		if _, dup := out.byID[v.ID]; dup {
			r.fault(filepath.Base(file), line, fmt.Sprintf("query %q has two records", v.ID), "keep one of them")
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
		out.byID[v.ID] = len(out.ids)
		if _, again := out.byText[v.Text]; again {
			out.byText[v.Text] = -1
		} else {
			out.byText[v.Text] = len(out.ids)
		}
		out.ids = append(out.ids, v.ID)
		out.texts = append(out.texts, v.Text)
		b.Scenario.Queries = append(b.Scenario.Queries, Query{ID: v.ID, Text: v.Text, Category: string(v.Category), Answer: v.Answer})
	})
	faults.Append(&r.faults)
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	j := &judgements{format: "MTEL-Mem records", targets: []Target{Raw, Source, Canonical}, level: 1, missing: missing}
	for t := range j.targets {
		set := &trec.Qrels{Start: []int{0}}
		for _, e := range entries {
			docs := slices.Clone(e.sets[t])
			slices.Sort(docs)
			docs = slices.Compact(docs)
			set.Queries = append(set.Queries, e.id)
			set.Docs = append(set.Docs, docs...)
			for range docs {
				set.Grades = append(set.Grades, 1)
			}
			set.Start = append(set.Start, len(set.Docs))
		}
		j.sets = append(j.sets, set)
	}
	b.judged = j
	return out
}

// find returns the query id of a line of a paper trace.
func (m *mtelRecords) find(id, text string, index int) string {
	if id != "" {
		return id
	}
	at, ok := m.byText[text]
	if text != "" && ok && at >= 0 {
		return m.ids[at]
	}
	if index >= 1 && index <= len(m.ids) && (text == "" || m.texts[index-1] == text) {
		return m.ids[index-1]
	}
	return fmt.Sprintf("query_index %d", index)
}

// traceHit is a ranked hit; its strings are symbols.
type traceHit struct {
	system, query, id uint32
	rank, line        int32
	score             float64 // NaN when absent
}

// traceBlock is a block of a trace with symbols of its own.
type traceBlock struct {
	systems, queries, ids intern.Table
	hits                  []traceHit
	empty                 []traceHit // queries that returned nothing
	faults                problem.List
	lines                 int
}

// trace collects the hits of a file.
type trace struct {
	file                string
	records             *mtelRecords
	systemIDs, queryIDs intern.Table
	ids                 intern.Table
	hits                []traceHit
	segments            []segment
	lines               int
	faults              problem.List
	notes               []diagnostic
}

// segment is a stretch of hits of one system and query.
type segment struct {
	system, query uint32
	start, end    int
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
	p := &traceBlock{}
	for line, text := range b.All() {
		p.lines++
		if h, ok := p.quick(text); ok {
			h.line = int32(line)
			p.hits = append(p.hits, h)
			continue
		}
		var v hitLine
		if wrong := jsonl.Decode(text, &v); wrong != nil {
			p.faults.Add(t.file, line, wrong.What, wrong.Mend)
			continue
		}
		t.general(p, line, &v)
	}
	return p
}

// quick reads a plain hit.
func (p *traceBlock) quick(text []byte) (h traceHit, ok bool) {
	var system, query, id []byte
	h.score = noScore
	ok = jsonl.Scan(text, func(name []byte, v jsonl.Value) (ok bool) {
		switch string(name) {
		case "system":
			system, ok = v.Bytes()
		case "query_id":
			query, ok = v.Bytes()
		case "retrieved_id":
			id, ok = v.Bytes()
		case "rank":
			var n int64
			n, ok = v.Int()
			ok = ok && n >= 1 && n <= maxDepth
			h.rank = int32(n)
		case "score":
			h.score, ok = v.Float()
		case "query", "query_index", "returned_ids_topk", "returned_ids_full":
			return false
		default:
			return true
		}
		return ok
	})
	if !ok || len(query) == 0 || len(id) == 0 || h.rank == 0 {
		return h, false
	}
	h.system, h.query, h.id = p.systems.Add(system), p.queries.Add(query), p.ids.Add(id)
	return h, true
}

func (t *trace) general(p *traceBlock, line int, v *hitLine) {
	fault := func(what, mend string) { p.faults.Add(t.file, line, what, mend) }
	if ids := v.Full; ids != nil || v.TopK != nil {
		if ids == nil {
			ids = v.TopK
		}
		query := t.records.find(v.Query, v.Text, v.Index)
		h := traceHit{system: p.systems.AddString(v.System), query: p.queries.AddString(query), line: int32(line), score: noScore}
		if len(ids) == 0 {
			p.empty = append(p.empty, h)
		}
		for i, id := range ids {
			if id == "" {
				fault(fmt.Sprintf("the id of rank %d is empty", i+1), "name the memory")
				return
			}
			h.id, h.rank = p.ids.AddString(id), int32(i+1)
			p.hits = append(p.hits, h)
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
		h := traceHit{
			system: p.systems.AddString(v.System), query: p.queries.AddString(v.Query), id: p.ids.AddString(*v.ID),
			rank: *v.Rank, line: int32(line), score: noScore,
		}
		if v.Score != nil {
			h.score = *v.Score
		}
		p.hits = append(p.hits, h)
	}
}

func (t *trace) merge(p *traceBlock) error {
	t.lines += p.lines
	t.faults.Append(&p.faults)
	systems, queries, ids := translate(&t.systemIDs, &p.systems), translate(&t.queryIDs, &p.queries), translate(&t.ids, &p.ids)
	for _, h := range p.hits {
		h.system, h.query, h.id = systems[h.system], queries[h.query], ids[h.id]
		if n := len(t.segments); n == 0 || t.segments[n-1].system != h.system || t.segments[n-1].query != h.query {
			t.segments = append(t.segments, segment{h.system, h.query, len(t.hits), len(t.hits)})
		}
		t.hits = append(t.hits, h)
		t.segments[len(t.segments)-1].end++
	}
	for _, h := range p.empty {
		t.segments = append(t.segments, segment{systems[h.system], queries[h.query], len(t.hits), len(t.hits)})
	}
	return nil
}

// translate maps the symbols of one table to those of another.
func translate(to, from *intern.Table) []uint32 {
	out := make([]uint32, from.Len())
	for i := range out {
		out[i] = to.Add(from.Bytes(uint32(i)))
	}
	return out
}

// systems makes a run of the hits of each system.
func (t *trace) systems(faults *problem.List) []*System {
	faults.Append(&t.faults)
	slices.SortStableFunc(t.segments, func(a, b segment) int {
		return cmp.Or(cmp.Compare(a.system, b.system), cmp.Compare(a.query, b.query), cmp.Compare(a.start, b.start))
	})
	var out []*System
	gaps := 0
	var hits []traceHit
	var symbols []uint32 // id -> symbol+1 in the run at hand
	var place []int32    // symbol -> rank in the ranking at hand
	for i := 0; i < len(t.segments); {
		system, query := t.segments[i].system, t.segments[i].query
		if i == 0 || t.segments[i-1].system != system {
			name := t.systemIDs.String(system)
			if name == "" {
				name = lines.Stem(t.file)
			}
			out = append(out, &System{Name: name, Ingests: []*Ingest{{origin: origin{run: t.file}}}})
			symbols = make([]uint32, t.ids.Len())
			place = place[:0]
		}
		run := &out[len(out)-1].Ingests[0].Run
		hits = hits[:0]
		for ; i < len(t.segments) && t.segments[i].system == system && t.segments[i].query == query; i++ {
			hits = append(hits, t.hits[t.segments[i].start:t.segments[i].end]...)
		}
		if !slices.IsSortedFunc(hits, byRank) {
			slices.SortStableFunc(hits, byRank)
		}
		w := run.open(t.queryIDs.String(query), 0)
		first := len(run.hits)
		for n, h := range hits {
			if n > 0 && hits[n-1].rank == h.rank {
				faults.Add(t.file, int(h.line), fmt.Sprintf("query %q has rank %d twice (first in line %d)", w.query, h.rank, hits[n-1].line), "give every hit of a query a rank of its own")
			}
			if symbols[h.id] == 0 {
				symbols[h.id] = run.ids.Add(t.ids.Bytes(h.id)) + 1
				place = append(place, 0)
			}
			sym := symbols[h.id] - 1
			if place[sym] != 0 {
				faults.Add(t.file, int(h.line), fmt.Sprintf("query %q has id %q at ranks %d and %d", w.query, t.ids.String(h.id), place[sym], h.rank), "rank every id once")
			}
			place[sym] = h.rank
			run.hits = append(run.hits, sym)
			run.scores = append(run.scores, h.score)
		}
		for _, sym := range run.hits[first:] {
			place[sym] = 0
		}
		if len(hits) > 0 && int(hits[len(hits)-1].rank) != len(hits) {
			gaps++
		}
		w.end = len(run.hits)
	}
	if gaps > 0 {
		t.notes = append(t.notes, diagnostic{Kind: "rank-gaps", Text: fmt.Sprintf("%s of the trace skip ranks; the order counts", plural(gaps, "ranking", "rankings"))})
	}
	return out
}

func byRank(a, b traceHit) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.line, b.line))
}
