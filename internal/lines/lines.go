// Package lines reads line-oriented input, plain or compressed, in blocks of
// whole lines that several goroutines parse at once.
package lines

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync"

	"github.com/tiaptest/tiap/internal/limit"
)

const (
	// blockSize balances the cost of handing a block over against the cache:
	// a block should still be near when its worker gets to it.
	blockSize = 1 << 18
)

// Block is a run of whole lines.
type Block struct {
	Data  []byte
	Line  int // number of the first line, 1-based
	Lines int // how many there are, blank ones too
}

// All yields the number and the bytes of each line, without its end (LF or
// CRLF). Lines of nothing but spaces, tabs and CR are counted but not yielded.
// The bytes alias Data.
func (b Block) All() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		rest := b.Data
		for n := b.Line; len(rest) > 0; n++ {
			var line []byte
			if i := bytes.IndexByte(rest, '\n'); i >= 0 {
				line, rest = rest[:i:i], rest[i+1:]
			} else {
				line, rest = rest, nil
			}
			if i := len(line) - 1; i >= 0 && line[i] == '\r' {
				line = line[:i]
			}
			if !blank(line) && !yield(n, line) {
				return
			}
		}
	}
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// ReadError reports that the input could not be read to its end.
type ReadError struct {
	Line int // how many whole lines were read before
	Err  error
}

func (e *ReadError) Error() string {
	return fmt.Sprintf("cannot read beyond line %d: %v", e.Line, e.Err)
}

// Unwrap returns Err.
func (e *ReadError) Unwrap() error { return e.Err }

// Parse reads r to its end in blocks of about 256 KiB, longer where one line is.
// It calls parse on the blocks, none of them empty, from up to GOMAXPROCS goroutines, and merge on
// the results, in input order, from its own. The last line may lack its LF, a
// UTF-8 byte order mark at the very start is cut.
//
// Each block's buffer is used again once merge has returned for it, so whatever
// outlives merge must not alias Data. At most a few blocks per worker are in
// memory.
//
// An error of merge ends the reading and is returned. When r fails, starts with
// a UTF-16 byte order mark or has a line longer than [limit.Line], the whole lines
// before are parsed and merged, and the error is a [*ReadError]. Parse returns
// once all its goroutines have ended; it waits for a Read in progress.
func Parse[T any](r io.Reader, parse func(Block) T, merge func(T) error) error {
	s := &splitter{r: r, size: blockSize, maxLine: limit.Line}
	return run(s, runtime.GOMAXPROCS(0), parse, merge)
}

// buffers are those of files that have been read.
var buffers sync.Pool

func run[T any](s *splitter, workers int, parse func(Block) T, merge func(T) error) error {
	type job struct {
		buf   []byte
		block Block
		out   chan T
	}
	jobs := 2*workers + 1 // one being read; per worker one in hand and one waiting
	free := make(chan *job, jobs)
	work := make(chan *job, jobs)
	order := make(chan *job, jobs)
	all := make([]*job, jobs)
	for i := range all {
		all[i] = &job{out: make(chan T, 1)}
		if buf, ok := buffers.Get().(*[]byte); ok {
			all[i].buf = *buf
		}
		free <- all[i]
	}
	stop := make(chan struct{})
	stopped := func() bool {
		select {
		case <-stop:
			return true
		default:
			return false
		}
	}

	defer func() {
		for _, j := range all {
			if cap(j.buf) == blockSize {
				buffers.Put(&j.buf)
			}
		}
	}()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(stop)
	wg.Go(func() {
		defer close(order)
		defer close(work)
		for more := true; more; {
			select {
			case <-stop:
				return
			case j := <-free:
				if stopped() {
					return
				}
				j.block, j.buf, more = s.next(j.buf)
				if len(j.block.Data) > 0 {
					work <- j
					order <- j
				}
			}
		}
	})
	for range workers {
		wg.Go(func() {
			for j := range work {
				if stopped() {
					return
				}
				j.out <- parse(j.block)
			}
		})
	}
	for j := range order {
		if err := merge(<-j.out); err != nil {
			return err
		}
		free <- j
	}
	if s.err != nil { // written before order was closed
		return s.err
	}
	return nil
}
