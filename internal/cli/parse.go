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
	if err := checkValues(flags, args); err != nil {
		return nil, err
	}
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

// checkValues refuses flags that have an empty value, which a script gives by a
// variable that is not set, and those that took the next flag for their value.
func checkValues(flags *flag.FlagSet, args []string) error {
	var faults []error
	refuse := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(flags.Name()+": "+format+"; see "+flags.Name()+" -h", args...))
	}
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, value, given := flagOf(args[i])
		f := flags.Lookup(name)
		if f == nil {
			continue
		}
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			continue
		}
		if !given {
			i++
			if i == len(args) {
				break
			}
			value = args[i]
			if next, _, _ := flagOf(value); next == "h" || next == "help" || flags.Lookup(next) != nil {
				refuse("-%s has no value: the flag -%s stands in its place; write -%s=%s if that is meant", name, next, name, value)
				continue
			}
		}
		if value == "" {
			refuse("the value of -%s is empty; give one, or leave the flag out", name)
		}
	}
	return errors.Join(faults...)
}

// flagOf takes an argument of the form -name or -name=value apart; the name of any
// other one is "".
func flagOf(arg string) (name, value string, given bool) {
	rest, ok := strings.CutPrefix(arg, "-")
	if !ok {
		return "", "", false
	}
	name, value, given = strings.Cut(strings.TrimPrefix(rest, "-"), "=")
	return name, value, given
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

// splitList splits a list at its commas, but for those within brackets and quotes.
func splitList(list string) (out []string) {
	depth, quoted, begin := 0, false, 0
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth <= 0:
			out = append(out, list[begin:i])
			begin = i + 1
		}
	}
	return append(out, list[begin:])
}

// each parses a list separated by commas.
func each[T any](list string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	var errs []error
	for _, name := range splitList(list) {
		v, err := parse(strings.TrimSpace(name))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, v)
	}
	return out, errors.Join(errs...)
}
