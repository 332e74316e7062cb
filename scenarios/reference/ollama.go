package reference

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Ollama is an [Embedder] by a model that Ollama serves, through its API
// /api/embed. Errors name the host and the model. Those of a server that is busy
// may pass, for [record.Options].
type Ollama struct {
	// Host is where it listens, as OLLAMA_HOST has it: http://127.0.0.1:11434, or
	// less, as 127.0.0.1. The port is 11434 if none is named.
	Host string

	Model string // such as all-minilm, bge-m3 or mxbai-embed-large

	// Dimension is how many numbers a vector has. 0: 384 of all-minilm, 1024 of
	// bge-m3 and mxbai-embed-large, any of another model. It is never negative.
	Dimension int

	Timeout time.Duration // of one request; a minute if 0
}

// FromEnv is a model served by Ollama at the host that OLLAMA_HOST names, or
// Hashing(0) when that is unset or empty: then nothing needs a network.
func FromEnv(model string) Embedder {
	if host := os.Getenv("OLLAMA_HOST"); host != "" {
		return Ollama{Host: host, Model: model}
	}
	return Hashing(0)
}

var dimensions = map[string]int{"all-minilm": 384, "bge-m3": 1024, "mxbai-embed-large": 1024}

// dimension is 0 when any will do.
func (o Ollama) dimension() int {
	name, _, _ := strings.Cut(o.Model, ":")
	return cmp.Or(o.Dimension, dimensions[name])
}

const (
	ollamaPort = "11434"

	// largestAnswer is the size of an answer beyond which it can't be right.
	largestAnswer = 64 << 20
)

// base is the address of the API, such as http://127.0.0.1:11434.
func (o Ollama) base() (*url.URL, error) {
	host := strings.TrimSpace(o.Host)
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Hostname() == "" && u.Port() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("ollama: %q is no host; write it as http://127.0.0.1:11434", o.Host)
	}
	name, port := u.Hostname(), u.Port()
	if port == "" && u.Scheme == "http" {
		port = ollamaPort
	}
	switch name {
	case "", "0.0.0.0", "::": // where a server listens, which is nowhere to go
		name = "127.0.0.1"
	}
	if port != "" {
		u.Host = net.JoinHostPort(name, port)
	}
	u.Path, u.RawQuery, u.Fragment = strings.TrimSuffix(u.Path, "/"), "", ""
	return u, nil
}

// Embed returns the vectors of texts.
func (o Ollama) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	base, err := o.base()
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, fmt.Errorf("ollama at %s: no model is named; name one such as all-minilm", base.Redacted())
	}
	if o.Dimension < 0 {
		return nil, fmt.Errorf("ollama at %s, model %s: a Dimension of %d; use a positive number, or 0 for that of the model", base.Redacted(), o.Model, o.Dimension)
	}
	vectors, err := o.embed(ctx, base, texts)
	if err != nil {
		return nil, fmt.Errorf("ollama at %s, model %s: %w", base.Redacted(), o.Model, err)
	}
	return vectors, nil
}

func (o Ollama) embed(ctx context.Context, base *url.URL, texts []string) ([][]float32, error) {
	timeout := cmp.Or(o.Timeout, time.Minute)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v: %w", timeout, context.DeadlineExceeded))
	defer cancel()
	body, err := json.Marshal(map[string]any{"model": o.Model, "input": texts})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base.JoinPath("api", "embed").String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // its text repeats the address
		}
		return nil, fmt.Errorf("%w; start it by `ollama serve`, or unset OLLAMA_HOST", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("the answer breaks off: %w", err)
	case len(text) > largestAnswer:
		return nil, fmt.Errorf("the answer is longer than %d MiB", largestAnswer>>20)
	case response.StatusCode != http.StatusOK:
		return nil, o.refused(response, text)
	}
	return o.read(text, len(texts))
}

// refused is the error of an answer with a status.
func (o Ollama) refused(r *http.Response, text []byte) error {
	var said struct{ Error string }
	if json.Unmarshal(text, &said) != nil || said.Error == "" {
		said.Error = fmt.Sprintf("%.200q", text)
	}
	switch {
	case r.StatusCode == http.StatusNotFound && strings.Contains(said.Error, "model"):
		return fmt.Errorf("the model is not there; pull it by `ollama pull %s`", o.Model)
	case r.StatusCode == http.StatusNotFound:
		return fmt.Errorf("status %s: %s; this is no Ollama, or one older than 0.3, which has no /api/embed", r.Status, said.Error)
	case r.StatusCode == http.StatusTooManyRequests || r.StatusCode >= 500:
		return passing{fmt.Errorf("status %s: %s", r.Status, said.Error)}
	}
	return fmt.Errorf("status %s: %s", r.Status, said.Error)
}

// passing is an error that may be gone at the next attempt.
type passing struct{ error }

func (passing) Temporary() bool { return true }

// read reads an answer with so many vectors.
func (o Ollama) read(text []byte, n int) ([][]float32, error) {
	var answer struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("the answer is not as /api/embed gives it: %w: %.100q", err, text)
	}
	if len(answer.Embeddings) != n {
		return nil, fmt.Errorf("%d vectors came back for %d texts", len(answer.Embeddings), n)
	}
	for i, v := range answer.Embeddings {
		if len(v) == 0 {
			return nil, fmt.Errorf("vector %d is an empty vector; a model that embeds gives numbers: compare `ollama show %s`", i+1, o.Model)
		}
		if want := cmp.Or(o.dimension(), len(answer.Embeddings[0])); len(v) != want {
			return nil, fmt.Errorf("vector %d has %d numbers, not %d; another model may go by this name: compare `ollama show %s`", i+1, len(v), want, o.Model)
		}
	}
	return answer.Embeddings, nil
}
