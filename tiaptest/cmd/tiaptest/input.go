package main

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/terminal"
	"github.com/tiaptest/tiap/tiaptest"
)

// inputFlags are the flags of every command that audits: what to read, how to
// score it and where to write.
type inputFlags struct {
	*cli.Input
	output  string
	support *cli.Support
	status  *terminal.Status // nil where nobody watches
}

func newInputFlags(command string) *inputFlags {
	f := &inputFlags{Input: cli.NewInput("tiaptest " + command)}
	f.support = cli.NewSupport(f.Input)
	f.Set.StringVar(&f.output, "o", "", "write to `FILE` instead of standard output")
	return f
}

// watch shows what the command is doing, from now until done is called.
func (f *inputFlags) watch(stderr io.Writer) (done func()) {
	f.status = terminal.Watch(stderr)
	return f.status.Stop
}

// Rescore reads the input and rescores it, with all faults at once.
func (f *inputFlags) Rescore(dirs []string) (*tiaptest.Audit, error) {
	return f.rescore(dirs, f.Open)
}

// rescoreDir audits another bundle by the same flags.
func (f *inputFlags) rescoreDir(dir string) (*tiaptest.Audit, error) {
	return f.rescore([]string{dir}, func([]string) (*tiaptest.Bundle, error) { return tiaptest.Open(dir) })
}

func (f *inputFlags) rescore(dirs []string, open func([]string) (*tiaptest.Bundle, error)) (*tiaptest.Audit, error) {
	b, opts, err := f.read(dirs, open)
	if err != nil {
		return nil, err
	}
	f.status.Say("scoring %s", nameOf(dirs))
	return tiaptest.Rescore(b, opts...)
}

// nameOf is how a status names an input.
func nameOf(dirs []string) string { return cmp.Or(strings.Join(dirs, " "), "rankings") }

// read reads an input, the labels that go with it, and the options for it.
func (f *inputFlags) read(dirs []string, open func([]string) (*tiaptest.Bundle, error)) (*tiaptest.Bundle, []tiaptest.Option, error) {
	f.status.Say("reading %s", nameOf(dirs))
	b, openErr := open(dirs)
	labelErr := f.support.Read(dirs)
	opts, err := f.Options(b)
	return b, opts, errors.Join(openErr, labelErr, err)
}
