package semantic_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

const (
	full = semantic.Supports
	part = semantic.Partial
	none = semantic.DoesNotSupport
)

// mrr is the score of the orchard's system on a query under a target.
func mrr(t *testing.T, target tiaptest.Target, query string, b *tiaptest.Bundle) float64 {
	t.Helper()
	a, err := tiaptest.Rescore(b, tiaptest.Targets(target), tiaptest.Headline(target))
	require.NoError(t, err)
	values, err := a.PerQuery("A", target, tiaptest.MRR(60))
	require.NoError(t, err)
	require.Contains(t, values, query)
	return values[query]
}

// TestSupported ranks vague, raw3, dated, raw1: the rank of the first that earns.
func TestSupported(t *testing.T) {
	t.Parallel()
	one := func(labels map[string]semantic.Label) *semantic.Labels { return labelsOf(said("a", labels)) }
	two := labelsOf(said("a", map[string]semantic.Label{"q1 vague": none, "q1 dated": full}), said("b", map[string]semantic.Label{"q1 vague": full, "q1 dated": full}))
	byModel := said("m", map[string]semantic.Label{"q1 vague": none, "q1 dated": full})
	for i := range byModel {
		byModel[i].Kind, byModel[i].Model, byModel[i].Sample = semantic.Model, "x", "spring"
	}
	mixed := labelsOf(said("a", map[string]semantic.Label{"q1 vague": full, "q1 dated": none}), byModel)
	for name, c := range map[string]struct {
		labels *semantic.Labels
		o      semantic.Options
		rank   float64
	}{
		"the first is supported":           {one(map[string]semantic.Label{"q1 vague": full}), semantic.Options{}, 1},
		"the second is supported":          {one(map[string]semantic.Label{"q1 vague": none, "q1 dated": full}), semantic.Options{}, 3},
		"none is, the turn itself earns":   {one(map[string]semantic.Label{"q1 vague": none, "q1 dated": part}), semantic.Options{}, 4},
		"partial support counts":           {one(map[string]semantic.Label{"q1 vague": none, "q1 dated": part}), semantic.Options{Partial: true}, 3},
		"no label, no credit":              {one(map[string]semantic.Label{"q2 both": full}), semantic.Options{}, 4},
		"no label, credit":                 {one(map[string]semantic.Label{"q1 vague": none}), semantic.Options{Unlabelled: true}, 3},
		"a tie is no credit":               {two, semantic.Options{}, 3},
		"a tie is no credit for others":    {two, semantic.Options{Unlabelled: true}, 3},
		"the adjudicator decides":          {two, semantic.Options{Adjudicator: "b"}, 1},
		"an adjudicator beside a judge":    {two, semantic.Options{Adjudicator: "b", Judges: []string{"a"}}, 1},
		"one judge alone":                  {two, semantic.Options{Judges: []string{"b"}}, 1},
		"people alone":                     {mixed, semantic.Options{Kind: semantic.Human}, 1},
		"models alone":                     {mixed, semantic.Options{Kind: semantic.Model}, 3},
		"one model":                        {mixed, semantic.Options{Models: []string{"x"}}, 3},
		"one sample":                       {mixed, semantic.Options{Samples: []string{"spring"}}, 3},
		"an adjudicator beside a kind":     {mixed, semantic.Options{Kind: semantic.Model, Adjudicator: "a"}, 1},
		"a label for another query":        {one(map[string]semantic.Label{"q2 vague": full}), semantic.Options{}, 4},
		"a label that gives no chance":     {one(map[string]semantic.Label{"q1 raw3": full, "q2 both": full}), semantic.Options{}, 4},
		"judged twice, one vote of a tie":  {labelsOf(said("a", map[string]semantic.Label{"q1 vague": full}), said("a", map[string]semantic.Label{"q1 vague": full}), said("b", map[string]semantic.Label{"q1 vague": none})), semantic.Options{}, 4},
		"judged twice, two votes of three": {labelsOf(said("a", map[string]semantic.Label{"q1 vague": full}), said("a", map[string]semantic.Label{"q1 vague": full}), said("b", map[string]semantic.Label{"q1 vague": none})), semantic.Options{Repeats: semantic.Each}, 1},
	} {
		assert.InDelta(t, 1/c.rank, mrr(t, semantic.Supported(tiaptest.Source, c.labels, c.o), "q1", orchard()), 1e-15, name)
	}
	assert.Equal(t, "supported(canonical)", semantic.Supported(tiaptest.Canonical, two, semantic.Options{}).String())
	assert.Equal(t, "supported[judge=a,judge=b]+partial+unlabelled(raw)", semantic.Supported(tiaptest.Raw, two, semantic.Options{Judges: []string{"a", "b"}, Partial: true, Unlabelled: true}).String())
}

