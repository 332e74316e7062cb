package record_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

func TestIngests(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "systems", "mine")
	ingests, report, err := record.Ingests(t.Context(), questions(30), build(steady), here(record.Options{Dir: dir, K: 10}))
	require.NoError(t, err)
	require.Len(t, ingests, 1)
	assert.Equal(t, record.Report{Queries: 30, Short: 30}, report)
	assert.Equal(t, []string{"run.jsonl", "store.jsonl"}, names(t, dir))

	var ids []string
	for k := range ingests[0].Run.All() {
		ids = append(ids, k.Query)
		assert.Equal(t, 10, k.K)
		assert.Len(t, k.IDs, 7)
		assert.Len(t, k.Scores, 7)
	}
	assert.True(t, slices.IsSorted(ids))
	assert.Len(t, ids, 30)

	lines := strings.SplitAfter(read(t, dir, "run.jsonl"), "\n")
	assert.True(t, strings.HasPrefix(lines[0], `{"query":"q000","ranking":["m`), lines[0])
	assert.Contains(t, read(t, dir, "store.jsonl"), `{"id":"m0","form":"fact","sources":["t0"],"text":"fact <1> & more"}`)
}

// What is recorded is a system of a bundle as Open reads it.
func TestIngestsIsPartOfBundle(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "queries.jsonl"), []byte(`{"id":"q0","evidence":["t1"]}`+"\n"), 0o666))
	dir := filepath.Join(root, "systems", "mine")
	ingests, _, err := record.Ingests(t.Context(), []tiaptest.Query{{ID: "q0"}}, build(steady), here(record.Options{Dir: dir, Repeats: 3}))
	require.NoError(t, err)
	b, err := tiaptest.Open(root)
	require.NoError(t, err)
	require.Len(t, b.Systems, 1)
	require.Len(t, b.Systems[0].Ingests, 3)
	for i, in := range b.Systems[0].Ingests {
		assert.Equal(t, slices.Collect(ingests[i].Run.All()), slices.Collect(in.Run.All()))
		assert.Empty(t, cmp.Diff(ingests[i].Memories, in.Memories))
	}
	_, err = tiaptest.Rescore(b)
	assert.NoError(t, err)
}

// A store that no audit takes ends the recording before a query is asked. What a folder
// held before stays, and a recording that was interrupted goes on when the store is mended.
func TestUnsoundStore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		say  func(l *record.IngestLog)
		want string
	}{
		"cycle": {
			func(l *record.IngestLog) { l.Update("m1", tiaptest.Memory{Form: "fact", Parents: []string{"m1"}}) },
			"record: ingest log: lineage cycle: m1 -> m1; remove one of these parents; a memory cannot descend from itself",
		},
		"unknown parent": {
			func(l *record.IngestLog) { l.Add(tiaptest.Memory{ID: "s", Form: "summary", Parents: []string{"m99"}}) },
			`record: ingest log: memory "s" names the parent "m99", which was never added; add that memory, or name its turns under Sources`,
		},
		"unknown origin": {
			func(l *record.IngestLog) {
				l.Add(tiaptest.Memory{ID: "s", Form: "summary", Sources: []tiaptest.Link{{Turn: "t1", Origin: "guessed"}}})
			},
			`record: ingest log: memory "s" has the unknown origin "guessed"; use recorded or inferred`,
		},
		"empty": {nil, "record: building the system: the ingest log has no memory; add those of the store, or return no log if they are not known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			unsound := func(context.Context, int) (record.Searcher, *record.IngestLog, error) {
				log := new(record.IngestLog)
				if c.say != nil {
					for _, m := range memories(20) {
						log.Add(m)
					}
					c.say(log)
				}
				return record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
					asked++
					return nil, nil
				}), log, nil
			}
			dir := filepath.Join(t.TempDir(), "mine")
			opts := here(record.Options{Dir: dir, K: 10, Concurrency: 1})
			_, _, err := record.Ingests(t.Context(), questions(9), unsound, opts)
			assert.EqualError(t, err, c.want)
			assert.NoDirExists(t, dir)

			// One that was interrupted.
			ctx, stop := context.WithCancel(t.Context())
			n := 0
			_, _, err = record.Ingests(ctx, questions(9), build(record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
				if n++; n == 12 {
					stop()
				}
				return answers(q), nil
			})), opts)
			require.ErrorIs(t, err, context.Canceled)
			before := read(t, dir, "run.jsonl.part")
			_, _, err = record.Ingests(t.Context(), questions(9), unsound, opts)
			assert.EqualError(t, err, c.want)
			assert.Equal(t, before, read(t, dir, "run.jsonl.part"))
			_, report, err := record.Ingests(t.Context(), questions(9), build(steady), opts)
			require.NoError(t, err)
			assert.Positive(t, report.Resumed)

			// One that is complete.
			store, run := read(t, dir, "store.jsonl"), read(t, dir, "run.jsonl")
			_, _, err = record.Ingests(t.Context(), questions(9), unsound, opts)
			assert.EqualError(t, err, c.want)
			assert.Equal(t, store, read(t, dir, "store.jsonl"))
			assert.Equal(t, run, read(t, dir, "run.jsonl"))
			assert.Zero(t, asked)
		})
	}
}

