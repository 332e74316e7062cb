package record

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/terminal"
)

// progress says now and then how far a recording is: on a terminal each second,
// always on the same line, elsewhere as lines that grow rarer. What is done
// within two seconds says nothing.
type progress struct {
	w        io.Writer // nil: nobody watches
	terminal bool
	total    int

	mu           sync.Mutex
	done, failed int

	quit    chan struct{}
	stopped sync.WaitGroup
}

func newProgress(w io.Writer, total int) *progress {
	p := &progress{w: w, total: total, quit: make(chan struct{})}
	if w == nil && terminal.Is(os.Stderr) {
		p.w = os.Stderr
	}
	if p.w == nil {
		return p
	}
	p.terminal = terminal.Is(p.w)
	p.stopped.Go(p.run)
	return p
}

func (p *progress) run() {
	const first, often, rarest = 2 * time.Second, time.Second, 30 * time.Second
	pause, shown := first, false
	for {
		select {
		case <-p.quit:
			if shown && p.terminal {
				fmt.Fprint(p.w, "\r\x1b[K")
			}
			return
		case <-time.After(pause):
		}
		shown = true
		switch {
		case p.terminal:
			pause = often
			fmt.Fprintf(p.w, "\r%s\x1b[K", p.line())
		default:
			pause = min(2*pause, rarest)
			fmt.Fprintln(p.w, p.line())
		}
	}
}

func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := fmt.Sprintf("recorded %d of %s", p.done, english.Count(p.total, "query", "queries"))
	if p.failed > 0 {
		s += fmt.Sprintf(", %d failed", p.failed)
	}
	return s
}

func (p *progress) add(done, failed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += done
	p.failed += failed
}

func (p *progress) stop() {
	close(p.quit)
	p.stopped.Wait()
}
