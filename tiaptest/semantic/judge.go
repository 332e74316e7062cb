package semantic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tiaptest/tiap/internal/jsonl"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lock"
	"github.com/tiaptest/tiap/internal/problem"
)

// Judge labels cases.
type Judge interface {
	// Describe returns what a label of the case will say of its making: judge,
	// kind, model and the digest of what the judge is shown. Labels with equal
	// descriptions answer the same question, so that one of them is enough. It
	// must not ask the judge.
	Describe(c Case) Judgement

	// Judge labels a case. An error that wraps [ErrFinal] ends the collection,
	// since others would fail likewise, and so do three cases in a row whose errors
	// wrap [ErrUnavailable]; after any other one the case is left for the next
	// collection. It may be called from several goroutines.
	Judge(ctx context.Context, c Case) (Label, error)
}

// ErrFinal marks an error that asking again will not mend, such as a refused key.
var ErrFinal = errors.New("asking again will not help")

// ErrUnavailable marks an error that is of the judge and not of the case, and that may
// pass, such as a server that is down.
var ErrUnavailable = errors.New("the judge is unavailable")

// errRefused marks an error of a case that the judge will not label, and that says
// nothing of others.
var errRefused = errors.New("the judge refuses the case")

// How many cases in a row, in the order in which they end, may find the judge
// unavailable, or be refused: of the latter as many queries at least, since a query
// can be what is refused.
const (
	mostUnavailable = 3
	mostRefused     = 5
)

// Collection says how to collect labels. The zero value asks one case after the
// other.
type Collection struct {
	// Workers is how many cases are asked at once; 0 means 1.
	Workers int

	// PerMinute limits how many cases are begun in a minute; 0 means no limit.
	PerMinute int

	// Dry asks nobody and counts what would be asked.
	Dry bool

	// Progress is told, one call at a time, how many of the tasks have a label.
	Progress func(done, of int)
}

// Collected says what a collection did. Known, Labelled and Left add up to Tasks.
type Collected struct {
	Tasks    int // distinct questions among the cases
	Known    int // of these, labelled in the file before
	Asked    int // of these, asked now, with or without success; with Dry, those that would be
	Labelled int // of these, labelled now
	Left     int // of these, without a label still: failed or not asked
}

// Collect has a judge label cases and appends each label to a file of labels as it
// comes. Cases of which the file has a label with the same description are not
// asked again, so that a collection that was stopped, or killed, goes on where it
// was: only the cases that were being asked at that moment are asked again. Cases
// with one query and text are asked once. A last line that a kill cut short is
// removed; anything else that is wrong in the file is an error. One process at a
// time writes a file: another one is refused as long as this one runs.
//
// Cases that cannot be judged, as [Judgeable] says, are asked of nobody. A judge that
// is unavailable for three cases in a row, in the order in which they end, is given
// up, and so is an [Endpoint] that refuses five in a row of as many queries, or of all.
// The error joins those of the cases that failed. What was labelled is in the
// file all the same. Where the collection did not begin, the counts are 0.
func Collect(ctx context.Context, judge Judge, cases []Case, file string, o Collection) (Collected, error) {
	var questions []question
	asked := make(map[Judgement]bool)
	for i := range cases {
		c := &cases[i]
		q := question{c, judge.Describe(*c)}
		q.fill()
		if what, mend := q.fault(); what != "" {
			return Collected{}, &problem.Problem{What: fmt.Sprintf("%s: %s", c.name(), what), Mend: mend}
		}
		if id := q.identity(); !asked[id] {
			asked[id] = true
			questions = append(questions, q)
		}
	}
	var f *collected
	before, err := readCollected(file)
	if !o.Dry && err == nil {
		before, f, err = openCollected(file)
	}
	if err != nil {
		return Collected{}, err
	}
	known := make(map[Judgement]bool, before.Len())
	for j := range before.All() {
		known[j.identity()] = true
	}
	open := slices.DeleteFunc(questions, func(q question) bool { return known[q.identity()] })
	done := Collected{Tasks: len(questions), Known: len(questions) - len(open), Left: len(open)}
	var faults problem.List
	open = slices.DeleteFunc(open, func(q question) bool {
		what, mend := q.of.unfit()
		if what != "" {
			faults.Add("", 0, what, mend)
		}
		return what != ""
	})
	unfit := unjudged(&faults, done.Tasks)
	if o.Dry {
		done.Asked = len(open)
		return done, unfit
	}
	r := &collection{Collection: o, judge: judge, file: f, done: done, refused: make(map[string]bool)}
	queries := make(map[string]bool)
	for _, q := range open {
		queries[q.of.Query] = true
	}
	r.queries = len(queries)
	err = r.run(ctx, open)
	return r.done, errors.Join(err, unfit, f.Close())
}

