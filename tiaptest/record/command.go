package record

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/tiaptest/tiap/tiaptest"
)

// Command runs a memory system as a child process that speaks the protocol (see
// the package documentation) over its standard input and output, one message a
// line. cmd says what to run: its Path, Args, Env, Dir and Stderr are used, and
// standard error is passed on if Stderr is nil. The process is asked one query at
// a time, whatever the [Options].
//
// A process that ends, or that lets two attempts in a row run out of time, is
// started again for the next one: at most ten times without an answer in between,
// and only if its store is the same as before. At the end its standard
// input is closed; if it runs for five seconds more, it is killed. What is left of
// its process group is killed in any case.
func Command(cmd *exec.Cmd) Builder {
	return func(ctx context.Context, repeat int) (Searcher, *IngestLog, error) {
		c := &child{template: cmd, repeat: repeat, turn: make(chan struct{}, 1)}
		log, system, err := c.start(ctx)
		if err != nil {
			return nil, nil, err
		}
		if c.store, err = log.digest(); err != nil {
			return nil, nil, errors.Join(err, c.Close())
		}
		return stdio{&adapter{c, system}, c}, log, nil
	}
}

// stdio is an adapter in a child process.
type stdio struct {
	*adapter
	c *child
}

func (s stdio) ready(ctx context.Context) error { return s.c.ready(ctx) }

// serial is a Searcher that takes one query at a time and wants to be made ready
// for each, which no time limit counts.
type serial interface {
	ready(ctx context.Context) error
}

const (
	mostStarts = 10 // restarts without an answer in between
	mostLate   = 2  // attempts in a row that run out of time
)

// child keeps a process running.
type child struct {
	template *exec.Cmd
	repeat   int
	store    string // identifies the store of the first process

	turn   chan struct{} // holds a token while the fields below are in use
	p      *process      // nil: to be started
	starts int           // since the last answer, beside the first
	late   int           // attempts in a row that ran out of time
}

// start starts a process and greets it.
func (c *child) start(ctx context.Context) (*IngestLog, *tiaptest.System, error) {
	p, err := startProcess(c.template)
	if err != nil {
		return nil, nil, err
	}
	a := &adapter{transport: p}
	log, err := a.greet(ctx, c.repeat)
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	c.p = p
	return log, a.system, nil
}

func (c *child) ready(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
		return c.restart(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *child) restart(ctx context.Context) error {
	if c.p != nil {
		return nil
	}
	if c.starts >= mostStarts {
		return fatal{fmt.Errorf("the adapter was started %d times again without an answer", c.starts)}
	}
	c.starts++
	log, _, err := c.start(ctx)
	if err != nil {
		return fmt.Errorf("starting the adapter again: %w", err)
	}
	store, err := log.digest()
	if err == nil && store != c.store {
		err = errors.New("the adapter was started again and has another store than before; answers of two stores make no run: keep the store, or build it the same way each time")
	}
	if err != nil {
		return fatal{errors.Join(err, c.end())}
	}
	return nil
}

func (c *child) exchange(ctx context.Context, request any) ([]byte, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := c.restart(ctx); err != nil {
		return nil, err
	}
	text, err := c.p.exchange(ctx, request)
	switch {
	case err == nil:
		c.starts, c.late = 0, 0
	case errors.Is(err, context.DeadlineExceeded):
		if c.late++; c.late >= mostLate {
			c.p.kill()
		}
	}
	if c.p.ended {
		c.p, c.late = nil, 0
	}
	return text, err
}

// Close ends the process.
func (c *child) Close() error {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	return c.end()
}

func (c *child) end() error {
	if c.p == nil {
		return nil
	}
	p := c.p
	c.p = nil
	return p.Close()
}
