package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Parse reads flags and arguments in any order; after "--" all are arguments. Help
// that is asked for goes to stdout.
func Parse(flags *flag.FlagSet, args []string, stdout io.Writer) (rest []string, err error) {
	flags.SetOutput(io.Discard)
	for {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				flags.SetOutput(stdout)
				flags.Usage()
				return nil, err
			}
			return nil, fmt.Errorf("%s: %w; see %s -h", flags.Name(), err, flags.Name())
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

// each parses a list separated by commas.
func each[T any](list string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	var errs []error
	for _, name := range strings.Split(list, ",") {
		v, err := parse(strings.TrimSpace(name))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, v)
	}
	return out, errors.Join(errs...)
}
