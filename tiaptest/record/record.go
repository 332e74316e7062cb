package record

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/filename"
	"github.com/tiaptest/tiap/tiaptest"
)

// Builder builds a memory system with a store of its own, or connects to one,
// and returns how to ask it and where its memories come from. It is called once
// for each ingest, repeat counting from 1. The log may be nil when nothing is
// known about the store, but not empty. When the ingest is recorded the log is closed,
// and so is a Searcher that is an [io.Closer].
type Builder func(ctx context.Context, repeat int) (Searcher, *IngestLog, error)

// Record records a system inside a test, for a System of a bundle:
//
//	ingests := record.Record(t, scenario.Queries, build, record.Options{Dir: "testdata/locomo/systems/mine"})
//
// It is [Ingests] with the test's context, ends a few seconds before the test's
// deadline and logs the report. Failed queries fail the test, any other error
// ends it. With -v it logs its progress.
func Record(tb testing.TB, queries []tiaptest.Query, build Builder, o Options) []*tiaptest.Ingest {
	tb.Helper()
	ctx := tb.Context()
	if t, ok := tb.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := t.Deadline(); ok {
			const toReport = 5 * time.Second
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadlineCause(ctx, end.Add(-toReport), errors.New("the test is about to time out (go test -timeout)"))
			defer cancel()
		}
	}
	if o.Progress == nil && testing.Verbose() {
		o.Progress = tb.Output()
	}
	ingests, report, err := Ingests(ctx, queries, build, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Log(report)
	if n := len(report.Failed); n > 0 {
		tb.Errorf("%s failed, the first is %s", english.Count(n, "query", "queries"), report.Failed[0])
	}
	return ingests
}

// Ingests records a system: it builds each ingest, puts every query to it and
// returns the stores with the answers as runs, ordered by the ids of the queries.
//
// A query that fails costs only itself: its ranking says why in Error. Errors end
// the recording: ctx is done, a build fails, the log has mistakes, an answer
// changes (Twice), none of the queries asked twice gets one, too many fail in a
// row (StopAfter), a file cannot be written.
//
// The answers so far stay in run.jsonl.part in the folder of the ingest. The same
// call goes on from there if the store is the same, asks only what is new or
// failed, and comes to the same files, byte for byte, as a recording without
// interruption. That file also stays when queries failed, so that another call
// asks those again; it goes when all have an answer. A recording that ends before its
// first answer leaves nothing. A folder that another recording is writing at this
// moment is an error; one that was killed leaves the folder free.
func Ingests(ctx context.Context, queries []tiaptest.Query, build Builder, o Options) ([]*tiaptest.Ingest, Report, error) {
	var report Report
	opts, err := o.orDefaults()
	if err := errors.Join(err, checkQueries(queries)); err != nil {
		return nil, report, fmt.Errorf("record: %w", err)
	}
	if !o.Cacheable && cacheable() {
		return nil, report, fmt.Errorf("record: %w", errCacheable)
	}
	f := folder{opts.Dir}
	release, err := f.lock()
	if err != nil {
		return nil, report, fmt.Errorf("record: %w", err)
	}
	defer release()
	if err := f.free(opts.Repeats); err != nil {
		return nil, report, fmt.Errorf("record: %w", err)
	}
	questions := make([]Query, len(queries))
	for i := range queries {
		questions[i] = question(&queries[i], opts.K)
	}
	slices.SortFunc(questions, func(a, b Query) int { return cmp.Compare(a.ID, b.ID) })

	bar := newProgress(opts.Progress, opts.Repeats*len(questions))
	defer bar.stop()
	var ingests []*tiaptest.Ingest
	for repeat := 1; repeat <= opts.Repeats; repeat++ {
		r := recording{Options: opts, questions: questions, repeat: repeat, dir: f.ingest(repeat), report: &report, bar: bar}
		in, err := r.record(ctx, build)
		if err != nil {
			if opts.Repeats > 1 {
				err = fmt.Errorf("ingest %d: %w", repeat, err)
			}
			return nil, report, fmt.Errorf("record: %w", err)
		}
		ingests = append(ingests, in)
	}
	if len(report.Failed) == 0 {
		err = f.tidy(opts.Repeats)
	}
	return ingests, report, err
}

func checkQueries(queries []tiaptest.Query) error {
	if len(queries) == 0 {
		return errors.New("there are no queries")
	}
	seen := make(map[string]bool, len(queries))
	for i := range queries {
		switch id := queries[i].ID; {
		case id == "":
			return fmt.Errorf("query %d has no id", i+1)
		case seen[id]:
			return fmt.Errorf("query %q stands twice; give every query an id of its own", id)
		default:
			seen[id] = true
		}
	}
	return nil
}

// recording is the recording of one ingest.
type recording struct {
	*Options
	questions []Query // ordered by id
	repeat    int
	dir       string // empty: nothing is written
	report    *Report
	bar       *progress

	searcher Searcher
	log      *IngestLog
	workers  int

	mu      sync.Mutex
	journal *journal
	outages int // queries in a row that failed although it was worth trying again
}

