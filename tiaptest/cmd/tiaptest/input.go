package main

import (
	"errors"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/tiaptest"
)

// inputFlags are the flags of every command that audits: what to read, how to
// score it and where to write.
type inputFlags struct {
	*cli.Input
	output  string
	support *cli.Support
}

func newInputFlags(command string) *inputFlags {
	f := &inputFlags{Input: cli.NewInput("tiaptest " + command)}
	f.support = cli.NewSupport(f.Input)
	f.Set.StringVar(&f.output, "o", "", "write to `FILE` instead of standard output")
	return f
}

// Rescore reads the input and rescores it, with all faults at once.
func (f *inputFlags) Rescore(dirs []string) (*tiaptest.Audit, error) {
	b, opts, err := f.read(dirs, f.Open)
	if err != nil {
		return nil, err
	}
	return tiaptest.Rescore(b, opts...)
}

// rescoreDir audits another bundle by the same flags.
func (f *inputFlags) rescoreDir(dir string) (*tiaptest.Audit, error) {
	b, opts, err := f.read([]string{dir}, func([]string) (*tiaptest.Bundle, error) { return tiaptest.Open(dir) })
	if err != nil {
		return nil, err
	}
	return tiaptest.Rescore(b, opts...)
}

// read reads an input, the labels that go with it, and the options for it.
func (f *inputFlags) read(dirs []string, open func([]string) (*tiaptest.Bundle, error)) (*tiaptest.Bundle, []tiaptest.Option, error) {
	b, openErr := open(dirs)
	labelErr := f.support.Read(dirs)
	opts, err := f.Options(b)
	return b, opts, errors.Join(openErr, labelErr, err)
}