// TestSupportedByText finds labels by the text, in another store under another id
// too, and not where the text has changed.
func TestSupportedByText(t *testing.T) {
	t.Parallel()
	ls, err := semantic.ReadAnswers("answers.jsonl", answers(t, "The pear tree was planted in March.", full), must(semantic.Contested(audited(), tiaptest.Source)),
		semantic.Judgement{Judge: "a", Kind: semantic.Human})
	require.NoError(t, err)
	target := semantic.Supported(tiaptest.Source, ls, semantic.Options{})
	rename := func(change func(m *tiaptest.Memory)) *tiaptest.Bundle {
		b := orchard()
		in := b.Systems[0].Ingests[0]
		for i := range in.Memories {
			if in.Memories[i].ID == "dated" {
				change(&in.Memories[i])
			}
		}
		return b
	}
	assert.InDelta(t, 1.0/3, mrr(t, target, "q1", orchard()), 1e-15)
	b := rename(func(m *tiaptest.Memory) { m.ID = "renamed" })
	b.Systems[0].Ingests[0].Run = tiaptest.Run{}
	b.Systems[0].AddRanking("q1", "vague", "renamed").AddRanking("q2", "both")
	assert.InDelta(t, 1.0/2, mrr(t, target, "q1", b), 1e-15)
	also := must(semantic.NewLabels(append(slices.Collect(ls.All()), said("a", map[string]semantic.Label{"q2 both": full})...)...))
	target = semantic.Supported(tiaptest.Source, also, semantic.Options{})
	assert.InDelta(t, 1.0/4, mrr(t, target, "q1", rename(func(m *tiaptest.Memory) { m.Text += " Or so." })), 1e-15)
}

func TestSupportedRefused(t *testing.T) {
	t.Parallel()
	ls := labelsOf(said("a", map[string]semantic.Label{"q1 vague": full}))
	for _, target := range []tiaptest.Target{
		semantic.Supported(tiaptest.Source, nil, semantic.Options{}),
		semantic.Supported(tiaptest.Source, ls, semantic.Options{Ties: "upper"}),
	} {
		_, err := tiaptest.Rescore(orchard(), tiaptest.Targets(target), tiaptest.Headline(target))
		require.ErrorContains(t, err, "target supported(source) has no rule")
	}
}

// TestSupportedProperties holds the bounds: a score under support lies between that
// without what has no label and that with it, partial support in between, and none
// above the target itself.
func TestSupportedProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBundle(t)
		var list []semantic.Judgement
		for _, q := range b.Scenario.Queries {
			for _, m := range b.Systems[0].Ingests[0].Memories {
				if l := rapid.SampledFrom([]semantic.Label{"", "", full, part, none}).Draw(t, "label"); l != "" {
					list = append(list, semantic.Judgement{Query: q.ID, System: "A", Memory: m.ID, Judge: "a", Kind: semantic.Human, Label: l})
				}
			}
		}
		ls := must(semantic.NewLabels(list...))
		inner := rapid.SampledFrom(semanticTargets).Draw(t, "target")
		ordered := []tiaptest.Target{
			semantic.Supported(inner, ls, semantic.Options{}),
			semantic.Supported(inner, ls, semantic.Options{Partial: true}),
			semantic.Supported(inner, ls, semantic.Options{Partial: true, Unlabelled: true}),
			inner,
		}
		metrics := []tiaptest.Metric{tiaptest.Recall(5), tiaptest.MRR(5), tiaptest.All(5)}
		a := must(tiaptest.Rescore(b, tiaptest.Targets(ordered...), tiaptest.Headline(inner), tiaptest.Metrics(metrics...), tiaptest.Resamples(100)))
		for _, m := range metrics {
			for i := range ordered[1:] {
				if _, err := a.Score("A", ordered[i], m); err != nil {
					require.Empty(t, must(a.PerQuery("A", ordered[i], m)), "no score: %v", err)
					continue
				}
				less, more := must(a.PerQuery("A", ordered[i], m)), must(a.PerQuery("A", ordered[i+1], m))
				require.Len(t, more, len(less))
				for q := range less {
					require.LessOrEqual(t, less[q], more[q], "%s on %s: %s and %s", m, q, ordered[i], ordered[i+1])
				}
			}
		}
	})
}

