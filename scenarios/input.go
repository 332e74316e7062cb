package scenarios

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
)

// readFiles calls read with the plain text of one file after the other: .gz and
// .zst are decompressed, a byte order mark is left out. It sets the SHA-256 of
// the summary, over the bytes that lie on disk, in the order of the files given,
// and reports progress. Errors name the file.
func (s *settings) readFiles(files []string, read func(file string, r io.Reader) error) error {
	m := &meter{sum: sha256.New(), report: s.progress}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return unreadable(err)
		}
		if !info.Mode().IsRegular() {
			return &problem.Problem{File: file, What: "this is no file", Mend: "name a file"}
		}
		m.total += info.Size()
	}
	for _, file := range files {
		if err := m.readFile(file, read); err != nil {
			return err
		}
	}
	if s.progress != nil {
		s.progress(m.read, m.read)
	}
	s.summary.SHA256 = hex.EncodeToString(m.sum.Sum(nil))
	return nil
}

// unreadable says of a path that cannot be read what helps.
func unreadable(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w; name a file that can be read", e.Path, e.Err)
	}
	return err
}

// meter sees the bytes of files go by.
type meter struct {
	sum         hash.Hash
	read, total int64
	report      func(read, total int64) // or nil
	reported    time.Time
}

// pause is the least time between two reports of progress.
const pause = 100 * time.Millisecond

func (m *meter) Write(p []byte) (int, error) {
	m.sum.Write(p)
	m.read += int64(len(p))
	if m.report != nil {
		if now := time.Now(); now.Sub(m.reported) >= pause {
			m.reported = now
			m.report(m.read, max(m.read, m.total))
		}
	}
	return len(p), nil
}

func (m *meter) readFile(file string, read func(file string, r io.Reader) error) (err error) {
	f, err := os.Open(file)
	if err != nil {
		return unreadable(err)
	}
	defer f.Close()
	raw := io.TeeReader(f, m)
	text, err := lines.Decompress(file, raw)
	if err != nil {
		return naming(file, err)
	}
	defer text.Close()
	buf := bufio.NewReaderSize(text, 1<<16)
	if mark, _ := buf.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		buf.Discard(len(mark))
	}
	if err := read(file, buf); err != nil {
		return naming(file, err)
	}
	// What read left unread belongs to the sum, and may be damaged.
	if _, err := io.Copy(io.Discard, buf); err != nil {
		return naming(file, err)
	}
	_, err = io.Copy(io.Discard, raw)
	return err
}

// naming adds the file to an error that does not name one.
func naming(file string, err error) error {
	if _, ok := errors.AsType[*problem.Problem](err); ok {
		return err
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}
