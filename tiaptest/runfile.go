package tiaptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
)

// runLine is a line of run.jsonl.
type runLine struct {
	Query   string      `json:"query"`
	QueryID string      `json:"query_id"`
	System  string      `json:"system"`
	Ranking []string    `json:"ranking"`
	Scores  []*float64  `json:"scores"`
	Lists   listsByName `json:"lists"`
	K       int         `json:"k"`
	Error   string      `json:"error"`
}

// listsByName are the lists of a ranking, each named once.
type listsByName map[string][]string

func (l *listsByName) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return errors.New("not an object; name each list as a member of it")
	}
	*l = make(listsByName)
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if _, twice := (*l)[name.(string)]; twice {
			return fmt.Errorf("the list %q occurs twice; keep one of them", name)
		}
		var ids []*string
		if err := d.Decode(&ids); err != nil || slices.Contains(ids, nil) {
			return fmt.Errorf("the list %q is not an array of strings; make it one", name)
		}
		list := make([]string, len(ids))
		for i, id := range ids {
			list[i] = *id
		}
		(*l)[name.(string)] = list
	}
	return nil
}

// runBlock is a block of a run file.
type runBlock struct {
	file   string
	ids    blockIDs
	rows   []blockRow
	hits   []uint32  // of the rows, one after the other
	scores []float64 // likewise
	faults problem.List
	lines  int
	bytes  int

	members *jsonl.Reader
	texts   jsonl.Texts
	ranked  [][]byte // ids of the ranking at hand
}

// blockRow is a row that has its hits and scores in those of the block.
type blockRow struct {
	row
	id, alias, system      string
	ranked                 bool // has a member ranking
	start, end             int  // of its hits
	firstScore, afterScore int
}

// run reads a run file into run, after its store. The folder names the system.
func (r *reader) run(system, name string, run *Run) {
	said := make(map[string]int)
	n, before := 0, r.faults.Len()
	run.init()
	var others intern.Table // ids that the store does not have
	var spare sync.Pool     // of blocks whose tables are used again
	parseFile(r, name, func(b lines.Block) *runBlock {
		p, ok := spare.Get().(*runBlock)
		if !ok {
			p = &runBlock{file: r.at(name), ids: blockIDs{stored: run.ids}, members: jsonl.NewReader(runMembers...)}
		}
		p.rows, p.bytes = slices.Grow(p.rows, b.Lines), len(b.Data)
		for line, text := range b.All() {
			p.lines++
			p.line(line, text)
			if p.lines == 1 { // rankings tend to be of one length, and an id takes some bytes
				p.hits = slices.Grow(p.hits, min(len(p.hits)*b.Lines, len(b.Data)/4))
				p.scores = slices.Grow(p.scores, min(len(p.scores)*b.Lines, len(b.Data)/2))
			}
		}
		p.members.Forget()
		return p
	}, func(p *runBlock) error {
		if n == 0 {
			about := r.estimate(name, p.lines, p.bytes)
			run.rows = make([]row, 0, about)
			run.queries.Expect(about)
		}
		n += p.lines
		r.faults.Append(&p.faults)
		p.ids.settle(p.hits, &others)
		for i := range p.rows {
			w := &p.rows[i]
			query, ok := r.id(name, int(w.line), "ranking", "query", w.id, w.alias)
			if !ok {
				continue
			}
			if before, dup := run.row(query); dup {
				r.fault(name, int(w.line), fmt.Sprintf("query %q has a second ranking (first in line %d)", query, run.rows[before].line), "keep one ranking of each query in a run; further ingests belong under repeats")
				continue
			}
			if w.system != "" && w.system != system && (len(said) < limit.Problems || said[w.system] > 0) {
				said[w.system]++
			}
			w.query = query
			w.hits = p.hits[w.start:w.end:w.end]
			if w.afterScore > w.firstScore {
				w.scores = p.scores[w.firstScore:w.afterScore:w.afterScore]
			}
			run.add(w.row)
		}
		p.rows, p.hits, p.scores, p.faults, p.lines = p.rows[:0], nil, nil, problem.List{}, 0
		spare.Put(p)
		return nil
	})
	run.ids.AddTable(&others, nil)
	if n == 0 && r.faults.Len() == before {
		r.fault(name, 0, "the file is empty", "a run needs one ranking a line")
	}
	r.differing(system, said)
}

// line reads one line: quickly when it is plain, else by the general decoder,
// which knows what is wrong with it.
func (p *runBlock) line(line int, text []byte) {
	hits, scores := len(p.hits), len(p.scores)
	forget := func() { p.hits, p.scores = p.hits[:hits], p.scores[:scores] }
	w := blockRow{row: row{line: int32(line)}}
	if !p.quick(&w, text) {
		forget()
		w = blockRow{row: row{line: int32(line)}}
		if !p.general(&w, text) {
			forget()
			return
		}
	}
	w.start, w.end = hits, len(p.hits)
	w.firstScore, w.afterScore = scores, len(p.scores)
	if p.sound(&w) {
		p.rows = append(p.rows, w)
	} else {
		forget()
	}
}

