package script

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/internal/cli"
)

func comparisonFlags(l *line) { l.comparison = cli.NewComparison(l.in.Set) }

func (l *line) comparisonOptions() []golden.Option {
	opts, err := l.comparison.Options()
	l.ts.Check(err)
	return opts
}

// verdict is the verdict that the line expects; without one nothing may fail.
func (l *line) verdict() golden.Verdict {
	if len(l.args) < 2 {
		return ""
	}
	v, err := golden.ParseVerdict(l.args[1])
	l.ts.Check(err)
	return v
}

// gate compares the audit with that of an earlier bundle.
func gate(l *line) {
	opts, want := l.comparisonOptions(), l.verdict()
	if l.in.NamesFiles() {
		l.ts.Fatalf("gate: the audit is of files; gate compares the bundles of two folders")
	}
	now := l.rescore("")
	before := *l
	before.dirs = l.args[:1]
	d, err := golden.Compare(l.args[0], before.rescore("").Audit, now.Audit, opts...)
	l.ts.Check(err)
	l.compared(d, now, want)
}

// goldenFile compares the audit with what was recorded. Only the plain line
// records: others state a difference.
func goldenFile(l *line) {
	opts, want := l.comparisonOptions(), l.verdict()
	now := l.rescore("")
	file := l.args[0] // beside the tests, not in the script's folder
	var d *golden.Difference
	var err error
	if !l.neg && want == "" {
		d, err = golden.CheckFile(file, "TIAP_UPDATE=1 "+l.again, now.Audit, opts...)
	} else {
		d, err = difference(file, now, opts)
	}
	l.ts.Check(err)
	l.compared(d, now, want)
}

func difference(file string, now *audited, opts []golden.Option) (*golden.Difference, error) {
	recorded, err := golden.ReadRecord(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no golden file %s; a golden line without ! and verdict records it", file)
	}
	if err != nil {
		return nil, err
	}
	got, err := golden.NewRecord(now.Audit)
	if err != nil {
		return nil, err
	}
	return golden.Diff(recorded, got, opts...), nil
}

// compared prints a difference and judges it.
func (l *line) compared(d *golden.Difference, now *audited, want golden.Verdict) {
	var b strings.Builder
	l.ts.Check(d.WriteText(&b, now.Audit))
	l.printf("%s", b.String())
	holds, expected := !d.Failed(), "nothing that fails"
	if want != "" {
		holds, expected = d.Verdict == want, string(want)
	}
	l.judge(holds, "the verdict is "+string(d.Verdict), expected)
}
