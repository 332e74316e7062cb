package reference_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

var talk = []tiaptest.Turn{
	{ID: "c/1", Session: "c/s1", Speaker: "Ann", Time: "2023-05-08", Text: "I sold my old bicycle last Friday. Hey, I love figs! Do you grow fruit?"},
	{ID: "c/2", Session: "c/s1", Speaker: "Ben", Time: "2023-05-08", Text: "Yeah, two fig trees grow behind my house."},
}

func ExampleMaxFacts() {
	for _, n := range []int{1, 5} {
		memories, err := reference.MaxFacts(n).Parse(context.Background(), talk)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("at most", n)
		for _, m := range memories {
			fmt.Println(" ", m.ID, m.Text)
		}
	}
	// Output:
	// at most 1
	//   c/1/event/1 Ann sold Ann's old bicycle on 5 May 2023.
	//   c/2/fact/1 two fig trees grow behind Ben's house.
	//   c/1/summary Session on 8 May 2023 with Ann and Ben: Ann sold Ann's old bicycle on 5 May 2023. two fig trees grow behind Ben's house.
	// at most 5
	//   c/1/event/1 Ann sold Ann's old bicycle on 5 May 2023.
	//   c/1/observation/2 Ann loves figs!
	//   c/1/observation/3 Ann asks Ben: Do you grow fruit?
	//   c/1/observation/4 Ann mentions Ann's old bicycle
	//   c/1/observation/5 Ann talks about sold, bicycle, figs, grow, fruit
	//   c/2/fact/1 two fig trees grow behind Ben's house.
	//   c/2/observation/2 Ben mentions Ben's house
	//   c/2/observation/3 Ben talks about trees, grow, behind, house
	//   c/1/summary Session on 8 May 2023 with Ann and Ben: Ann sold Ann's old bicycle on 5 May 2023. two fig trees grow behind Ben's house.
}

// print asks a system that is made of the talk and a way to search.
func print(question string, way func(context.Context, []tiaptest.Memory) (record.Searcher, error)) {
	ctx := context.Background()
	searcher, _, err := scenarios.Build(talk, reference.MaxFacts(2), way)(ctx, 1)
	if err != nil {
		log.Fatal(err)
	}
	hits, err := searcher.Search(ctx, record.Query{Scope: "c", Text: question, K: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Printf("%.3f %s\n", h.Score, h.ID)
	}
}

func ExampleLexical() {
	print("Who sold a bicycle?", reference.Lexical)
	// Output:
	// 1.722 c/1/event/1
	// 1.504 c/1
	// 1.059 c/1/summary
}

func ExampleSemantic() {
	print("Who sold a bicycle?", reference.Semantic(reference.Hashing(256)))
	// Output:
	// 0.563 c/1/event/1
	// 0.447 c/1
	// 0.318 c/1/summary
}

func ExampleHybrid() {
	print("Who sold a bicycle?", reference.Hybrid(reference.Hashing(256)))
	// Output:
	// 0.033 c/1/event/1
	// 0.032 c/1
	// 0.032 c/1/summary
}

// counted is an embedder that counts what it is asked.
type counted struct {
	reference.Embedder
	texts int
}

func (c *counted) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.texts += len(texts)
	return c.Embedder.Embed(ctx, texts)
}

// An embedder may stand around another one: here to know what a service would cost.
func ExampleEmbedder() {
	var e reference.Embedder = reference.Hashing(256)
	c := &counted{Embedder: e}
	print("Who sold a bicycle?", reference.Semantic(c))
	fmt.Println(c.texts, "texts")
	// Output:
	// 0.563 c/1/event/1
	// 0.447 c/1
	// 0.318 c/1/summary
	// 8 texts
}

// The vectors of any service do, here those of a function that counts three words.
func ExampleEmbedFunc() {
	count := reference.EmbedFunc(func(_ context.Context, texts []string) ([][]float32, error) {
		vectors := make([][]float32, len(texts))
		for i, text := range texts {
			for _, word := range []string{"bicycle", "fig", "house"} {
				vectors[i] = append(vectors[i], float32(strings.Count(text, word)))
			}
		}
		return vectors, nil
	})
	print("a fig house", reference.Semantic(count))
	// Output:
	// 1.000 c/2
	// 1.000 c/2/fact/1
	// 0.816 c/1/summary
}

func ExampleHashing() {
	vectors, err := reference.Hashing(512).Embed(context.Background(), []string{"two fig trees", "a fig tree", "an old bicycle"})
	if err != nil {
		log.Fatal(err)
	}
	product := func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	fmt.Println(product(vectors[0], vectors[1]) > product(vectors[0], vectors[2]))
	// Output: true
}

// Two searchers of one's own become one.
func ExampleFuse() {
	first := record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
		return []record.Hit{{ID: "figs"}, {ID: "bicycle"}}, nil
	})
	second := record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
		return []record.Hit{{ID: "bicycle"}, {ID: "house"}}, nil
	})
	hits, err := reference.Fuse(first, second).Search(context.Background(), record.Query{Text: "What was sold?", K: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Printf("%.4f %s\n", h.Score, h.ID)
	}
	// Output:
	// 0.0325 bicycle
	// 0.0164 figs
	// 0.0161 house
}

// The vectors of a model that Ollama serves. Where no server is, the error says what
// to do.
func ExampleOllama() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // stands for Ollama
		fmt.Fprint(w, `{"embeddings":[[0.6,0.8]]}`)
	}))
	defer server.Close()
	model := reference.Ollama{Host: server.URL, Model: "a-model"}
	fmt.Println(model.Embed(context.Background(), []string{"two fig trees"}))
	// Output: [[0.6 0.8]] <nil>
}

// The vectors of a model if OLLAMA_HOST names a server, else those of Hashing.
func ExampleFromEnv() {
	defer os.Setenv("OLLAMA_HOST", os.Getenv("OLLAMA_HOST"))
	for _, host := range []string{"127.0.0.1:11434", ""} {
		os.Setenv("OLLAMA_HOST", host)
		_, served := reference.FromEnv("all-minilm").(reference.Ollama)
		fmt.Println(served)
	}
	// Output:
	// true
	// false
}