// A system never sees what is held out, now or when a field is added.
func TestHeldOut(t *testing.T) {
	t.Parallel()
	fields := func(v any) (names []string) {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			names = append(names, f.Name)
		}
		return names
	}
	assert.Equal(t, []string{"ID", "Scope", "Time", "Text", "K"}, fields(record.Query{}))
	assert.Equal(t, []string{"ID", "Session", "Speaker", "Time", "Text"}, fields(tiaptest.Turn{}))

	var mu sync.Mutex
	var seen []string
	spy := record.SearchFunc(func(ctx context.Context, q record.Query) ([]record.Hit, error) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%+v", q))
		return answers(q), nil
	})
	_, _, err := record.Ingests(t.Context(), questions(10), build(spy), here(record.Options{K: 10}))
	require.NoError(t, err)
	require.NotEmpty(t, seen)
	for _, s := range seen {
		assert.NotContains(t, s, "secret")
	}
	assert.Contains(t, seen, "{ID:q000 Scope:conv-1 Time: Text:What happened on day 0? K:10}")
}

// What answers hold, and what becomes of it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	hit := func(id string, score float64) record.Hit { return record.Hit{ID: id, Score: score} }
	in := func(list, id string) record.Hit { return record.Hit{ID: id, List: list} }
	for _, c := range []struct {
		name   string
		hits   []record.Hit
		opts   record.Options
		want   tiaptest.Ranking
		report record.Report
	}{
		{name: "scores", hits: []record.Hit{hit("m1", 2), hit("m2", 1)},
			want: tiaptest.Ranking{IDs: []string{"m1", "m2"}, Scores: []float64{2, 1}}},
		{name: "no scores", hits: []record.Hit{hit("m1", 0), hit("m2", 0)},
			want: tiaptest.Ranking{IDs: []string{"m1", "m2"}}},
		{name: "scores of 0 that are declared", hits: []record.Hit{hit("m1", 0), hit("m2", 0)}, opts: record.Options{Scores: record.Ascending},
			want: tiaptest.Ranking{IDs: []string{"m1", "m2"}, Scores: []float64{0, 0}}},
		{name: "distances", hits: []record.Hit{hit("m1", 0.1), hit("m2", 0.2)}, opts: record.Options{Scores: record.Ascending},
			want: tiaptest.Ranking{IDs: []string{"m1", "m2"}, Scores: []float64{0.1, 0.2}}},
		{name: "the wrong way", hits: []record.Hit{hit("m1", 0.1), hit("m2", 0.2)}, opts: record.Options{Scores: record.Descending},
			want:   tiaptest.Ranking{IDs: []string{"m1", "m2"}, Scores: []float64{0.1, 0.2}},
			report: record.Report{WrongWay: 1}},
		{name: "infinite", hits: []record.Hit{hit("m1", inf), hit("m2", 1)},
			want: tiaptest.Ranking{IDs: []string{"m1", "m2"}}},
		{name: "NaN", hits: []record.Hit{hit("m1", 1), hit("m2", nan)},
			want:   tiaptest.Ranking{Error: "the score of rank 2 is NaN; give a number, or no scores"},
			report: record.Report{Failed: []string{"q1: the score of rank 2 is NaN; give a number, or no scores"}}},
		{name: "empty id", hits: []record.Hit{hit("m1", 1), hit("", 1)},
			want:   tiaptest.Ranking{Error: "the id of rank 2 is empty; give every hit the id that it has in the store"},
			report: record.Report{Failed: []string{"q1: the id of rank 2 is empty; give every hit the id that it has in the store"}}},
		{name: "not UTF-8", hits: []record.Hit{hit("m\xff", 1)},
			want:   tiaptest.Ranking{Error: `the id or list of rank 1 is not UTF-8: "m\xff"`},
			report: record.Report{Failed: []string{`q1: the id or list of rank 1 is not UTF-8: "m\xff"`}}},
		{name: "duplicates", hits: []record.Hit{hit("m1", 3), hit("m2", 2), hit("m1", 1), hit("m1", 0.5)},
			want:   tiaptest.Ranking{IDs: []string{"m1", "m2"}, Scores: []float64{3, 2}},
			report: record.Report{Duplicates: 2}},
		{name: "lists", hits: []record.Hit{in("nodes", "m3"), in("edges", "m1"), in("nodes", "m1"), in("edges", "m1")},
			want:   tiaptest.Ranking{Lists: []tiaptest.List{{Name: "edges", IDs: []string{"m1"}}, {Name: "nodes", IDs: []string{"m3", "m1"}}}},
			report: record.Report{Duplicates: 1}},
		{name: "some in lists", hits: []record.Hit{in("nodes", "m3"), hit("m1", 0)},
			want:   tiaptest.Ranking{Error: "some hits name a list and others do not; name a list for all or for none"},
			report: record.Report{Failed: []string{"q1: some hits name a list and others do not; name a list for all or for none"}}},
		{name: "too many", hits: []record.Hit{hit("m1", 0), hit("m2", 0), hit("m3", 0)}, opts: record.Options{K: 2},
			want:   tiaptest.Ranking{IDs: []string{"m1", "m2", "m3"}},
			report: record.Report{Long: 1}},
		{name: "none", opts: record.Options{K: 2}, want: tiaptest.Ranking{}, report: record.Report{Short: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
				if q.ID == "q1" {
					return c.hits, nil
				}
				return []record.Hit{{ID: "m0", Score: 1}}, nil
			})
			c.opts.K = max(c.opts.K, 1)
			plain := c.opts.K == 1
			ingests, report, err := record.Ingests(t.Context(), []tiaptest.Query{{ID: "q0"}, {ID: "q1"}}, build(s), here(c.opts))
			require.NoError(t, err)
			got, ok := ingests[0].Run.Ranking("q1")
			require.True(t, ok)
			c.want.Query, c.want.K = "q1", c.opts.K
			assert.Empty(t, cmp.Diff(c.want, got, cmp.Transformer("none", func(ids []string) []string { return append([]string{}, ids...) })))
			c.report.Queries = 2
			if plain {
				report.Long = 0
			} else {
				c.report.Short++ // q0
			}
			assert.Empty(t, cmp.Diff(c.report, report))
		})
	}
}

