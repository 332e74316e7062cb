package memsys

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/tiaptest"
)

// Kinds of notes of [PREMem].
const (
	noteClusterRerun = "reasoning row linked by clusters that were made again"
	noteClusterEmpty = "cluster without rows"
)

// PREMem reads the pools and the results of PREMem.
//
// Store takes the rows of the pools as JSON: an array, or one a line in a .jsonl
// file. PREMem saves them as pickles, which run code when they are read and are
// refused. A raw row is {id, question_id, session_id, message_id, text, cluster}, a
// reasoning row {id, question_id, idx_key, remain_key, text}; question_id names the
// pool and may be left out when there is one pool for all. Search, optional, takes the
// results, {question_id, question, retrieved_results: [{id, score}]}, one a line.
//
// A memory has the id that results have, raw_<id> or reason_<id>, with its pool
// before it, as in q1/raw_12. A raw row holds the turn of its message_id: it is form
// raw. A reasoning row descends, as a batch, from the rows of two clusters, each
// [session_id, cluster]: that of idx_key and that of remain_key.
//
// PREMem does not save which row is in which cluster. Where cluster was saved as the
// run went, say so with "cluster_origin": "recorded" in each raw row. Otherwise it
// was made by running KMeans again, and the links have the origin inferred: they
// earn credit under [tiaptest.Inferred] alone.
//
// A question is told by its id, or by its text.
//
// The kinds of notes: reasoning row linked by clusters that were made again; cluster
// without rows; answer to a text that several queries have; answer to no query of
// the scenario; source names no turn; memory without lineage; scores left out, since
// some hits have none; and those of every ranking.
func PREMem(sc *tiaptest.Scenario, f Files) (*Import, error) {
	if err := f.check("premem", []string{"store"}, []string{"search"}); err != nil {
		return nil, err
	}
	p := &preMem{importer: newImporter(sc), clusters: make(map[preMemCluster][]tiaptest.Link)}
	p.stored.in = p.importer
	p.refusePickles(f)
	if err := p.faults.Err(); err != nil {
		return nil, err
	}
	var reasoning []preMemRow
	p.items(f.Store, nil, func(v value) {
		row := preMemRow{at: v}
		if !p.decode(v, &row) {
			return
		}
		p.pooled = p.pooled || row.Pool != ""
		switch {
		case row.ID == "":
			p.wrong(v, `the row has no "id"`, `an exporter must add "id" of each row`)
		case row.Index != nil:
			reasoning = append(reasoning, row)
		default:
			p.raw(&row)
		}
	})
	for i := range reasoning {
		p.reasoning(&reasoning[i])
	}
	p.stored.logged(nil, "")
	ingest := &tiaptest.Ingest{Memories: p.stored.list}
	p.items(f.Search, nil, func(v value) { p.result(&ingest.Run, v) })
	p.whole(ingest, f)
	return p.done(&tiaptest.System{
		Name: "premem", Unit: "message or reasoning row",
		Lineage: "message_id of raw rows; clusters of reasoning rows",
		Forms:   map[string]string{"raw": "a message", "reasoning": "what was reasoned from two clusters of messages"},
		Ingests: []*tiaptest.Ingest{ingest},
	})
}

// preMem reads one export.
type preMem struct {
	*importer
	stored   memories
	clusters map[preMemCluster][]tiaptest.Link
	pooled   bool // some rows name their pool
}

// preMemCluster is a cluster of a session, in a pool.
type preMemCluster struct{ pool, session, cluster string }

// preMemRow is a raw row, or with Index a reasoning row.
type preMemRow struct {
	ID      scalar      `json:"id"`
	Pool    string      `json:"question_id"`
	Session scalar      `json:"session_id"`
	Message string      `json:"message_id"`
	Text    string      `json:"text"`
	Cluster *scalar     `json:"cluster"`
	Origin  string      `json:"cluster_origin"`
	Index   *preMemPair `json:"idx_key"`
	Remain  *preMemPair `json:"remain_key"`

	at value
}

// preMemPair is a session and a cluster in it.
type preMemPair [2]scalar

// UnmarshalJSON reads exactly two elements.
func (p *preMemPair) UnmarshalJSON(text []byte) error {
	var list []scalar
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(list) != 2 {
		return fmt.Errorf("a key has %d elements, not a session and a cluster", len(list))
	}
	*p = preMemPair(list)
	return nil
}

