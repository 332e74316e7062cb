package reference_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

type searchers = func(context.Context, []tiaptest.Memory) (record.Searcher, error)

func ways() map[string]searchers {
	return map[string]searchers{
		"lexical":  reference.Lexical,
		"semantic": reference.Semantic(reference.Hashing(64)),
		"hybrid":   reference.Hybrid(reference.Hashing(64)),
	}
}

func ask(t *testing.T, s record.Searcher, scope, text string, k int) []record.Hit {
	t.Helper()
	hits, err := s.Search(t.Context(), record.Query{ID: "q", Scope: scope, Text: text, K: k})
	require.NoError(t, err)
	return hits
}

func ids(hits []record.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func texts(of ...string) []tiaptest.Memory {
	memories := make([]tiaptest.Memory, len(of))
	for i, text := range of {
		memories[i] = tiaptest.Memory{ID: fmt.Sprintf("m%02d", i), Form: "raw", Sources: []tiaptest.Link{{Turn: fmt.Sprintf("t%02d", i)}}, Text: text}
	}
	return memories
}

func TestSearchersConform(t *testing.T) {
	t.Parallel()
	turns := conversation(2, 20)
	queries := []tiaptest.Query{
		{ID: "q1", Scope: "c", Text: "Who painted the kitchen?"},
		{ID: "q2", Text: "What about bicycles and lanterns?"},
		{ID: "q3", Scope: "elsewhere", Text: "the of"},
		{ID: "q4", Scope: "c", Text: "xylophone"},
	}
	for name, way := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, log, err := scenarios.Build(turns, reference.MaxFacts(5), way)(t.Context(), 1)
			require.NoError(t, err)
			memories, err := log.Memories()
			require.NoError(t, err)
			require.NoError(t, record.TestSearcher(s, queries, memories, record.Claims{Scores: record.Descending}))
			require.NotEmpty(t, ask(t, s, "c", "kitchen", 5))
			require.Error(t, record.TestSearcher(s, queries, memories[:1], record.Claims{}), "the test can fail")
		})
	}
}

// The score is BM25 as published.
func TestLexicalIsBM25(t *testing.T) {
	t.Parallel()
	s, err := reference.Lexical(t.Context(), texts("figs", "figs figs dates", "the dates, plums, grapes and melons", "dates"))
	require.NoError(t, err)
	const docs, average, k1, b = 4, 9.0 / 4, 1.2, 0.75
	bm25 := func(count, with, length float64) float64 {
		return math.Log(1+(docs-with+0.5)/(with+0.5)) * count * (k1 + 1) / (count + k1*(1-b+b*length/average))
	}
	want := map[string]float64{
		"m00": bm25(1, 2, 1),
		"m01": bm25(2, 2, 3) + bm25(1, 3, 3),
		"m02": bm25(1, 3, 4),
		"m03": bm25(1, 3, 1),
	}
	hits := ask(t, s, "", "a fig and a date, a fig", 10)
	require.Equal(t, []string{"m01", "m00", "m03", "m02"}, ids(hits))
	for _, h := range hits {
		assert.InDelta(t, want[h.ID], h.Score, 1e-12, h.ID)
	}
}

// Memories of equal score come by id, and those that are cut are the last ones.
func TestTies(t *testing.T) {
	t.Parallel()
	var same []string
	for range 40 {
		same = append(same, "a red bicycle in the garden")
	}
	memories := texts(same...)
	for name, way := range ways() {
		s, err := way(t.Context(), memories)
		require.NoError(t, err)
		assert.Equal(t, []string{"m00", "m01", "m02", "m03", "m04"}, ids(ask(t, s, "", "red bicycle", 5)), name)
	}
}

// Two runs give the same store and the same rankings with their scores, whatever
// GOMAXPROCS is.
func TestDeterminism(t *testing.T) {
	turns := conversation(4, 30)
	var queries []tiaptest.Query
	for i, w := range strings.Fields("bicycle garden kitchen piano violin orchard market kettle") {
		queries = append(queries, tiaptest.Query{ID: fmt.Sprint("q", i), Scope: []string{"c", ""}[i%2], Text: "Who painted or sold the " + w + " in Lisbon?"})
	}
	queries = append(queries, tiaptest.Query{ID: "long", Text: "Who painted, sold, repaired, borrowed, carried, found or loves the old bicycle, garden, kitchen, piano, violin, orchard, market, kettle, lantern and ladder in Lisbon yesterday?"})
	for name, way := range ways() {
		t.Run(name, func(t *testing.T) {
			var first string
			for _, procs := range []int{1, 4, 4} {
				before := runtime.GOMAXPROCS(procs)
				ingests, _, err := record.Ingests(t.Context(), queries, scenarios.Build(turns, reference.MaxFacts(8), way), record.Options{Cacheable: true, Concurrency: procs})
				runtime.GOMAXPROCS(before)
				require.NoError(t, err)
				var now strings.Builder
				fmt.Fprintf(&now, "%+v\n", ingests[0].Memories)
				for k := range ingests[0].Run.All() {
					require.Greater(t, len(k.IDs), 20)
					fmt.Fprintf(&now, "%s %v %v\n", k.Query, k.IDs, k.Scores)
				}
				if first == "" {
					first = now.String()
				}
				require.Equal(t, first, now.String(), "GOMAXPROCS %d", procs)
			}
		})
	}
}

