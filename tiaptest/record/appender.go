package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// appender writes JSON values to the end of a file, one a line, each in one
// write: when the process is killed the file holds every line but at most the
// last one whole. It is synced to the disk at most once a second and when it is
// closed, so that a loss of power costs about a second of lines.
type appender struct {
	f      *os.File
	synced time.Time
	broken error // of a write: a part of a line may stand at the end, and nothing must follow it
}

// openAppender opens or creates a file, hands its lines to read, and cuts it off
// before the first one that is torn or that read refuses.
func openAppender(file string, read func(line []byte) bool) (*appender, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	sound := 0
	for {
		n := bytes.IndexByte(text[sound:], '\n')
		if n < 0 || !read(text[sound:sound+n]) {
			break
		}
		sound += n + 1
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	if sound < len(text) {
		if err := f.Truncate(int64(sound)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return &appender{f: f, synced: time.Now()}, nil
}

func (a *appender) append(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	if a.broken != nil {
		return a.broken
	}
	if _, a.broken = a.f.Write(append(line, '\n')); a.broken != nil {
		return a.broken
	}
	if time.Since(a.synced) < time.Second {
		return nil
	}
	a.synced = time.Now()
	return a.f.Sync()
}

func (a *appender) close() error { return errors.Join(a.f.Sync(), a.f.Close()) }

// encode is a value as a line of JSON, without its end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
