package tiaptest

import (
	"strings"
	"testing"

	"github.com/tiaptest/tiap/internal/harmless"
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
// everything found, and reports whether it broke none. Lists in it are cut
// unless the test runs with -v. Known findings are logged.
//
// For machines it sets the attributes tiap.verdict, tiap.headline, tiap.credit,
// tiap.n, tiap.winner (by the first metric under the headline target) and
// tiap.broken (once for each violation), and with -artifacts it writes the JSON
// report, the table and an index.json to the test's artifact folder.
func Check(tb testing.TB, a *Audit, rules ...Rule) bool {
	tb.Helper()
	broken, notes := a.verify(rules, testing.Verbose())
	publish(tb, a, broken)
	if len(notes) > 0 {
		tb.Log(message(notes))
	}
	if len(broken) > 0 {
		tb.Error(message(broken))
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

// message is what a test prints of violations. What they name comes from files, and
// none of its lines may be a command to the log of a CI runner.
func message(vs []Violation) string {
	texts := make([]string, len(vs))
	for i, v := range vs {
		texts[i] = v.Text
	}
	return harmless.Guard(strings.Join(texts, "\n\n"))
}
