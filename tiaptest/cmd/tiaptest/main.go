// Command tiaptest rescores saved rankings of memory systems under several
// scoring targets.
//
//	tiaptest audit DIR                         a bundle
//	tiaptest audit -records F -trace F         MTEL-Mem's own files
//	tiaptest audit -qrels raw=F -run F         TREC qrels and runs
//	tiaptest audit -sensitivity DIR            and what the target changes
//	tiaptest contested DIR -o FILE.csv         the credits that are to be judged, by people or a model
//	tiaptest explain DIR -query ID             how one query is scored
//	tiaptest gate -golden FILE DIR             as recorded? exit status 1 if not
//	tiaptest gate -base DIR DIR                as on the base branch?
//	tiaptest import locomo FILE -o DIR         a public benchmark, or a memory system's export
//	tiaptest record -name N -exec COMMAND DIR  ask a live system and save its rankings
//	tiaptest script FILE...                    scenario scripts
//	go test -json | tiaptest summarize         what the tests found, for CI and pull requests
//
// "tiaptest COMMAND -h" lists the flags. Flags and arguments mix in any order.
//
// The exit status is 0 when all is fine, 1 when a gate failed, and 2 for bad
// input or usage, which is explained on standard error.
//
// Garbage is collected late, for speed. Where memory is scarce, set GOMEMLIMIT or GOGC in
// the environment, as for any program in Go; then they alone decide.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tiaptest/tiap/internal/harmless"
)

func main() {
	collectLate()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

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
	{"contested", "list the credits to be judged, read labels back, or let a model judge", contested},
	{"explain", "say how one query is scored, and why evidence was missed", explain},
	{"gate", "fail when winners differ from a golden file or from the base branch", gate},
	{"import", "read a public benchmark, or what a memory system left on disk, into a bundle", importSource},
	{"record", "ask a live memory system for rankings and save them", recordSystem},
	{"script", "run scenario scripts: bundles with what is to be found in them", runScripts},
	{"summarize", "say what go test -json found, for the summary of CI and for pull requests", summarize},
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
		return exitStatus(c.run(args[1:], stdout, stderr), stderr)
	}
	fmt.Fprintf(stderr, "tiaptest: unknown command %q\n", args[0])
	usage(stderr)
	return statusWrong
}

// exitStatus is that of a command, whose error it explains.
func exitStatus(err error, stderr io.Writer) int {
	switch {
	case errors.Is(err, flag.ErrHelp):
		return statusFine
	case errors.Is(err, errGate):
		return statusFailed
	case err != nil:
		fmt.Fprintln(stderr, harmless.Lines(err.Error())) // a service may have written it
		return statusWrong
	}
	return statusFine
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: tiaptest COMMAND [flags] [arguments]")
	for _, c := range commands {
		fmt.Fprintf(w, "    %-9s %s\n", c.name, c.summary)
	}
	fmt.Fprintln(w, "tiaptest COMMAND -h lists the flags of a command.")
}