// A scope that begins the ids of turns is a conversation; any other one is not.
func TestScopes(t *testing.T) {
	t.Parallel()
	memories := []tiaptest.Memory{
		{ID: "a/1", Form: "raw", Sources: []tiaptest.Link{{Turn: "a/1"}}, Text: "a red bicycle"},
		{ID: "x", Form: "fact", Sources: []tiaptest.Link{{Turn: "a/b/1"}}, Text: "a red bicycle too"},
		{ID: "ab/1", Form: "raw", Sources: []tiaptest.Link{{Turn: "ab/1"}}, Text: "a red bicycle also"},
		{ID: "ab/summary", Form: "summary", Parents: []string{"ab/1"}, Text: "a red bicycle again"},
	}
	for name, way := range ways() {
		s, err := way(t.Context(), memories)
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"a/1", "x"}, ids(ask(t, s, "a", "red bicycle", 9)), name)
		assert.ElementsMatch(t, []string{"x"}, ids(ask(t, s, "a/b", "red bicycle", 9)), name)
		assert.ElementsMatch(t, []string{"ab/1", "ab/summary"}, ids(ask(t, s, "ab", "red bicycle", 9)), name)
		for _, scope := range []string{"", "garden", "a/"} {
			assert.Len(t, ask(t, s, scope, "red bicycle", 9), 4, "%s, scope %q", name, scope)
		}
	}
}

// A memory belongs to every conversation that it descends from, however far.
func TestScopesByLineage(t *testing.T) {
	t.Parallel()
	const text = "a red bicycle"
	memories := []tiaptest.Memory{
		{ID: "1", Form: "raw", Sources: []tiaptest.Link{{Turn: "a/1"}}, Text: text},
		{ID: "2", Form: "raw", Sources: []tiaptest.Link{{Turn: "b/1"}}, Text: text},
		{ID: "b/child", Form: "fact", Parents: []string{"1"}, Text: text},
		{ID: "both", Form: "fact", Sources: []tiaptest.Link{{Turn: "a/2"}, {Turn: "b/2"}}, Text: text},
		{ID: "grandchild", Form: "fact", Parents: []string{"b/child", "absent"}, Text: text},
		{ID: "merged", Form: "fact", Sources: []tiaptest.Link{{Turn: "a/1"}}, Parents: []string{"2"}, Text: text},
		{ID: "a/circle", Form: "fact", Parents: []string{"circle"}, Text: text},
		{ID: "circle", Form: "fact", Parents: []string{"a/circle"}, Text: text},
		{ID: "b/lost", Form: "fact", Parents: []string{"absent"}, Text: text},
		{ID: "nowhere", Form: "fact", Text: text},
	}
	for name, way := range ways() {
		s, err := way(t.Context(), memories)
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"1", "b/child", "both", "grandchild", "merged", "a/circle", "circle"}, ids(ask(t, s, "a", text, 20)), name)
		assert.ElementsMatch(t, []string{"2", "both", "merged", "b/lost"}, ids(ask(t, s, "b", text, 20)), name)
		assert.Len(t, ask(t, s, "", text, 20), len(memories), name)
	}
}

// Empty stores, memories without text and queries without words find nothing, and
// that is no error.
func TestNothingToFind(t *testing.T) {
	t.Parallel()
	for name, way := range ways() {
		for _, memories := range [][]tiaptest.Memory{nil, texts("", ""), texts("the", "of")} {
			s, err := way(t.Context(), memories)
			require.NoError(t, err)
			assert.Empty(t, ask(t, s, "", "red bicycle", 5), name)
		}
		s, err := way(t.Context(), texts("a red bicycle", ""))
		require.NoError(t, err)
		for _, text := range []string{"", "   ", "the of"} {
			assert.Empty(t, ask(t, s, "", text, 5), "%s: %q", name, text)
		}
		assert.Equal(t, []string{"m00"}, ids(ask(t, s, "", "red", 5)), name)
	}
}