// A run reads the same whether its answers came from the system or through the
// journal.
func TestJournaledAnswers(t *testing.T) {
	t.Parallel()
	for _, hits := range [][]record.Hit{
		{{ID: "m1", Score: math.Copysign(0, -1)}, {ID: "m2", Score: -1e-300}},
		{{ID: "m1", Score: math.Inf(-1)}, {ID: "m2", Score: 1}},
		{{ID: "<&\u2028", Score: 1.0 / 3}, {ID: "m2", Score: 5e-324}, {ID: "m2"}},
		{{ID: "e", List: "b"}, {ID: "f", List: "a"}, {ID: "e", List: "b"}},
		nil,
	} {
		s := record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) { return hits, nil })
		at := filepath.Join(t.TempDir(), "mine")
		opts := here(record.Options{Dir: at, Twice: -1, Scores: record.Descending})
		two := []tiaptest.Query{{ID: "q0"}, {ID: "q1"}}
		_, want, err := record.Ingests(t.Context(), two, build(s), opts)
		require.NoError(t, err)
		run := read(t, at, "run.jsonl")

		_, _, err = record.Ingests(t.Context(), two, build(failing("q1", s)), opts)
		require.NoError(t, err)
		require.FileExists(t, filepath.Join(at, "run.jsonl.part"))
		_, got, err := record.Ingests(t.Context(), two, build(s), opts)
		require.NoError(t, err)
		assert.Equal(t, 1, got.Resumed)
		got.Resumed = 0
		assert.Empty(t, cmp.Diff(want, got))
		assert.Equal(t, run, read(t, at, "run.jsonl"))
	}
}

// failing is a searcher that fails for one query.
func failing(id string, s record.Searcher) record.Searcher {
	return record.SearchFunc(func(ctx context.Context, q record.Query) ([]record.Hit, error) {
		if q.ID == id {
			return nil, errors.New("no such conversation\nat line 1")
		}
		return s.Search(ctx, q)
	})
}

// One failed query costs only itself, and the next recording asks it again.
func TestFailedQuery(t *testing.T) {
	t.Parallel()
	_, want := faultless(t, 20)
	dir := filepath.Join(t.TempDir(), "mine")
	opts := here(record.Options{Dir: dir, K: 10})
	ingests, report, err := record.Ingests(t.Context(), questions(20), build(failing("q007", steady)), opts)
	require.NoError(t, err)
	assert.Equal(t, []string{"q007: no such conversation"}, report.Failed)
	got, _ := ingests[0].Run.Ranking("q007")
	assert.Equal(t, "no such conversation\nat line 1", got.Error)
	wanted, left := strings.Split(want, "\n"), strings.Split(read(t, dir, "run.jsonl"), "\n")
	assert.Equal(t, `{"query":"q007","k":10,"error":"no such conversation\nat line 1"}`, left[7])
	left[7] = wanted[7]
	assert.Equal(t, wanted, left)

	var asked []string
	_, report, err = record.Ingests(t.Context(), questions(20), build(noting(&asked, steady)), opts)
	require.NoError(t, err)
	assert.Equal(t, 19, report.Resumed)
	slices.Sort(asked)
	assert.Equal(t, []string{"q000", "q004", "q007", "q008", "q012", "q016"}, asked, "the failed query, and five to see that the system is the same")
	equalText(t, want, read(t, dir, "run.jsonl"))
	assert.Equal(t, []string{"run.jsonl", "store.jsonl"}, names(t, dir))
}

// noting is a searcher that notes what it is asked.
func noting(asked *[]string, s record.Searcher) record.Searcher {
	var mu sync.Mutex
	return record.SearchFunc(func(ctx context.Context, q record.Query) ([]record.Hit, error) {
		mu.Lock()
		*asked = append(*asked, q.ID)
		mu.Unlock()
		return s.Search(ctx, q)
	})
}

