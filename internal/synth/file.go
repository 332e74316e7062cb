package synth

import (
	"bufio"
	"compress/gzip"
	"errors"
	"os"
)

// A file is a buffered output. Errors of writing stick and are returned by
// close.
type file struct {
	*bufio.Writer
	gz *gzip.Writer // nil when plain
	os *os.File
}

func createFile(path string, compress bool) (*file, error) {
	o, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	f := &file{os: o}
	if compress {
		// The only error is a level out of range.
		f.gz, _ = gzip.NewWriterLevel(o, gzip.BestSpeed)
		f.Writer = bufio.NewWriterSize(f.gz, 1<<18)
	} else {
		f.Writer = bufio.NewWriterSize(o, 1<<18)
	}
	return f, nil
}

func (f *file) close() error {
	err := f.Flush()
	if f.gz != nil {
		err = errors.Join(err, f.gz.Close())
	}
	return errors.Join(err, f.os.Close())
}
