package tiaptest

import (
	"strings"
	"testing"
)

// Load opens the bundle in a folder and rescores it, or ends the test.
func Load(tb testing.TB, dir string, opts ...Option) *Audit {
	tb.Helper()
	b, err := Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	a, err := Rescore(b, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// Check fails the test when the audit breaks a rule, with one message that holds
// everything found, and reports whether it broke none. Winner flips between the same
// two systems are told as one where they name the same winners. Lists in it are cut,
// less with -v. Known findings are logged.
//
// For machines it sets the attributes tiap.verdict, tiap.headline, tiap.credit,
// tiap.n, tiap.winner (by the first metric under the headline target) and
// tiap.broken (once for each violation), and with -artifacts it writes the JSON
// report, the table and an index.json to the test's artifact folder.
func Check(tb testing.TB, a *Audit, rules ...Rule) bool {
	tb.Helper()
	full := testing.Verbose()
	broken, notes := a.verify(rules, full)
	publish(tb, a, alone(broken))
	if len(notes) > 0 {
		tb.Log(message(notes, full))
	}
	if len(broken) > 0 {
		text := message(broken, full)
		if strings.Contains(text, inReport) {
			text += "\n    for the JSON report, and the table of all scores: go test -artifacts"
		}
		tb.Error(text)
	}
	return len(broken) == 0
}

// Require is Check, but ends the test at once.
func Require(tb testing.TB, a *Audit, rules ...Rule) {
	tb.Helper()
	if !Check(tb, a, rules...) {
		tb.FailNow()
	}
}