type temporaryError bool

func (temporaryError) Error() string     { return "busy" }
func (e temporaryError) Temporary() bool { return bool(e) }

func TestRetries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		err      error
		opts     record.Options
		attempts int
	}{
		{"an error that may pass", temporaryError(true), record.Options{}, 3},
		{"wrapped", fmt.Errorf("search: %w", temporaryError(true)), record.Options{Attempts: 5}, 5},
		{"an error that says that it will not pass", temporaryError(false), record.Options{}, 1},
		{"any error", errors.New("bad request"), record.Options{}, 1},
		{"any error, with RetryAll", errors.New("bad request"), record.Options{RetryAll: true}, 3},
		{"one attempt", temporaryError(true), record.Options{Attempts: 1}, 1},
		{"an unusable answer", nil, record.Options{RetryAll: true}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var attempts atomic.Int32
			s := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
				if q.ID == "q1" {
					attempts.Add(1)
					return []record.Hit{{}}, c.err
				}
				return nil, nil
			})
			_, report, err := record.Ingests(t.Context(), []tiaptest.Query{{ID: "q0"}, {ID: "q1"}}, build(s), here(c.opts))
			require.NoError(t, err)
			assert.EqualValues(t, c.attempts, attempts.Load())
			assert.Equal(t, c.attempts-1, report.Retries)
			assert.Len(t, report.Failed, 1)
		})
	}
}

// The pause before an attempt doubles, up to half a minute.
func TestBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		s := record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
			at = append(at, time.Since(start))
			return nil, temporaryError(true)
		})
		_, _, err := record.Ingests(t.Context(), []tiaptest.Query{{ID: "q0"}}, build(s), record.Options{Cacheable: true, Backoff: 10 * time.Second, Attempts: 5})
		assert.EqualError(t, err, `record: none of 1 query got an answer; query "q0": busy`)
		assert.Equal(t, []time.Duration{0, 10 * time.Second, 30 * time.Second, 60 * time.Second, 90 * time.Second}, at)
	})
}

// Attempts end at the timeout, with searchers that heed their context and with
// one that does not.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]func(ctx context.Context) error{
		"heeds":   func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("search: %w", ctx.Err()) },
		"forgets": func(context.Context) error { time.Sleep(time.Hour); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := record.SearchFunc(func(ctx context.Context, q record.Query) ([]record.Hit, error) {
					if q.ID == "q1" {
						return nil, wait(ctx)
					}
					return nil, nil
				})
				start := time.Now()
				_, report, err := record.Ingests(t.Context(), []tiaptest.Query{{ID: "q0"}, {ID: "q1"}}, build(s), here(record.Options{Timeout: 10 * time.Second}))
				require.NoError(t, err)
				assert.Equal(t, []string{"q1: no answer within 10s"}, report.Failed)
				assert.Equal(t, 2, report.Retries)
				assert.Less(t, time.Since(start), 40*time.Second)
				time.Sleep(2 * time.Hour) // what was left behind
			})
		})
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	s := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		if q.ID == "q001" {
			panic("index out of range")
		}
		return answers(q), nil
	})
	_, report, err := record.Ingests(t.Context(), questions(10), build(s), here(record.Options{}))
	require.NoError(t, err)
	assert.Equal(t, []string{"q001: panic: index out of range"}, report.Failed)
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ set, want int32 }{{0, 4}, {1, 1}, {7, 7}} {
		t.Run(fmt.Sprint(c.set), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var now, most atomic.Int32
				s := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
					n := now.Add(1)
					defer now.Add(-1)
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					time.Sleep(time.Second)
					return answers(q), nil
				})
				_, _, err := record.Ingests(t.Context(), questions(40), build(s), here(record.Options{Concurrency: int(c.set), Twice: -1}))
				require.NoError(t, err)
				assert.Equal(t, c.want, most.Load())
			})
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	_, want := faultless(t, 60)
	dir := filepath.Join(t.TempDir(), "mine")
	opts := here(record.Options{Dir: dir, K: 10, Concurrency: 1})
	ctx, cancel := context.WithCancelCause(t.Context())
	var asked []string
	s := noting(&asked, record.SearchFunc(func(ctx context.Context, q record.Query) ([]record.Hit, error) {
		if len(asked) == 25 {
			cancel(errors.New("the tea is ready"))
			return nil, ctx.Err()
		}
		return answers(q), nil
	}))
	_, _, err := record.Ingests(ctx, questions(60), build(s), opts)
	part := filepath.Join(dir, "run.jsonl.part")
	assert.EqualError(t, err, "record: interrupted: the tea is ready; 19 of 60 queries are answered in "+part+", and the same call goes on from there")
	assert.Equal(t, []string{"run.jsonl.part"}, names(t, dir))

	asked = nil
	_, report, err := record.Ingests(t.Context(), questions(60), build(noting(&asked, steady)), opts)
	require.NoError(t, err)
	assert.Equal(t, 19, report.Resumed)
	assert.Len(t, asked, 60-19+5)
	equalText(t, want, read(t, dir, "run.jsonl"))

	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, _, err = record.Ingests(ctx, questions(3), build(steady), here(record.Options{}))
	assert.ErrorIs(t, err, context.Canceled)
	assert.EqualError(t, err, "record: interrupted: context canceled")
	_, _, err = record.Ingests(ctx, questions(3), func(ctx context.Context, _ int) (record.Searcher, *record.IngestLog, error) {
		return nil, nil, ctx.Err()
	}, here(record.Options{}))
	assert.EqualError(t, err, "record: interrupted: context canceled")
}

