package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/tiaptest"
)

// protocolVersion is the member "v" of every message. A change that an adapter
// could misunderstand raises it.
const protocolVersion = 1

// The requests to an adapter.
type (
	helloRequest struct {
		V      int    `json:"v"`
		Hello  string `json:"hello"`
		Repeat int    `json:"repeat"`
	}
	storeRequest struct {
		V     int  `json:"v"`
		Store bool `json:"store"`
	}
	queryRequest struct {
		V     int    `json:"v"`
		Query string `json:"query"`
		Scope string `json:"scope,omitempty"`
		Time  string `json:"time,omitempty"`
		Text  string `json:"text"`
		K     int    `json:"k"`
	}
)

// The replies of an adapter.
type (
	helloReply struct {
		V      int             `json:"v"`
		Hello  string          `json:"hello"`
		Store  bool            `json:"store"`
		System json.RawMessage `json:"system"` // as system.json
		Error  string          `json:"error"`
	}
	storeReply struct {
		V     int               `json:"v"`
		Store []json.RawMessage `json:"store"` // each as a line of store.jsonl
		Error string            `json:"error"`
	}
	queryReply struct {
		V       int                 `json:"v"`
		Query   string              `json:"query"`
		Ranking []string            `json:"ranking"`
		Scores  []float64           `json:"scores"`
		Lists   map[string][]string `json:"lists"`
		Error   string              `json:"error"`
	}
)

// protocolError says that an adapter broke the protocol. It may pass: a reply
// that was cut short or mixed with other output is often right the next time.
type protocolError struct{ text string }

func (e protocolError) Error() string { return e.text }
func (protocolError) Temporary() bool { return true }

// decodeReply decodes a reply of the protocol's version.
func decodeReply(text []byte, v any, version *int) error {
	if wrong := jsonl.Decode(text, v); wrong != nil {
		return protocolError{fmt.Sprintf("the reply %s: %s", excerpt(text), wrong.Error())}
	}
	if *version != protocolVersion {
		return fatal{fmt.Errorf(`the reply %s has "v": %d; this is version %d of the protocol`, excerpt(text), *version, protocolVersion)}
	}
	return nil
}

// excerpt quotes the beginning of a text.
func excerpt(text []byte) string {
	const most = 120
	text = bytes.TrimSpace(text)
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}

func (r *queryReply) hits(q Query) ([]Hit, error) {
	switch {
	case r.Query != q.ID && (r.Query != "" || r.Error == ""):
		return nil, protocolError{fmt.Sprintf("the reply is to query %q, not to %q", r.Query, q.ID)}
	case r.Error != "":
		return nil, errors.New(r.Error)
	case (r.Ranking == nil) == (r.Lists == nil):
		return nil, errors.New(`the reply needs either "ranking" or "lists", or "error"`)
	case r.Scores != nil && len(r.Scores) != len(r.Ranking):
		return nil, fmt.Errorf("the reply has %d ids and %d scores; give one score for every id, or leave scores out", len(r.Ranking), len(r.Scores))
	}
	hits := make([]Hit, 0, len(r.Ranking))
	for i, id := range r.Ranking {
		h := Hit{ID: id}
		if r.Scores != nil {
			h.Score = r.Scores[i]
		}
		hits = append(hits, h)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Lists)) {
		if name == "" {
			return nil, errors.New("a list of the reply has no name; name it")
		}
		for _, id := range r.Lists[name] {
			hits = append(hits, Hit{ID: id, List: name})
		}
	}
	return hits, nil
}

// largest is how many bytes the reply to a request may have.
func largest(request any) int64 {
	if _, ok := request.(storeRequest); ok {
		return limit.Document
	}
	return limit.Line
}

// transport carries one request to an adapter and returns its reply.
type transport interface {
	exchange(ctx context.Context, request any) ([]byte, error)
	io.Closer
}

// adapter is a system behind the protocol.
type adapter struct {
	transport
	system *tiaptest.System // what it says of itself, or nil
}

func (a *adapter) describe() *tiaptest.System { return a.system }

// Search puts a query to the adapter.
func (a *adapter) Search(ctx context.Context, q Query) ([]Hit, error) {
	text, err := a.exchange(ctx, queryRequest{protocolVersion, q.ID, q.Scope, q.Time, q.Text, q.K})
	if err != nil {
		return nil, err
	}
	var r queryReply
	if err := decodeReply(text, &r, &r.V); err != nil {
		return nil, err
	}
	return r.hits(q)
}

// greet exchanges the first messages and reads the store if the adapter offers
// it.
func (a *adapter) greet(ctx context.Context, repeat int) (*IngestLog, error) {
	text, err := a.exchange(ctx, helloRequest{protocolVersion, "tiaptest", repeat})
	if err != nil {
		return nil, err
	}
	var r helloReply
	if err := decodeReply(text, &r, &r.V); err != nil {
		return nil, err
	}
	switch {
	case r.Error != "":
		return nil, errors.New(r.Error)
	case r.Hello == "":
		return nil, fmt.Errorf(`the first reply %s has no "hello"; see the protocol of the package documentation`, excerpt(text))
	}
	var memories []json.RawMessage
	if r.Store {
		text, err := a.exchange(ctx, storeRequest{protocolVersion, true})
		if err != nil {
			return nil, err
		}
		var s storeReply
		if err := decodeReply(text, &s, &s.V); err != nil {
			return nil, err
		}
		if s.Error != "" {
			return nil, errors.New(s.Error)
		}
		if memories = s.Store; len(memories) == 0 {
			return nil, errors.New("the store of the adapter is empty; fill it before the first reply")
		}
	}
	sys, err := parseSystem(r.System, memories)
	if err != nil {
		return nil, fmt.Errorf("what the adapter says of itself and of its store: %w", err)
	}
	if r.System != nil {
		a.system = sys
	}
	if !r.Store {
		return nil, nil
	}
	log := new(IngestLog)
	for _, m := range sys.Ingests[0].Memories {
		log.Add(m)
	}
	_, err = log.Memories()
	return log, err
}

// parseSystem reads a system.json and the lines of a store.jsonl, which may both
// be empty.
func parseSystem(system json.RawMessage, memories []json.RawMessage) (*tiaptest.System, error) {
	var store bytes.Buffer
	for _, m := range memories {
		if err := json.Compact(&store, m); err != nil {
			return nil, err
		}
		store.WriteByte('\n')
	}
	if len(memories) == 0 {
		store.Write(placeholder)
	}
	if system == nil {
		system = json.RawMessage("{}")
	}
	b, err := tiaptest.OpenFS(files{
		"queries.jsonl": []byte(`{"id":"none"}` + "\n"),
		"system.json":   system,
		"store.jsonl":   store.Bytes(),
		"run.jsonl":     []byte(`{"query":"none","ranking":[]}` + "\n"),
	})
	if err != nil {
		return nil, err
	}
	s := b.Systems[0]
	if len(memories) == 0 {
		s.Ingests[0].Memories = nil
	}
	return s, nil
}