func TestFuse(t *testing.T) {
	t.Parallel()
	answer := func(ids ...string) record.SearchFunc {
		return func(_ context.Context, q record.Query) ([]record.Hit, error) {
			assert.Equal(t, 100, q.K)
			var hits []record.Hit
			for _, id := range ids {
				hits = append(hits, record.Hit{ID: id})
			}
			return hits, nil
		}
	}
	hits := ask(t, reference.Fuse(answer("b", "c", "a"), answer("c", "d", "b")), "", "x", 3)
	require.Equal(t, []string{"c", "b", "d"}, ids(hits))
	assert.InDelta(t, 1.0/61+1.0/62, hits[0].Score, 1e-15)
	assert.InDelta(t, 1.0/61+1.0/63, hits[1].Score, 1e-15)
	hits = ask(t, reference.Fuse(answer("b", "a"), answer("a", "b")), "", "x", 3)
	assert.Equal(t, []string{"a", "b"}, ids(hits), "the same ranks: by id")
	// 1/67 + 1/61 + 1/62 and 1/61 + 1/62 + 1/67 differ by a rounding error.
	hits = ask(t, reference.Fuse(
		answer("b", "f1", "f2", "f3", "f4", "f5", "a"), answer("a", "b"), answer("g1", "a", "g2", "g3", "g4", "g5", "b"),
	), "", "x", 2)
	assert.Equal(t, []string{"a", "b"}, ids(hits), "the same ranks in another order: by id")

	broken := errors.New("broken")
	_, err := reference.Fuse(answer("a"), record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) { return nil, broken })).
		Search(t.Context(), record.Query{K: 1})
	assert.ErrorIs(t, err, broken)
}

// What can't be answered is an error.
func TestSearchersRefuse(t *testing.T) {
	t.Parallel()
	memories := texts("a red bicycle", "a blue bicycle")
	for name, way := range ways() {
		s, err := way(t.Context(), memories)
		require.NoError(t, err)
		for _, k := range []int{0, -1, math.MinInt} {
			_, err := s.Search(t.Context(), record.Query{ID: "q", Text: "bicycle", K: k})
			require.ErrorContains(t, err, fmt.Sprintf(`query "q" asks for %d memories`, k), name)
		}
		require.Len(t, ask(t, s, "", "bicycle", math.MaxInt), 2, name)

		c, ok := s.(io.Closer)
		require.True(t, ok, name)
		require.NoError(t, c.Close(), name)
		require.NoError(t, c.Close(), name)
		_, err = s.Search(t.Context(), record.Query{ID: "q", Text: "bicycle", K: 1})
		require.ErrorContains(t, err, "the searcher is closed", name)
	}

	query := record.Query{ID: "q", Text: "bicycle", K: 1}
	_, err := reference.Fuse().Search(t.Context(), query)
	require.ErrorContains(t, err, "there are no searchers to fuse")
	lexical, err := reference.Lexical(t.Context(), memories)
	require.NoError(t, err)
	for _, s := range []record.Searcher{reference.Fuse(nil), reference.Fuse(nil, lexical), reference.Fuse(record.SearchFunc(nil))} {
		_, err = s.Search(t.Context(), query)
		require.ErrorContains(t, err, "searcher 1 of ")
		require.NoError(t, s.(io.Closer).Close())
	}
	_, err = reference.Fuse([]record.Searcher(nil)...).Search(t.Context(), query)
	require.ErrorContains(t, err, "there are no searchers to fuse")

	for _, way := range []searchers{
		reference.Semantic(nil), reference.Hybrid(nil),
		reference.Semantic(reference.EmbedFunc(nil)), reference.Hybrid(reference.EmbedFunc(nil)),
	} {
		_, err := way(t.Context(), memories)
		require.ErrorContains(t, err, "there is no embedder")
	}
}

// A searcher is closed once, when no query is being answered any more.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	for name, way := range ways() {
		s, err := way(t.Context(), conversationMemories())
		require.NoError(t, err)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for {
					_, err := s.Search(t.Context(), record.Query{Scope: fmt.Sprint(i % 3), Text: "bicycle", K: 5})
					if err != nil {
						assert.ErrorContains(t, err, "the searcher is closed", name)
						return
					}
				}
			})
		}
		assert.NoError(t, s.(io.Closer).Close(), name)
		wg.Wait()
	}
}

func conversationMemories() []tiaptest.Memory {
	var out []tiaptest.Memory
	for i := range 90 {
		out = append(out, tiaptest.Memory{ID: fmt.Sprintf("%d/%d", i%3, i), Form: "raw", Text: fmt.Sprint("a red bicycle ", i)})
	}
	return out
}

