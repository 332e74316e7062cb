package semantic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// manyCases are n distinct tasks, each under two targets.
func manyCases(n int) (cases []semantic.Case) {
	for i := range n {
		for _, target := range []string{"source", "canonical"} {
			cases = append(cases, semantic.Case{Target: target, System: "A", Query: fmt.Sprint("q", i), Question: "?", Memory: fmt.Sprint("m", i), Text: fmt.Sprintf("text %d.", i)})
		}
	}
	return cases
}

// service is a loopback endpoint. It notes how often each prompt was asked and lets
// reply answer.
type service struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
}

type request struct {
	Model       string   `json:"model"`
	Temperature *float64 `json:"temperature"`
	Messages    []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
}

// serve starts a service. reply is given the prompt and how often it was asked
// before.
func serve(t *testing.T, reply func(w http.ResponseWriter, r *http.Request, prompt string, before int)) *service {
	t.Helper()
	s := &service{asked: make(map[string]int)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var v request
		if err := json.NewDecoder(r.Body).Decode(&v); err != nil || r.URL.Path != "/v1/chat/completions" || len(v.Messages) != 1 || v.Temperature == nil || *v.Temperature != 0 {
			http.Error(w, "not as documented", http.StatusBadRequest)
			return
		}
		prompt := v.Messages[0].Content
		s.mu.Lock()
		before := s.asked[prompt]
		s.asked[prompt]++
		s.mu.Unlock()
		reply(w, r, prompt, before)
	}))
	t.Cleanup(s.Close)
	return s
}

// times are how often prompts were asked: of each count how many.
func (s *service) times() map[int]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[int]int)
	for _, n := range s.asked {
		out[n]++
	}
	return out
}

func (s *service) endpoint() *semantic.Endpoint {
	return &semantic.Endpoint{URL: s.URL + "/v1/", Model: "tiny", Key: "s3cret", Backoff: time.Millisecond, Attempts: 4, Timeout: 10 * time.Second}
}

func say(w http.ResponseWriter, content string) {
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"role": "assistant", "content": content}}}})
}

func TestCollect(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, prompt string, _ int) {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if strings.Contains(prompt, "text 3.") {
			say(w, "Does_not_support.")
			return
		}
		say(w, "```json\n{\"label\": \"supports\"}\n```")
	})
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	cases := manyCases(7)
	dry, err := semantic.Collect(t.Context(), s.endpoint(), cases, file, semantic.Collection{Dry: true})
	require.NoError(t, err)
	assert.Equal(t, semantic.Collected{Tasks: 7, Asked: 7, Left: 7}, dry)
	assert.Empty(t, s.times(), "a dry run asks nobody")
	assert.NoFileExists(t, file)

	var progress []int
	done, err := semantic.Collect(t.Context(), s.endpoint(), cases, file, semantic.Collection{Workers: 3, Progress: func(n, of int) {
		assert.Equal(t, 7, of)
		progress = append(progress, n)
	}})
	require.NoError(t, err)
	assert.Equal(t, semantic.Collected{Tasks: 7, Asked: 7, Labelled: 7}, done)
	assert.Equal(t, []int{1, 2, 3, 4, 5, 6, 7}, progress)
	assert.Equal(t, map[int]int{1: 7}, s.times())
	ls := must(semantic.OpenLabels(file))
	assert.Equal(t, 7, ls.Len())
	for j := range ls.All() {
		want := semantic.Supports
		if j.Query == "q3" {
			want = semantic.DoesNotSupport
		}
		assert.Equal(t, want, j.Label)
		assert.Equal(t, "tiny", j.Judge)
		assert.Equal(t, semantic.Model, j.Kind)
		assert.Len(t, j.PromptSHA256, 64)
		assert.Len(t, j.TextSHA256, 64)
	}

	again, err := semantic.Collect(t.Context(), s.endpoint(), manyCases(9), file, semantic.Collection{})
	require.NoError(t, err)
	assert.Equal(t, semantic.Collected{Tasks: 9, Known: 7, Asked: 2, Labelled: 2}, again)
	assert.Equal(t, map[int]int{1: 9}, s.times(), "what has a label is not asked again")

	other := s.endpoint()
	other.Prompt = func(c semantic.Case) string { return "Another prompt: " + c.Text }
	changed, err := semantic.Collect(t.Context(), other, cases, file, semantic.Collection{Dry: true})
	require.NoError(t, err)
	assert.Equal(t, 7, changed.Asked, "another prompt is another question")
}

