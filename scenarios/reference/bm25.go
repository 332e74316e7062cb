package reference

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// bm25 is a lexical index of memories, held in memory by bleve.
type bm25 struct {
	index bleve.Index // nil when no memory has text
	stats *search.BM25Stats
}

const textField = "text"

func newBM25(memories []tiaptest.Memory) (_ *bm25, err error) {
	m := mapping.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	m.DefaultAnalyzer = en.AnalyzerName
	doc := mapping.NewDocumentStaticMapping()
	text := mapping.NewTextFieldMapping()
	text.Store, text.IncludeTermVectors, text.DocValues, text.IncludeInAll = false, false, false, false
	doc.AddFieldMappingsAt(textField, text)
	m.DefaultMapping = doc
	// The other index of bleve, which NewMemOnly makes, has no BM25.
	ix, err := bleve.NewUsing("", m, scorch.Name, bleve.Config.DefaultMemKVStore, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ix.Close())
		}
	}()
	analyzer := m.AnalyzerNamed(en.AnalyzerName)
	docs, terms := 0, 0
	batch := ix.NewBatch()
	for i := range memories {
		memory := &memories[i]
		n := len(analyzer.Analyze([]byte(memory.Text)))
		if n == 0 {
			continue
		}
		docs++
		terms += n
		if err := batch.Index(memory.ID, map[string]string{textField: memory.Text}); err != nil {
			return nil, fmt.Errorf("memory %q: %w", memory.ID, err)
		}
	}
	if docs == 0 {
		return &bm25{}, ix.Close()
	}
	if err := ix.Batch(batch); err != nil {
		return nil, err
	}
	// By itself bleve takes the number of different terms for the length of all
	// texts, which makes every text seem far too long.
	return &bm25{ix, &search.BM25Stats{DocCount: float64(docs), FieldCardinality: map[string]int{textField: terms}}}, nil
}

func (b *bm25) Search(ctx context.Context, q record.Query) ([]record.Hit, error) {
	if b.index == nil {
		return nil, ctx.Err()
	}
	match := bleve.NewMatchQuery(q.Text)
	match.SetField(textField)
	request := bleve.NewSearchRequestOptions(match, q.K, 0, false)
	request.SortByCustom(search.SortOrder{&search.SortScore{Desc: true}, &search.SortDocID{}})
	request.PreSearchData = map[string]any{search.BM25PreSearchDataKey: b.stats}
	result, err := b.index.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	hits := make([]record.Hit, 0, len(result.Hits))
	for _, h := range result.Hits {
		if !math.IsNaN(h.Score) {
			hits = append(hits, record.Hit{ID: h.ID, Score: h.Score})
		}
	}
	return hits, nil
}

func (b *bm25) Close() error {
	if b.index == nil {
		return nil
	}
	return b.index.Close()
}
