package tiaptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/tiaptest/tiap/internal/filename"
	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/problem"
	"github.com/tiaptest/tiap/internal/replace"
)

// WriteDir saves the bundle in a folder, laid out as [Open] reads it. Files that
// exist are replaced one by one, each whole or not at all; others are left
// alone. A bundle of TREC or MTEL-Mem input cannot be saved, since it has no
// stores, nor can a system whose name is that of no folder on every operating
// system, such as nul, nor two systems whose names differ in case alone: Windows
// could not check them out.
func (b *Bundle) WriteDir(dir string) error {
	if err := b.whole(); err != nil {
		return err
	}
	if b.judged != nil {
		return fmt.Errorf("a bundle of %s has no stores and cannot be saved", b.judged.format)
	}
	var faults problem.List
	b.Scenario.checkTurns(new(intern.Table), &faults)
	faults.Append(&b.problems)
	b.Scenario.checkQueries(byID(b.Scenario.Queries), &faults)
	errs := []error{faults.Err()}
	for i, s := range b.Systems {
		errs = append(errs, s.problems.Err())
		if at := slices.IndexFunc(b.Systems[:i], func(o *System) bool { return filename.Same(o.Name, s.Name) }); at >= 0 {
			errs = append(errs, sameFolder(b.Systems[at].Name, s.Name))
		}
		if err := filename.Check(s.Name); err != nil {
			errs = append(errs, fmt.Errorf("system %q %w", s.Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := b.ownFolders(dir); err != nil {
		return err
	}
	w := writer{dir: dir}
	w.scenario(b)
	for _, s := range b.Systems {
		w.system(s)
	}
	return errors.Join(w.errs...)
}

// sameFolder refuses two systems whose files would stand in one folder.
func sameFolder(a, b string) error {
	if a == b {
		return fmt.Errorf("two systems are named %q; a folder can hold one", a)
	}
	return fmt.Errorf("systems %q and %q would share a folder on Windows and macOS, where case does not tell names apart; use another name", a, b)
}

// ownFolders makes the folders of the systems, and refuses two that are one, as those of
// names that only the file system takes for the same.
func (b *Bundle) ownFolders(dir string) error {
	var errs []error
	made := make([]os.FileInfo, len(b.Systems))
	for i, s := range b.Systems {
		folder := filepath.Join(dir, "systems", s.Name)
		if os.MkdirAll(folder, 0o777) != nil {
			continue // which writing says
		}
		made[i], _ = os.Stat(folder)
		if at := slices.IndexFunc(made[:i], func(o os.FileInfo) bool { return os.SameFile(o, made[i]) }); at >= 0 {
			errs = append(errs, fmt.Errorf("systems %q and %q have one folder, %s; use another name", b.Systems[at].Name, s.Name, folder))
		}
	}
	return errors.Join(errs...)
}

// writer writes the files of one bundle and keeps its errors.
type writer struct {
	dir  string
	errs []error
}

// file replaces a file by way of a temporary one beside it.
func (w *writer) file(name string, content []byte) {
	file := filepath.Join(w.dir, filepath.FromSlash(name))
	for _, ending := range []string{".gz", ".zst"} {
		if _, err := os.Lstat(file + ending); err == nil {
			w.errs = append(w.errs, fmt.Errorf("%s: an older form of %s; remove it, since a bundle holds one of them", file+ending, filepath.Base(file)))
			return
		}
	}
	err := os.MkdirAll(filepath.Dir(file), 0o777)
	if err == nil {
		err = replace.File(file, content, nil)
	}
	if err != nil {
		w.errs = append(w.errs, err)
	}
}

// lines encodes values, one a line.
func (w *writer) lines(name string, n int, at func(i int) any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range n {
		if err := e.Encode(at(i)); err != nil {
			w.errs = append(w.errs, fmt.Errorf("%s: %w", name, err))
			return
		}
	}
	w.file(name, b.Bytes())
}

func (w *writer) object(name string, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		w.errs = append(w.errs, fmt.Errorf("%s: %w", name, err))
		return
	}
	w.file(name, b.Bytes())
}

func (w *writer) scenario(b *Bundle) {
	type source struct {
		SHA256 string `json:"sha256"`
	}
	v := struct {
		Schema   string  `json:"schema"`
		Name     string  `json:"name,omitempty"`
		Unit     string  `json:"unit,omitempty"`
		Headline string  `json:"headline,omitempty"`
		Source   *source `json:"source,omitempty"`
	}{Schema: scenarioSchema, Name: b.Scenario.Name, Unit: b.Scenario.Unit, Headline: b.Scenario.Headline}
	if b.Scenario.SHA256 != "" {
		v.Source = &source{b.Scenario.SHA256}
	}
	w.object("scenario.json", v)
	w.lines("queries.jsonl", len(b.Scenario.Queries), func(i int) any {
		q := b.Scenario.Queries[i]
		if q.Evidence == nil {
			q.Evidence = []Unit{}
		}
		return q
	})
	if len(b.Scenario.Turns) > 0 {
		w.lines("turns.jsonl", len(b.Scenario.Turns), func(i int) any { return &b.Scenario.Turns[i] })
	}
	if len(b.known) > 0 {
		entries := make([]findingFile, len(b.known))
		for i, f := range b.known {
			entries[i] = f.file()
		}
		w.object("accepted.json", entries)
	}
}

func (w *writer) system(s *System) {
	dir := "systems/" + s.Name
	w.object(dir+"/system.json", systemFile{Name: s.Name, Family: s.Family, Unit: s.Unit, Lineage: s.Lineage, Forms: s.Forms, Config: s.Config})
	for i, in := range s.Ingests {
		at := dir
		if i > 0 {
			at = fmt.Sprintf("%s/repeats/%03d", dir, i+1)
		}
		w.lines(at+"/store.jsonl", len(in.Memories), func(i int) any { return lineOf(&in.Memories[i]) })
		w.lines(at+"/run.jsonl", in.Run.Len(), func(i int) any { return rankingLine(in.Run.ranking(&in.Run.rows[i])) })
	}
}

// rankingLine is a line of run.jsonl to write.
func rankingLine(k Ranking) any {
	type line struct {
		Query   string              `json:"query"`
		Ranking *[]string           `json:"ranking,omitempty"`
		Scores  []float64           `json:"scores,omitempty"`
		Lists   map[string][]string `json:"lists,omitempty"`
		K       int                 `json:"k,omitempty"`
		Error   string              `json:"error,omitempty"`
	}
	l := line{Query: k.Query, K: k.K, Error: k.Error}
	if k.Error == "" && len(k.Lists) == 0 || len(k.IDs) > 0 {
		ids := k.IDs
		if ids == nil {
			ids = []string{}
		}
		l.Ranking = &ids
	}
	// JSON has no infinity: scores that cannot be written are left out, since
	// they never reorder.
	writable := true
	for _, s := range k.Scores {
		writable = writable && !math.IsInf(s, 0)
	}
	if writable {
		l.Scores = k.Scores
	}
	for _, list := range k.Lists {
		if l.Lists == nil {
			l.Lists = make(map[string][]string)
		}
		l.Lists[list.Name] = append([]string{}, list.IDs...)
	}
	return l
}
