package scenarios

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/replace"
	"github.com/tiaptest/tiap/tiaptest"
)

// formats are the benchmarks that [Import] reads.
var formats = []format{locomo, longMemEval, beam}

// Formats lists the names that [Import] knows.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Import writes a benchmark as the folder of a bundle, laid out as
// [tiaptest.Open] reads it. The source is read piece by piece, so memory does not
// grow with it, unless [Rank] makes a system of the memories that it carries. The
// folder must not exist, or be empty: it appears complete or not at all. When ctx
// ends, so does the import. A process that is killed leaves a hidden folder beside
// the one to come, .NAME.<number>.tmp, which the next import to that place removes.
func Import(ctx context.Context, name, src, dir string, opts ...Option) (*Summary, error) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown benchmark %q; use %s", name, strings.Join(Formats(), ", "))
	}
	f := formats[i]
	s, err := f.settings(opts)
	if err != nil {
		return nil, err
	}
	s.ctx = ctx
	dir = filepath.Clean(dir)
	if err := vacant(dir); err != nil {
		return nil, err
	}
	const mend = "name a folder where others can be made"
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, fmt.Errorf("%w; %s", err, mend)
	}
	err = replace.Folder(dir, dir, func(beside string) (string, error) {
		if err := f.write(src, beside, s); err != nil {
			return "", err
		}
		return beside, vacant(dir) // another import may have been faster
	})
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == dir && replace.Refused(err) {
		err = fmt.Errorf("%w; %s", err, mend)
	}
	if err != nil {
		return nil, err
	}
	summary := s.done()
	return &summary, nil
}

// vacant reports what stands in the place of a new folder.
func vacant(dir string) error {
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s: this is a link, which a folder would replace; name the place that it leads to", dir)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case dir == ".":
		return errors.New("the working folder cannot be replaced; name another folder")
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%w; name a folder that does not exist yet", err)
	case len(entries) > 0:
		return fmt.Errorf("%s: the folder is not empty; name one that does not exist yet", dir)
	}
	return nil
}

// write reads a benchmark and writes its parts as they come.
func (f format) write(src, dir string, s *settings) error {
	turns, err := create(filepath.Join(dir, "turns.part"))
	if err != nil {
		return err
	}
	queries, err := create(filepath.Join(dir, "queries.part"))
	if err != nil {
		return errors.Join(err, turns.close())
	}
	var memories []tiaptest.Memory // and what they are asked, if they are to be ranked
	var asked []tiaptest.Query
	err = f.each(src, s, func(p part) error {
		for i := range p.turns {
			if err := turns.encode(&p.turns[i]); err != nil {
				return err
			}
		}
		for i := range p.queries {
			if p.queries[i].Evidence == nil {
				p.queries[i].Evidence = []tiaptest.Unit{}
			}
			if err := queries.encode(&p.queries[i]); err != nil {
				return err
			}
		}
		if s.ranked != nil {
			memories, asked = append(memories, p.memories...), append(asked, p.queries...)
		}
		return nil
	})
	if err := errors.Join(err, turns.close(), queries.close()); err != nil {
		return err
	}
	bundle := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: f.name, Unit: f.unit, Headline: s.headline, SHA256: s.summary.SHA256}}
	if s.ranked != nil {
		system := f.system()
		in, err := s.ranked.ingest(s.ctx, memories, asked)
		if err != nil {
			return err
		}
		system.Ingests = []*tiaptest.Ingest{in}
		bundle.Systems = append(bundle.Systems, system)
	}
	if err := bundle.WriteDir(dir); err != nil {
		return err
	}
	err = os.Rename(queries.file.Name(), filepath.Join(dir, "queries.jsonl"))
	if s.summary.Turns == 0 { // as WriteDir has it
		return errors.Join(err, os.Remove(turns.file.Name()))
	}
	return errors.Join(err, os.Rename(turns.file.Name(), filepath.Join(dir, "turns.jsonl")))
}

// lineFile is a JSONL file to write.
type lineFile struct {
	file *os.File
	buf  *bufio.Writer
	json *json.Encoder
}

func create(name string) (*lineFile, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	buf := bufio.NewWriterSize(f, 1<<16)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	return &lineFile{f, buf, enc}, nil
}

func (l *lineFile) encode(v any) error { return l.json.Encode(v) }

func (l *lineFile) close() error { return errors.Join(l.buf.Flush(), l.file.Sync(), l.file.Close()) }
