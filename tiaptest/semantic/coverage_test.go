package semantic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// supportNotes are the diagnostics of labels, as lines of kind, system and text.
func supportNotes(t *testing.T, a *tiaptest.Audit) []string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, a.WriteJSON(&text))
	var r struct {
		Diagnostics []struct{ Kind, System, Text string }
	}
	require.NoError(t, json.Unmarshal([]byte(text.String()), &r))
	notes := []string{}
	for _, d := range r.Diagnostics {
		if d.Kind == "support" || d.Kind == "unavailable" {
			notes = append(notes, strings.TrimSpace(d.Kind+" "+d.System)+": "+d.Text)
		}
	}
	return notes
}

// TestSupportedCoverage says of labels how much they are of, and gives no score where
// they are of nothing. By evidence the contested credits are of q1 vague and q2 both.
func TestSupportedCoverage(t *testing.T) {
	t.Parallel()
	stale := said("a", map[string]semantic.Label{"q1 vague": full, "q2 both": full})
	for i := range stale {
		stale[i].TextSHA256 = strings.Repeat("ab", 32)
	}
	one := said("a", map[string]semantic.Label{"q1 vague": full})
	for name, c := range map[string]struct {
		labels    []semantic.Judgement
		o         semantic.Options
		available bool
		notes     []string
	}{
		"all that earn":             {append(one, said("a", map[string]semantic.Label{"q2 both": full})...), semantic.Options{}, true, []string{}},
		"one of two":                {one, semantic.Options{}, true, []string{"support A: 1 of 2 contested credits has a label; the others earn nothing under supported(source)"}},
		"one of two, others credit": {one, semantic.Options{Unlabelled: true}, true, []string{"support A: 1 of 2 contested credits has a label; the others earn without one under supported+unlabelled(source)"}},
		"what could earn instead":   {said("a", map[string]semantic.Label{"q1 vague": none, "q2 both": full}), semantic.Options{}, true, []string{"support A: every contested credit has a label, but of the memories that could earn in place of those without support 1 has none under supported(source)"}},
		"only what earns instead":   {said("a", map[string]semantic.Label{"q1 dated": full}), semantic.Options{}, true, []string{"support A: 0 of 2 contested credits have a label; the others earn nothing under supported(source)"}},
		"stale":                     {stale, semantic.Options{}, false, []string{"support: 2 of 2 labels match no retrieved memory that supported(source) asks about: its text has changed, or it is of another store, query or target", "unavailable A: target supported(source) is unavailable: none of its 2 contested credits has a label"}},
		"stale, credit":             {stale, semantic.Options{Unlabelled: true}, true, []string{"support: 2 of 2 labels match no retrieved memory that supported+unlabelled(source) asks about: its text has changed, or it is of another store, query or target", "support A: 0 of 2 contested credits have a label; the others earn without one under supported+unlabelled(source)"}},
		"one stale":                 {append(stale[:1:1], said("a", map[string]semantic.Label{"q1 vague": none, "q1 dated": full, "q2 both": full})...), semantic.Options{}, true, []string{"support: 1 of 4 labels matches no retrieved memory that supported(source) asks about: its text has changed, or it is of another store, query or target"}},
		"of nobody that counts":     {one, semantic.Options{Judges: []string{"c"}}, false, []string{"unavailable A: target supported[judge=c](source) is unavailable: none of its 2 contested credits has a label"}},
		"of what gives no chance":   {said("a", map[string]semantic.Label{"q1 raw3": full}), semantic.Options{}, false, []string{"support: 1 of 1 label matches no retrieved memory that supported(source) asks about: its text has changed, or it is of another store, query or target", "unavailable A: target supported(source) is unavailable: none of its 2 contested credits has a label"}},
	} {
		target := semantic.Supported(tiaptest.Source, labelsOf(c.labels), c.o)
		a := audited(tiaptest.Targets(tiaptest.Source, target), tiaptest.Headline(tiaptest.Source))
		assert.Equal(t, c.notes, supportNotes(t, a), name)
		_, err := a.Score("A", target, tiaptest.MRR(60))
		if c.available {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, "the target is unavailable, none of its 2 contested credits has a label", name)
		values, err := a.PerQuery("A", target, tiaptest.MRR(60))
		require.NoError(t, err)
		assert.Empty(t, values, name)
		found, err := semantic.Contested(a, target)
		require.NoError(t, err)
		assert.NotEmpty(t, found, "what is to be labelled can be listed: %s", name)
	}
}

