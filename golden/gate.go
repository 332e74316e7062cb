package golden

import (
	"path/filepath"

	"github.com/tiaptest/tiap/tiaptest"
)

// CheckFile is [Check] outside tests: it compares an audit with a golden file, or
// records it when TIAP_UPDATE says so. command is what the message names to
// accept a difference.
func CheckFile(file, command string, a *tiaptest.Audit, opts ...Option) (*Difference, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	return check("this command", file, abs, command, a, newSettings(opts))
}

// Compare compares an audit with one of an earlier state, such as that of the
// base branch, without a golden file. Ids of memories may differ between the two,
// queries may not. name says what the earlier state is; without one (base nil)
// the verdict is [Missing].
func Compare(name string, base, head *tiaptest.Audit, opts ...Option) (*Difference, error) {
	s := newSettings(opts)
	if err := s.err(); err != nil {
		return nil, err
	}
	got, err := NewRecord(head)
	if err != nil {
		return nil, err
	}
	if base == nil {
		return missing(name, "there is no base "+name+" to compare with", got, s), nil
	}
	want, err := NewRecord(base)
	if err != nil {
		return nil, err
	}
	d := diff(want, got, s)
	d.source, d.base = name, base
	return d, nil
}
