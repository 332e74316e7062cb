package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tiaptest/tiap/internal/limit"
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
// before the first one that is torn or that read refuses. The bytes of a line hold
// until read returns.
func openAppender(file string, read func(line []byte) bool) (*appender, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, err
	}
	sound, err := readSound(file, read)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && sound < info.Size() {
		err = f.Truncate(sound)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &appender{f: f, synced: time.Now()}, nil
}

// readSound hands the lines of a file to read and counts the bytes of those that are
// whole and that it takes.
func readSound(file string, read func(line []byte) bool) (sound int64, err error) {
	f, err := limit.Open(file)
	if over, ok := errors.AsType[*limit.Error](err); ok {
		return 0, fmt.Errorf("%s: %w", file, over)
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(r, longest)
		if over, ok := errors.AsType[*limit.Error](err); ok {
			return sound, fmt.Errorf("%s:%d: the line %w", file, n, over)
		}
		switch {
		case err == io.EOF:
			return sound, nil
		case err != nil:
			return sound, err
		case !read(line[:len(line)-1]):
			return sound, nil
		}
		sound += int64(len(line))
	}
}

func longest() int64 { return limit.Line }

// readLine reads a line with its end. What follows the last one is io.EOF; more bytes
// than most allows, which may change as they come, are a [*limit.Error].
func readLine(r *bufio.Reader, most func() int64) (line []byte, err error) {
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		var part []byte
		part, err = r.ReadSlice('\n')
		if int64(len(line)+len(part)) > most()+1 {
			return nil, &limit.Error{What: "has more than " + limit.Bytes(most()), Mend: "look what it holds"}
		}
		line = append(line, part...)
	}
	return line, err
}

func (a *appender) append(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	if a.broken != nil {
		return a.broken
	}
	if len(line) > limit.Line { // it could not be read again
		return &limit.Error{What: "what is to be kept takes more than " + limit.Bytes(limit.Line), Mend: "ask for fewer memories"}
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