// Similar words make similar vectors, and what comes back is checked.
func TestEmbedders(t *testing.T) {
	t.Parallel()
	s, err := reference.Semantic(reference.Hashing(0))(t.Context(), texts("planting pear trees", "the price of petrol", "a planted pear tree"))
	require.NoError(t, err)
	assert.Equal(t, []string{"m02", "m00", "m01"}, ids(ask(t, s, "", "a pear tree planted", 3)))

	_, err = reference.Semantic(reference.Hashing(-1))(t.Context(), texts("x y"))
	require.ErrorContains(t, err, "use a positive number")
	for _, n := range []int{1<<16 + 1, 1 << 30, math.MaxInt} {
		_, err = reference.Hashing(n).Embed(t.Context(), []string{"x y"})
		require.ErrorContains(t, err, fmt.Sprintf("Hashing(%d): vectors have from 1 to 65536 numbers", n))
	}
	vectors, err := reference.Hashing(1<<16).Embed(t.Context(), []string{"x y"})
	require.NoError(t, err)
	assert.Len(t, vectors[0], 1<<16)

	nan := float32(math.NaN())
	for _, c := range []struct {
		vectors [][]float32
		want    string
	}{
		{[][]float32{{1, 2}}, "1 vectors came back; return one for each text"},
		{[][]float32{{1, 2}, {1}}, "a vector of 1 numbers after one of 2"},
		{[][]float32{{}, {}}, `memory "m00", "red bicycle": empty vector`},
		{[][]float32{{1}, {}}, `memory "m01", "blue bicycle": empty vector`},
		{[][]float32{{1}, {float32(math.Inf(-1))}}, `memory "m01", "blue bicycle": the vector contains -Inf`},
		{[][]float32{{1, 2}, {nan, 1}}, "the vector contains NaN"},
	} {
		e := reference.EmbedFunc(func(context.Context, []string) ([][]float32, error) { return c.vectors, nil })
		_, err := reference.Semantic(e)(t.Context(), texts("red bicycle", "blue bicycle"))
		assert.ErrorContains(t, err, c.want)
	}

	// A query's vector of another length than those of the memories.
	length := 2
	e := reference.EmbedFunc(func(_ context.Context, texts []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i := range out {
			out[i] = make([]float32, length)
			out[i][0] = 1
		}
		return out, nil
	})
	s, err = reference.Semantic(e)(t.Context(), texts("red bicycle"))
	require.NoError(t, err)
	length = 3
	_, err = s.Search(t.Context(), record.Query{ID: "q9", Text: "red", K: 1})
	assert.ErrorContains(t, err, `query "q9", "red": a vector of 3 numbers after one of 2`)
}

// The cosine of vectors does not depend on how long they are.
func TestCosineOfExtremes(t *testing.T) {
	t.Parallel()
	const large, small = math.MaxFloat32, math.SmallestNonzeroFloat32
	for _, query := range [][]float32{{1, 1, 0}, {large, large, 0}, {small, small, 0}, {1e-40, 1e-40, 0}} {
		vectors := map[string][]float32{
			"query": query, "one": {1, 1, 0}, "large": {large, large, 0}, "small": {1e-40, 1e-40, 0}, "smallest": {small, small, 0},
			"right": {0, 0, large}, "against": {-large, -large, 0}, "zero": {0, 0, 0}, "half": {large, 0, small},
		}
		e := reference.EmbedFunc(func(_ context.Context, texts []string) (out [][]float32, _ error) {
			for _, text := range texts {
				out = append(out, vectors[text])
			}
			return out, nil
		})
		var memories []tiaptest.Memory
		for name := range vectors {
			memories = append(memories, tiaptest.Memory{ID: name, Form: "raw", Text: name})
		}
		s, err := reference.Semantic(e)(t.Context(), memories)
		require.NoError(t, err)
		hits := ask(t, s, "", "query", 20)
		require.Equal(t, []string{"large", "one", "query", "small", "smallest", "half", "right", "against"}, ids(hits), "%v", query)
		for i, want := range []float64{1, 1, 1, 1, 1, math.Sqrt2 / 2, 0, -1} {
			assert.InDelta(t, want, hits[i].Score, 1e-6, hits[i].ID)
		}
	}
}

// Texts that occur several times are embedded once.
func TestEqualTextsAreEmbeddedOnce(t *testing.T) {
	t.Parallel()
	seen := make(map[string]int)
	e := reference.EmbedFunc(func(ctx context.Context, texts []string) ([][]float32, error) {
		assert.LessOrEqual(t, len(texts), 64)
		for _, text := range texts {
			seen[text]++
		}
		return reference.Hashing(8).Embed(ctx, texts)
	})
	var all []string
	for i := range 600 {
		all = append(all, fmt.Sprint("bicycle ", i%300))
	}
	_, err := reference.Semantic(e)(t.Context(), texts(all...))
	require.NoError(t, err)
	assert.Len(t, seen, 300)
	for text, n := range seen {
		assert.Equal(t, 1, n, text)
	}
}