// scalar is a string, or a number as it is written.
type scalar string

// UnmarshalJSON reads a string or a number.
func (s *scalar) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, (*string)(s))
	}
	var n json.Number
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	*s = scalar(n)
	return nil
}

// id is the id of a row, in its pool and with its kind.
func (r *preMemRow) id(kind string) string {
	id := kind + strings.TrimPrefix(string(r.ID), kind)
	if r.Pool != "" {
		id = r.Pool + "/" + id
	}
	return id
}

// raw adds a raw row.
func (p *preMem) raw(r *preMemRow) {
	if r.Message == "" {
		p.wrong(r.at, `the row has neither "message_id" nor "idx_key"`, `an exporter must add "message_id" of raw rows, and "idx_key" and "remain_key" of reasoning rows`)
		return
	}
	m := tiaptest.Memory{ID: r.id("raw_"), Form: "raw", Text: r.Text}
	scope := ""
	if q := p.byID[r.Pool]; q != nil {
		scope = q.Scope
	}
	if turn, ok := p.turnWithin(scope, r.Message, r.at.at()); ok {
		m.Sources = []tiaptest.Link{{Turn: turn}}
		if r.Cluster != nil {
			l := tiaptest.Link{Turn: turn, Precision: "batch"}
			if r.Origin != "recorded" {
				l.Origin = "inferred"
			}
			key := preMemCluster{r.Pool, string(r.Session), string(*r.Cluster)}
			p.clusters[key] = union(p.clusters[key], []tiaptest.Link{l})
		}
	}
	p.stored.add(r.at, m)
}

// reasoning adds a reasoning row, when all raw rows are known.
func (p *preMem) reasoning(r *preMemRow) {
	m := tiaptest.Memory{ID: r.id("reason_"), Form: "reasoning", Text: r.Text}
	if r.Remain == nil {
		p.wrong(r.at, `the row has no "remain_key"`, `an exporter must add "remain_key": a reasoning row has two parents`)
		return
	}
	for _, pair := range []*preMemPair{r.Index, r.Remain} {
		links := p.clusters[preMemCluster{r.Pool, string(pair[0]), string(pair[1])}]
		if len(links) == 0 {
			p.tally.Add(noteClusterEmpty, fmt.Sprintf("%s: [%s, %s]", r.at.at(), pair[0], pair[1]))
		}
		m.Sources = union(m.Sources, links)
	}
	for _, l := range m.Sources {
		if l.Origin == "inferred" {
			p.tally.Add(noteClusterRerun, r.at.at())
			break
		}
	}
	p.stored.add(r.at, m)
}

// result adds the ranking of a question.
func (p *preMem) result(run *tiaptest.Run, v value) {
	r, ok := p.resultsOf(v, "question_id", "retrieved_results", "name the results file of PREMem", func(string) string { return "" })
	if !ok {
		return
	}
	k, ok := p.found(&r.answer, r.hits, nil, func(v value) (foundHit, bool) {
		var h struct {
			ID    string   `json:"id"`
			Score *float64 `json:"score"`
		}
		if !p.decode(v, &h) {
			return foundHit{}, false
		}
		if h.ID == "" {
			p.wrong(v, `the hit has no "id"`, `an exporter must add "id", as raw_12 or reason_4`)
			return foundHit{}, false
		}
		if p.pooled && !p.stored.has(h.ID) {
			h.ID = r.id + "/" + h.ID
		}
		return foundHit{h.ID, h.Score}, true
	})
	if ok {
		p.rank(run, &r.answer, k, p.stored.has)
	}
}

// refusePickles notes files that are pickles, by their name or first byte.
func (p *preMem) refusePickles(f Files) {
	for _, file := range append(append([]string(nil), f.Store...), f.Search...) {
		name := strings.ToLower(file)
		pickle := strings.HasSuffix(name, ".pkl") || strings.HasSuffix(name, ".pickle")
		if r, err := limit.Open(file); err == nil {
			var first [2]byte
			n, _ := r.Read(first[:])
			r.Close()
			pickle = pickle || n == 2 && bytes.Equal(first[:1], []byte{0x80}) && first[1] <= 5
		}
		if pickle {
			p.faults.Add(file, 0, "this is a pickle, which runs code when it is read",
				`write its rows as JSON where you trust it: for row in rows: print(json.dumps({"question_id": ..., **row}, default=str))`)
		}
	}
}
