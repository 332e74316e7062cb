package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tiaptest/tiap/internal/lock"
	"github.com/tiaptest/tiap/tiaptest"
)

// folder is the folder of a system in a bundle; empty: nothing is written.
type folder struct{ dir string }

// ingest is the folder of an ingest, laid out as by [tiaptest.Bundle.WriteDir].
func (f folder) ingest(repeat int) string {
	if f.dir == "" || repeat == 1 {
		return f.dir
	}
	return filepath.Join(f.dir, "repeats", fmt.Sprintf("%03d", repeat))
}

// lock makes the folder and keeps other recordings out of it until release, or the end
// of the process. A folder that is new and still empty then goes again: a bundle with it
// could not be read.
func (f folder) lock() (release func(), err error) {
	if f.dir == "" {
		return func() {}, nil
	}
	_, missing := os.Lstat(f.dir)
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return nil, err
	}
	unlock, err := lock.Try(f.dir)
	if errors.Is(err, lock.ErrHeld) {
		err = fmt.Errorf("%w; wait for its end, or record into another folder", err)
	}
	if err != nil {
		return nil, err
	}
	return func() {
		if missing != nil {
			_ = os.Remove(f.dir) // which holds something, mostly
		}
		unlock()
	}, nil
}

// free reports what stands in the way of a recording: what would be read in place
// of its files, or together with them.
func (f folder) free(repeats int) error {
	if f.dir == "" {
		return nil
	}
	var errs []error
	known := make(map[string]bool)
	for repeat := 1; repeat <= repeats; repeat++ {
		dir := f.ingest(repeat)
		known[dir] = true
		for _, name := range []string{"run.jsonl.gz", "run.jsonl.zst", "store.jsonl.gz", "store.jsonl.zst"} {
			file := filepath.Join(dir, name)
			if _, err := os.Lstat(file); err == nil {
				errs = append(errs, fmt.Errorf("%s: it is of another recording; move or remove it", file))
			}
		}
	}
	others, err := os.ReadDir(filepath.Join(f.dir, "repeats"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	for _, e := range others {
		if dir := filepath.Join(f.dir, "repeats", e.Name()); !known[dir] {
			errs = append(errs, fmt.Errorf("%s: it is no repeat of this recording; move or remove it, or set Options.Repeats (-repeats)", dir))
		}
	}
	return errors.Join(errs...)
}

// tidy removes the journals of a complete recording.
func (f folder) tidy(repeats int) error {
	if f.dir == "" {
		return nil
	}
	var errs []error
	for repeat := 1; repeat <= repeats; repeat++ {
		errs = append(errs, os.Remove(journalIn(f.ingest(repeat))))
	}
	return errors.Join(errs...)
}

// writeIngest saves an ingest: its run, the store if stored, and the description
// of the system unless that is nil or there is one. Each file is replaced whole or
// not at all.
func writeIngest(dir string, in *tiaptest.Ingest, stored bool, description *tiaptest.System) (err error) {
	sys := &tiaptest.System{Name: "system", Ingests: []*tiaptest.Ingest{in}}
	var names []string
	if _, err := os.Lstat(filepath.Join(dir, "system.json")); err != nil && description != nil {
		names = append(names, "system.json")
		s := *description
		s.Name, s.Ingests = filepath.Base(dir), sys.Ingests
		sys = &s
	}
	if stored {
		names = append(names, "store.jsonl")
	}
	names = append(names, "run.jsonl") // last: with it the ingest is complete

	// The bundle is written beside, under a name that does not pile up when the
	// process is killed again and again.
	beside := filepath.Join(dir, ".tiap-record")
	defer func() { err = errors.Join(err, os.RemoveAll(beside)) }()
	if err := os.RemoveAll(beside); err != nil {
		return err
	}
	if err := (&tiaptest.Bundle{Systems: []*tiaptest.System{sys}}).WriteDir(beside); err != nil {
		return err
	}
	for _, name := range names {
		from := filepath.Join(beside, "systems", sys.Name, name)
		if err := syncFile(from); err != nil {
			return err
		}
		if err := os.Rename(from, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// readIngest reads an ingest that was saved.
func readIngest(dir string) (*tiaptest.Ingest, error) {
	run, err := os.ReadFile(filepath.Join(dir, "run.jsonl"))
	if err != nil {
		return nil, err
	}
	store, err := os.ReadFile(filepath.Join(dir, "store.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		in, err := parseIngest(placeholder, run)
		if err == nil {
			in.Memories = nil
		}
		return in, err
	}
	if err != nil {
		return nil, err
	}
	return parseIngest(store, run)
}

// placeholder is a store of one memory, for a bundle of which only the run
// counts.
var placeholder = []byte(`{"id":"none","form":"raw"}` + "\n")

// parseIngest reads the text of a store and a run as [tiaptest.Open] does.
func parseIngest(store, run []byte) (*tiaptest.Ingest, error) {
	b, err := tiaptest.OpenFS(files{
		"queries.jsonl": []byte(`{"id":"none"}` + "\n"),
		"store.jsonl":   store,
		"run.jsonl":     run,
	})
	if err != nil {
		return nil, err
	}
	return b.Systems[0].Ingests[0], nil
}
