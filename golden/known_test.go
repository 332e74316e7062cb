package golden_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/tiaptest"
)

// A known flip excuses the winner that changed to make it, and no reversal of
// winners that it was already made of.
func TestKnownFlip(t *testing.T) {
	t.Parallel()
	ndcg := tiaptest.NDCG(10)
	known := tiaptest.Known(
		tiaptest.Finding{A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Canonical}, Reason: "it is served"},
		tiaptest.Finding{A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source}, Reason: "it is served"},
		tiaptest.Finding{A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{tiaptest.Source, tiaptest.Canonical}, Reason: "it is served"},
	)
	// The ranks of the turn and of its fact.
	record := func(d1, d5 [2]int) *golden.Record {
		k := &talk{raw: map[string]int{"D1": d1[0], "D5": d5[0]}, fact: map[string]int{"D1": d1[1], "D5": d5[1]}}
		r, err := golden.NewRecord(rescoreWith(t, k.bundle(), tiaptest.Depth(10), tiaptest.Metrics(ndcg), known))
		require.NoError(t, err)
		return r
	}
	agreeing, flipped, reversed := record([2]int{2, 3}, [2]int{4, 5}), record([2]int{2, 8}, [2]int{4, 6}), record([2]int{4, 6}, [2]int{2, 8})
	fails := func(want, got *golden.Record) (failing []golden.Verdict) {
		d := golden.Diff(want, got)
		require.NotEmpty(t, d.Findings)
		for _, f := range d.Findings {
			if f.Fails && f.Verdict != golden.ChangeFlip {
				failing = append(failing, f.Verdict)
			}
		}
		return failing
	}
	assert.Empty(t, fails(agreeing, flipped), "the winner under canonical is what is known")
	assert.Contains(t, fails(flipped, reversed), golden.WinnerFlip)
	assert.Contains(t, fails(flipped, reversed), golden.RecommendationChanged)
	assert.Contains(t, fails(reversed, flipped), golden.WinnerFlip)
	for _, v := range golden.Diff(flipped, reversed).Findings {
		assert.NotContains(t, v.Text, "known: ")
	}
}

// A bundle in code has no accepted.json: what is known is stated in code.
func TestKnownInCode(t *testing.T) {
	t.Parallel()
	rescored := func(d1, d5 [2]int) *tiaptest.Audit {
		k := &talk{raw: map[string]int{"D1": d1[0], "D5": d5[0]}, fact: map[string]int{"D1": d1[1], "D5": d5[1]}}
		return rescoreWith(t, k.bundle(), tiaptest.Depth(10), tiaptest.Metrics(tiaptest.NDCG(10)))
	}
	head := rescored([2]int{2, 8}, [2]int{4, 6})
	d, err := golden.Compare("base", rescored([2]int{2, 3}, [2]int{4, 5}), head)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, d.WriteText(&text, head))
	require.Contains(t, text.String(), "\n    if this is known, state it with tiaptest.Known and a reason\n")
	require.NotContains(t, text.String(), "accepted.json")

	// Without the audit the text does without what only it knows.
	text.Reset()
	require.NoError(t, d.WriteText(&text, nil))
	require.Contains(t, text.String(), "winner flip on ndcg@10")
	require.Contains(t, text.String(), "if this is known, add it with a reason to the list in accepted.json of the bundle:\n        [{")
}

// What a message proposes makes all known that is told as one.
func TestKnownAsProposed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, writeTalk(dir, []string{"flip"}))
	base := audited(t, nil, []tiaptest.Option{byMetrics})
	compare := func() (*golden.Difference, string) {
		b, err := tiaptest.Open(dir)
		require.NoError(t, err)
		head := rescoreWith(t, b, tiaptest.Depth(10), tiaptest.Resamples(100), byMetrics)
		d, err := golden.Compare("base", base, head)
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, d.WriteText(&text, head))
		return d, text.String()
	}
	d, text := compare()
	require.True(t, d.Failed())
	entries := regexp.MustCompile(`(?m)^ +[\[ ]\{.*\}[,\]]$`).FindAllString(text, -1)
	require.Len(t, entries, 6, text) // three metrics, two other targets than raw
	list := strings.ReplaceAll(strings.Join(entries, "\n"), "...", "facts are served")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "accepted.json"), []byte(list), 0o666))
	d, text = compare()
	require.False(t, d.Failed(), text)
	require.Empty(t, d.Notes)
	require.Equal(t, 2, strings.Count(text, "\nknown: new flip on mrr@10, ndcg@10 and ap@10: raw picks D1, "), text)
}