// TestCollectTroubles answers each task wrongly before it answers rightly.
func TestCollectTroubles(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(w http.ResponseWriter, r *http.Request){
		"rate limit":      func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "0"); w.WriteHeader(429) },
		"overload":        func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		"no JSON":         func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"no choice":       func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"choices":[]}`) },
		"empty":           func(http.ResponseWriter, *http.Request) {},
		"no label":        func(w http.ResponseWriter, _ *http.Request) { say(w, "It supports the answer.") },
		"two labels":      func(w http.ResponseWriter, _ *http.Request) { say(w, "supports or partial") },
		"a negated label": func(w http.ResponseWriter, _ *http.Request) { say(w, "not supports") },
		"a list":          func(w http.ResponseWriter, _ *http.Request) { say(w, `{"label":["supports"]}`) },
		"an open fence":   func(w http.ResponseWriter, _ *http.Request) { say(w, "```supports") },
		"too long":        func(w http.ResponseWriter, _ *http.Request) { say(w, "supports"+strings.Repeat(" ", 1<<20)) },
		"hang":            func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"choices"`)
		},
		"hang up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ string, before int) {
				if before < 2 {
					trouble(w, r)
					return
				}
				say(w, `"partial"`)
			})
			e := s.endpoint()
			if name == "hang" {
				e.Timeout = time.Second // in which an answer comes on a busy machine too
			}
			file := filepath.Join(t.TempDir(), "labels.jsonl")
			done, err := semantic.Collect(t.Context(), e, manyCases(3), file, semantic.Collection{Workers: 3})
			require.NoError(t, err)
			assert.Equal(t, semantic.Collected{Tasks: 3, Asked: 3, Labelled: 3}, done)
			assert.Equal(t, map[int]int{3: 3}, s.times())
			assert.Equal(t, 3, must(semantic.OpenLabels(file)).Len())
		})
	}
}

// TestCollectLeaves gives up on one task, keeps the others, and asks the one again
// the next time.
func TestCollectLeaves(t *testing.T) {
	t.Parallel()
	var healthy atomic.Bool
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, prompt string, _ int) {
		if strings.Contains(prompt, "text 1.") && !healthy.Load() {
			say(w, "perhaps, s3cret")
			return
		}
		say(w, "partial")
	})
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	done, err := semantic.Collect(t.Context(), s.endpoint(), manyCases(3), file, semantic.Collection{})
	require.ErrorContains(t, err, `memory "m1" of A on query "q1": no label after 4 attempts: the answer is none of the labels: "perhaps, (key)"`)
	assert.Equal(t, semantic.Collected{Tasks: 3, Asked: 3, Labelled: 2, Left: 1}, done)
	assert.Equal(t, 2, must(semantic.OpenLabels(file)).Len())
	healthy.Store(true)
	done, err = semantic.Collect(t.Context(), s.endpoint(), manyCases(3), file, semantic.Collection{})
	require.NoError(t, err)
	assert.Equal(t, semantic.Collected{Tasks: 3, Known: 2, Asked: 1, Labelled: 1}, done)
	assert.Equal(t, map[int]int{1: 2, 5: 1}, s.times())
}

// TestCollectFinal stops at once where asking again is of no use, and keeps the key
// to itself.
func TestCollectFinal(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 404, 405, 302} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			fmt.Fprint(w, r.Header.Get("Authorization"))
		})
		done, err := semantic.Collect(t.Context(), s.endpoint(), manyCases(5), filepath.Join(t.TempDir(), "labels.jsonl"), semantic.Collection{})
		require.ErrorIs(t, err, semantic.ErrFinal)
		require.ErrorContains(t, err, fmt.Sprint(status))
		assert.NotContains(t, err.Error(), "s3cret")
		assert.Equal(t, semantic.Collected{Tasks: 5, Asked: 1, Left: 5}, done, status)
		assert.Equal(t, map[int]int{1: 1}, s.times(), status)
	}
	for _, url := range []string{"", "ftp://127.0.0.1/", "http://", ":", "file:///x"} {
		e := &semantic.Endpoint{URL: url, Model: "tiny"}
		_, err := e.Judge(t.Context(), manyCases(1)[0])
		require.ErrorIs(t, err, semantic.ErrFinal, url)
	}
	_, err := (&semantic.Endpoint{URL: "http://127.0.0.1:1", Model: "tiny"}).Judge(t.Context(), semantic.Case{Query: "q", Memory: "m"})
	require.ErrorContains(t, err, `memory "m" of  on query "q" has no text to judge`)
	require.NotErrorIs(t, err, semantic.ErrFinal, "others may have one")
}

// TestCollectRefused goes on after cases that the service refuses, and names them; it
// gives up a service that refuses all.
func TestCollectRefused(t *testing.T) {
	t.Parallel()
	numbered := regexp.MustCompile(`text (\d+)\.`)
	for name, c := range map[string]struct {
		refused func(n int) bool
		status  int
		cases   []semantic.Case
		want    semantic.Collected
		words   []string
		ends    bool
	}{
		"one": {func(n int) bool { return n == 3 }, 400, manyCases(9), semantic.Collected{Tasks: 9, Asked: 9, Labelled: 8, Left: 1},
			[]string{`memory "m3" of A on query "q3": the judge refuses the case: status 400 Bad Request: "blocked\n"`}, false},
		"several": {func(n int) bool { return n%2 == 0 }, 422, manyCases(9), semantic.Collected{Tasks: 9, Asked: 9, Labelled: 4, Left: 5},
			[]string{`"q0"`, `"q2"`, `"q4"`, `"q6"`, `"q8": the judge refuses the case: status 422`}, false},
		"four of the first": {func(n int) bool { return n < 4 }, 413, manyCases(9), semantic.Collected{Tasks: 9, Asked: 9, Labelled: 5, Left: 4},
			[]string{`"q0"`, `"q3"`}, false},
		"all": {func(int) bool { return true }, 400, manyCases(9), semantic.Collected{Tasks: 9, Asked: 5, Left: 9},
			[]string{"the collection ended early, after 5 cases in a row that were refused; check what the service wants: ", `"q4"`}, true},
		"all but the first": {func(n int) bool { return n > 0 }, 400, manyCases(9), semantic.Collected{Tasks: 9, Asked: 6, Labelled: 1, Left: 8},
			[]string{"after 5 cases in a row that were refused"}, true},
		"all of fewer": {func(int) bool { return true }, 400, manyCases(4), semantic.Collected{Tasks: 4, Asked: 4, Left: 4}, []string{`"q0"`, `"q3"`}, false},
		"a query": {func(n int) bool { return n < 7 }, 400, ofOneQuery(manyCases(9), 0, 7), semantic.Collected{Tasks: 9, Asked: 9, Labelled: 2, Left: 7},
			[]string{`"m0"`, `"m6"`}, false},
		"a query after others": {func(n int) bool { return n >= 9 || n%2 == 0 }, 400, ofOneQuery(manyCases(16), 9, 15), semantic.Collected{Tasks: 16, Asked: 16, Labelled: 4, Left: 12},
			[]string{`"m8"`, `"m15"`}, false},
		"all of one query": {func(int) bool { return true }, 400, ofOneQuery(manyCases(9), 0, 9), semantic.Collected{Tasks: 9, Asked: 5, Left: 9},
			[]string{"after 5 cases in a row that were refused"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, prompt string, _ int) {
				n, _ := strconv.Atoi(numbered.FindStringSubmatch(prompt)[1])
				if c.refused(n) {
					http.Error(w, "blocked", c.status)
					return
				}
				say(w, "partial")
			})
			file := filepath.Join(t.TempDir(), "labels.jsonl")
			done, err := semantic.Collect(t.Context(), s.endpoint(), c.cases, file, semantic.Collection{})
			require.Error(t, err)
			for _, words := range c.words {
				assert.ErrorContains(t, err, words)
			}
			assert.NotErrorIs(t, err, semantic.ErrFinal)
			assert.Equal(t, c.ends, strings.Contains(err.Error(), "ended early"))
			assert.Equal(t, c.want, done)
			assert.Equal(t, map[int]int{1: done.Asked}, s.times(), "what is refused is not asked again")
			if done.Labelled > 0 {
				assert.Equal(t, done.Labelled, must(semantic.OpenLabels(file)).Len())
			}
		})
	}
}

// ofOneQuery makes some cases, each of two targets, those of one query.
func ofOneQuery(cases []semantic.Case, from, to int) []semantic.Case {
	for i := 2 * from; i < 2*to; i++ {
		cases[i].Query = "q"
	}
	return cases
}

// TestCollectUnavailable gives up a judge that is down, and none that answers between
// failures or answers something else.
func TestCollectUnavailable(t *testing.T) {
	t.Parallel()
	down := func(w http.ResponseWriter) { w.WriteHeader(500) }
	for name, c := range map[string]struct {
		reply    func(w http.ResponseWriter, prompt string)
		want     semantic.Collected
		attempts int // of all cases
	}{
		"always": {func(w http.ResponseWriter, _ string) { down(w) }, semantic.Collected{Tasks: 9, Asked: 3, Left: 9}, 6},
		"from the third case on": {func(w http.ResponseWriter, prompt string) {
			if strings.Contains(prompt, "text 0.") || strings.Contains(prompt, "text 1.") {
				say(w, "partial")
				return
			}
			down(w)
		}, semantic.Collected{Tasks: 9, Asked: 5, Labelled: 2, Left: 7}, 8},
		"hanging up": {func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) }, semantic.Collected{Tasks: 9, Asked: 3, Left: 9}, 6},
		"two of three cases": {func(w http.ResponseWriter, prompt string) {
			if strings.ContainsAny(prompt[strings.Index(prompt, "text "):], "258") {
				say(w, "partial")
				return
			}
			down(w)
		}, semantic.Collected{Tasks: 9, Asked: 9, Labelled: 3, Left: 6}, 15},
		"a rate limit": {func(w http.ResponseWriter, _ string) { w.WriteHeader(429) }, semantic.Collected{Tasks: 9, Asked: 9, Left: 9}, 18},
		"another word": {func(w http.ResponseWriter, _ string) { say(w, "maybe") }, semantic.Collected{Tasks: 9, Asked: 9, Left: 9}, 18},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, prompt string, _ int) { c.reply(w, prompt) })
			e := s.endpoint()
			e.Attempts = 2
			file := filepath.Join(t.TempDir(), "labels.jsonl")
			done, err := semantic.Collect(t.Context(), e, manyCases(9), file, semantic.Collection{})
			assert.Equal(t, c.want, done)
			attempts := 0
			for n, prompts := range s.times() {
				attempts += n * prompts
			}
			assert.Equal(t, c.attempts, attempts)
			const early = "the collection ended early, after 3 cases in a row without an answer: no label after 2 attempts: the judge is unavailable: "
			if c.want.Asked == 9 {
				assert.NotContains(t, err.Error(), "ended early")
			} else {
				require.ErrorContains(t, err, early)
				require.ErrorIs(t, err, semantic.ErrUnavailable)
			}
			if c.want.Labelled > 0 {
				assert.Equal(t, c.want.Labelled, must(semantic.OpenLabels(file)).Len(), "what is labelled stays")
			}
		})
	}
	nobody := httptest.NewServer(nil)
	nobody.Close()
	e := &semantic.Endpoint{URL: nobody.URL, Model: "tiny", Attempts: 1}
	done, err := semantic.Collect(t.Context(), e, manyCases(9), filepath.Join(t.TempDir(), "labels.jsonl"), semantic.Collection{})
	require.ErrorIs(t, err, semantic.ErrUnavailable)
	assert.Equal(t, semantic.Collected{Tasks: 9, Asked: 3, Left: 9}, done, "a connection that is refused")
}

// TestCollectUnfit asks nobody of cases that cannot be judged, and names them; the
// others are judged.
func TestCollectUnfit(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { say(w, "partial") })
	cases := manyCases(4)
	cases[0].Text, cases[1].Text = "", "" // one task under two targets
	cases[4].Question, cases[5].Question = "", ""
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	const want = `2 of 4 cases cannot be judged
memory "m0" of A on query "q0" has no text to judge; give it one: "text" in store.jsonl, Memory.Text in code
memory "m2" of A on query "q2": the query has no text to judge by; give it one: "text" in queries.jsonl, Query.Text in code`
	dry, err := semantic.Collect(t.Context(), s.endpoint(), cases, file, semantic.Collection{Dry: true})
	require.EqualError(t, err, want)
	assert.Equal(t, semantic.Collected{Tasks: 4, Asked: 2, Left: 4}, dry)
	done, err := semantic.Collect(t.Context(), s.endpoint(), cases, file, semantic.Collection{})
	require.EqualError(t, err, want)
	assert.Equal(t, semantic.Collected{Tasks: 4, Asked: 2, Labelled: 2, Left: 2}, done)
	assert.Equal(t, map[int]int{1: 2}, s.times())
	assert.Equal(t, 2, must(semantic.OpenLabels(file)).Len())

	fit, err := semantic.Judgeable(cases)
	require.EqualError(t, err, want)
	assert.Equal(t, append(cases[2:4:4], cases[6:]...), fit)
	done, err = semantic.Collect(t.Context(), s.endpoint(), fit, file, semantic.Collection{})
	require.NoError(t, err)
	assert.Equal(t, semantic.Collected{Tasks: 2, Known: 2}, done)
	none, err := semantic.Judgeable(cases[:2])
	require.ErrorContains(t, err, "1 of 1 cases cannot be judged")
	assert.Empty(t, none)
}

// TestCollectedAddsUp: whatever becomes of the cases, each of them is labelled before,
// labelled now or without a label, and the file has the labels.
func TestCollectedAddsUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		file := filepath.Join(dir, fmt.Sprint(runs, ".jsonl"))
		cases := manyCases(rapid.IntRange(1, 5).Draw(t, "tasks"))
		labelled := 0
		for range 2 {
			fates := make(map[string]int)
			for _, c := range cases {
				fates[c.Query] = rapid.SampledFrom([]int{0, 0, 0, 1, 2, 2, 3, 4, 5}).Draw(t, "fate")
			}
			ctx, cancel := context.WithCancel(context.Background())
			judge := judgeFunc(func(c semantic.Case) (semantic.Label, error) {
				switch fates[c.Query] {
				case 1:
					return "", errors.New("not this one")
				case 2:
					return "", semantic.ErrUnavailable
				case 3:
					return "", semantic.ErrFinal
				case 4:
					cancel()
					return "", ctx.Err()
				case 5:
					cancel() // and yet it answers
				}
				return semantic.Partial, nil
			})
			if rapid.Bool().Draw(t, "a case without text") {
				cases[0].Text, cases[1].Text = "", ""
			}
			done, err := semantic.Collect(ctx, judge, cases, file, semantic.Collection{Workers: rapid.IntRange(1, 3).Draw(t, "workers")})
			cancel()
			require.Equal(t, len(cases)/2, done.Tasks)
			require.Equal(t, done.Tasks, done.Known+done.Labelled+done.Left, "%+v", done)
			require.LessOrEqual(t, done.Labelled, done.Asked)
			require.Equal(t, done.Left > 0, err != nil)
			labelled += done.Labelled
			if labelled > 0 {
				require.Equal(t, labelled, must(semantic.OpenLabels(file)).Len())
			}
		}
	})
}

func TestCollectCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, prompt string, _ int) {
		if strings.Contains(prompt, "text 2.") {
			cancel(errors.New("enough"))
		}
		say(w, "partial")
	})
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	done, err := semantic.Collect(ctx, s.endpoint(), manyCases(6), file, semantic.Collection{})
	require.ErrorContains(t, err, "enough")
	n := must(semantic.OpenLabels(file)).Len()
	assert.Equal(t, 6, done.Left+n)
	assert.GreaterOrEqual(t, n, 2)
	assert.LessOrEqual(t, n, 3)
	done, err = semantic.Collect(t.Context(), s.endpoint(), manyCases(6), file, semantic.Collection{})
	require.NoError(t, err)
	assert.Equal(t, semantic.Collected{Tasks: 6, Known: n, Asked: 6 - n, Labelled: 6 - n}, done)
	assert.Equal(t, 6, must(semantic.OpenLabels(file)).Len())
}

func TestCollectKeepsToLimit(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { say(w, "partial") })
	start := time.Now()
	_, err := semantic.Collect(t.Context(), s.endpoint(), manyCases(6), filepath.Join(t.TempDir(), "labels.jsonl"), semantic.Collection{Workers: 6, PerMinute: 1200})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(start), 250*time.Millisecond, "five pauses of 50 ms")
}

// TestCollectMends goes on after a line that was cut short, and refuses a file that
// is wrong elsewhere.
func TestCollectMends(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { say(w, "partial") })
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	_, err := semantic.Collect(t.Context(), s.endpoint(), manyCases(3), file, semantic.Collection{})
	require.NoError(t, err)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(whole), "\n")
	for cut := range len(lines[2]) {
		require.NoError(t, os.WriteFile(file, []byte(lines[0]+lines[1]+lines[2][:cut]), 0o600))
		done, err := semantic.Collect(t.Context(), s.endpoint(), manyCases(3), file, semantic.Collection{})
		require.NoError(t, err)
		known := 2
		if cut == len(lines[2])-1 {
			known = 3 // the line lacks only its end
		}
		require.Equal(t, semantic.Collected{Tasks: 3, Known: known, Asked: 3 - known, Labelled: 3 - known}, done, cut)
		mended, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(whole), string(mended))
	}
	require.NoError(t, os.WriteFile(file, []byte(lines[0]+lines[1]+lines[2][:9]), 0o600))
	_, err = semantic.Collect(t.Context(), s.endpoint(), manyCases(2), file, semantic.Collection{})
	require.NoError(t, err)
	mended, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, lines[0]+lines[1], string(mended), "nothing is left of what was cut short")

	require.NoError(t, os.WriteFile(file, []byte(lines[0]+"{\n"+lines[2]), 0o600))
	_, err = semantic.Collect(t.Context(), s.endpoint(), manyCases(3), file, semantic.Collection{})
	require.ErrorContains(t, err, "labels.jsonl:2: ")
}

// judgeFunc is a judge in code.
type judgeFunc func(semantic.Case) (semantic.Label, error)

func (judgeFunc) Describe(semantic.Case) semantic.Judgement {
	return semantic.Judgement{Judge: "coded", Kind: semantic.Model, Model: "rule"}
}

func (f judgeFunc) Judge(_ context.Context, c semantic.Case) (semantic.Label, error) { return f(c) }

// nameless says nothing of itself.
type nameless struct{ judgeFunc }

func (nameless) Describe(semantic.Case) semantic.Judgement { return semantic.Judgement{} }

func TestCollectChecksJudges(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	done, err := semantic.Collect(t.Context(), judgeFunc(func(semantic.Case) (semantic.Label, error) { return "fine", nil }), manyCases(2), file, semantic.Collection{})
	require.ErrorContains(t, err, `the label is "fine"`)
	assert.Equal(t, 2, done.Left)
	done, err = semantic.Collect(t.Context(), nameless{}, manyCases(2), file, semantic.Collection{})
	require.ErrorContains(t, err, `memory "m0" of A on query "q0": the label has no "judge"`)
	assert.Zero(t, done, "it did not begin")
	_, err = semantic.Collect(t.Context(), nameless{}, nil, file+".gz", semantic.Collection{})
	require.ErrorContains(t, err, "labels.jsonl.gz: labels cannot be appended to a compressed file")
	_, err = semantic.Collect(t.Context(), judgeFunc(nil), nil, filepath.Join(file, "below"), semantic.Collection{})
	require.Error(t, err, "a file cannot be a folder")
}