func (r *recording) record(ctx context.Context, build Builder) (in *tiaptest.Ingest, err error) {
	if r.journal, err = openJournal(journalIn(r.dir), r.questions); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, r.journal.close())
		if err != nil && r.repeat == 1 { // a later one that is missing would not show
			err = errors.Join(err, r.journal.discard())
		}
	}()
	r.report.Queries += len(r.questions)
	if r.Fresh {
		clear(r.journal.answers)
		r.journal.begun, r.journal.done = false, false
	}
	resumed := r.journal.keep(r.questions)
	if r.journal.done && resumed == len(r.questions) {
		if in, err := readIngest(r.dir); err == nil {
			r.report.Resumed += resumed
			r.bar.add(resumed, 0)
			return in, nil
		}
	}

	r.searcher, r.log, err = build(ctx, r.repeat)
	if err != nil {
		if ctx.Err() != nil {
			return nil, interrupted(ctx)
		}
		return nil, fmt.Errorf("building the system: %w", err)
	}
	defer func() { err = errors.Join(err, r.log.Close()) }()
	if c, ok := r.searcher.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	if r.searcher == nil {
		return nil, errors.New("building the system: there is no Searcher")
	}
	r.workers = r.Concurrency
	if _, ok := r.searcher.(serial); ok {
		r.workers = 1
	}
	if r.log.empty() {
		return nil, errors.New("building the system: the ingest log has no memory; add those of the store, or return no log if they are not known")
	}
	store, err := r.log.digest()
	if err != nil {
		return nil, err
	}
	afresh, err := r.journal.begin(store)
	if err != nil {
		return nil, err
	}
	if afresh {
		r.report.Afresh++
		resumed = 0
	}
	r.report.Resumed += resumed
	r.bar.add(resumed, 0)

	if err := r.askAll(ctx); err != nil {
		return nil, r.goesOn(err)
	}
	return r.finish()
}

// goesOn adds to an error what becomes of the answers so far.
func (r *recording) goesOn(err error) error {
	n := 0
	for _, a := range r.journal.answers {
		if a.Error == "" {
			n++
		}
	}
	if r.dir == "" || n == 0 {
		return err
	}
	return fmt.Errorf("%w; %d of %s are answered in %s, and the same call goes on from there", err, n, english.Count(len(r.questions), "query", "queries"), journalIn(r.dir))
}

// askAll puts the questions that have no answer yet, those that are put twice
// first.
func (r *recording) askAll(ctx context.Context) error {
	var sample []Query
	for i, n := 0, min(max(r.Twice, 0), len(r.questions)); i < n; i++ {
		sample = append(sample, r.questions[i*len(r.questions)/n])
	}
	known := len(r.journal.answers) > 0
	if err := r.each(ctx, r.open(sample), r.settle); err != nil {
		return err
	}
	if err := r.alive(sample); err != nil {
		return err
	}
	if err := r.again(ctx, sample, known); err != nil {
		return err
	}
	return r.each(ctx, r.open(r.questions), r.settle)
}

// open are the questions without an answer.
func (r *recording) open(questions []Query) []Query {
	return slices.DeleteFunc(slices.Clone(questions), func(q Query) bool {
		_, ok := r.journal.answers[q.ID]
		return ok
	})
}