func TestMinSupport(t *testing.T) {
	t.Parallel()
	a := audited()
	half := labelsOf(said("a", map[string]semantic.Label{"q1 vague": none, "q1 dated": full, "q2 both": full}))
	some := labelsOf(said("a", map[string]semantic.Label{"q2 both": part}))
	for name, c := range map[string]struct {
		rule tiaptest.Rule
		want []string // nil when the rule holds
	}{
		"half":              {semantic.MinSupport(tiaptest.Source, half, 0.5, semantic.Options{}), nil},
		"more than half":    {semantic.MinSupport(tiaptest.Source, half, 0.6, semantic.Options{}), []string{"0.5000 of the labelled contested credits of A under source have full support, less than 0.6", "1 of 2 labelled credits, 95% CI [0.0945, 0.9055]; 0 ties", "0 of 2 contested credits (0.0000) have no label"}},
		"partial":           {semantic.MinSupport(tiaptest.Source, some, 1, semantic.Options{Partial: true}), nil},
		"not fully":         {semantic.MinSupport(tiaptest.Source, some, 1, semantic.Options{}), []string{"0.0000 of the labelled", "1 of 2 contested credits (0.5000) have no label"}},
		"too few labels":    {semantic.MinSupport(tiaptest.Source, some, 0.1, semantic.Options{Partial: true, Labelled: 0.6}), []string{"1 of 2 contested credits of A under source have a label, less than a share of 0.6"}},
		"no label":          {semantic.MinSupport(tiaptest.Source, some, 0.1, semantic.Options{Judges: []string{"b"}}), []string{"compared nothing in A: none of its 2 contested credits has a label"}},
		"nothing contested": {semantic.MinSupport(tiaptest.Raw, some, 0.1, semantic.Options{}), []string{"no contested credit under raw"}},
		"no such target":    {semantic.MinSupport(tiaptest.Exact(tiaptest.Source), some, 0.1, semantic.Options{}), []string{"no target exact(source)"}},
		"no labels":         {semantic.MinSupport(tiaptest.Source, nil, 0.1, semantic.Options{}), []string{"compared nothing: it has no labels"}},
		"no share":          {semantic.MinSupport(tiaptest.Source, some, 0, semantic.Options{}), []string{"above 0 and at most 1"}},
		"bad rule":          {semantic.MinSupport(tiaptest.Source, some, 0.1, semantic.Options{Repeats: "thrice"}), []string{"unknown rule"}},
	} {
		err := a.Verify(c.rule)
		if c.want == nil {
			require.NoError(t, err, name)
			continue
		}
		require.Error(t, err, name)
		for _, want := range c.want {
			assert.ErrorContains(t, err, want, name)
		}
		v, ok := errors.AsType[*tiaptest.Violation](err)
		require.True(t, ok, name)
		assert.Equal(t, c.rule.String(), v.Rule, name)
	}
	notes := semantic.MinSupport(tiaptest.Source, some, 1, semantic.Options{Partial: true}).Verify(a)
	require.Len(t, notes, 1)
	assert.True(t, notes[0].Note)
	assert.Contains(t, notes[0].Text, "1.0000 of the labelled contested credits of A under source have at least partial support\n    1 of 1 labelled credits")
	assert.Contains(t, notes[0].Text, "1 of 2 contested credits (0.5000) have no label")
	assert.Empty(t, semantic.MinSupport(tiaptest.Source, half, 0.5, semantic.Options{}).Verify(a))
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	ls := labelsOf(said("a", map[string]semantic.Label{"q1 vague": none, "q2 both": full}), said("b", map[string]semantic.Label{"q1 vague": full}))
	s, err := semantic.Measure(audited(), "A", tiaptest.Source, ls, semantic.Options{})
	require.NoError(t, err)
	assert.Equal(t, 0.5, s.Share.Value)
	s.Share = nil
	assert.Equal(t, semantic.Support{System: "A", Target: "source", Contested: 2, Labelled: 2, Ties: 1, Supported: 1}, s)
	_, err = semantic.Measure(audited(), "B", tiaptest.Source, ls, semantic.Options{})
	require.ErrorContains(t, err, `no system "B"`)
}

