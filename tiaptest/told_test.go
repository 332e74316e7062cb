package tiaptest_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// noFlips are the rules that no metric may flip.
func noFlips(metrics ...tiaptest.Metric) (rules tiaptest.Rules) {
	for _, m := range metrics {
		rules = append(rules, tiaptest.NoWinnerFlip(m))
	}
	return rules
}

// TestFlipsToldOnce compares messages about several flips with testdata/told. Each
// fits a screen, and what it leaves out of the violations stands there.
func TestFlipsToldOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		bundle    *tiaptest.Bundle
		opts      tiaptest.Options
		rules     tiaptest.Rules
		flips     int // violations
		sentences int // that tell a flip
		lines     int // at most
	}{
		{name: "one-metric", bundle: flipped(6), rules: noFlips(mrr), flips: 2, sentences: 1, lines: 21},
		{name: "two-metrics", bundle: flipped(6), rules: noFlips(mrr, ndcg), flips: 4, sentences: 1, lines: 24},
		{name: "given-twice", bundle: flipped(6), rules: noFlips(mrr, mrr), flips: 4, sentences: 1, lines: 21},
		{name: "one-flip", bundle: flipped(6), opts: tiaptest.Options{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)}, rules: noFlips(mrr), flips: 1, sentences: 1, lines: 18},
		{name: "known-in-part", bundle: flipped(6), opts: tiaptest.Options{tiaptest.Known(finding(rawSource, ""))}, rules: noFlips(mrr, ndcg), flips: 3, sentences: 2, lines: 40},
		{name: "grades", bundle: spread(), rules: noFlips(mrr, ndcg), flips: 4, sentences: 1, lines: 24},
		{name: "fragile", bundle: spread(), opts: tiaptest.Options{tiaptest.Alpha(1e-30)}, rules: noFlips(mrr, ndcg), flips: 4, sentences: 1, lines: 25},
		{name: "several-pairs", bundle: contest(
			system("A", times(6, ".r.f")...), system("B", times(6, "f.r")...), system("C", times(6, "f..r")...),
			system("D", times(6, ".r..f")...), system("E", times(6, "r...f")...),
		), opts: crowded(), rules: noFlips(mrr), flips: 12, sentences: 7, lines: 70},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := auditOf(c.bundle, c.opts...)
			err := a.Verify(c.rules...)
			require.Error(t, err)
			text := err.Error()
			compareGolden(t, filepath.Join("testdata", "told", c.name+".golden"), text+"\n")
			assert.Equal(t, c.sentences, strings.Count(text, "winner flip on "))
			assert.LessOrEqual(t, strings.Count(text, "\n")+1, c.lines)

			// The parts of the error are whole.
			joined, ok := err.(interface{ Unwrap() []error })
			require.True(t, ok)
			parts := joined.Unwrap()
			assert.Len(t, parts, c.flips)
			for _, part := range parts {
				assert.Regexp(t, `^winner flip on .*\n(.*\n)*    carried by `, part.Error())
				assert.Contains(t, part.Error(), "\n    if this is known, ")
			}
		})
	}
}

// What a message proposes for flips that are told as one makes all of them known.
func TestFlipsToldOnceAccepted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := saved(flipped(3))(dir)
	require.NoError(t, err)
	text := auditOf(b).Verify(noFlips(mrr, ndcg)...).Error()
	entries := regexp.MustCompile(`(?m)^ +[\[ ]\{.*\}[,\]]$`).FindAllString(text, -1)
	require.Len(t, entries, 4, text)
	require.NoError(t, putFiles(dir, map[string]string{"accepted.json": strings.ReplaceAll(strings.Join(entries, "\n"), "...", "we serve facts")}))
	b, err = tiaptest.Open(dir)
	require.NoError(t, err)
	assert.NoError(t, auditOf(b).Verify(noFlips(mrr, ndcg)...))

	// One that was known until a day is no new entry.
	require.NoError(t, putFiles(dir, map[string]string{"accepted.json": `[{"a":"A","b":"B","metric":"mrr@5","targets":["raw","source"],"reason":"we serve facts","until":"2001-12-31"}]`}))
	b, err = tiaptest.Open(dir)
	require.NoError(t, err)
	text = auditOf(b).Verify(noFlips(mrr)...).Error()
	assert.Equal(t, 1, strings.Count(text, "this was known until 2001-12-31 (we serve facts); if it still is, set a later end"))
	assert.Contains(t, text, `[{"a":"A","b":"B","metric":"mrr@5","targets":["raw","canonical"],"reason":"..."}]`)
}

// What several rules note in the same words is said once.
func TestNotesToldOnce(t *testing.T) {
	t.Parallel()
	b := flipped(3)
	unlinked(b, 0, "fact")
	r := &recorder{TB: t}
	tiaptest.Check(r, auditOf(b), noFlips(mrr, ndcg)...)
	require.Len(t, r.logged, 1)
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(r.logged[0], "\n\n") {
		assert.False(t, seen[part], "twice: %s", part)
		seen[part] = true
	}
	assert.NotEmpty(t, seen)
}
