package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// fatal is an error after which no query would get an answer: it ends the
// recording.
type fatal struct{ error }

func (e fatal) Unwrap() error { return e.error }

// outcome is what became of one question.
type outcome struct {
	answer
	attempts int
	outage   bool // it failed although it was worth trying again
}

// ask puts a question, again after errors that may pass. A failure becomes part
// of the answer; the error is that of the whole recording.
func (o *Options) ask(ctx context.Context, s Searcher, q Query) (outcome, error) {
	out := outcome{answer: answer{Query: q.ID, Asked: q.key()}}
	for pause := o.Backoff; ; pause = min(2*pause, longestPause) {
		out.attempts++
		hits, err := o.attempt(ctx, s, q)
		again := err != nil && (o.RetryAll || temporary(err))
		if err == nil {
			err = sound(hits)
		}
		if err == nil {
			out.Hits = savable(hits)
			return out, nil
		}
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		if end, ok := errors.AsType[fatal](err); ok {
			return out, end
		}
		if !again || out.attempts >= o.Attempts {
			out.Error, out.outage = failure(err), again
			return out, nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return out, context.Cause(ctx)
		}
	}
}

const longestPause = 30 * time.Second

// failure is an error as text that is never empty and fit for JSON.
func failure(err error) string {
	if text := strings.ToValidUTF8(err.Error(), "\ufffd"); text != "" {
		return text
	}
	return "the search failed without a message"
}

// attempt calls Search once, for no longer than the timeout even when Search
// pays no heed to its context. A panic is an error.
func (o *Options) attempt(ctx context.Context, s Searcher, q Query) ([]Hit, error) {
	if s, ok := s.(serial); ok {
		if err := s.ready(ctx); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	hits, err := within(ctx, func() ([]Hit, error) { return s.Search(ctx, q) })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		err = timeoutError{o.Timeout}
	}
	return hits, err
}

// within returns what call returns, or soon after ctx is done its error. It
// makes an error of a panic.
func within[T any](ctx context.Context, call func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = errPanic{p}
			}
			done <- r
		}()
		r.v, r.err = call()
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
	}
	// What goes on running would be concurrent with what is asked next.
	select {
	case r := <-done:
		return r.v, r.err
	case <-time.After(grace):
		var none T
		return none, errLate{ctx.Err()}
	}
}

// grace is how long a call may take to notice that its context is done.
const grace = 2 * time.Second

// errPanic is the error of a call that panicked.
type errPanic struct{ value any }

func (e errPanic) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// errLate is the error of a context whose end a call did not notice.
type errLate struct{ error }

func (e errLate) Unwrap() error { return e.error }

// timeoutError says that an attempt took too long.
type timeoutError struct{ limit time.Duration }

func (e timeoutError) Error() string { return fmt.Sprintf("no answer within %v", e.limit) }
func (timeoutError) Timeout() bool   { return true }

// temporary reports whether an error may pass: it says so itself, time ran out,
// or a connection failed or ended early.
func temporary(err error) bool {
	slow, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	if ok && slow.Timeout() {
		return true
	}
	passing, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](err)
	if ok && passing.Temporary() {
		return true
	}
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
