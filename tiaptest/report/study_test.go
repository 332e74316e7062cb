package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/report"
	"github.com/tiaptest/tiap/tiaptest/semantic"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// What options add is shown in every format, and nothing of it without them.
func TestStudySections(t *testing.T) {
	t.Parallel()
	b := bundle(plainNames(), 0)
	a := audit(t, b)
	opts := extras(t, a)
	sections := []string{"Conventions", "Power", "Changed queries", "Composition", "Support", "Depths", "Targets joined and filtered", "Answers"}
	with, without := render(t, report.Text, a, opts...), render(t, report.Text, a)
	html := render(t, report.HTML, a, opts...)
	for _, s := range sections {
		head := "\n" + strings.ToUpper(s) + "\n"
		assert.Contains(t, with, head)
		assert.NotContains(t, without, head)
		assert.Contains(t, html, ">"+s+"</h2>")
		assert.Contains(t, render(t, report.Markdown, a, opts...), "## "+s+"\n")
	}
	tex := render(t, report.LaTeX, a, opts...)
	for _, label := range []string{"conventions:1", "power:1", "changed:1", "composition:1", "joined:1", "answers:1", "card:1"} {
		assert.Contains(t, tex, `\label{tiap:`+label+`}`)
	}
	lines := strings.Join(strings.Fields(with), " ")
	for _, want := range []string{
		"density 9 D1 by 9 D1 by 9 D5 by 9 9",                               // conventions
		"density differs evidence/dropped/all 12 D1 D1 D5",                  // of every population
		"D5 canonical 2 1 50.0% 1 100.0% 0 0.0%",                            // of two queries one passes, by one memory
		"D5 canonical batch 1 1 2 2 1 1.00",                                 // fan-out
		"D1 canonical score under raw 10 1.0000 2 1.00",                     // coverage bias
		"a model - reader three classes 14 78.6%",                           // judges
		"mean 10 D1 canonical 0.8204 0.7583",                                // joined
		"scores within 0.1 0 0.0% - - -",                                    // filtered
		"D1 - D5 correct 10 D1 +0.1000 D1, agrees D1, agrees D5, disagrees", // answers
	} {
		assert.Contains(t, lines, want)
	}
}

// The orders of targets stand in one line when they are one.
func TestOneTargetOrder(t *testing.T) {
	t.Parallel()
	b := bundle(plainNames(), 0)
	b.Systems = b.Systems[:2]
	b.Systems[1].Ingests = b.Systems[0].Ingests
	out := render(t, report.Text, audit(t, b))
	assert.Contains(t, out, "The targets score every system in one order by ndcg@10: raw=source > canonical.")
	assert.NotContains(t, out, "Order in which the targets score each system")
}

// Orders are compared over the targets that all systems have, and what that leaves out
// is said.
func TestTargetOrdersInCommon(t *testing.T) {
	t.Parallel()
	order := func(form string) string {
		b := bundle(plainNames(), 0)
		b.Systems = b.Systems[:2]
		for i := range b.Systems[1].Ingests[0].Memories {
			if m := &b.Systems[1].Ingests[0].Memories[i]; m.Form == form {
				m.Sources = []tiaptest.Link{{Turn: "elsewhere"}}
			}
		}
		out := render(t, report.Text, audit(t, b), report.Width(0))
		_, out, ok := strings.Cut(out, "Recommended member of each family")
		require.True(t, ok)
		return strings.Join(strings.Fields(out), " ")
	}
	const left = ", without targets that some system has no score under: "
	assert.Contains(t, order("raw"), "Order in which the targets score each system by ndcg@10"+left+
		"what a target changes depends on the system system order D1 source > canonical D5 source=canonical")
	assert.Contains(t, order("fact"), "The targets score every system in one order by ndcg@10"+left+"raw=source.")
	all := order("none")
	assert.Contains(t, all, "Order in which the targets score each system by ndcg@10: what a target changes depends on the system "+
		"system order D1 raw=source > canonical D5 source > canonical > raw")
}

