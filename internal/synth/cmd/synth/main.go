// The command synth writes synthetic runs of conversational-memory systems, and
// a synthetic benchmark:
//
//	go run ./internal/synth/cmd/synth -shape mtelmem -queries 20000 -depth 60 -o DIR
//	go run ./internal/synth/cmd/synth -shape longmemeval -queries 2000 -o DIR
//
// See package synth for what the files hold.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tiaptest/tiap/internal/synth"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// run returns the exit status: 0, or 2 for bad usage and files that cannot be
// written.
func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("synth", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var c synth.Config
	var dir string
	flags.StringVar((*string)(&c.Shape), "shape", "bundle", "files to write: bundle, bare, ids, mtelmem, trec or longmemeval")
	flags.IntVar(&c.Queries, "queries", 1000, "number of `queries`")
	flags.IntVar(&c.Depth, "depth", 60, "`hits` of each ranking")
	flags.IntVar(&c.Systems, "systems", 1, "number of `systems`")
	flags.Uint64Var(&c.Seed, "seed", 1, "`seed` of all randomness")
	flags.BoolVar(&c.Gzip, "gz", false, "compress with gzip")
	flags.StringVar(&dir, "o", "", "`folder` to fill; it must be new or empty")
	if err := flags.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return 0
		}
		return 2
	}
	if dir == "" || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "synth: name one folder with -o, and no arguments")
		return 2
	}
	if err := synth.Write(dir, c); err != nil {
		fmt.Fprintf(stderr, "synth: %v\n", err)
		return 2
	}
	return 0
}