// Answers that depend on luck end a recording before it has cost anything.
func TestUnlike(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	shuffling := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		hits := []record.Hit{{ID: "m1"}, {ID: "m2"}}
		if n.Add(1); q.ID == "q1" && n.Load()%2 == 0 {
			slices.Reverse(hits)
		}
		return hits, nil
	})
	changing := record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
		return []record.Hit{{ID: "m1"}, {ID: fmt.Sprintf("m%d", n.Add(1))}}, nil
	})
	lists := record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
		return []record.Hit{{ID: "m1", List: fmt.Sprintf("list%d", n.Add(1)%2)}}, nil
	})
	for _, c := range []struct {
		name string
		s    record.Searcher
		want string
	}{
		{"order", shuffling, `1 of 1 query got another answer when asked again; q1: the same memories in another order, at rank 1 "m1", then "m2"; a ranking must not depend on luck: mend the system, or set Options.Unstable (-unstable) to record it all the same`},
		{"memories", changing, `other memories, at rank 2 "m`},
		{"lists", lists, `lists ["list`},
	} {
		t.Run(c.name, func(t *testing.T) {
			n.Store(0)
			one := []tiaptest.Query{{ID: "q1"}}
			_, report, err := record.Ingests(t.Context(), one, build(c.s), here(record.Options{}))
			assert.ErrorContains(t, err, c.want)
			assert.Len(t, report.Unlike, 1)

			_, report, err = record.Ingests(t.Context(), one, build(c.s), here(record.Options{Unstable: true}))
			require.NoError(t, err)
			assert.Len(t, report.Unlike, 1)
			assert.Contains(t, report.String(), "1 query answered differently when asked again\n    q1: ")

			_, report, err = record.Ingests(t.Context(), one, build(c.s), here(record.Options{Twice: -1}))
			require.NoError(t, err)
			assert.Empty(t, report.Unlike)
		})
	}
}

// An unstable system is found out after the sample, not at the end.
func TestUnlikeEarly(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	s := record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
		return []record.Hit{{ID: fmt.Sprint(n.Add(1))}}, nil
	})
	_, report, err := record.Ingests(t.Context(), questions(100), build(s), here(record.Options{Twice: 8}))
	assert.ErrorContains(t, err, "8 of 8 queries got another answer")
	assert.EqualValues(t, 16, n.Load())
	assert.True(t, slices.IsSorted(report.Unlike))
}

// An interrupted recording does not go on with another system.
func TestResumeChecksSystem(t *testing.T) {
	t.Parallel()
	other := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		hits := answers(q)
		slices.Reverse(hits)
		return hits, nil
	})
	dir := filepath.Join(t.TempDir(), "mine")
	opts := here(record.Options{Dir: dir, K: 10})
	_, _, err := record.Ingests(t.Context(), questions(20), build(failing("q007", steady)), opts)
	require.NoError(t, err)
	before := read(t, dir, "run.jsonl")

	t.Run("other answers", func(t *testing.T) {
		_, _, err := record.Ingests(t.Context(), questions(20), build(other), opts)
		assert.ErrorContains(t, err, "5 of 5 queries got another answer when asked again; q000: the same memories in another order, at rank 1 ")
		assert.ErrorContains(t, err, "if the system changed since the recording was interrupted, set Options.Fresh (-resume=false); else ")
		assert.Equal(t, before, read(t, dir, "run.jsonl"), "what was recorded before stays")
	})
	t.Run("other store", func(t *testing.T) {
		var asked []string
		larger := func(ctx context.Context, repeat int) (record.Searcher, *record.IngestLog, error) {
			s, log, err := build(noting(&asked, steady))(ctx, repeat)
			log.Add(tiaptest.Memory{ID: "m99", Form: "fact"})
			return s, log, err
		}
		opts := opts
		opts.Dir = filepath.Join(t.TempDir(), "copy")
		require.NoError(t, os.CopyFS(opts.Dir, os.DirFS(dir)))
		_, report, err := record.Ingests(t.Context(), questions(20), larger, opts)
		require.NoError(t, err)
		assert.Equal(t, 1, report.Afresh)
		assert.Equal(t, 0, report.Resumed)
		assert.Len(t, asked, 25)
	})
	t.Run("other queries", func(t *testing.T) {
		qs := questions(21)
		for i := range qs {
			if qs[i].ID == "q004" {
				qs[i].Text += " Tell me."
			}
		}
		opts := opts
		opts.Dir = filepath.Join(t.TempDir(), "copy")
		require.NoError(t, os.CopyFS(opts.Dir, os.DirFS(dir)))
		fresh := here(record.Options{Dir: filepath.Join(t.TempDir(), "mine"), K: 10})
		_, _, err := record.Ingests(t.Context(), qs, build(steady), fresh)
		require.NoError(t, err)
		_, report, err := record.Ingests(t.Context(), qs, build(steady), opts)
		require.NoError(t, err)
		assert.Equal(t, 20-2, report.Resumed, "one had failed, one is another question")
		assert.Equal(t, read(t, fresh.Dir, "run.jsonl"), read(t, opts.Dir, "run.jsonl"))
	})
	t.Run("another k", func(t *testing.T) {
		opts := opts
		opts.Dir = filepath.Join(t.TempDir(), "copy")
		opts.K = 5
		require.NoError(t, os.CopyFS(opts.Dir, os.DirFS(dir)))
		_, report, err := record.Ingests(t.Context(), questions(20), build(steady), opts)
		require.NoError(t, err)
		assert.Equal(t, 0, report.Resumed)
	})
	t.Run("Fresh", func(t *testing.T) {
		opts := opts
		opts.Fresh = true
		_, report, err := record.Ingests(t.Context(), questions(20), build(other), opts)
		require.NoError(t, err)
		assert.Equal(t, 0, report.Resumed)
		assert.NotEqual(t, before, read(t, dir, "run.jsonl"))
	})
}