// TestSupportedCoverageByCrediting counts by memory every retrieved one.
func TestSupportedCoverageByCrediting(t *testing.T) {
	t.Parallel()
	target := semantic.Supported(tiaptest.Source, labelsOf(said("a", map[string]semantic.Label{"q1 vague": full})), semantic.Options{})
	of := []tiaptest.Option{tiaptest.Targets(tiaptest.Source, target), tiaptest.Headline(tiaptest.Source)}
	want := []string{"support A: 1 of 5 contested credits has a label; the others earn nothing under supported(source)"}
	assert.Equal(t, want, supportNotes(t, audited(append(of, tiaptest.Credit(tiaptest.ByMemory))...)))
	assert.Equal(t, want, supportNotes(t, must(audited(of...).With(tiaptest.Credit(tiaptest.ByMemory)))))
}

// TestSupportedNotGraded compares A with a B that finds nothing for as many questions
// as a test needs: a flip between them is graded when every label is there.
func TestSupportedNotGraded(t *testing.T) {
	t.Parallel()
	b := new(tiaptest.Bundle)
	b.Scenario.Headline = "source"
	first, second := b.AddSystem("A", ""), b.AddSystem("B", "")
	var list []semantic.Judgement
	for i := range 40 {
		n := string(rune('A' + i))
		b.AddTurn("t"+n, "The word is "+n+".").AddQuery("q"+n, "Which?", "is "+n+".")
		first.AddMemory("f"+n, "fact", "t"+n).AddMemory("x"+n, "fact").AddRanking("q"+n, "f"+n, "x"+n)
		second.AddMemory("f"+n, "fact", "t"+n).AddMemory("x"+n, "fact").AddRanking("q"+n, "x"+n, "f"+n)
		for system, label := range map[string]semantic.Label{"A": none, "B": full} {
			list = append(list, semantic.Judgement{Query: "q" + n, System: system, Memory: "f" + n, Judge: "a", Kind: semantic.Human, Label: label})
		}
	}
	metric := tiaptest.MRR(60)
	of := func(list []semantic.Judgement) *tiaptest.Audit {
		target := semantic.Supported(tiaptest.Source, labelsOf(list), semantic.Options{})
		return must(tiaptest.Rescore(b, tiaptest.Targets(tiaptest.Source, target), tiaptest.Metrics(metric), tiaptest.Resamples(100)))
	}
	flips := of(list).Flips()
	require.Len(t, flips, 1)
	assert.Equal(t, tiaptest.Decisive, flips[0].Grade)

	a := of(list[:len(list)-1])
	flips = a.Flips()
	require.Len(t, flips, 1)
	assert.Empty(t, flips[0].Grade)
	var table strings.Builder
	require.NoError(t, a.WriteTable(&table))
	assert.Contains(t, table.String(), "flip (not graded)")
	assert.Contains(t, table.String(), "(not graded, labels are missing under supported(source) in ")
	assert.Contains(t, table.String(), ": 39 of 40 contested credits have a label; the others earn nothing under supported(source)")
	err := a.Verify(tiaptest.NoWinnerFlip(metric))
	require.ErrorContains(t, err, "not graded: labels are missing under supported(source) in ")
	found := tiaptest.NoWinnerFlip(metric, tiaptest.From(tiaptest.Likely)).Verify(a)
	require.Len(t, found, 1)
	assert.True(t, found[0].Note, "it fails nothing, and is said")
	assert.Contains(t, found[0].Text, "not graded, labels are missing")

	half := of(list[:40])
	for _, f := range half.Flips() {
		assert.Empty(t, f.Grade)
	}
	only := func(system string) (kept []semantic.Judgement) {
		for _, j := range list {
			if j.System == system {
				kept = append(kept, j)
			}
		}
		return kept
	}
	alone := of(only("A"))
	assert.Empty(t, alone.Flips(), "B has no label, so that it has no score and nobody wins")
	require.ErrorContains(t, alone.Verify(tiaptest.NoWinnerFlip(metric)), "supported(source) is left out for B: none of its 40 contested credits has a label")
}
