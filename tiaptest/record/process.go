package record

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/tiaptest/tiap/internal/limit"
)

// process is a running child that answers lines with lines. It is not safe for
// concurrent use.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan output  // closed when its standard output ends
	most  atomic.Int64 // bytes that the next line may have
	ended bool
	owed  map[string]int // replies that may still come to queries that were given up
}

// output is a line, or why there is none.
type output struct {
	line []byte
	err  error
}

// startProcess runs a copy of a command in a process group of its own.
func startProcess(template *exec.Cmd) (*process, error) {
	cmd := &exec.Cmd{
		Path: template.Path, Args: template.Args, Env: template.Env, Dir: template.Dir, Err: template.Err,
		Stderr: cmp.Or[io.Writer](template.Stderr, os.Stderr),
		// Whoever inherited standard error may outlive the process.
		WaitDelay: time.Second,
	}
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in, lines: make(chan output), owed: make(map[string]int)}
	go func() {
		defer close(p.lines)
		for r := bufio.NewReader(out); ; {
			line, err := readLine(r, p.most.Load)
			if over, ok := errors.AsType[*limit.Error](err); ok {
				over.What = "the adapter printed a line that " + over.What
				p.lines <- output{err: over}
			}
			if err != nil {
				return
			}
			p.lines <- output{line: line}
		}
	}()
	return p, nil
}

// exchange writes a request and returns the line that replies to it. A line that
// is no reply is returned too, for the caller to say what is wrong with it; lines
// that reply to a query given up before are passed over.
func (p *process) exchange(ctx context.Context, request any) ([]byte, error) {
	line, err := encode(request)
	if err != nil {
		return nil, err
	}
	q, _ := request.(queryRequest)
	p.most.Store(largest(request))
	written := make(chan error, 1)
	go func() {
		_, err := p.in.Write(append(line, '\n'))
		written <- err
	}()
	for {
		select {
		case out, ok := <-p.lines:
			if !ok {
				return nil, endedError{p.kill()}
			}
			if out.err != nil {
				p.kill()
				return nil, out.err
			}
			reply := out.line
			var head struct {
				Query string `json:"query"`
			}
			err := json.Unmarshal(reply, &head)
			if err == nil && head.Query != q.Query && p.owed[head.Query] > 0 {
				p.owed[head.Query]--
				continue
			}
			if err != nil || head.Query != q.Query {
				p.owed[q.Query]++
			}
			select {
			case <-written:
			case <-ctx.Done():
				p.kill()
			}
			return reply, nil
		case <-ctx.Done():
			p.owed[q.Query]++
			select {
			case <-written:
			default:
				p.kill() // part of a line is no use to it
			}
			return nil, ctx.Err()
		}
	}
}

// endedError says that a process ended although it was asked for an answer.
type endedError struct{ status string }

func (e endedError) Error() string   { return "the adapter ended (" + e.status + ")" }
func (e endedError) Temporary() bool { return true }

// Close asks the process to end by closing its standard input, and kills what is
// left of it.
func (p *process) Close() error {
	if p.ended {
		return nil
	}
	p.in.Close()
	const patience = 5 * time.Second
	for timeout := time.After(patience); ; {
		select {
		case _, more := <-p.lines:
			if more {
				continue
			}
		case <-timeout:
		}
		break
	}
	p.kill()
	return nil
}

// kill ends the process group and returns how the process ended.
func (p *process) kill() string {
	if p.ended {
		return "it was ended"
	}
	p.ended = true
	killGroup(p.cmd) // before Wait: until then nobody else has its id
	p.in.Close()
	go func() {
		for range p.lines {
		}
	}()
	err := p.cmd.Wait()
	if state := p.cmd.ProcessState; state != nil {
		return state.String()
	}
	return fmt.Sprint(err)
}