// TestOptionsSet reads choices as they are written, and refuses those that are none.
func TestOptionsSet(t *testing.T) {
	t.Parallel()
	for _, choices := range [][]string{
		nil, {"judge=a"}, {"judge=a", "judge=b", "model=x", "sample=s", "kind=human", "adjudicator=c", "repeats=each", "ties=lower"}, {"kind=model"},
	} {
		var o semantic.Options
		for _, c := range choices {
			require.NoError(t, o.Set(c))
		}
		assert.Equal(t, strings.Join(choices, ","), o.String())
	}
	var o semantic.Options
	require.NoError(t, o.Set("judge=a,b=\n"))
	require.NoError(t, o.Set("repeats=once"))
	require.NoError(t, o.Set("ties=none"))
	assert.Equal(t, `judge="a,b=\n"`, o.String(), "what would be misread is quoted")
	var quoted semantic.Options
	require.NoError(t, quoted.Set(o.String()))
	assert.Equal(t, o.Judges, quoted.Judges)
	assert.Equal(t, semantic.Options{Judges: []string{"a,b=\n"}, Repeats: semantic.Once, Ties: semantic.NoLabel}, o)
	for choice, want := range map[string]string{
		"judge": "is no choice", "": "is no choice", "kind=": "is no choice", `judge="a`: "is not quoted", `judge=""`: "is not quoted", "=x": `unknown field ""`, "by=x": `unknown field "by"`,
		"kind=crowd": `unknown kind "crowd"`, "repeats=twice": `unknown rule "twice" for repeated labels; use once or each`, "ties=upper": "use none or lower",
	} {
		require.ErrorContains(t, new(semantic.Options).Set(choice), want, choice)
	}
	o = semantic.Options{}
	for _, choice := range []string{"judge=a", "judge=b", "judge=a", "kind=human", "kind=human", "ties=none", "repeats=each", "adjudicator=c"} {
		require.NoError(t, o.Set(choice))
	}
	for choice, want := range map[string]string{
		"kind=model": "kind=model after kind=human: they exclude each other; keep one of them", "ties=lower": "ties=lower after ties=none: ", "repeats=once": "repeats=once after repeats=each: ", `adjudicator="d,e"`: `adjudicator="d,e" after adjudicator=c: `,
	} {
		require.ErrorContains(t, o.Set(choice), want)
	}
	assert.Equal(t, "judge=a,judge=b,kind=human,adjudicator=c,repeats=each", o.String(), "what is refused changes nothing")
}

// TestOptionsName tells apart the names of targets whose labels are counted in
// different ways.
func TestOptionsName(t *testing.T) {
	t.Parallel()
	ls := labelsOf(said("a", map[string]semantic.Label{"q1 vague": full}))
	human := semantic.Supported(tiaptest.Source, ls, semantic.Options{Kind: semantic.Human})
	model := semantic.Supported(tiaptest.Source, ls, semantic.Options{Kind: semantic.Model})
	assert.Equal(t, "supported[kind=human](source)", human.String())
	_, err := tiaptest.Rescore(orchard(), tiaptest.Targets(human, model), tiaptest.Headline(human))
	require.NoError(t, err)
	_, err = tiaptest.Rescore(orchard(), tiaptest.Targets(semantic.Supported(tiaptest.Source, ls, semantic.Options{Kind: "crowd"})))
	require.Error(t, err, "a kind that is none")
}
