package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/tiaptest/tiap/internal/limit"
)

// Decompress returns the plain bytes of r. The extension of name, in any case,
// decides: .gz is gzip, .zst zstd, any other is plain. Compressed input may
// consist of several members or frames. Input that has none, is cut off, is
// damaged or goes on after its end gives an error, here or from Read, and so does
// input that unpacks to more than [limit.Unpacked] and [limit.Ratio] allow: that is
// a [*limit.Error]. Closing the result does not close r.
func Decompress(name string, r io.Reader) (io.ReadCloser, error) {
	src := &source{r: r}
	d := decompressor{src: src}
	switch extension(name) {
	case ".gz":
		d.format = "gzip"
		z, err := gzip.NewReader(bufio.NewReaderSize(src, 64<<10))
		if err != nil {
			return nil, d.explain(err)
		}
		d.r, d.close = z, func() { z.Close() }
	case ".zst":
		d.format = "zstd"
		// One goroutine, the caller's: it is the parsing that goes parallel.
		z, err := zstd.NewReader(bufio.NewReaderSize(src, 64<<10), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(limit.Window))
		if err != nil {
			return nil, d.explain(err)
		}
		d.r, d.close = z, z.Close
	default:
		return io.NopCloser(r), nil
	}
	return &d, nil
}

// Compressed reports whether Decompress would not take a file of that name as it
// is.
func Compressed(name string) bool { return extension(name) == ".gz" || extension(name) == ".zst" }

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

// source remembers what the decoders may hide: how much input there was, and how
// reading it failed.
type source struct {
	r   io.Reader
	n   int64
	err error // other than io.EOF
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

type decompressor struct {
	format string
	src    *source
	r      io.Reader
	close  func()
	n      int64 // unpacked bytes
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	d.n += int64(n)
	if d.n > limit.Unpacked && d.n > limit.Ratio*d.src.n {
		return 0, &limit.Error{
			What: fmt.Sprintf("the %s data unpacks to more than %s and %d times its size", d.format, limit.Bytes(limit.Unpacked), limit.Ratio),
			Mend: "look what it holds; if that is sound, give the file unpacked",
		}
	}
	if err != nil {
		err = d.explain(err)
	}
	return n, err
}

func (d *decompressor) Close() error {
	d.close()
	return nil
}

// explain says in plain words what an error of a decoder means for the file.
func (d *decompressor) explain(err error) error {
	switch {
	case d.src.err != nil:
		return d.src.err
	case d.src.n == 0:
		return fmt.Errorf("the file is empty, which no %s file is", d.format)
	case err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s data is cut off: %w", d.format, err)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		return fmt.Errorf("not %[1]s data, or something follows the %[1]s data: %[2]w", d.format, err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("the zstd data needs a window of more than %s; compress it without --long or --ultra: %w", limit.Bytes(limit.Window), err)
	}
	return fmt.Errorf("the %s data is damaged: %w", d.format, err)
}
