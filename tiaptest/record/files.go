package record

import (
	"bytes"
	"io/fs"
	"time"
)

// files is a file system of texts by name, without folders, to read what is in memory
// as a bundle.
type files map[string][]byte

func (f files) Open(name string) (fs.File, error) {
	text, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{bytes.NewReader(text), name}, nil
}

// file is an open file, and what is known of it.
type file struct {
	*bytes.Reader
	name string
}

func (f *file) Close() error               { return nil }
func (f *file) Stat() (fs.FileInfo, error) { return f, nil }

func (f *file) Name() string       { return f.name }
func (f *file) Mode() fs.FileMode  { return 0o444 }
func (f *file) ModTime() time.Time { return time.Time{} }
func (f *file) IsDir() bool        { return false }
func (f *file) Sys() any           { return nil }