// What stands in a journal that was damaged is asked again.
func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	_, want := faultless(t, 20)
	dir := filepath.Join(t.TempDir(), "mine")
	opts := here(record.Options{Dir: dir, K: 10})
	_, _, err := record.Ingests(t.Context(), questions(20), build(failing("q007", steady)), opts)
	require.NoError(t, err)
	part := read(t, dir, "run.jsonl.part")
	lines := strings.SplitAfter(part, "\n")
	for name, text := range map[string]string{
		"torn":            part[:len(part)/2],
		"empty":           "",
		"zeros":           part[:len(part)/2] + strings.Repeat("\x00", 100) + "\n",
		"garbage":         "garbage\n" + part,
		"no header":       strings.Join(lines[1:], ""),
		"two joined":      part + part,
		"no end":          strings.TrimSuffix(part, "\n"),
		"another version": strings.Replace(part, `{"tiap_journal":1,`, `{"tiap_journal":2,`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			opts := opts
			opts.Dir = filepath.Join(t.TempDir(), "copy")
			require.NoError(t, os.MkdirAll(opts.Dir, 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(opts.Dir, "run.jsonl.part"), []byte(text), 0o666))
			_, report, err := record.Ingests(t.Context(), questions(20), build(steady), opts)
			require.NoError(t, err)
			assert.Less(t, report.Resumed, 20)
			equalText(t, want, read(t, opts.Dir, "run.jsonl"))
			assert.Equal(t, []string{"run.jsonl", "store.jsonl"}, names(t, opts.Dir))
		})
	}
}

// A service that is down ends the recording; what was answered stays.
func TestStopAfter(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	s := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
		if n.Add(1) > 20 {
			return nil, temporaryError(true)
		}
		return answers(q), nil
	})
	dir := filepath.Join(t.TempDir(), "mine")
	opts := here(record.Options{Dir: dir, K: 10, Concurrency: 1, Attempts: 2})
	_, _, err := record.Ingests(t.Context(), questions(60), build(s), opts)
	assert.EqualError(t, err, "record: 20 queries in a row failed, the last with: busy; 15 of 60 queries are answered in "+
		filepath.Join(dir, "run.jsonl.part")+", and the same call goes on from there")
	assert.EqualValues(t, 20+2*20, n.Load())

	opts.StopAfter = -1
	n.Store(0)
	opts.Dir = ""
	_, report, err := record.Ingests(t.Context(), questions(60), build(s), opts)
	require.NoError(t, err)
	assert.Len(t, report.Failed, 45)
}

