package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/internal/filename"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// recordFlags are the flags of the record command.
type recordFlags struct {
	set *flag.FlagSet

	name, url, exec           string
	k, repeats                int
	concurrency, retries      int
	timeout                   time.Duration
	scores                    string
	resume, unstable, verbose bool
}

func newRecordFlags() *recordFlags {
	f := &recordFlags{set: flag.NewFlagSet("tiaptest record", flag.ContinueOnError)}
	s := f.set
	s.StringVar(&f.name, "name", "", "`NAME` of the system: its folder under DIR/systems")
	s.StringVar(&f.url, "url", "", "HTTP `address` of the system's adapter")
	s.StringVar(&f.exec, "exec", "", "shell `command` that runs the system's adapter, as 'python3 adapter.py'")
	s.IntVar(&f.k, "k", 60, "ask for `K` memories for each query")
	s.IntVar(&f.repeats, "repeats", 1, "record `N` ingests, each built anew by the adapter")
	s.IntVar(&f.concurrency, "concurrency", 4, "put `N` queries at a time to -url; -exec takes one at a time")
	s.DurationVar(&f.timeout, "timeout", time.Minute, "`time` that one attempt at a query may take")
	s.IntVar(&f.retries, "retries", 2, "make `N` further attempts at a query after an error that may pass")
	s.StringVar(&f.scores, "scores", "", "declare in which `order` scores stand: descending, or ascending for distances")
	s.BoolVar(&f.unstable, "unstable", false, "go on when a query that is asked twice gets different answers")
	s.BoolVar(&f.resume, "resume", true, "go on with a recording that was interrupted; -resume=false begins anew")
	s.BoolVar(&f.verbose, "v", false, "say how far the recording is, also where standard error is no terminal")
	s.Usage = func() {
		fmt.Fprint(s.Output(), `usage: tiaptest record -name NAME -exec COMMAND [flags] DIR
       tiaptest record -name NAME -url ADDRESS [flags] DIR
Asks a live memory system the queries of DIR/queries.jsonl and writes run.jsonl,
and store.jsonl if the adapter has one, to DIR/systems/NAME. The adapter speaks
JSON, one message a line or a POST:
    {"v":1,"hello":"tiaptest","repeat":1}            {"v":1,"hello":"mine","store":true}
    {"v":1,"store":true}                             {"v":1,"store":[{"id":"m1","form":"fact","sources":["t1"]}]}
    {"v":1,"query":"q1","text":"Where?","k":60}      {"v":1,"query":"q1","ranking":["m1"],"scores":[0.9]}
"go doc github.com/tiaptest/tiap/tiaptest/record" describes it.
`)
		s.PrintDefaults()
	}
	return f
}

func recordSystem(args []string, stdout, stderr io.Writer) error {
	f := newRecordFlags()
	dirs, err := cli.Parse(f.set, args, stdout)
	if err != nil {
		return err
	}
	if err := f.check(dirs); err != nil {
		return err
	}
	queries, err := record.Queries(dirs[0])
	if err != nil {
		return err
	}
	dir := filepath.Join(dirs[0], "systems", f.name)
	options := record.Options{
		Dir: dir, K: f.k, Repeats: f.repeats, Concurrency: f.concurrency,
		Timeout: f.timeout, Attempts: f.retries + 1,
		Scores: record.Order(f.scores), Unstable: f.unstable, Fresh: !f.resume,
		Cacheable: true, // this is no test
	}
	if f.verbose {
		options.Progress = stderr
	}
	build := record.URL(f.url)
	if f.exec != "" {
		cmd := shellCommand(f.exec)
		cmd.Stderr = stderr
		build = record.Command(cmd)
	}

	// The first interrupt ends the recording in order, the second one at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	_, report, err := record.Ingests(ctx, queries, build, options)
	if err != nil {
		return fmt.Errorf("tiaptest %w", err)
	}
	fmt.Fprintf(stdout, "%s\nwritten to %s\n", report, dir)
	if n := len(report.Failed); n > 0 {
		return fmt.Errorf("tiaptest record: %d of %d queries failed; the same command asks them again", n, report.Queries)
	}
	return nil
}

// check reports what is wrong with flags and arguments, all at once.
func (f *recordFlags) check(dirs []string) error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("tiaptest record: "+format, args...))
	}
	if f.name == "" {
		refuse("no name; name the system with -name NAME")
	} else if err := filename.Check(f.name); err != nil {
		refuse("system %q %w", f.name, err)
	}
	if (f.url == "") == (f.exec == "") {
		refuse("name one adapter, with -exec COMMAND or -url ADDRESS")
	}
	for _, n := range []struct {
		flag         string
		value, least int
	}{{"k", f.k, 1}, {"repeats", f.repeats, 1}, {"concurrency", f.concurrency, 1}, {"retries", f.retries, 0}} {
		if n.value < n.least {
			refuse("-%s %d; it must be at least %d", n.flag, n.value, n.least)
		}
	}
	if f.timeout <= 0 {
		refuse("-timeout %v; it must be above 0", f.timeout)
	}
	if f.scores != "" && f.scores != string(record.Ascending) && f.scores != string(record.Descending) {
		refuse("-scores %s; use descending or ascending", f.scores)
	}
	if len(dirs) != 1 {
		refuse("%d folders; name the one bundle", len(dirs))
		return errors.Join(errs...)
	}
	for _, name := range []string{"run.jsonl", "store.jsonl"} {
		for _, ending := range []string{"", ".gz", ".zst"} {
			file := filepath.Join(dirs[0], name+ending)
			if _, err := os.Lstat(file); err == nil {
				refuse("%s: the bundle has a single system beside queries.jsonl; move it to a folder under systems", file)
			}
		}
	}
	return errors.Join(errs...)
}

// shellCommand runs a line as the user's shell does.
func shellCommand(line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.Command("cmd", "/C", line)
	}
	return exec.Command("sh", "-c", line)
}
