package record_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// ask is any request of the protocol.
type ask struct {
	V      int
	Hello  string
	Repeat int
	Store  bool
	Query  *string
	Text   string
	K      int
}

// reply is what an adapter of the steady system replies.
func reply(a ask) any {
	switch {
	case a.Hello != "":
		return map[string]any{"v": 1, "hello": "steady", "store": true, "system": map[string]any{"family": "steady", "unit": "fact"}}
	case a.Store:
		type memory struct {
			ID      string   `json:"id"`
			Form    string   `json:"form"`
			Sources []string `json:"sources"`
			Text    string   `json:"text"`
		}
		var store []memory
		for _, m := range memories(20) {
			store = append(store, memory{m.ID, m.Form, []string{m.Sources[0].Turn}, m.Text})
		}
		return map[string]any{"v": 1, "store": store}
	}
	ids, scores := []string{}, []float64{}
	for _, h := range answers(record.Query{Text: a.Text, K: a.K}) {
		ids, scores = append(ids, h.ID), append(scores, h.Score)
	}
	return map[string]any{"v": 1, "query": *a.Query, "ranking": ids, "scores": scores}
}

// service serves the steady system over HTTP. fault may take the answer to a
// request over and return true; attempt counts those of a query from 1.
func service(t *testing.T, fault func(w http.ResponseWriter, query string, attempt int) bool) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	attempts := make(map[string]int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a ask
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || a.V != 1 || r.Method != http.MethodPost {
			http.Error(w, "not a request", http.StatusBadRequest)
			return
		}
		if a.Query != nil && fault != nil {
			mu.Lock()
			attempts[*a.Query]++
			n := attempts[*a.Query]
			mu.Unlock()
			if fault(w, *a.Query, n) {
				return
			}
		}
		json.NewEncoder(w).Encode(reply(a))
	}))
	t.Cleanup(s.Close)
	return s
}

// reset ends a connection without a word.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
}

// faults are what goes wrong with a service and passes.
var faults = []struct {
	name string
	do   func(w http.ResponseWriter)
}{
	{"status 500", func(w http.ResponseWriter) { http.Error(w, "out of memory", http.StatusInternalServerError) }},
	{"status 429", func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }},
	{"garbage", func(w http.ResponseWriter) { fmt.Fprint(w, "<html>try later</html>") }},
	{"garbled JSON", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":`) }},
	{"nothing", func(w http.ResponseWriter) {}},
	{"too short", func(w http.ResponseWriter) { w.Header().Set("Content-Length", "1000"); fmt.Fprint(w, `{"v":1`) }},
	{"reset", reset},
	{"too slow", func(http.ResponseWriter) { time.Sleep(300 * time.Millisecond) }},
	{"another answer", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":"other","ranking":[]}`) }},
}

// Faults that pass leave no trace in what is recorded.
func TestFaults(t *testing.T) {
	t.Parallel()
	wantStore, wantRun := faultless(t, 40)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := service(t, func(w http.ResponseWriter, query string, attempt int) bool {
				if query[len(query)-1] != '3' || attempt >= 3 {
					return false
				}
				f.do(w)
				return true
			})
			dir := filepath.Join(t.TempDir(), "mine")
			opts := here(record.Options{Dir: dir, K: 10, Timeout: 10 * time.Second})
			if f.name == "too slow" {
				opts.Timeout = 100 * time.Millisecond
				opts.Attempts = 10
			}
			_, report, err := record.Ingests(t.Context(), questions(40), record.URL(s.URL), opts)
			require.NoError(t, err)
			assert.Empty(t, report.Failed)
			assert.GreaterOrEqual(t, report.Retries, 8)
			equalText(t, wantStore, read(t, dir, "store.jsonl"))
			equalText(t, wantRun, read(t, dir, "run.jsonl"))
			assert.Equal(t, []string{"run.jsonl", "store.jsonl", "system.json"}, names(t, dir))
			assert.JSONEq(t, `{"name":"mine","family":"steady","unit":"fact"}`, read(t, dir, "system.json"))
		})
	}
}

