package reference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// bm25 is a lexical index of memories, held in memory by bleve. Scores are summed
// here: those of bleve depend on the order in which its workers are done with the
// texts, by a rounding error, and so would the order of equals.
type bm25 struct {
	bleve    bleve.Index
	reader   index.IndexReader
	analyzer analysis.Analyzer
	entries  []entry // by the numbers that bleve gives them
	average  float64 // length
}

// entry is a memory that has words.
type entry struct {
	id     string
	length float64 // in words
}

const (
	textField = "text"

	k1 = 1.2
	b  = 0.75
)

// newBM25 indexes the texts of memories. Those without words are not found.
func newBM25(memories []tiaptest.Memory) (_ *bm25, err error) {
	m := mapping.NewIndexMapping()
	m.DefaultAnalyzer = en.AnalyzerName
	doc := mapping.NewDocumentStaticMapping()
	text := mapping.NewTextFieldMapping()
	text.Store, text.IncludeTermVectors, text.DocValues, text.IncludeInAll = false, false, false, false
	doc.AddFieldMappingsAt(textField, text)
	doc.AddSubDocumentMapping("_all", mapping.NewDocumentDisabledMapping())
	m.DefaultMapping = doc
	x := &bm25{analyzer: m.AnalyzerNamed(en.AnalyzerName)}
	if x.bleve, err = bleve.NewUsing("", m, scorch.Name, bleve.Config.DefaultMemKVStore, nil); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.Close())
		}
	}()
	length := make(map[string]float64)
	total := 0
	batch := x.bleve.NewBatch()
	for i := range memories {
		memory := &memories[i]
		n := len(x.analyzer.Analyze([]byte(memory.Text)))
		if n == 0 {
			continue
		}
		length[memory.ID] = float64(n)
		total += n
		if err := batch.Index(memory.ID, map[string]string{textField: memory.Text}); err != nil {
			return nil, fmt.Errorf("memory %q: %w", memory.ID, err)
		}
	}
	if err := x.bleve.Batch(batch); err != nil {
		return nil, err
	}
	x.average = float64(total) / float64(max(len(length), 1))
	return x, x.number(length)
}

// number opens the reader and learns which memory has which number in it.
func (x *bm25) number(length map[string]float64) (err error) {
	all, err := x.bleve.Advanced()
	if err != nil {
		return err
	}
	if x.reader, err = all.Reader(); err != nil {
		return err
	}
	x.entries = make([]entry, len(length))
	for id, n := range length {
		number, err := x.reader.InternalID(id)
		if err != nil {
			return err
		}
		x.entries[number.Value()] = entry{id, n}
	}
	return nil
}

func (x *bm25) Search(ctx context.Context, q record.Query) ([]record.Hit, error) {
	scores := make([]float64, len(x.entries))
	asked := make(map[string]bool)
	for _, token := range x.analyzer.Analyze([]byte(q.Text)) {
		term := string(token.Term)
		if asked[term] {
			continue
		}
		asked[term] = true
		if err := x.add(ctx, term, scores); err != nil {
			return nil, err
		}
	}
	var hits []record.Hit
	for i, score := range scores {
		if score > 0 {
			hits = append(hits, record.Hit{ID: x.entries[i].id, Score: score})
		}
	}
	return best(hits, q.K), nil
}

// add adds what a term contributes to the scores of memories.
func (x *bm25) add(ctx context.Context, term string, scores []float64) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	postings, err := x.reader.TermFieldReader(ctx, []byte(term), textField, true, false, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, postings.Close()) }()
	with, all := float64(postings.Count()), float64(len(x.entries))
	idf := math.Log(1 + (all-with+0.5)/(with+0.5))
	var p index.TermFieldDoc
	for {
		posting, err := postings.Next(p.Reset())
		if err != nil || posting == nil {
			return err
		}
		number := posting.ID.Value()
		tf := float64(posting.Freq)
		long := 1 - b + float64(b*x.entries[number].length)/x.average
		scores[number] += float64(float64(idf*tf)*(k1+1)) / (tf + float64(k1*long))
	}
}

// best orders hits by score, those of equal score by id, and keeps the first k.
func best(hits []record.Hit, k int) []record.Hit {
	slices.SortFunc(hits, func(a, b record.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return hits[:min(len(hits), k)]
}

func (x *bm25) Close() error {
	var err error
	if x.reader != nil {
		err = x.reader.Close()
	}
	return errors.Join(err, x.bleve.Close())
}
