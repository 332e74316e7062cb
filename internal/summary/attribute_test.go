package summary_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// Attributes of others, and those without a verdict before them, say nothing of an
// audit; a finding that a test says twice is one.
func TestAttributes(t *testing.T) {
	t.Parallel()
	var l log
	l.pkg("p", "fail", func() {
		l.test("p", "TestOthers", "pass", "tiap.winner=nobody by ndcg@60", "tiap.n=1")
		l.add(event{Action: "attr", Package: "p", Test: "TestForeign", Key: "owner", Value: "someone"})
		l.test("p", "TestForeign", "pass")
		l.test("p", "TestAudit", "fail", "tiap.verdict=broken", "tiap.winner=A by ndcg@60",
			"    a_test.go:7: winner flip A B", "    a_test.go:7: winner flip A B", "    a_test.go:7: winner flip A C")
	})
	s := summarize(t, l.String(), t.TempDir())
	text := s.Markdown()
	assert.NotContains(t, text, "nobody")
	assert.NotContains(t, text, "someone")
	assert.Equal(t, 1, strings.Count(text, "A by ndcg"), text)
	assert.Contains(t, s.Line(), "2 flips in failed tests")
}

// Tests whose events do not name a package are named alone, and a package whose result
// go test repeats is said to be cached.
func TestNames(t *testing.T) {
	t.Parallel()
	var l log
	l.test("", "TestAlone", "fail", "    a_test.go:1: no")
	l.add(event{Action: "fail"})
	l.pkg("p", "pass", func() {
		l.test("p", "TestIt", "pass")
		l.add(event{Action: "output", Package: "p", Output: "ok  \tp\t(cached)\n"})
	})
	text := summarize(t, l.String(), t.TempDir()).Markdown()
	assert.Contains(t, text, "TestAlone")
	assert.NotContains(t, text, "TestAlone in")
	assert.Contains(t, text, "passed (cached)")
}

// A first line that is cut is cut between characters.
func TestCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	for shift := range 3 {
		var l log
		l.pkg("p", "fail", func() {
			for range 60 { // so that each is cut short
				l.test("p", "TestLong", "fail", strings.Repeat("x", shift)+strings.Repeat("語", 290)+"\n"+strings.Repeat(strings.Repeat("y", 290)+"\n", 50))
			}
		})
		text := summarize(t, l.String(), t.TempDir()).Markdown()
		assert.True(t, utf8.ValidString(text))
		assert.Contains(t, text, "語...")
	}
}
