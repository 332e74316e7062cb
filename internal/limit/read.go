package limit

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadAll reads r to its end. More than most bytes are an [*Error]; of a file they
// are one before it is read.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	tooLarge := &Error{fmt.Sprintf("it has more than %s", Bytes(most)), "give the file that is meant, or leave out what is not needed"}
	var known int64 // bytes
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil {
			if info.Size() > most {
				return nil, tooLarge
			}
			known = info.Size()
		}
	}
	text := make([]byte, known)
	n, err := io.ReadFull(r, text)
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF: // it has become shorter
		return text[:n], nil
	case err != nil:
		return nil, err
	}
	rest, err := io.ReadAll(io.LimitReader(r, most+1-known))
	switch {
	case known+int64(len(rest)) > most:
		return nil, tooLarge
	case err != nil:
		return nil, err
	}
	return append(text, rest...), nil
}

// ReadFile reads a file as [ReadAll] does.
func ReadFile(file string, most int64) ([]byte, error) {
	f, err := Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, most)
}

// Open opens a file that has an end: opening a pipe may wait for ever, and a device
// may give bytes for ever.
func Open(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if err := Regular(info); err != nil {
		return nil, err
	}
	return os.Open(file)
}

// Regular is an [*Error] for what is no file with an end.
func Regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &Error{"it is a folder", "give a file in its place"}
	case !info.Mode().IsRegular():
		return &Error{"it is no regular file but " + kind(info.Mode()), "give a file in its place"}
	}
	return nil
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
