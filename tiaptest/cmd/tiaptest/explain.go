package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/tiaptest"
)

func explain(args []string, stdout, stderr io.Writer) error {
	f := newInputFlags("explain")
	f.Describe(" -query ID", `Says how one query is scored in each system: what each rank earns under which target,
and why evidence was missed: not stored, not served, not retrieved, or below the depth.
At a rank, +1 is what the memory earns, eligible one whose evidence is credited at an
earlier rank, and - one that the target does not credit.
`)
	query := f.Set.String("query", "", "`ID` of the query to explain")
	base := f.Set.String("base", "", "explain the query in this earlier bundle `DIR` too, below")
	dirs, err := cli.Parse(f.Set, args, stdout)
	if err != nil {
		return err
	}
	if *query == "" {
		return errors.New("tiaptest explain: no query; name one with -query ID")
	}
	defer f.watch(stderr)()
	now, err := f.Rescore(dirs)
	var before *tiaptest.Audit
	if *base != "" {
		var baseErr error
		before, baseErr = f.rescoreDir(*base)
		err = errors.Join(err, baseErr)
	}
	if err != nil {
		return err
	}
	text, err := now.Explain(*query)
	if err != nil {
		err = fmt.Errorf("tiaptest explain: %w", err)
	}
	if before != nil {
		old, baseErr := before.Explain(*query)
		if baseErr != nil {
			err = errors.Join(err, fmt.Errorf("tiaptest explain: %s: %w", *base, baseErr))
		}
		text = "now: " + text + "\nbefore: " + old
	}
	if err != nil {
		return err
	}
	f.status.Stop()
	return write(f.output, stdout, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
