package record_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/tiaptest/record"
)

// stage is a test that notes what is reported and may have a deadline.
type stage struct {
	testing.TB
	deadline time.Time
	out      strings.Builder
	fatal    bool
}

func (s *stage) Helper()                      {}
func (s *stage) Log(args ...any)              { fmt.Fprintln(&s.out, append([]any{"log:"}, args...)...) }
func (s *stage) Errorf(f string, args ...any) { fmt.Fprintf(&s.out, "error: "+f+"\n", args...) }
func (s *stage) Output() io.Writer            { return io.Discard }
func (s *stage) Deadline() (time.Time, bool)  { return s.deadline, !s.deadline.IsZero() }
func (s *stage) Fatal(args ...any) {
	fmt.Fprintln(&s.out, append([]any{"fatal:"}, args...)...)
	s.fatal = true
	runtime.Goexit()
}

// play runs f as a test.
func play(t *testing.T, s *stage, f func(tb testing.TB)) *stage {
	s.TB = t
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(s)
	}()
	<-done
	return s
}

func TestRecordVerb(t *testing.T) {
	t.Parallel()
	s := play(t, new(stage), func(tb testing.TB) {
		ingests := record.Record(tb, questions(10), build(steady), here(record.Options{K: 7}))
		assert.Len(t, ingests, 1)
		assert.Equal(t, 10, ingests[0].Run.Len())
	})
	assert.Equal(t, "log: 10 queries\n", s.out.String())

	s = play(t, new(stage), func(tb testing.TB) {
		ingests := record.Record(tb, questions(10), build(failing("q003", steady)), here(record.Options{K: 7}))
		assert.Equal(t, 10, ingests[0].Run.Len())
	})
	assert.Equal(t, "log: 10 queries\n1 query failed\n    q003: no such conversation\nerror: 1 query failed, the first is q003: no such conversation\n", s.out.String())

	s = play(t, new(stage), func(tb testing.TB) {
		record.Record(tb, nil, build(steady), here(record.Options{}))
		t.Error("Record went on")
	})
	assert.Equal(t, "fatal: record: there are no queries\n", s.out.String())
}

// A recording ends before the test does.
func TestRecordDeadline(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mine")
	synctest.Test(t, func(t *testing.T) {
		slow := record.SearchFunc(func(ctx context.Context, q record.Query) ([]record.Hit, error) {
			select {
			case <-time.After(10 * time.Second):
				return answers(q), nil
			case <-ctx.Done():
				return nil, errors.New("cut off")
			}
		})
		s := &stage{deadline: time.Now().Add(62 * time.Second)}
		play(t, s, func(tb testing.TB) {
			record.Record(tb, questions(10), build(slow), here(record.Options{Dir: dir, Concurrency: 1, Twice: 1}))
		})
		assert.Equal(t, "fatal: record: interrupted: the test is about to time out (go test -timeout); 4 of 10 queries are answered in "+
			filepath.Join(dir, "run.jsonl.part")+", and the same call goes on from there\n", s.out.String())
	})
}
