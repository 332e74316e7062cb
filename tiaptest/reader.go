package tiaptest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/problem"
)

// reader reads the files of one bundle and collects their faults.
type reader struct {
	fsys     fs.FS
	dir      string
	name     string // of the folder
	readable string // how to mend what cannot be opened
	pipes    bool   // are read too
	faults   problem.List
	notes    []diagnostic
	enough   bool // of the file that is being read: what follows would not mend it
}

// atOnce reads several parts at the same time. Their faults and notes have the
// order of the parts.
func (r *reader) atOnce(parts ...func(*reader)) {
	readers := make([]reader, len(parts))
	var wg sync.WaitGroup
	for i, read := range parts {
		readers[i] = *r
		readers[i].faults, readers[i].notes = problem.List{}, nil
		wg.Go(func() { read(&readers[i]) })
	}
	wg.Wait()
	for i := range readers {
		r.faults.Append(&readers[i].faults)
		r.notes = append(r.notes, readers[i].notes...)
	}
}

// at is how messages name a file of the bundle.
func (r *reader) at(name string) string {
	if r.dir == "" {
		return name
	}
	return filepath.Join(r.dir, filepath.FromSlash(name))
}

func (r *reader) fault(name string, line int, what, mend string) {
	r.faults.Add(r.at(name), line, what, mend)
}

// exists reports whether there is such a file, a link that leads nowhere too:
// it would be wrong to pass over that.
func (r *reader) exists(name string) bool {
	_, err := fs.Lstat(r.fsys, name)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// open opens a file, which is neither a folder nor, in a bundle, a pipe: to open
// one may wait for ever.
func (r *reader) open(name string) (fs.File, bool) {
	if info, err := fs.Stat(r.fsys, name); err == nil && (info.IsDir() || !r.pipes) {
		if err := limit.Regular(info); err != nil {
			r.unreadable(name, err, "")
			return nil, false
		}
	}
	f, err := r.fsys.Open(name)
	if err != nil {
		r.fault(name, 0, readFault(err), r.readable)
		return nil, false
	}
	return f, true
}

// unreadable adds the fault of what cannot be read, and how to mend it unless err
// knows better.
func (r *reader) unreadable(name string, err error, mend string) {
	what := readFault(err)
	if over, ok := errors.AsType[*limit.Error](err); ok {
		what, mend = over.What, over.Mend
	}
	r.fault(name, 0, what, mend)
}

// folders are the folders in a folder, ascending by name.
func (r *reader) folders(dir string) (names []string) {
	entries, err := readDir(r.fsys, dir, limit.Systems)
	if err != nil {
		r.unreadable(dir, err, "make it a readable folder; links must not lead out of the bundle")
		return nil
	}
	for _, e := range entries {
		if r.isDir(path.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

// readDir reads a folder of at most so many entries.
func readDir(fsys fs.FS, dir string, most int) ([]fs.DirEntry, error) {
	f, err := fsys.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, ok := f.(fs.ReadDirFile)
	if !ok {
		return fs.ReadDir(fsys, dir)
	}
	entries, err := d.ReadDir(most + 1)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(entries) > most {
		return nil, &limit.Error{What: fmt.Sprintf("the folder has more than %d entries", most), Mend: "compare fewer at once"}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// forms are the files of that name, plain or compressed. Where nobody may look, it is
// the plain one.
func (r *reader) forms(name string) (found []string) {
	for _, ending := range []string{"", ".gz", ".zst"} {
		_, err := fs.Lstat(r.fsys, name+ending)
		if err == nil || ending == "" && !errors.Is(err, fs.ErrNotExist) {
			found = append(found, name+ending)
		}
	}
	return found
}

// find returns the one file of that name, plain or compressed, or "" when there
// is none.
func (r *reader) find(name string) string {
	found := r.forms(name)
	if len(found) > 1 {
		r.fault(name, 0, "the file exists as "+strings.Join(found, " and "), "keep one of them")
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// require is find for a file that must exist.
func (r *reader) require(name, mend string) string {
	found := r.find(name)
	if found == "" {
		r.fault(name, 0, "the file is missing", mend)
	}
	return found
}

// isDir reports whether a name is a folder inside the bundle. A link that leads
// out of the bundle is a fault.
func (r *reader) isDir(name string) bool {
	info, err := fs.Stat(r.fsys, name)
	if err != nil {
		r.fault(name, 0, readFault(err), r.readable)
		return false
	}
	return info.IsDir()
}

// readFault is an error of the file system without the path, which the message
// names already.
func readFault(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}

// object decodes a whole file as one JSON object or array. It reports whether
// the file exists and is sound.
func (r *reader) object(name string, v any) bool {
	if !r.exists(name) {
		return false
	}
	f, ok := r.open(name)
	if !ok {
		return false
	}
	defer f.Close()
	text, err := limit.ReadAll(f, limit.Settings)
	if err != nil {
		r.unreadable(name, err, r.readable)
		return false
	}
	line, what, mend, ok := decodeFile(text, v)
	if !ok {
		r.fault(name, line, what, mend)
	}
	return ok
}
