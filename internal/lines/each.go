package lines

import (
	"io"

	"github.com/tiaptest/tiap/internal/limit"
)

// Each reads r as [Parse] does, but one line after the other: it calls f with the
// number and the bytes of each, as [Block.All] yields them, until f returns an
// error, which it returns. The bytes hold until f returns.
func Each(r io.Reader, f func(line int, text []byte) error) error {
	s := &splitter{r: r, size: 64 << 10, maxLine: limit.Line}
	var buf []byte
	for more := true; more; {
		var b Block
		b, buf, more = s.next(buf)
		for line, text := range b.All() {
			if err := f(line, text); err != nil {
				return err
			}
		}
	}
	return s.err
}

// ReadAll reads a file to its end, decompressed by its name. More than most bytes
// are a [*limit.Error].
func ReadAll(name string, r io.Reader, most int64) ([]byte, error) {
	plain, err := Decompress(name, r)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	if !Compressed(name) { // the size of what is plain is known beforehand
		return limit.ReadAll(r, most)
	}
	return limit.ReadAll(plain, most)
}
