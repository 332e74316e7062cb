package reference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	chromem "github.com/philippgille/chromem-go"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// Embedder turns texts into vectors: one for each text, in their order, all of one
// length, of finite numbers. A text that it can make nothing of has a vector of zeros. It must be
// safe for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// EmbedFunc is a function as an [Embedder].
type EmbedFunc func(ctx context.Context, texts []string) ([][]float32, error)

// Embed calls f.
func (f EmbedFunc) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if f == nil {
		return nil, errNoEmbedder
	}
	return f(ctx, texts)
}

var errNoEmbedder = errors.New("there is no embedder; name one, such as Hashing(0)")

// dense is an index of the vectors of memories, held in memory by chromem-go.
type dense struct {
	embedder   Embedder
	collection *chromem.Collection // nil when no memory has a vector
	dimension  int
}

// embedBatch is how many texts are embedded at a time.
const embedBatch = 64

// embedMemories are the unit vectors of memories by their text, equal texts being
// embedded once.
func embedMemories(ctx context.Context, memories []tiaptest.Memory, e Embedder) (map[string][]float32, error) {
	vectors := make(map[string][]float32)
	var first []*tiaptest.Memory // of each text
	for i := range memories {
		m := &memories[i]
		if _, known := vectors[m.Text]; m.Text != "" && !known {
			vectors[m.Text] = nil
			first = append(first, m)
		}
	}
	dimension := 0
	for batch := range slices.Chunk(first, embedBatch) {
		texts := make([]string, len(batch))
		for i, m := range batch {
			texts[i] = m.Text
		}
		made, err := embed(ctx, e, texts, dimension, func(i int) string { return fmt.Sprintf("memory %q", batch[i].ID) })
		if err != nil {
			return nil, err
		}
		dimension = len(made[0])
		for i, text := range texts {
			vectors[text] = made[i]
		}
	}
	return vectors, nil
}

// embed checks what an embedder returns and makes unit vectors of it. A dimension
// of 0 is any. Errors call a text by its name.
func embed(ctx context.Context, e Embedder, texts []string, dimension int, name func(i int) string) ([][]float32, error) {
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embedding %d texts: %w", len(texts), err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embedding %d texts: %d vectors came back; return one for each text", len(texts), len(vectors))
	}
	out := make([][]float32, len(vectors))
	for i, v := range vectors {
		if dimension == 0 {
			dimension = len(v)
		}
		switch {
		case len(v) == 0:
			return nil, fmt.Errorf("embedding %s, %.40q: empty vector; return one of zeros for a text that nothing can be made of", name(i), texts[i])
		case len(v) != dimension:
			return nil, fmt.Errorf("embedding %s, %.40q: a vector of %d numbers after one of %d; all must have the same length", name(i), texts[i], len(v), dimension)
		}
		if out[i], err = unit(v); err != nil {
			return nil, fmt.Errorf("embedding %s, %.40q: %w", name(i), texts[i], err)
		}
	}
	return out, nil
}

// unit is a vector of length 1 in the direction of another one, or zeros for zeros.
// The squares of the largest and the smallest numbers of a vector are beyond
// float32; float64 holds them.
func unit(v []float32) ([]float32, error) {
	sum := 0.0
	for _, x := range v {
		if x-x != 0 {
			return nil, fmt.Errorf("the vector contains %v and has no direction; return finite numbers", x)
		}
		sum += float64(float64(x) * float64(x))
	}
	out := make([]float32, len(v))
	if sum > 0 {
		norm := math.Sqrt(sum)
		for i, x := range v {
			out[i] = float32(float64(x) / norm)
		}
	}
	return out, nil
}

func newDense(memories []tiaptest.Memory, vectors map[string][]float32, e Embedder) (*dense, error) {
	unused := func(context.Context, string) ([]float32, error) {
		return nil, errors.New("texts are embedded before")
	}
	collection, err := chromem.NewDB().CreateCollection("memories", nil, unused)
	if err != nil {
		return nil, err
	}
	d := &dense{embedder: e}
	for i := range memories {
		v := vectors[memories[i].Text]
		if zero(v) {
			continue
		}
		d.dimension = len(v)
		if err := collection.AddDocument(context.Background(), chromem.Document{ID: memories[i].ID, Embedding: slices.Clone(v)}); err != nil {
			return nil, fmt.Errorf("memory %q: %w", memories[i].ID, err)
		}
	}
	if collection.Count() > 0 {
		d.collection = collection
	}
	return d, nil
}

func zero(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
}

func (d *dense) Search(ctx context.Context, q record.Query) ([]record.Hit, error) {
	if err := ctx.Err(); err != nil || d.collection == nil || q.Text == "" {
		return nil, err
	}
	vectors, err := embed(ctx, d.embedder, []string{q.Text}, d.dimension, func(int) string { return fmt.Sprintf("query %q", q.ID) })
	if err != nil || zero(vectors[0]) {
		return nil, err
	}
	// All of them, since which of equals come first is left to chance.
	results, err := d.collection.QueryEmbedding(ctx, vectors[0], d.collection.Count(), nil, nil)
	if err != nil {
		return nil, err
	}
	hits := make([]record.Hit, len(results))
	for i, r := range results {
		hits[i] = record.Hit{ID: r.ID, Score: float64(r.Similarity)}
	}
	return best(hits, q.K), nil
}