// A recording that ends before its first answer leaves nothing behind, but what was
// there before.
func TestNothingRecorded(t *testing.T) {
	t.Parallel()
	noBuild := func(context.Context, int) (record.Searcher, *record.IngestLog, error) {
		return nil, nil, errors.New("no such service")
	}
	silent := build(record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) { return nil, errors.New("no such user") }))
	const part = "run.jsonl.part"
	for name, b := range map[string]record.Builder{"no build": noBuild, "no answer": silent} {
		bundle := t.TempDir()
		opts := here(record.Options{Dir: filepath.Join(bundle, "mine"), K: 10})
		fails := func(opts record.Options) {
			t.Helper()
			_, _, err := record.Ingests(t.Context(), questions(20), b, opts)
			require.ErrorContains(t, err, "no such", name)
		}
		fails(opts)
		assert.Empty(t, names(t, bundle), name)
		require.NoError(t, os.Mkdir(opts.Dir, 0o777))
		fails(opts)
		assert.Empty(t, names(t, opts.Dir), name)

		// A later ingest that is missing would not show.
		repeated := opts
		repeated.Repeats = 2
		_, _, err := record.Ingests(t.Context(), questions(20), func(ctx context.Context, repeat int) (record.Searcher, *record.IngestLog, error) {
			if repeat == 1 {
				return build(steady)(ctx, repeat)
			}
			return b(ctx, repeat)
		}, repeated)
		require.ErrorContains(t, err, "ingest 2: ", name)
		assert.Equal(t, []string{part}, names(t, filepath.Join(opts.Dir, "repeats", "002")), name)
	}

	// Answers that are there are not lost to a recording that asks other questions, or
	// would have begun anew.
	dir := filepath.Join(t.TempDir(), "mine")
	opts := here(record.Options{Dir: dir, K: 10})
	_, _, err := record.Ingests(t.Context(), questions(20), build(failing("q001", steady)), opts)
	require.NoError(t, err)
	before := tree(t, dir)
	require.Contains(t, before, part)
	for _, k := range []int{10, 11} {
		opts.K, opts.Fresh = k, k == 10
		_, _, err = record.Ingests(t.Context(), questions(20), noBuild, opts)
		require.Error(t, err)
		assert.Equal(t, before, tree(t, dir))
	}
	// Those of another store are.
	_, _, err = record.Ingests(t.Context(), questions(20), func(ctx context.Context, repeat int) (record.Searcher, *record.IngestLog, error) {
		s, log, err := silent(ctx, repeat)
		log.Add(tiaptest.Memory{ID: "new", Form: "fact"})
		return s, log, err
	}, opts)
	require.ErrorContains(t, err, "no such user")
	delete(before, part)
	assert.Equal(t, before, tree(t, dir))
}

// Repeats are built anew; a recording that ended in one of them builds those
// before it no more.
func TestRepeats(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mine")
	opts := here(record.Options{Dir: dir, K: 10, Repeats: 3})
	var built []int
	closed := 0
	fail := true
	b := func(ctx context.Context, repeat int) (record.Searcher, *record.IngestLog, error) {
		built = append(built, repeat)
		if repeat == 3 && fail {
			return nil, nil, errors.New("out of credits")
		}
		log := new(record.IngestLog)
		log.Add(tiaptest.Memory{ID: fmt.Sprintf("%d-%d", repeat, len(built)), Form: "fact"})
		return closer{record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
			return []record.Hit{{ID: fmt.Sprintf("%d-%d", repeat, len(built))}}, nil
		}), &closed}, log, nil
	}
	_, _, err := record.Ingests(t.Context(), questions(6), b, opts)
	assert.EqualError(t, err, "record: ingest 3: building the system: out of credits")
	assert.Equal(t, []int{1, 2, 3}, built)
	assert.Equal(t, 2, closed)

	fail = false
	ingests, report, err := record.Ingests(t.Context(), questions(6), b, opts)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2, 3, 3}, built)
	assert.Equal(t, 12, report.Resumed)
	for i, want := range []string{"1-1", "2-2", "3-4"} {
		got, _ := ingests[i].Run.Ranking("q000")
		assert.Equal(t, []string{want}, got.IDs)
		assert.Equal(t, want, ingests[i].Memories[0].ID)
	}
	assert.Equal(t, []string{"repeats", "run.jsonl", "store.jsonl"}, names(t, dir))
	assert.Equal(t, []string{"002", "003"}, names(t, filepath.Join(dir, "repeats")))
	assert.Equal(t, []string{"run.jsonl", "store.jsonl"}, names(t, filepath.Join(dir, "repeats", "003")))
}

// So it is for systems whose store is not known.
func TestRepeatsNoLog(t *testing.T) {
	t.Parallel()
	opts := here(record.Options{Dir: filepath.Join(t.TempDir(), "mine"), K: 10, Repeats: 2})
	fail := true
	b := func(_ context.Context, repeat int) (record.Searcher, *record.IngestLog, error) {
		if repeat == 2 && fail {
			return nil, nil, errors.New("out of credits")
		}
		return steady, nil, nil
	}
	_, _, err := record.Ingests(t.Context(), questions(6), b, opts)
	require.Error(t, err)
	fail = false
	ingests, report, err := record.Ingests(t.Context(), questions(6), b, opts)
	require.NoError(t, err)
	assert.Equal(t, 6, report.Resumed)
	assert.Equal(t, slices.Collect(ingests[1].Run.All()), slices.Collect(ingests[0].Run.All()))
	assert.Empty(t, ingests[0].Memories)
}

type closer struct {
	record.Searcher
	n *int
}

func (c closer) Close() error { *c.n++; return nil }

// Answers may name memories by ids that they had when they were given.
func TestRenamedDuringRecording(t *testing.T) {
	t.Parallel()
	b := func(context.Context, int) (record.Searcher, *record.IngestLog, error) {
		log := new(record.IngestLog)
		log.Add(tiaptest.Memory{ID: "a1", Form: "fact"})
		log.Add(tiaptest.Memory{ID: "b", Form: "fact"})
		n := 1
		return record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
			old, now := fmt.Sprintf("a%d", n), fmt.Sprintf("a%d", n+1)
			n++
			log.Rename(old, now)
			return []record.Hit{{ID: old}, {ID: "b"}, {ID: now}}, nil
		}), log, nil
	}
	ingests, report, err := record.Ingests(t.Context(), questions(3), b, here(record.Options{Concurrency: 1}))
	require.NoError(t, err)
	assert.Equal(t, "a7", ingests[0].Memories[0].ID)
	for k := range ingests[0].Run.All() {
		assert.Equal(t, []string{"a7", "b"}, k.IDs)
	}
	assert.Equal(t, 3, report.Duplicates)
}

