package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
)

// A tie beside a winner is called neither the same winner nor no dependence.
func TestTieIsNotSame(t *testing.T) {
	t.Parallel()
	b := bundle(plainNames(), 0)
	b.Systems = b.Systems[:2]
	a, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical), tiaptest.Metrics(tiaptest.NDCG(10)), tiaptest.Resamples(100))
	require.NoError(t, err)
	r, err := a.Pair("D1", "D5", tiaptest.NDCG(10))
	require.NoError(t, err)
	gap := func(target string) float64 { return max(*r.Gaps[target].Value, -*r.Gaps[target].Value) }
	low, high := gap("raw"), gap("canonical")
	if low > high {
		low, high = high, low
	}
	require.Less(t, low, high)
	tied, err := a.With(tiaptest.MinEffect((low + high) / 2))
	require.NoError(t, err)
	out := render(t, report.Text, tied)
	assert.NotContains(t, out, "No winner depends on the target")
	assert.Contains(t, out, "No two targets have different winners, but 1 of 1 comparisons of two systems by a metric has a target under which they are tied.")
	assert.Regexp(t, `D1 - D5 +tie +10 `, out)
	assert.NotRegexp(t, `density +same`, out)
}

// What the labels say is drawn in the colours of good and bad, not in steps of a size.
func TestSupportColours(t *testing.T) {
	t.Parallel()
	a := audit(t, bundle(plainNames(), 0))
	out := render(t, report.HTML, a, extras(t, a)...)
	for _, class := range []string{"bar share0", "bar share1", "bar share2"} {
		assert.Contains(t, out, class)
	}
	assert.Contains(t, out, "svg .share0 { fill: var(--good); } svg .share1 { fill: var(--bad); }")
}

// Flips that are known are marked by the reason wherever they are told, and are no
// alarm where all of them are; one that has ended is told first, with its last day.
func TestKnownFlips(t *testing.T) {
	t.Parallel()
	ndcg := tiaptest.NDCG(10)
	of := func(first, second tiaptest.Target, until string) tiaptest.Finding {
		return tiaptest.Finding{A: "D1", B: "D5", Metric: ndcg, Targets: [2]tiaptest.Target{first, second}, Reason: "D5 serves facts", Until: until}
	}
	written := func(findings ...tiaptest.Finding) (text, html string) {
		a, err := tiaptest.Rescore(bundle(plainNames(), 0), tiaptest.Depth(10), tiaptest.Metrics(ndcg), tiaptest.Resamples(100), tiaptest.Known(findings...))
		require.NoError(t, err)
		return render(t, report.Text, a, report.Width(0)), render(t, report.HTML, a)
	}
	const rawFlip = "raw picks D1, canonical picks D5 by ndcg@10 (decisive)"
	const sourceFlip = "source picks D1, canonical picks D5 by ndcg@10 (likely)"

	none, _ := written()
	assert.Contains(t, none, "The winner depends on the target: "+rawFlip+". 1 further flip is below. ")
	assert.NotContains(t, none, " known")

	one, html := written(of(tiaptest.Canonical, tiaptest.Raw, ""))
	assert.Contains(t, one, "The winner depends on the target: "+sourceFlip+". 1 further flip is below, known. ", "the one that is not known comes first")
	assert.Contains(t, one, "flip (decisive), 1 of 2 known")
	assert.Contains(t, one, "Flip: "+rawFlip+"; known: D5 serves facts\n")
	assert.Regexp(t, `decisive +raw +D1 .* known: D5 serves facts\n`, one)
	assert.NotContains(t, one, "differs, known")
	assert.Contains(t, html, `<p class="verdict bad"`)
	assert.Contains(t, html, ` bad">flip (decisive), 1 of 2 known</td>`)
	assert.Contains(t, html, ` muted"><bdi>known: D5 serves facts</bdi></td>`)

	all, html := written(of(tiaptest.Canonical, tiaptest.Raw, ""), of(tiaptest.Source, tiaptest.Canonical, "9999-12-31"))
	assert.Contains(t, all, `The winner depends on the target: `+rawFlip+"; known: D5 serves facts. 1 further flip is below, known. ")
	assert.Contains(t, html, ` warn">flip (decisive), known</td>`)
	assert.Contains(t, html, ` warn">differs, known</td>`)
	assert.NotContains(t, html, `<p class="verdict bad"`)

	ended, html := written(of(tiaptest.Canonical, tiaptest.Raw, "2001-12-31"))
	assert.Contains(t, ended, "The winner depends on the target: "+rawFlip+"; was known until 2001-12-31: D5 serves facts. 1 further flip is below. ")
	assert.Contains(t, html, ` bad"><bdi>was known until 2001-12-31: D5 serves facts</bdi></td>`)
	assert.NotContains(t, ended, ", known")
}

// Flips between conventions are marked alike, and an audit that is compared with its
// earlier state has the marks of each.
func TestKnownFlipsElsewhere(t *testing.T) {
	t.Parallel()
	ndcg := tiaptest.NDCG(10)
	b := func() *tiaptest.Bundle { return bundle(plainNames(), 0) }
	audited := func(b *tiaptest.Bundle, of tiaptest.Option, targets [2]tiaptest.Target, until string) *tiaptest.Audit {
		known := tiaptest.Finding{A: "D1", B: "D5", Metric: ndcg, Targets: targets, Reason: "D5 serves facts", Until: until}
		a, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Metrics(ndcg), tiaptest.Resamples(100), tiaptest.Known(known), of)
		require.NoError(t, err)
		return a
	}
	var out strings.Builder
	all := tiaptest.Targets(tiaptest.Raw, tiaptest.Source, tiaptest.Canonical)
	rawCanonical, rawSource := [2]tiaptest.Target{tiaptest.Raw, tiaptest.Canonical}, [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source}
	same := b()
	same.Systems[1].Ingests[0].Run = same.Systems[0].Ingests[0].Run
	require.NoError(t, report.Compare(&out, report.Text, audited(b(), all, rawCanonical, ""), audited(same, all, rawSource, ""), report.Width(0)))
	assert.Regexp(t, `raw and canonical +flip \(decisive\); known: D5 serves facts +none\n`, out.String())
	out.Reset()
	require.NoError(t, report.Compare(&out, report.Text, audited(same, all, rawSource, ""), audited(b(), all, rawCanonical, "2001-12-31"), report.Width(0)))
	assert.Regexp(t, `raw and canonical +none +flip \(decisive\); was known until 2001-12-31: D5 serves facts\n`, out.String())

	// By memory D5 finds three of three, D1 one of two.
	c := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Headline: "source"}}
	c.AddTurn("t", "one")
	c.AddQuery("q", "which?", "one")
	c.AddSystem("D1", "").AddMemory("raw", "raw", "t").AddMemory("fact", "fact", "t").AddRanking("q", "raw")
	c.AddSystem("D5", "").AddMemory("raw", "raw", "t").AddMemory("fact", "fact", "t").AddMemory("more", "fact", "t").AddMemory("other", "raw", "t2").
		AddRanking("q", "other", "raw", "fact", "more")
	for until, want := range map[string]string{"": "known: D5 serves facts", "2001-12-31": "was known until 2001-12-31: D5 serves facts"} {
		text := render(t, report.Text, audited(c, tiaptest.Targets(tiaptest.Raw, tiaptest.Source), [2]tiaptest.Target{tiaptest.Source, tiaptest.Source}, until), report.Width(0))
		assert.Regexp(t, `D1 - D5 +differs; `+want+` +source +D1 `, text)
		assert.Equal(t, until == "", strings.Contains(text, " but 1 winner depends on another choice of scoring, known. "))
	}
}
