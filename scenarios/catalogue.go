package scenarios

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/tiaptest/tiap/tiaptest"
)

//go:embed catalogue/*.txtar
var catalogue embed.FS

// Entry is a scenario of the [Catalogue].
type Entry struct {
	Name       string // such as density_flip
	Phenomenon string // that it shows, in a sentence
	Text       string // the scenario script
}

// Catalogue returns scenarios that each show one trap of scoring memory systems,
// in an order that reads as a manual: what targets and lineage do, then queries and
// other conventions, then depth, metrics and ranks, then time and chance. Each is a
// script for package scenarios/script, which states what is to be found in it.
func Catalogue() []Entry {
	files, err := fs.Glob(catalogue, "catalogue/*.txtar")
	if err != nil {
		panic(err) // the pattern is sound
	}
	entries := make([]Entry, len(files))
	for i, file := range files {
		text, err := catalogue.ReadFile(file)
		if err != nil {
			panic(err) // it is embedded
		}
		_, name, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".txtar"), "_") // without its number
		first, _, _ := strings.Cut(string(text), "\n")
		entries[i] = Entry{Name: name, Phenomenon: strings.TrimPrefix(first, "# "), Text: string(text)}
	}
	return entries
}

// Bundle returns the bundle of the scenario, as it is before the script changes any
// file of it.
func (e Entry) Bundle() (*tiaptest.Bundle, error) {
	files := make(fstest.MapFS) // which compiles nothing of package testing
	for _, f := range txtar.Parse([]byte(e.Text)).Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	b, err := tiaptest.OpenFS(files)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", e.Name, err)
	}
	return b, nil
}
