package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiaptest/tiap/internal/replace"
	"github.com/tiaptest/tiap/tiaptest"
)

// Format is a format of a report; its value is the ending of file names.
type Format string

// The formats.
const (
	HTML     Format = "html" // one file that needs nothing beside it
	Markdown Format = "md"   // GitHub's, short enough for a comment
	LaTeX    Format = "tex"  // tables, with booktabs and longtable
	Text     Format = "txt"  // aligned columns
	JSON     Format = "json" // schema tiap.audit/v1, with members of their own for what options add
)

var formats = []Format{HTML, Markdown, LaTeX, Text, JSON}

// FormatOf returns the format that the ending of a file name asks for, in letters
// of any case.
func FormatOf(file string) (Format, error) {
	f := Format(strings.ToLower(strings.TrimPrefix(filepath.Ext(file), ".")))
	if !slices.Contains(formats, f) {
		return "", fmt.Errorf("report %q: the name ends in no known format; use .html, .md, .tex, .txt or .json", file)
	}
	return f, nil
}

// Write writes the report of an audit. The same audit and options give the same
// bytes, but for [Text] on a terminal, which see [Width] and [Colour].
func Write(w io.Writer, f Format, a *tiaptest.Audit, opts ...Option) error {
	o := newOptions(opts)
	if f == JSON {
		return writeJSON(w, a, o)
	}
	if err := f.known(); err != nil {
		return err
	}
	d, err := auditDocument(a, o)
	if err != nil {
		return err
	}
	return d.write(w, f, o)
}

// WriteFile writes the report of an audit to a file, in the format that its name
// ends in. The file is written as a whole or not at all, a pipe or a device in place.
func WriteFile(file string, a *tiaptest.Audit, opts ...Option) error {
	return writeFile(file, func(w io.Writer, f Format) error { return Write(w, f, a, opts...) })
}

// Artifacts writes the report of an audit as HTML and Markdown to the artifact
// folder of a test: report.html and report.md, for a second audit of the test
// report-2.html and so on. go test -artifacts keeps them. It fails the test when it
// cannot.
func Artifacts(tb testing.TB, a *tiaptest.Audit, opts ...Option) {
	tb.Helper()
	name, err := freeName(tb.ArtifactDir())
	if err != nil {
		tb.Errorf("artifacts of the report: %v", err)
		return
	}
	for _, f := range []Format{HTML, Markdown} {
		if err := WriteFile(name+"."+string(f), a, opts...); err != nil {
			tb.Error(err)
		}
	}
}

// freeName claims a name for one report: a test may write several, and all go to
// its one folder.
func freeName(dir string) (string, error) {
	for n := 1; ; n++ {
		name := filepath.Join(dir, "report")
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		f, err := os.OpenFile(name+"."+string(HTML), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err == nil {
			return name, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

func (f Format) known() error {
	if !slices.Contains(formats, f) {
		return fmt.Errorf("format %q is not known; use html, md, tex, txt or json", string(f))
	}
	return nil
}

// write renders a document.
func (d *document) write(w io.Writer, f Format, o options) error {
	var out string
	switch f {
	case HTML:
		out = renderHTML(d)
	case Markdown:
		out = renderMarkdown(d)
	case LaTeX:
		out = renderLaTeX(d)
	default:
		out = renderText(d, lookFor(w, o, os.Getenv))
	}
	_, err := io.WriteString(w, out)
	return err
}

func writeFile(file string, write func(io.Writer, Format) error) error {
	f, err := FormatOf(file)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := write(&b, f); err != nil {
		return err
	}
	err = replace.Output(file, []byte(b.String()))
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("report %s: %w; name a file that can be written", file, e.Err)
	}
	return err
}