// question is a task as a judge is asked it.
type question struct {
	of *Case
	Judgement
}

// fill completes the description by what the case says.
func (q *question) fill() {
	by, made := q.Judgement, q.of.judgement()
	made.Judge, made.Kind, made.Model, made.PromptSHA256, made.Sample = by.Judge, by.Kind, by.Model, by.PromptSHA256, by.Sample
	q.Judgement = made
}

// fault says what is wrong with a label that would be made, but for the label.
func (q *question) fault() (what, mend string) {
	j := q.Judgement
	j.Label = Supports
	return j.fault()
}

// identity is what labels of one question share.
func (j *Judgement) identity() Judgement {
	k := j.key()
	return Judgement{Query: k.query, TextSHA256: k.digest, System: k.system, Memory: k.memory, Judge: j.Judge, Kind: j.Kind, Model: j.Model, PromptSHA256: j.PromptSHA256}
}

// collection is one in progress.
type collection struct {
	Collection
	judge Judge
	file  *collected

	mu     sync.Mutex // guards what follows, and the file
	done   Collected
	next   time.Time // when the next case may begin
	faults problem.List
	final  error // what ended the collection
	broken bool  // the file cannot be written

	unavailable int // last cases in a row that found the judge so

	refusals int             // last cases in a row that were refused
	refused  map[string]bool // and their queries
	queries  int             // of all cases to ask
}

