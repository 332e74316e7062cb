package reference

import (
	"context"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// Lexical searches the texts of memories by BM25 (k1 1.2, b 0.75) in an index of
// bleve: English stop words are left out, the rest is stemmed. A term of a query
// counts once and has the weight ln(1 + (N-n+0.5)/(n+0.5)), where n of N memories
// have it. Memories of equal score come by id.
//
// Each conversation has an index of its own, built when it is first asked about.
// The scope of a query is its conversation if ids of turns begin with it, as in
// conv-26/D1:3; any other scope stands for the whole store. A memory belongs to
// every conversation that a source of it or of an ancestor is of, and one that
// descends from no turn to that which its id begins with. So it is with Semantic
// and Hybrid.
func Lexical(_ context.Context, memories []tiaptest.Memory) (record.Searcher, error) {
	return newScoped(memories, func(part []tiaptest.Memory) (record.Searcher, error) { return newBM25(part) }), nil
}

// Semantic searches memories by the cosine of the vectors of their texts and the
// query, with chromem-go. Memories of equal similarity come by id; those without
// text, or with a vector of zeros, are not found. All texts are embedded before
// the first query, 64 at a time. A vector that is empty, of another length or not
// finite is an error that names the memory.
func Semantic(e Embedder) func(context.Context, []tiaptest.Memory) (record.Searcher, error) {
	return func(ctx context.Context, memories []tiaptest.Memory) (record.Searcher, error) {
		if e == nil {
			return nil, errNoEmbedder
		}
		vectors, err := embedMemories(ctx, memories, e)
		if err != nil {
			return nil, err
		}
		return newScoped(memories, func(part []tiaptest.Memory) (record.Searcher, error) {
			return newDense(part, vectors, e)
		}), nil
	}
}

// Hybrid searches memories by both, and joins the answers as [Fuse] does.
func Hybrid(e Embedder) func(context.Context, []tiaptest.Memory) (record.Searcher, error) {
	return func(ctx context.Context, memories []tiaptest.Memory) (record.Searcher, error) {
		semantic, err := Semantic(e)(ctx, memories)
		if err != nil {
			return nil, err
		}
		lexical, err := Lexical(ctx, memories)
		if err != nil {
			return nil, err
		}
		return Fuse(lexical, semantic), nil
	}
}
