package lines

import (
	"bytes"
	"errors"
	"io"

	"github.com/tiaptest/tiap/internal/limit"
)

// splitter cuts a reader into blocks.
type splitter struct {
	r       io.Reader
	size    int // of a buffer, at least 4
	maxLine int

	rest  []byte // read, but after the last whole line; aliases the last buffer
	lines int    // whole lines in the blocks so far
	begun bool
	err   error // why reading ended, nil at the end of r
}

var (
	newline = []byte{'\n'}

	bomUTF8    = []byte("\xEF\xBB\xBF")
	bomUTF16LE = []byte("\xFF\xFE")
	bomUTF16BE = []byte("\xFE\xFF")

	errUTF16 = errors.New("the text is UTF-16, not UTF-8; convert it to UTF-8")
)

// next reads a block into buf, or into a new buffer if that does not fit, and
// returns both and whether more may follow. The block may be empty.
func (s *splitter) next(buf []byte) (b Block, _ []byte, more bool) {
	if cap(buf) < s.size || cap(buf) > 4*s.size {
		buf = make([]byte, 0, s.size)
	}
	// The last buffer was written by nobody but this splitter, so rest is
	// intact, and buf may be that very buffer.
	if cap(buf) <= len(s.rest) {
		buf = make([]byte, 0, s.larger(len(s.rest)))
	}
	buf = append(buf[:0], s.rest...)
	s.rest = nil

	b.Line = s.lines + 1
	searched := len(buf) // no LF before
	for {
		var err error
		buf, err = s.fill(buf)
		if !s.begun {
			s.begun = true
			switch {
			case bytes.HasPrefix(buf, bomUTF8):
				buf = buf[len(bomUTF8):]
			case bytes.HasPrefix(buf, bomUTF16LE), bytes.HasPrefix(buf, bomUTF16BE):
				s.fail(errUTF16)
				return b, buf, false
			}
		}
		if err == io.EOF {
			b.Data = buf[:len(buf):len(buf)]
			b.Lines = bytes.Count(buf, newline)
			if len(buf) > 0 && buf[len(buf)-1] != '\n' {
				b.Lines++
			}
			return b, buf, false
		}
		end := searched + bytes.LastIndexByte(buf[searched:], '\n') + 1
		if end > searched {
			b.Data = buf[:end:end]
			s.rest = buf[end:]
			b.Lines = bytes.Count(b.Data, newline)
			s.lines += b.Lines
		}
		switch {
		case err != nil:
			s.fail(err)
			return b, buf, false
		case end > searched:
			return b, buf, true
		case len(buf) > s.maxLine:
			s.fail(&limit.Error{
				What: "the next line is longer than " + limit.Bytes(int64(s.maxLine)),
				Mend: "look what it holds; write one record on each line",
			})
			return b, buf, false
		}
		searched = len(buf)
		buf = append(make([]byte, 0, s.larger(len(buf))), buf...)
	}
}

func (s *splitter) fail(err error) {
	s.err = &ReadError{Line: s.lines, Err: err}
}

// larger returns the capacity of a buffer for a line of which n bytes are known.
// It never exceeds maxLine by more than the one byte that shows the excess.
func (s *splitter) larger(n int) int { return max(min(2*n, s.maxLine+1), n+1) }

// fill reads until buf is full or reading ends.
func (s *splitter) fill(buf []byte) ([]byte, error) {
	for idle := 0; len(buf) < cap(buf); {
		n, err := s.r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			return buf, err
		}
		if n > 0 {
			idle = 0
		} else if idle++; idle == 100 {
			return buf, io.ErrNoProgress
		}
	}
	return buf, nil
}
