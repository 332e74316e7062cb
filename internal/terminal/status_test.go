package terminal_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/internal/terminal"
)

// screen is what was written, for two goroutines.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.text.String(), "\x1b[K", "|")
}

func TestStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at screen
		s := terminal.NewStatus(&at, 0)
		s.Say("reading %s", "a\nb\x1b[2J")
		time.Sleep(2*time.Second - 1)
		synctest.Wait()
		assert.Empty(t, at.String(), "what is done within two seconds says nothing")
		time.Sleep(1 * time.Nanosecond)
		synctest.Wait()
		assert.Equal(t, "\rreading a?b?[2J 2s|", at.String(), "nothing moves the cursor")
		s.Say("scoring")
		s.Say("explaining")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, "\rreading a?b?[2J 2s|\rexplaining 3s|\rexplaining 4s|", at.String())
		s.Stop()
		s.Stop()
		s.Say("nothing")
		time.Sleep(time.Minute)
		assert.Equal(t, "\rreading a?b?[2J 2s|\rexplaining 3s|\rexplaining 4s|\r|", at.String(), "it is taken away")
	})
}

func TestStatusOfShortCommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at screen
		s := terminal.NewStatus(&at, 80)
		s.Say("reading")
		time.Sleep(time.Second)
		s.Stop()
		time.Sleep(time.Minute)
		assert.Empty(t, at.String())
	})
}

// A line that does not fit would be left behind when the next one is written.
func TestStatusFits(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		0: "reading a/long/földer 2s", 25: "reading a/long/földer 2s", 24: "reading a/long/fö... 2s", 12: "readi... 2s", 3: "... 2s",
	} {
		synctest.Test(t, func(t *testing.T) {
			var at screen
			s := terminal.NewStatus(&at, width)
			s.Say("reading a/long/földer")
			time.Sleep(first)
			synctest.Wait()
			assert.Equal(t, "\r"+want+"|", at.String(), width)
			s.Stop()
		})
	}
}

const first = 2 * time.Second

// No status is watched where nobody watches.
func TestNoStatus(t *testing.T) {
	t.Parallel()
	var at screen
	s := terminal.Watch(&at)
	assert.Nil(t, s)
	s.Say("reading")
	s.Stop()
	assert.Empty(t, at.String())
}