// runMembers are the members of a line, texts first.
var runMembers = []string{"query", "query_id", "system", "error", "ranking", "scores", "k", "lists"}

const (
	runRanking = iota + 4 // behind the texts
	runScores
	runK
	runLists
)

// quick reads a line that has no lists and nothing unusual.
func (p *runBlock) quick(w *blockRow, text []byte) bool {
	if !p.members.Read(text) {
		return false
	}
	for i, into := range []*string{&w.id, &w.alias, &w.system, &w.failure} {
		if v := p.members.Value(i); v.Kind() != jsonl.Null {
			s, ok := v.Bytes()
			if !ok {
				return false
			}
			*into = p.texts.Add(s)
		}
	}
	if p.members.Value(runRanking).Kind() != jsonl.Null {
		p.ranked = p.ranked[:0]
		w.ranked = p.members.Strings(runRanking, func(id []byte) bool {
			p.ranked = append(p.ranked, id)
			return true
		})
		if !w.ranked {
			return false
		}
		p.hits = p.ids.append(p.hits, p.ranked)
	}
	if p.members.Value(runScores).Kind() != jsonl.Null && !p.members.Floats(runScores, func(x float64) bool {
		p.scores = append(p.scores, x)
		return true
	}) {
		return false
	}
	if v := p.members.Value(runK); v.Kind() != jsonl.Null {
		k, ok := v.Int()
		if !ok {
			return false
		}
		w.k = int(k)
	}
	return p.members.Value(runLists).Kind() == jsonl.Null
}

func (p *runBlock) general(w *blockRow, text []byte) bool {
	var v runLine
	if wrong := jsonl.Decode(text, &v); wrong != nil {
		p.fault(w, wrong.What, wrong.Mend)
		return false
	}
	w.id, w.alias, w.system, w.failure, w.k = v.Query, v.QueryID, v.System, v.Error, v.K
	w.ranked = v.Ranking != nil
	rank := func(ids []string) {
		p.ranked = p.ranked[:0]
		for _, id := range ids {
			p.ranked = append(p.ranked, []byte(id))
		}
		p.hits = p.ids.append(p.hits, p.ranked)
	}
	rank(v.Ranking)
	for i, s := range v.Scores {
		if s == nil {
			p.fault(w, fmt.Sprintf("the score of rank %d is null", i+1), "give a number for every id, or leave scores out")
			return false
		}
		p.scores = append(p.scores, *s)
	}
	if v.Lists == nil {
		return true
	}
	if w.ranked {
		p.fault(w, "the line has both a ranking and lists", "keep one of them")
		return false
	}
	w.ranked = true
	first := len(p.hits)
	for _, name := range slices.Sorted(maps.Keys(v.Lists)) {
		rank(v.Lists[name])
		w.lists = append(w.lists, list{name, len(p.hits) - first})
	}
	return true
}

// sound checks what JSON cannot: ids, scores and k.
func (p *runBlock) sound(w *blockRow) bool {
	before := p.faults.Len()
	hits, scores := p.hits[w.start:w.end], p.scores[w.firstScore:w.afterScore]
	switch {
	case !w.ranked && w.failure == "":
		p.fault(w, "the line has no ranking", `add "ranking": [...], or "error" when the query failed`)
	case len(scores) > 0 && len(scores) != len(hits):
		p.fault(w, fmt.Sprintf("%d ids and %d scores", len(hits), len(scores)), "give one score for every id, or leave scores out")
	case w.k < 0:
		p.fault(w, fmt.Sprintf("k is %d", w.k), "k is how many ids were asked for")
	}
	for _, s := range scores {
		if math.IsNaN(s) {
			p.fault(w, "a score is NaN", "give numbers, or leave scores out")
		}
	}
	start := 0
	ends := w.lists
	if len(ends) == 0 {
		ends = []list{{end: len(hits)}}
	}
	for _, l := range ends {
		p.checkList(w, hits[start:l.end])
		start = l.end
	}
	return p.faults.Len() == before
}

// checkList looks for ids that are empty or stand twice in a list.
func (p *runBlock) checkList(w *blockRow, list []uint32) {
	empty, isEmpty := p.ids.hit("")
	if p.ids.distinct(list) && !(isEmpty && slices.Contains(list, empty)) {
		return
	}
	place := make(map[uint32]int, len(list))
	for i, h := range list {
		switch first, twice := place[h]; {
		case isEmpty && h == empty:
			p.fault(w, fmt.Sprintf("the id of rank %d is empty", i+1), "give every ranked item the id that it has in the store")
		case twice:
			p.fault(w, fmt.Sprintf("id %q stands at ranks %d and %d", p.ids.id(h), first, i+1), "rank every id once")
		default:
			place[h] = i + 1
		}
	}
}

func (p *runBlock) fault(w *blockRow, what, mend string) {
	p.faults.Add(p.file, int(w.line), what, mend)
}

// differing notes the names that lines give a system other than its folder's.
func (r *reader) differing(system string, said map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(said)) {
		r.notes = append(r.notes, diagnostic{
			Kind: "system-field", System: system,
			Text: fmt.Sprintf("%s system %q; the folder names the system", english.Count(said[name], "ranking says", "rankings say"), name),
		})
	}
}
