package scenarios

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/tiaptest/tiap/internal/problem"
)

// maxObject is the length in bytes beyond which an object of an array is refused;
// a haystack of 500 sessions takes a few MiB. It bounds the memory for a file with
// one giant object, and for one whose quotes or brackets do not close.
const maxObject = 20 << 20

// eachObject calls f with the text of each object in the JSON array that r holds,
// counted from 1, and with the place of its first byte in the text, from 1 too. It goes by brackets and quotes alone: f finds out whether the
// text is JSON, and must not keep it.
func eachObject(file string, r io.Reader, f func(n int, at int64, text []byte) error) error {
	a := &array{file: file, r: r, buf: make([]byte, 0, 1<<20)}
	c, err := a.token()
	switch {
	case err == io.EOF:
		return a.wrong("the file is empty", "name a file with one JSON array of objects")
	case err != nil:
		return err
	case c != '[':
		return a.wrong("the file starts with "+quoteByte(c)+", not with an array", "name a file with one JSON array of objects")
	}
	a.at++
	for n := 1; ; n++ {
		c, err := a.token()
		switch {
		case err == io.EOF:
			return a.cut(n)
		case err != nil:
			return err
		case c == ']' && n == 1:
			return a.end()
		case c != '{':
			return a.wrong(fmt.Sprintf("element %d of the array starts with %s, not as an object", n, quoteByte(c)), "write objects, with a comma between two")
		}
		text, err := a.object()
		switch {
		case err == io.EOF:
			return a.cut(n)
		case err == errLong:
			return a.wrong(fmt.Sprintf("element %d of the array is longer than %d MiB", n, maxObject>>20), "shorten its texts, or look for a quotation mark or a brace in it that does not close")
		case err != nil:
			return err
		}
		if err := f(n, a.base+int64(a.keep)+1, text); err != nil {
			return err
		}
		c, err = a.token()
		switch {
		case err == io.EOF:
			return a.cut(n + 1)
		case err != nil:
			return err
		case c == ']':
			return a.end()
		case c != ',':
			return a.wrong(fmt.Sprintf("%s follows element %d of the array", quoteByte(c), n), "write a comma between two elements")
		}
		a.at++
	}
}

func quoteByte(c byte) string { return strconv.QuoteRuneToASCII(rune(c)) }

// array is the text of a JSON array as it is read.
type array struct {
	file string
	r    io.Reader
	buf  []byte
	keep int   // buf[keep:] is in use
	at   int   // how far buf is done with; not below keep
	base int64 // place of buf in the text
}

var errLong = fmt.Errorf("an object is longer than %d bytes", maxObject)

// wrong reports a problem at the place that is reached.
func (a *array) wrong(what, mend string) error {
	return &problem.Problem{File: a.file, What: fmt.Sprintf("%s (byte %d)", what, a.base+int64(a.at)+1), Mend: mend}
}

func (a *array) cut(n int) error {
	a.at = len(a.buf)
	return a.wrong(fmt.Sprintf("the file ends before element %d of the array does", n), "get the whole file")
}

// end wants nothing behind the array.
func (a *array) end() error {
	a.at++
	c, err := a.token()
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	}
	return a.wrong(quoteByte(c)+" follows the array", "name a file with one JSON array and nothing else")
}

// fill reads on, at least by one byte.
func (a *array) fill() error {
	if a.keep > 0 {
		a.buf = a.buf[:copy(a.buf, a.buf[a.keep:])]
		a.base += int64(a.keep)
		a.at -= a.keep
		a.keep = 0
	}
	if len(a.buf) == cap(a.buf) {
		if len(a.buf) >= maxObject {
			return errLong
		}
		a.buf = append(make([]byte, 0, min(2*len(a.buf), maxObject)), a.buf...)
	}
	n, err := io.ReadAtLeast(a.r, a.buf[len(a.buf):cap(a.buf)], 1)
	a.buf = a.buf[:len(a.buf)+n]
	return err
}

// token returns the byte at the next place that is no space.
func (a *array) token() (byte, error) {
	for {
		for ; a.at < len(a.buf); a.at++ {
			switch c := a.buf[a.at]; c {
			case ' ', '\t', '\r', '\n':
			default:
				return c, nil
			}
		}
		a.keep = a.at
		if err := a.fill(); err != nil {
			return 0, err
		}
	}
}

// object returns the text from the brace where it stands to the bracket that
// closes it, and goes behind.
func (a *array) object() ([]byte, error) {
	a.keep = a.at
	depth, quoted := 0, false
	for {
		for a.at < len(a.buf) {
			if quoted {
				i := bytes.IndexByte(a.buf[a.at:], '"')
				if i < 0 {
					a.at = len(a.buf)
					break
				}
				a.at += i + 1
				quoted = escaped(a.buf[a.keep : a.at-1])
				continue
			}
			c := a.buf[a.at]
			a.at++
			switch c {
			case '"':
				quoted = true
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return a.buf[a.keep:a.at:a.at], nil
				}
			}
		}
		if err := a.fill(); err != nil {
			return nil, err
		}
	}
}

// escaped reports whether what follows the text, which began outside of a string,
// is escaped by it.
func escaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
