package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Status is the last line of a terminal while a long command runs: what it is doing,
// and for how long. It appears after two seconds and is renewed each second. A nil
// Status shows nothing.
type Status struct {
	w     io.Writer
	width int
	quit  chan struct{}
	ended sync.WaitGroup
	once  sync.Once

	mu    sync.Mutex
	doing string
}

const (
	first = 2 * time.Second // after which it appears
	often = time.Second
)

// NewStatus begins to show a status on w, in lines of at most width characters; 0
// means no limit.
func NewStatus(w io.Writer, width int) *Status {
	s := &Status{w: w, width: width, quit: make(chan struct{})}
	s.ended.Go(s.run)
	return s
}

// Watch is NewStatus where somebody can watch w, and otherwise nil.
func Watch(w io.Writer) *Status {
	if !Watched(w, os.Getenv) {
		return nil
	}
	return NewStatus(w, Width(w, os.Getenv("COLUMNS")))
}

// Say says what is being done from now on.
func (s *Status) Say(format string, args ...any) {
	if s == nil {
		return
	}
	doing := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, fmt.Sprintf(format, args...))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doing = doing
}

// Stop takes the status away. Nothing is shown after it; it may be called again.
func (s *Status) Stop() {
	if s == nil {
		return
	}
	s.once.Do(func() { close(s.quit) })
	s.ended.Wait()
}

func (s *Status) run() {
	begun, shown, pause := time.Now(), false, first
	for {
		select {
		case <-s.quit:
			if shown {
				fmt.Fprint(s.w, "\r\x1b[K")
			}
			return
		case <-time.After(pause):
		}
		shown, pause = true, often
		fmt.Fprintf(s.w, "\r%s\x1b[K", s.line(time.Since(begun)))
	}
}

// line is what fits into one line: a longer one would stay when it is renewed.
func (s *Status) line(ran time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	clock := fmt.Sprintf(" %ds", int(ran.Seconds()))
	doing := []rune(s.doing)
	if most := s.width - len(clock) - 1; s.width > 0 && len(doing) > most {
		doing = append(doing[:max(0, most-3)], []rune("...")...)
	}
	return string(doing) + clock
}