// The card says what lacks, and is the one of package sensitivity.
func TestCardSection(t *testing.T) {
	t.Parallel()
	b := bundle(plainNames(), 0)
	a := audit(t, b)
	card, err := sensitivity.NewCard(a)
	require.NoError(t, err)
	out := render(t, report.Text, a)
	for _, p := range card.Practices {
		verdict := map[bool]string{true: "yes", false: "no"}[p.Holds]
		assert.Contains(t, strings.Join(strings.Fields(out), " "), p.Asks+" "+verdict)
		for _, m := range p.Missing {
			assert.Contains(t, out, m)
		}
	}
	assert.False(t, card.Holds())
	assert.Contains(t, out, "system old does not say its retrieval unit")
	assert.Contains(t, out, "What the stores serve fits the headline target canonical")
}

// JSON without options is the audit's own, and options add members behind it.
func TestJSONOfOptions(t *testing.T) {
	t.Parallel()
	b := bundle(plainNames(), 0)
	a := audit(t, b)
	var own strings.Builder
	require.NoError(t, a.WriteJSON(&own))
	assert.Equal(t, own.String(), render(t, report.JSON, a))
	assert.Equal(t, own.String(), render(t, report.JSON, a, report.Rules(tiaptest.SharedSubset(1)), report.Width(40)))

	out := render(t, report.JSON, a, extras(t, a)...)
	assert.True(t, strings.HasPrefix(out, strings.TrimSuffix(own.String(), "\n}\n")))
	var got struct {
		Schema      string
		Card        *sensitivity.Card
		Sensitivity *sensitivity.Report
		Composition []*semantic.Composition
		Support     []report.ViewSupport
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.Equal(t, "tiap.audit/v1", got.Schema)
	assert.Equal(t, "canonical", *got.Card.Headline)
	assert.Len(t, got.Sensitivity.Conventions, 2*9)
	assert.Equal(t, compositions(a), got.Composition)
	assert.Len(t, got.Support, 2*2*2, "two views")
	require.NoError(t, json.Unmarshal([]byte(render(t, report.JSON, a, report.Composition(compositions(a)...))), &struct{}{}))
}

// Answers that were left out are named, in every format that has sentences.
func TestStrangers(t *testing.T) {
	t.Parallel()
	a := audit(t, bundle(plainNames(), 0))
	analyzed := func(strange int) report.Option {
		table, err := sensitivity.FromAudit(a)
		require.NoError(t, err)
		shared, err := a.SharedQueries()
		require.NoError(t, err)
		f1 := 0.5
		require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: shared[0], System: a.Systems()[0], F1: &f1}))
		for i := range strange {
			require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: fmt.Sprintf("<b>%02d", i), System: a.Systems()[0], F1: &f1}))
		}
		r, err := sensitivity.Analyze(table)
		require.NoError(t, err)
		return report.Sensitivity(r)
	}
	for _, f := range []report.Format{report.Text, report.Markdown, report.HTML} {
		assert.NotContains(t, render(t, f, a, analyzed(0)), "left out: ", f)
		one := render(t, f, a, analyzed(1))
		assert.Contains(t, one, "1 of 2 answers fits no system and query of the scores and is left out: ", f)
		many := strings.Join(strings.Fields(render(t, f, a, analyzed(12))), " ")
		assert.Contains(t, many, "12 of 13 answers fit no system and query of the scores and are left out: ", f)
		assert.Contains(t, many, "09", f)
		assert.Contains(t, many, " and 2 more.", f)
		assert.NotContains(t, many, "b>10", f)
	}
	assert.NotContains(t, render(t, report.HTML, a, analyzed(1)), "<b>00")
	assert.Contains(t, render(t, report.Markdown, a, analyzed(1)), "`\"<b>00\" of \"D1\"`")
}
