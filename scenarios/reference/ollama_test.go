package reference_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// ollama is a server at the loopback address that speaks the API of Ollama:
// its vectors have so many numbers, of which the first two count letters.
func ollama(t *testing.T, dimension int) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/embed", func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			Model string
			Input []string
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &ask) != nil {
			http.Error(w, `{"error":"bad request"}`, http.StatusBadRequest)
			return
		}
		if ask.Model != "all-minilm" {
			w.WriteHeader(http.StatusNotFound)
			json.NewEncoder(w).Encode(map[string]string{"error": `model "` + ask.Model + `" not found, try pulling it first`})
			return
		}
		vectors := make([][]float32, len(ask.Input))
		for i, text := range ask.Input {
			v := make([]float32, dimension)
			v[0], v[1] = float32(strings.Count(text, "a")), float32(strings.Count(text, "o"))
			vectors[i] = v
		}
		json.NewEncoder(w).Encode(map[string]any{"model": ask.Model, "embeddings": vectors, "total_duration": 1})
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestOllama(t *testing.T) {
	t.Parallel()
	server := ollama(t, 384)
	for _, host := range []string{server.URL, server.URL + "/", strings.TrimPrefix(server.URL, "http://"), strings.Replace(strings.TrimPrefix(server.URL, "http://"), "127.0.0.1", "0.0.0.0", 1)} {
		s, err := reference.Semantic(reference.Ollama{Host: host, Model: "all-minilm"})(t.Context(), texts("banana", "tomato", "potato moo"))
		require.NoError(t, err, host)
		assert.Equal(t, []string{"m02", "m01"}, ids(ask(t, s, "", "oo", 2)))
		assert.Equal(t, []string{"m00", "m01"}, ids(ask(t, s, "", "aa", 2)))
	}
}

// Errors name the host, the model and what to do.
func TestOllamaErrors(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	right, wrong := ollama(t, 384).URL, ollama(t, 768).URL
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(func() { close(release); slow.Close() })
	breaks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, `{"embeddings":[[`)
	}))
	t.Cleanup(breaks.Close)
	for _, c := range []struct {
		name, host, model string
		want              string
		passes            bool
	}{
		{"no such model", right, "bge-m3", "model bge-m3: the model is not there; pull it by `ollama pull bge-m3`", false},
		{"wrong dimension", wrong, "all-minilm", "model all-minilm: vector 1 has 768 numbers, not 384; another model may go by this name", false},
		{"timeout", slow.URL, "all-minilm", "model all-minilm: no answer within 50ms", true},
		{"nobody listens", gone.URL, "all-minilm", "connection refused; start it by `ollama serve`, or unset OLLAMA_HOST", false},
		{"no JSON", answer(200, "<html>"), "all-minilm", `the answer is not as /api/embed gives it: invalid character '<' looking for beginning of value: "<html>"`, false},
		{"other JSON", answer(200, `{"embeddings":[["x"]]}`), "all-minilm", "the answer is not as /api/embed gives it", false},
		{"too few vectors", answer(200, `{"embeddings":[]}`), "all-minilm", "0 vectors came back for 1 texts", false},
		{"empty vector", answer(200, `{"embeddings":[[]]}`), "other", "vector 1 is an empty vector", false},
		{"breaks off", breaks.URL, "all-minilm", "the answer breaks off: unexpected EOF", false},
		{"busy", answer(503, `{"error":"server busy"}`), "all-minilm", "status 503 Service Unavailable: server busy", true},
		{"refused", answer(400, "input too long"), "all-minilm", `status 400 Bad Request: "input too long"`, false},
		{"no Ollama", answer(404, "404 page not found"), "all-minilm", "this is no Ollama, or one older than 0.3", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			timeout := 10 * time.Second
			if c.host == slow.URL {
				timeout = 50 * time.Millisecond
			}
			_, err := reference.Ollama{Host: c.host, Model: c.model, Timeout: timeout}.Embed(t.Context(), []string{"a"})
			require.ErrorContains(t, err, "ollama at "+c.host+", model "+c.model+": ")
			assert.ErrorContains(t, err, c.want)
			may, ok := errors.AsType[temporary](err)
			assert.Equal(t, c.passes, ok && may.Temporary(), "may pass")
		})
	}
}

// A dimension is not negative, and one that is costs no request.
func TestOllamaDimension(t *testing.T) {
	t.Parallel()
	_, err := reference.Ollama{Host: "127.0.0.1:1", Model: "bge-m3", Dimension: -1}.Embed(t.Context(), []string{"a"})
	require.ErrorContains(t, err, "ollama at http://127.0.0.1:1, model bge-m3: a Dimension of -1; use a positive number")
	_, err = reference.Ollama{Host: ollama(t, 7).URL, Model: "all-minilm", Dimension: 7}.Embed(t.Context(), []string{"a"})
	require.NoError(t, err)
}

type temporary interface {
	error
	Temporary() bool
}

func TestOllamaHosts(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"", "ftp://127.0.0.1", "http://", "http://a b", "::::"} {
		_, err := reference.Ollama{Host: host, Model: "all-minilm"}.Embed(t.Context(), []string{"a"})
		assert.ErrorContains(t, err, "is no host; write it as http://127.0.0.1:11434", host)
	}
	for host, want := range map[string]string{
		"0.0.0.0": "http://127.0.0.1:11434", ":1234": "http://127.0.0.1:1234", "localhost/": "http://localhost:11434", "https://host/ollama/": "https://host/ollama",
	} {
		_, err := reference.Ollama{Host: host}.Embed(t.Context(), []string{"a"})
		assert.ErrorContains(t, err, "ollama at "+want+": no model is named", host)
	}
	_, err := reference.Ollama{Host: "http://user:secret@127.0.0.1:1"}.Embed(t.Context(), []string{"a"})
	assert.ErrorContains(t, err, "ollama at http://user:xxxxx@127.0.0.1:1: no model is named")
}

// The environment decides whether a network is needed.
func TestFromEnv(t *testing.T) {
	t.Setenv("OLLAMA_HOST", "")
	assert.Equal(t, reference.Hashing(0), reference.FromEnv("all-minilm"))
	server := ollama(t, 384)
	t.Setenv("OLLAMA_HOST", server.URL)
	s, err := reference.Hybrid(reference.FromEnv("all-minilm"))(t.Context(), texts("banana", "tomato"))
	require.NoError(t, err)
	hits, err := s.Search(t.Context(), record.Query{Text: "banana", K: 2})
	require.NoError(t, err)
	assert.Equal(t, []string{"m00", "m01"}, ids(hits))
}
