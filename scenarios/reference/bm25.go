// Package reference is a small memory system to try the rest of this module with.
package reference

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// BM25 is a lexical index of memories, held in memory. Texts are stemmed as
// English. It is a [record.Searcher]; the zero value is not ready to use.
type BM25 struct {
	index bleve.Index
	scope func(tiaptest.Memory) string
}

// NewBM25 indexes the text of memories. scope, which may be nil, says which
// conversation a memory belongs to; a query with a scope is then answered from its
// own conversation only. Memories without text are not found.
func NewBM25(memories []tiaptest.Memory, scope func(tiaptest.Memory) string) (_ *BM25, err error) {
	m := mapping.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	m.DefaultAnalyzer = en.AnalyzerName
	doc := mapping.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("text", mapping.NewTextFieldMapping())
	doc.AddFieldMappingsAt("scope", mapping.NewKeywordFieldMapping())
	m.DefaultMapping = doc
	ix, err := bleve.NewMemOnly(m)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ix.Close())
		}
	}()
	type document struct {
		Text  string `json:"text"`
		Scope string `json:"scope"`
	}
	batch := ix.NewBatch()
	for _, memory := range memories {
		if memory.Text == "" {
			continue
		}
		d := document{Text: memory.Text}
		if scope != nil {
			d.Scope = scope(memory)
		}
		if err := batch.Index(memory.ID, d); err != nil {
			return nil, fmt.Errorf("memory %q: %w", memory.ID, err)
		}
	}
	if err := ix.Batch(batch); err != nil {
		return nil, err
	}
	return &BM25{ix, scope}, nil
}

// Search returns the memories that share a stem with the query, by their BM25
// score, those of equal score by id.
func (b *BM25) Search(ctx context.Context, q record.Query) ([]record.Hit, error) {
	match := bleve.NewMatchQuery(q.Text)
	match.SetField("text")
	var ask query.Query = match
	if b.scope != nil && q.Scope != "" {
		in := bleve.NewTermQuery(q.Scope)
		in.SetField("scope")
		in.SetBoost(0) // decides what is found, not how it is ranked
		ask = bleve.NewConjunctionQuery(match, in)
	}
	request := bleve.NewSearchRequestOptions(ask, q.K, 0, false)
	request.SortByCustom(search.SortOrder{&search.SortScore{Desc: true}, &search.SortDocID{}})
	result, err := b.index.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	hits := make([]record.Hit, 0, len(result.Hits))
	for _, h := range result.Hits {
		hits = append(hits, record.Hit{ID: h.ID, Score: h.Score})
	}
	return hits, nil
}

// Close frees the index.
func (b *BM25) Close() error { return b.index.Close() }
