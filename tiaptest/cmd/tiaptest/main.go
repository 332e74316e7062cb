// Command tiaptest rescores saved rankings of memory systems under several
// scoring targets.
//
//	tiaptest audit DIR                         a bundle
//	tiaptest audit -records F -trace F         MTEL-Mem's own files
//	tiaptest audit -qrels raw=F -run F         TREC qrels and runs
//	tiaptest explain DIR -query ID             how one query is scored
//	tiaptest gate -golden FILE DIR             as recorded? exit status 1 if not
//	tiaptest gate -base DIR DIR                as on the base branch?
//	tiaptest record -name N -exec COMMAND DIR  ask a live system and save its rankings
//
// "tiaptest COMMAND -h" lists the flags. Flags and arguments mix in any order.
//
// The exit status is 0 when all is fine, 1 when a gate failed, and 2 for bad
// input or usage, which is explained on standard error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Exit statuses.
const (
	statusFine   = 0
	statusFailed = 1 // a gate failed
	statusWrong  = 2 // bad input or usage
)

var commands = []struct {
	name, summary string
	run           func(args []string, stdout, stderr io.Writer) error
}{
	{"audit", "rescore saved rankings and report scores, winners and flips", audit},
	{"explain", "say how one query is scored, and why evidence was missed", explain},
	{"gate", "fail when winners differ from a golden file or from the base branch", gate},
	{"record", "ask a live memory system for rankings and save them", recordSystem},
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return statusWrong
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		usage(stdout)
		return statusFine
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		err := c.run(args[1:], stdout, stderr)
		switch {
		case errors.Is(err, flag.ErrHelp):
			return statusFine
		case errors.Is(err, errGate):
			return statusFailed
		case err != nil:
			fmt.Fprintln(stderr, err)
			return statusWrong
		}
		return statusFine
	}
	fmt.Fprintf(stderr, "tiaptest: unknown command %q\n", args[0])
	usage(stderr)
	return statusWrong
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: tiaptest COMMAND [flags] [arguments]")
	for _, c := range commands {
		fmt.Fprintf(w, "    %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprintln(w, "tiaptest COMMAND -h lists the flags of a command.")
}

// parse reads flags and arguments in any order; after "--" all are arguments.
func parse(flags *flag.FlagSet, args []string, stdout io.Writer) (rest []string, err error) {
	flags.SetOutput(io.Discard)
	for {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				flags.SetOutput(stdout)
				flags.Usage()
				return nil, err
			}
			return nil, fmt.Errorf("tiaptest %s: %w; see tiaptest %s -h", flags.Name(), err, flags.Name())
		}
		left := flags.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if n := len(args) - len(left); n > 0 && args[n-1] == "--" {
			return append(rest, left...), nil
		}
		rest = append(rest, left[0])
		args = left[1:]
	}
}

// pairs is a repeatable flag of the form name=file.
type pairs struct {
	names, files []string
	named        bool // the name may not be left out
}

func (p *pairs) String() string { return strings.Join(p.files, ",") }

func (p *pairs) Set(s string) error {
	name, file, ok := strings.Cut(s, "=")
	if !ok {
		name, file = "", s
	}
	if p.named && name == "" {
		return errors.New("name the target that the judgements are for, as in raw=FILE")
	}
	if file == "" {
		return errors.New("name a file")
	}
	p.names, p.files = append(p.names, name), append(p.files, file)
	return nil
}
