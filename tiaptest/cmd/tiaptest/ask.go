package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/tiaptest/tiap/internal/terminal"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// askFlags are those of contested that let a model judge.
type askFlags struct {
	url, keyEnv        string
	workers, perMinute int
	dry, verbose       bool
}

func newAskFlags(s *flag.FlagSet) *askFlags {
	f := new(askFlags)
	s.StringVar(&f.url, "ask", "", "let a model judge, and append its labels to the file that -o names; `URL` is the base of an OpenAI-compatible endpoint, as http://127.0.0.1:11434/v1")
	s.StringVar(&f.keyEnv, "key-env", "", "environment `variable` that holds the key for -ask")
	s.IntVar(&f.workers, "workers", 1, "ask `N` cases at a time")
	s.IntVar(&f.perMinute, "per-minute", 0, "ask at most `N` cases a minute; 0 means no limit")
	s.BoolVar(&f.dry, "dry-run", false, "say how many cases -ask would ask, and ask none")
	s.BoolVar(&f.verbose, "v", false, "say how far -ask is, in lines on standard error; a terminal shows it anyway, in one line")
	return f
}

// run has the model label cases. What it labelled before is not asked again.
func (f *askFlags) run(judge *semantic.Endpoint, cases []semantic.Case, file string, stdout, stderr io.Writer) error {
	judge.URL = f.url
	if f.keyEnv != "" {
		if judge.Key = os.Getenv(f.keyEnv); judge.Key == "" && !f.dry {
			return fmt.Errorf("tiaptest contested: -key-env %s: the variable is not set", f.keyEnv)
		}
	}
	o := semantic.Collection{Workers: f.workers, PerMinute: f.perMinute, Dry: f.dry}
	var status *terminal.Status
	if f.verbose {
		o.Progress = func(done, of int) { fmt.Fprintf(stderr, "%d of %d have a label\n", done, of) }
	} else if !f.dry {
		status = terminal.Watch(stderr)
		defer status.Stop()
		status.Say("asking %s", judge.Model)
		o.Progress = func(done, of int) { status.Say("%d of %d have a label", done, of) }
	}
	// The first interrupt ends the collection in order, the second one at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	c, err := semantic.Collect(ctx, judge, cases, file, o)
	status.Stop()
	now := fmt.Sprintf("%d labelled now", c.Labelled)
	if f.dry {
		now = fmt.Sprintf("%d would be asked", c.Asked)
	}
	if err == nil || c.Tasks > 0 {
		fmt.Fprintf(stdout, "%d cases: %d labelled before, %s, %d without a label\n", c.Tasks, c.Known, now, c.Left)
	}
	if err != nil && c.Left > 0 {
		return errors.Join(err, fmt.Errorf("tiaptest contested: %d of %d cases have no label; the same command asks them again", c.Left, c.Tasks))
	}
	return err
}