// each asks questions, several at a time, and hands what becomes of them to keep,
// one at a time.
func (r *recording) each(ctx context.Context, questions []Query, keep func(Query, outcome) error) error {
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan Query)
	var workers sync.WaitGroup
	for range min(r.workers, len(questions)) {
		workers.Go(func() {
			for q := range next {
				if work.Err() != nil {
					continue // nothing more is asked
				}
				out, err := r.ask(work, r.searcher, q)
				r.mu.Lock()
				if err == nil {
					r.report.Retries += out.attempts - 1
					err = keep(q, out)
				}
				r.mu.Unlock()
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, q := range questions {
		next <- q
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return context.Cause(work)
}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("interrupted: %w", context.Cause(ctx))
}

// settle keeps the answer to a question.
func (r *recording) settle(_ Query, out outcome) error {
	failed := 0
	if out.Error != "" {
		failed = 1
	}
	r.bar.add(1, failed)
	if err := r.journal.add(out.answer); err != nil {
		return err
	}
	if !out.outage {
		r.outages = 0
	} else if r.outages++; r.outages == r.StopAfter {
		return fmt.Errorf("%d queries in a row failed, the last with: %s", r.outages, out.Error)
	}
	return nil
}

// alive reports an error when all questions of a sample failed.
func (r *recording) alive(sample []Query) error {
	for _, q := range sample {
		if r.journal.answers[q.ID].Error == "" {
			return nil
		}
	}
	if len(sample) == 0 {
		return nil
	}
	return fmt.Errorf("none of %s got an answer; query %q: %s", english.Count(len(sample), "query", "queries"), sample[0].ID, r.journal.answers[sample[0].ID].Error)
}

// again puts the questions of a sample once more and compares the answers. resumed
// says that some of them are of an interrupted recording.
func (r *recording) again(ctx context.Context, sample []Query, resumed bool) error {
	var unlike []string
	answered := slices.DeleteFunc(slices.Clone(sample), func(q Query) bool { return r.journal.answers[q.ID].Error != "" })
	err := r.each(ctx, answered, func(q Query, out outcome) error {
		if out.Error == "" {
			if how := difference(r.current(r.journal.answers[q.ID].Hits), r.current(out.Hits)); how != "" {
				unlike = append(unlike, fmt.Sprintf("%s: %s", q.ID, how))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(unlike)
	r.report.Unlike = append(r.report.Unlike, unlike...)
	if len(unlike) == 0 || r.Unstable {
		return nil
	}
	mend := "a ranking must not depend on luck: mend the system, or set Options.Unstable (-unstable) to record it all the same"
	if resumed {
		mend = "if the system changed since the recording was interrupted, set Options.Fresh (-resume=false); else " + mend
	}
	return fmt.Errorf("%d of %s got another answer when asked again; %s; %s", len(unlike), english.Count(len(answered), "query", "queries"), unlike[0], mend)
}

// current gives hits the ids that their memories have now.
func (r *recording) current(hits []Hit) []Hit {
	out := slices.Clone(hits)
	for i := range out {
		out[i].ID = r.log.Current(out[i].ID)
	}
	return out
}

// difference describes how two answers differ, or is empty.
func difference(a, b []Hit) string {
	names, as := byList(a)
	others, bs := byList(b)
	if !slices.Equal(names, others) {
		return fmt.Sprintf("lists %q, then %q", names, others)
	}
	for l := range as {
		first, second := ids(as[l]), ids(bs[l])
		if slices.Equal(first, second) {
			continue
		}
		rank := 0
		for rank < min(len(first), len(second)) && first[rank] == second[rank] {
			rank++
		}
		at := fmt.Sprintf("at rank %d %s, then %s", rank+1, quoted(first, rank), quoted(second, rank))
		slices.Sort(first)
		slices.Sort(second)
		if slices.Equal(first, second) {
			return "the same memories in another order, " + at
		}
		return "other memories, " + at
	}
	return ""
}

func ids(hits []Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}

func quoted(ids []string, i int) string {
	if i >= len(ids) {
		return "none"
	}
	return fmt.Sprintf("%q", ids[i])
}

// finish makes an ingest of the answers and saves it.
func (r *recording) finish() (*tiaptest.Ingest, error) {
	memories, err := r.log.Memories()
	if err != nil {
		return nil, err
	}
	in := &tiaptest.Ingest{Memories: memories}
	failed := 0
	for _, q := range r.questions {
		a := r.journal.answers[q.ID]
		if a.Error != "" {
			failed++
			r.report.Failed = append(r.report.Failed, q.ID+": "+strings.TrimSpace(firstLine(a.Error)))
		}
		if err := in.Run.Add(r.ranking(q, a)); err != nil {
			return nil, err
		}
	}
	if r.dir == "" {
		return in, nil
	}
	var description *tiaptest.System
	if d, ok := r.searcher.(describer); ok && r.repeat == 1 {
		description = d.describe()
	}
	if err := writeIngest(r.dir, in, r.log != nil, description); err != nil {
		return nil, err
	}
	if failed > 0 {
		return in, nil
	}
	return in, r.journal.write(entry{Done: true})
}

// describer is a Searcher that knows what belongs into system.json; nil: nothing.
type describer interface{ describe() *tiaptest.System }

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// ranking is an answer as it is saved.
func (r *recording) ranking(q Query, a answer) tiaptest.Ranking {
	k := tiaptest.Ranking{Query: q.ID, K: q.K, Error: a.Error}
	names, lists := byList(r.current(a.Hits))
	for l, hits := range lists {
		if len(hits) > q.K {
			r.report.Long++
		} else if len(hits) < q.K {
			r.report.Short++
		}
		if r.Scores != "" && r.Scores.turn(hits) > 0 {
			r.report.WrongWay++
		}
		first := firsts(hits)
		r.report.Duplicates += len(hits) - len(first)
		if names[l] != "" {
			k.Lists = append(k.Lists, tiaptest.List{Name: names[l], IDs: ids(first)})
			continue
		}
		k.IDs = ids(first)
		if r.Scores != "" || slices.ContainsFunc(hits, func(h Hit) bool { return h.Score != 0 }) {
			for _, h := range first {
				k.Scores = append(k.Scores, h.Score)
			}
		}
	}
	if len(lists) == 0 && a.Error == "" {
		r.report.Short++
	}
	return k
}

// firsts keeps the first of hits with one id.
func firsts(hits []Hit) []Hit {
	seen := make(map[string]bool, len(hits))
	return slices.DeleteFunc(slices.Clone(hits), func(h Hit) bool {
		dup := seen[h.ID]
		seen[h.ID] = true
		return dup
	})
}

// digest identifies a store; no log has the empty one.
func (l *IngestLog) digest() (string, error) {
	if l == nil {
		return "", nil
	}
	memories, err := l.Memories()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(memories)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func journalIn(dir string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, filename.Journal)
}
