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
	output string
}

func newInputFlags(command string) *inputFlags {
	f := &inputFlags{Input: cli.NewInput("tiaptest " + command)}
	f.Set.StringVar(&f.output, "o", "", "write to `FILE` instead of standard output")
	return f
}

// rescoreDir audits another bundle by the same flags.
func (f *inputFlags) rescoreDir(dir string) (*tiaptest.Audit, error) {
	b, openErr := tiaptest.Open(dir)
	opts, err := f.Options(b)
	if err := errors.Join(openErr, err); err != nil {
		return nil, err
	}
	return tiaptest.Rescore(b, opts...)
}