func TestIngestsErrors(t *testing.T) {
	t.Parallel()
	one := []tiaptest.Query{{ID: "q0"}}
	occupied := func(names ...string) string {
		dir := filepath.Join(t.TempDir(), "mine")
		for _, name := range names {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
		}
		return dir
	}
	zipped, repeated, file := occupied("run.jsonl.gz"), occupied("repeats/002/run.jsonl"), occupied("run.jsonl")
	for _, c := range []struct {
		name    string
		queries []tiaptest.Query
		build   record.Builder
		opts    record.Options
		want    string
	}{
		{"no queries", nil, build(steady), record.Options{}, "record: there are no queries"},
		{"no id", []tiaptest.Query{{}}, build(steady), record.Options{}, "record: query 1 has no id"},
		{"two ids", append(one, one...), build(steady), record.Options{}, `record: query "q0" stands twice; give every query an id of its own`},
		{"options", one, build(steady), record.Options{K: -1, Timeout: -1, Attempts: -2, Scores: "up"},
			"record: K is -1; it must be at least 1\nAttempts is -2; it must be at least 1\nTimeout is -1ns; it must be above 0\nunknown order of scores \"up\"; use descending or ascending"},
		{"no searcher", one, func(context.Context, int) (record.Searcher, *record.IngestLog, error) { return nil, nil, nil }, record.Options{},
			"record: building the system: there is no Searcher"},
		{"mistakes of the log", one, func(context.Context, int) (record.Searcher, *record.IngestLog, error) {
			log := new(record.IngestLog)
			log.Delete("m1")
			return steady, log, nil
		}, record.Options{}, `record: ingest log: delete: no memory has the id "m1"; add the memory first`},
		{"a compressed run", one, build(steady), record.Options{Dir: zipped},
			"record: " + filepath.Join(zipped, "run.jsonl.gz") + ": it is of another recording; move or remove it"},
		{"another repeat", one, build(steady), record.Options{Dir: repeated},
			"record: " + filepath.Join(repeated, "repeats", "002") + ": it is no repeat of this recording; move or remove it, or set Options.Repeats (-repeats)"},
		{"a file as the folder", one, build(steady), record.Options{Dir: filepath.Join(file, "run.jsonl")}, "not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := record.Ingests(t.Context(), c.queries, c.build, here(c.opts))
			require.Error(t, err)
			if c.name == "a file as the folder" {
				assert.ErrorContains(t, err, c.want)
				return
			}
			assert.EqualError(t, err, c.want)
		})
	}
}

// A system whose store is not known leaves a store alone.
func TestNoLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "store.jsonl"), []byte("mine"), 0o666))
	ingests, _, err := record.Ingests(t.Context(), questions(3), func(context.Context, int) (record.Searcher, *record.IngestLog, error) {
		return steady, nil, nil
	}, here(record.Options{Dir: dir}))
	require.NoError(t, err)
	assert.Empty(t, ingests[0].Memories)
	assert.Equal(t, "mine", read(t, dir, "store.jsonl"))
}

func TestReport(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "1 query", record.Report{Queries: 1}.String())
	assert.Equal(t, strings.TrimSpace(`
1533 queries
12 answers of an interrupted recording
1 ingest begun anew: the interrupted recording was of another store
3 further attempts
1 id left out, which its ranking had before
2 rankings of more ids than asked for
1 ranking of fewer ids than asked for
2 rankings whose scores run against the declared order
1 query answered differently when asked again
    q1: other memories
6 queries failed
    q1: a
    q2: b
    q3: c
    q4: d
    q5: e
    and 1 more`), record.Report{
		Queries: 1533, Resumed: 12, Retries: 3, Afresh: 1, Duplicates: 1, Long: 2, Short: 1, WrongWay: 2,
		Unlike: []string{"q1: other memories"}, Failed: []string{"q1: a", "q2: b", "q3: c", "q4: d", "q5: e", "q6: f"},
	}.String())
}

// Progress is silent at first, then lines that grow rarer.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		s := record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
			time.Sleep(time.Second)
			return nil, nil
		})
		opts := here(record.Options{Progress: &out, Concurrency: 1, Twice: -1})
		_, _, err := record.Ingests(t.Context(), questions(1), build(s), opts)
		require.NoError(t, err)
		assert.Empty(t, out.String())
		_, _, err = record.Ingests(t.Context(), questions(20), build(failing("q001", s)), opts)
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Len(t, lines, 3)
		assert.Regexp(t, `^recorded [23] of 20 queries, 1 failed$`, lines[0])
	})
}