// Faults that do not pass are what the run says.
func TestLastingFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		do       func(w http.ResponseWriter)
		attempts int
		want     string
	}{
		{"status 400", func(w http.ResponseWriter) { http.Error(w, "no such conversation", 400) }, 1, `status 400 Bad Request: "no such conversation"`},
		{"status 500", func(w http.ResponseWriter) { http.Error(w, strings.Repeat("long ", 50), 500) }, 3, `status 500 Internal Server Error: "` + strings.Repeat("long ", 24) + `"...`},
		{"a redirect", func(w http.ResponseWriter) { w.Header().Set("Location", "/elsewhere"); w.WriteHeader(307) }, 1, `status 307 Temporary Redirect: ""`},
		{"an error", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":"q1","error":"no such conversation"}`) }, 1, "no such conversation"},
		{"an error alone", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"error":"no such conversation"}`) }, 1, "no such conversation"},
		{"an error of another query", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":"q2","error":"none"}`) }, 3, `the reply is to query "q2", not to "q1"`},
		{"garbage", func(w http.ResponseWriter) { fmt.Fprint(w, `hello`) }, 3, `the reply "hello": malformed JSON`},
		{"no ranking", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":"q1"}`) }, 1, `the reply needs either "ranking" or "lists", or "error"`},
		{"two answers", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":"q1","ranking":[],"lists":{}}`) }, 1, `the reply needs either "ranking" or "lists", or "error"`},
		{"scores", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":"q1","ranking":["a"],"scores":[]}`) }, 1, "the reply has 1 ids and 0 scores; give one score for every id, or leave scores out"},
		{"a nameless list", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":"q1","lists":{"":["a"]}}`) }, 1, "a list of the reply has no name; name it"},
		{"another query", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":"q2","ranking":["a"]}`) }, 3, `the reply is to query "q2", not to "q1"`},
		{"wrong type", func(w http.ResponseWriter) { fmt.Fprint(w, `{"v":1,"query":"q1","ranking":[1]}`) }, 3, `the reply "{\"v\":1,\"query\":\"q1\",\"ranking\":[1]}": `},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			attempts := 0
			s := service(t, func(w http.ResponseWriter, query string, attempt int) bool {
				if query != "q1" {
					return false
				}
				attempts = attempt
				c.do(w)
				return true
			})
			ingests, report, err := record.Ingests(t.Context(), []tiaptest.Query{{ID: "q0"}, {ID: "q1"}}, record.URL(s.URL), here(record.Options{}))
			require.NoError(t, err)
			require.Len(t, report.Failed, 1)
			got, _ := ingests[0].Run.Ranking("q1")
			if c.name == "garbage" || c.name == "wrong type" {
				assert.True(t, strings.HasPrefix(got.Error, c.want), got.Error)
			} else {
				assert.Equal(t, c.want, got.Error)
			}
			assert.Equal(t, c.attempts, attempts)
		})
	}
}

// Lists reach the run in the order of their names.
func TestURLLists(t *testing.T) {
	t.Parallel()
	s := service(t, func(w http.ResponseWriter, query string, _ int) bool {
		fmt.Fprintf(w, `{"v":1,"query":%q,"lists":{"nodes":["m2","m1"],"edges":["m3"]},"more":true}`, query)
		return true
	})
	ingests, _, err := record.Ingests(t.Context(), []tiaptest.Query{{ID: "q0"}}, record.URL(s.URL), here(record.Options{}))
	require.NoError(t, err)
	got, _ := ingests[0].Run.Ranking("q0")
	assert.Equal(t, []tiaptest.List{{Name: "edges", IDs: []string{"m3"}}, {Name: "nodes", IDs: []string{"m2", "m1"}}}, got.Lists)
}

func TestURLHandshake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, hello, store, want string }{
		{"garbage", `hello`, ``, `the reply "hello": malformed JSON`},
		{"another version", `{"v":2,"hello":"x"}`, ``, `the reply "{\"v\":2,\"hello\":\"x\"}" has "v": 2; this is version 1 of the protocol`},
		{"no version", `{"hello":"x"}`, ``, `has "v": 0; this is version 1 of the protocol`},
		{"no hello", `{"v":1}`, ``, `the first reply "{\"v\":1}" has no "hello"`},
		{"error", `{"v":1,"error":"no database"}`, ``, `building the system: no database`},
		{"system", `{"v":1,"hello":"x","system":{"unit":7}}`, ``, `what the adapter says of itself and of its store: system.json:1: "unit" holds a number in place of a string`},
		{"store without memories", `{"v":1,"hello":"x","store":true}`, `{"v":1,"store":[]}`, `the store of the adapter is empty; fill it before the first reply`},
		{"store with an error", `{"v":1,"hello":"x","store":true}`, `{"v":1,"error":"locked"}`, `building the system: locked`},
		{"store with a fault", `{"v":1,"hello":"x","store":true}`, `{"v":1,"store":[{"id":"m1","form":"raw"},{"id":"m2","sources":"t1"}]}`, `store.jsonl:2: `},
		{"store with a cycle", `{"v":1,"hello":"x","store":true}`, `{"v":1,"store":[{"id":"m1","form":"raw","parents":["m2"]},{"id":"m2","form":"fact","parents":["m1"]}]}`, `lineage cycle: m1 -> m2 -> m1; remove one of these parents`},
		{"store with an unknown parent", `{"v":1,"hello":"x","store":true}`, `{"v":1,"store":[{"id":"m1","form":"raw","parents":["m2"]}]}`, `memory "m1" names the parent "m2", which was never added`},
		{"store with an id twice", `{"v":1,"hello":"x","store":true}`, `{"v":1,"store":[{"id":"m1","form":"raw"},{"id":"m1","form":"raw"}]}`, `the id "m1" was given to a second memory`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var a ask
				json.NewDecoder(r.Body).Decode(&a)
				if a.Hello != "" {
					fmt.Fprint(w, c.hello)
				} else {
					fmt.Fprint(w, c.store)
				}
			}))
			defer s.Close()
			_, _, err := record.Ingests(t.Context(), questions(1), record.URL(s.URL), here(record.Options{}))
			assert.ErrorContains(t, err, c.want)
		})
	}
	for _, address := range []string{"", "localhost:80", "ftp://localhost/", "http://", "http://[/"} {
		_, _, err := record.Ingests(t.Context(), questions(1), record.URL(address), here(record.Options{}))
		assert.EqualError(t, err, fmt.Sprintf("record: building the system: %q is no HTTP address; use one such as http://localhost:8080/search", address))
	}
}