func (r *collection) run(ctx context.Context, open []question) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	todo := make(chan question)
	var wg sync.WaitGroup
	for range max(1, min(r.Workers, len(open))) {
		wg.Go(func() {
			for q := range todo {
				r.ask(ctx, stop, q)
			}
		})
	}
	for _, q := range open {
		if !r.wait(ctx) {
			break
		}
		select {
		case todo <- q:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(todo)
	wg.Wait()
	switch {
	case r.final != nil:
		return errors.Join(r.final, r.faults.Err())
	case r.done.Labelled == len(open):
		return nil // though the context may have ended meanwhile
	}
	return errors.Join(context.Cause(ctx), r.faults.Err())
}

// wait keeps to the limit of cases per minute. It reports whether to go on.
func (r *collection) wait(ctx context.Context) bool {
	if r.PerMinute > 0 {
		now := time.Now()
		if r.next.After(now) {
			select {
			case <-time.After(r.next.Sub(now)):
			case <-ctx.Done():
			}
			now = r.next
		}
		r.next = now.Add(time.Minute / time.Duration(r.PerMinute))
	}
	return ctx.Err() == nil
}

// ask has one case labelled and keeps the label.
func (r *collection) ask(ctx context.Context, stop func(), q question) {
	if ctx.Err() != nil {
		return
	}
	label, err := r.judge.Judge(ctx, *q.of)
	j := q.Judgement
	j.Label = label
	if err == nil {
		if what, mend := j.fault(); what != "" {
			err = fmt.Errorf("%s; %s", what, mend)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		err = r.keep(&j)
	}
	r.done.Asked++
	if err != nil {
		if ctx.Err() == nil {
			r.faults.Add("", 0, fmt.Sprintf("%s: %v", q.of.name(), err), "")
		}
		r.count(err, q.of.Query)
		switch {
		case r.final != nil:
			return
		case errors.Is(err, ErrFinal):
			r.final = fmt.Errorf("the collection ended early: %w", err)
		case r.unavailable == mostUnavailable:
			r.final = fmt.Errorf("the collection ended early, after %d cases in a row without an answer: %w", mostUnavailable, err)
		case r.refusals >= mostRefused && len(r.refused) >= min(mostRefused, r.queries):
			r.final = fmt.Errorf("the collection ended early, after %d cases in a row that were refused; check what the service wants: %w", r.refusals, err)
		default:
			return
		}
		stop()
		return
	}
	r.count(nil, "")
	r.done.Labelled++
	r.done.Left--
	if r.Progress != nil {
		r.Progress(r.done.Known+r.done.Labelled, r.done.Tasks)
	}
}

// count counts what became of the last cases in a row.
func (r *collection) count(err error, query string) {
	if errors.Is(err, ErrUnavailable) {
		r.unavailable++
	} else {
		r.unavailable = 0
	}
	if errors.Is(err, errRefused) {
		r.refusals++
		r.refused[query] = true
	} else {
		r.refusals = 0
		clear(r.refused)
	}
}

// keep appends a label to the file, in one write, and waits until it is stored.
func (r *collection) keep(j *Judgement) error {
	if r.broken {
		return fmt.Errorf("%w: the label cannot be kept", ErrFinal)
	}
	var line bytes.Buffer
	err := writeLine(&line, j)
	if err == nil {
		_, err = r.file.Write(line.Bytes())
	}
	if err == nil {
		err = r.file.Sync()
	}
	if err != nil {
		r.broken = true // a part of a line may stand there
		return fmt.Errorf("%w: the label cannot be kept: %w", ErrFinal, err)
	}
	return nil
}

// readCollected reads the labels of a file that others will be appended to, without
// a last line that was cut short. There need not be a file.
func readCollected(file string) (*Labels, error) {
	if ext := strings.ToLower(filepath.Ext(file)); ext == ".gz" || ext == ".zst" {
		return nil, &problem.Problem{File: file, What: "labels cannot be appended to a compressed file", Mend: "collect into a plain file, and compress it afterwards"}
	}
	text, err := limit.ReadFile(file, limit.Document)
	if over, ok := errors.AsType[*limit.Error](err); ok {
		return nil, &problem.Problem{File: file, What: over.What, Mend: over.Mend}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	text, _ = whole(text)
	if len(bytes.TrimSpace(text)) == 0 {
		return gather(nil), nil
	}
	return ReadLabels(file, bytes.NewReader(text))
}

// whole is a text without a last line that was cut short, and whether its last line
// lacks only its end.
func whole(text []byte) (kept []byte, unended bool) {
	end := bytes.LastIndexByte(text, '\n') + 1
	if len(bytes.TrimSpace(text[end:])) == 0 {
		return text, end < len(text)
	}
	var j Judgement
	if jsonl.Decode(text[end:], &j) != nil {
		return text[:end], false
	}
	return text, true
}

// collected is an open file of labels that nobody else appends to.
type collected struct {
	*os.File
	release func()
}

func (c *collected) Close() error {
	defer c.release()
	return c.File.Close()
}

// openCollected opens or makes a file to append labels to, and returns those that it
// has. What was cut short is removed.
func openCollected(file string) (_ *Labels, _ *collected, err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, err
	}
	c := &collected{f, func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	release, err := lock.Try(file)
	if errors.Is(err, lock.ErrHeld) {
		err = fmt.Errorf("%w; wait for its end, or append to another file", err)
	}
	if err != nil {
		return nil, nil, err
	}
	c.release = release
	before, err := readCollected(file) // and nobody else writes to it any more
	if err != nil {
		return nil, nil, err
	}
	text, err := limit.ReadAll(f, limit.Document)
	if err != nil {
		return nil, nil, err
	}
	kept, unended := whole(text)
	if err := f.Truncate(int64(len(kept))); err != nil {
		return nil, nil, err
	}
	if _, err := f.Seek(int64(len(kept)), io.SeekStart); err != nil {
		return nil, nil, err
	}
	if unended {
		if _, err := f.WriteString("\n"); err != nil {
			return nil, nil, err
		}
	}
	return before, c, nil
}
