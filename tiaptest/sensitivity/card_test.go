package sensitivity_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// stated is the garden with all that a report must state.
func stated() *tiaptest.Bundle {
	b := garden()
	for _, s := range b.Systems {
		s.Unit, s.Lineage, s.Forms = "memory", "recorded at ingest", map[string]string{"fact": "one sentence about one turn"}
	}
	return b
}

// Each practice is missing by itself, and what is missing is what the rule says.
func TestCard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		change  func(b *tiaptest.Bundle)
		opts    []tiaptest.Option
		missing map[string][]string
	}{
		{name: "all stated"},
		{
			name:    "no headline",
			change:  func(b *tiaptest.Bundle) { b.Scenario.Headline = "" },
			missing: map[string][]string{"headline": {"no headline target is declared"}},
		},
		{
			name:    "no other target",
			opts:    []tiaptest.Option{tiaptest.Targets(tiaptest.Canonical)},
			missing: map[string][]string{"beside": {"no target is scored beside canonical"}},
		},
		{
			name: "no other target with a score",
			change: func(b *tiaptest.Bundle) {
				b.Scenario.Headline = "raw"
				for _, s := range b.Systems {
					s.Ingests[0].Memories = []tiaptest.Memory{{ID: "raw1", Form: "raw", Sources: []tiaptest.Link{{Turn: "t1"}}}}
				}
			},
			opts:    []tiaptest.Option{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical)},
			missing: map[string][]string{"beside": {"no target is scored beside raw"}},
		},
		{
			name: "systems that say nothing",
			change: func(b *tiaptest.Bundle) {
				b.Systems[0].Unit = ""
				b.Systems[1].Lineage, b.Systems[1].Forms = "", nil
			},
			missing: map[string][]string{"systems": {
				"system D1 does not say its retrieval unit",
				"system D5 does not say where its lineage comes from",
				"system D5 does not say what fact is",
			}},
		},
		{
			name: "a system that is left out",
			change: func(b *tiaptest.Bundle) {
				b.Systems[1].Unit = ""
			},
			opts: []tiaptest.Option{tiaptest.Systems("D1")},
		},
		{
			name: "headline covers nothing",
			change: func(b *tiaptest.Bundle) {
				b.Systems[0].Ingests[0].Memories[1].NotServing = true
			},
			missing: map[string][]string{"unavailable": {"system D1 covers no query under the headline target canonical"}},
		},
		{
			name: "headline unavailable",
			change: func(b *tiaptest.Bundle) {
				for i := range b.Systems[0].Ingests[0].Memories {
					b.Systems[0].Ingests[0].Memories[i].Sources = nil
				}
			},
			missing: map[string][]string{"unavailable": {"system D1 has no lineage for the headline target canonical"}},
		},
		{
			name: "headline without labels",
			opts: []tiaptest.Option{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical, judged(nil)), tiaptest.Headline(judged(nil))},
			missing: map[string][]string{"unavailable": {
				"system D1 has no score under the headline target judged(canonical), its only contested credit has no label",
				"system D5 has no score under the headline target judged(canonical), none of its 2 contested credits has a label",
			}},
		},
		{
			name: "headline among others without labels",
			opts: []tiaptest.Option{
				tiaptest.Targets(tiaptest.Raw, labelled("another", nil), judged(nil), labelled("one more", nil)), tiaptest.Headline(judged(nil)),
			},
			missing: map[string][]string{"beside": {"no target is scored beside raw"}, "unavailable": {
				"system D1 has no score under the headline target judged(canonical), its only contested credit has no label",
				"system D5 has no score under the headline target judged(canonical), none of its 2 contested credits has a label",
			}},
		},
		{
			name: "nothing is covered",
			change: func(b *tiaptest.Bundle) {
				for _, s := range b.Systems {
					for i := range s.Ingests[0].Memories {
						s.Ingests[0].Memories[i].Sources = []tiaptest.Link{{Turn: "t3"}}
					}
				}
			},
			missing: map[string][]string{"beside": {"no target has a score"}, "unavailable": {
				"system D1 covers no query under the headline target canonical",
				"system D5 covers no query under the headline target canonical",
			}},
		},
		{
			name:   "a form that is not stored needs no meaning",
			change: func(b *tiaptest.Bundle) { b.Systems[0].Forms["summary"] = "" },
		},
		{
			name: "headline with labels",
			opts: []tiaptest.Option{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical, judged([]int{0})), tiaptest.Headline(judged([]int{0}))},
		},
		{
			name: "headline without labels and without lineage",
			change: func(b *tiaptest.Bundle) {
				for i := range b.Systems[0].Ingests[0].Memories {
					b.Systems[0].Ingests[0].Memories[i].Sources = nil
				}
			},
			opts: []tiaptest.Option{tiaptest.Targets(tiaptest.Raw, tiaptest.Canonical, judged(nil)), tiaptest.Headline(judged(nil))},
			missing: map[string][]string{"unavailable": {
				"system D1 has no lineage for the headline target judged(canonical)",
				"system D5 has no score under the headline target judged(canonical), none of its 2 contested credits has a label",
			}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := stated()
			if tt.change != nil {
				tt.change(b)
			}
			c, err := sensitivity.NewCard(rescore(t, b, tt.opts...))
			require.NoError(t, err)
			require.Len(t, c.Practices, 4)
			var all []string
			for _, p := range c.Practices {
				assert.Equal(t, append([]string{}, tt.missing[p.Name]...), p.Missing, p.Name)
				assert.Equal(t, len(p.Missing) == 0, p.Holds, p.Name)
				all = append(all, p.Missing...)
			}
			assert.Equal(t, len(tt.missing) == 0, c.Holds())

			err = rescore(t, b, tt.opts...).Verify(tiaptest.TargetsReported())
			if c.Holds() {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), statements(len(all))+" missing\n")
			for _, m := range all {
				assert.Contains(t, err.Error(), m)
			}
		})
	}
}

// judged is Canonical where every memory needs a label, and has those.
func judged(labels []int) tiaptest.Target { return labelled("judged", labels) }

func labelled(name string, labels []int) tiaptest.Target {
	return tiaptest.Labelled(name, tiaptest.Canonical, 1, func(string, tiaptest.Query, tiaptest.Memory) tiaptest.Labelling {
		return tiaptest.Labelling{Earns: len(labels) > 0, Contested: true, Labels: labels}
	})
}

func statements(n int) string {
	if n == 1 {
		return "1 statement is"
	}
	return fmt.Sprintf("%d statements are", n)
}

// The card states what ReportedIn asks of published scores, in both of its formats,
// and names that mean something in Markdown do not break it.
func TestCardIsReported(t *testing.T) {
	t.Parallel()
	b := stated()
	b.Systems[1].Name = "D5|<b>_x_"
	b.Systems[1].Forms["fact"] = "one | two\n| three <script>"
	a := rescore(t, b)
	c, err := sensitivity.NewCard(a)
	require.NoError(t, err)
	dir := t.TempDir()
	var text strings.Builder
	require.NoError(t, c.WriteMarkdown(&text))
	assert.NotContains(t, text.String(), "<script>")
	data, err := json.Marshal(c)
	require.NoError(t, err)
	for name, content := range map[string]string{"card.md": text.String(), "card.json": string(data)} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(content), 0o666))
		require.NoError(t, a.Verify(tiaptest.ReportedIn(file)), "%s:\n%s", name, content)
		wrong := strings.NewReplacer("0.6309", "0.6308", "0.63092", "0.63082").Replace(content)
		require.NotEqual(t, content, wrong)
		require.NoError(t, os.WriteFile(file, []byte(wrong), 0o666))
		require.Error(t, a.Verify(tiaptest.ReportedIn(file)), name)
	}
}

// The forms of a system are those that it stores and those that it describes.
func TestCardForms(t *testing.T) {
	t.Parallel()
	b := stated()
	b.Systems[0].Forms["summary"] = "what a day was about"
	c, err := sensitivity.NewCard(rescore(t, b))
	require.NoError(t, err)
	assert.Equal(t, []sensitivity.CardForm{
		{Form: "fact", Memories: 1, Meaning: "one sentence about one turn"}, {Form: "raw", Memories: 2}, {Form: "summary", Meaning: "what a day was about"},
	}, c.Systems[0].Forms)
}

// What is missing stands below its practice. What a system says cannot begin a line of
// its own, and means nothing in Markdown, where the names of metrics stay as they are.
func TestCardInWriting(t *testing.T) {
	t.Parallel()
	b := stated()
	b.Systems[0].Unit = ""
	b.Systems[0].Forms["fact"] = "one\n--- FAIL: TestX"
	b.Systems[1].Name, b.Scenario.Name = "D_5", " garden"
	c, err := sensitivity.NewCard(rescore(t, b, tiaptest.Metrics(tiaptest.MicroRecall(60))))
	require.NoError(t, err)
	var text, md strings.Builder
	require.NoError(t, c.WriteText(&text))
	require.NoError(t, c.WriteMarkdown(&md))
	assert.Contains(t, text.String(), "reporting card of \" garden\"\n", "a name whose beginning is not seen is quoted")
	asks := "each system says its forms, its retrieval unit and where its lineage comes from: no\n"
	assert.Contains(t, text.String(), "    "+asks+"        system D1 does not say its retrieval unit\n")
	assert.Contains(t, md.String(), "- "+asks+"  - system D1 does not say its retrieval unit\n")
	assert.Contains(t, text.String(), `    D1      fact  1         "one\n--- FAIL: TestX"`+"\n")
	assert.Contains(t, md.String(), "| D1 | fact | 1 | one --- FAIL: TestX |\n")
	assert.Contains(t, md.String(), "| system | target | n | micro_recall@60 |\n| --- | --- | --- | --- |\n")
	assert.Contains(t, md.String(), `| D\_5 | canonical | 1 | 1.0000 |`+"\n")
}

// Judgements name no memories, so that nothing is proposed and forms are not said.
func TestCardOfJudgements(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	qrels, run := filepath.Join(dir, "raw.qrels"), filepath.Join(dir, "A.run")
	require.NoError(t, errors.Join(
		os.WriteFile(qrels, []byte("q1 0 m1 1\n"), 0o666),
		os.WriteFile(run, []byte("q1 Q0 m1 1 1.0 A\n"), 0o666),
	))
	b, err := tiaptest.TREC{Qrels: map[string]string{"raw": qrels}, Runs: map[string]string{"A": run}}.Open()
	require.NoError(t, err)
	c, err := sensitivity.NewCard(rescore(t, b))
	require.NoError(t, err)
	assert.Equal(t, sensitivity.Proposal{Why: "no store says what is served by A"}, c.Proposed)
	assert.False(t, c.Practices[2].Holds)
	assert.Contains(t, c.Practices[2].Missing, "system A does not say what each form of its memories is")
	var text, md strings.Builder
	require.NoError(t, c.WriteText(&text))
	require.NoError(t, c.WriteMarkdown(&md))
	// Without a table of forms, that of scores stands below that of systems.
	assert.Contains(t, text.String(), "    A       -               -        -            -\n\n    system  target  n  ndcg@60\n    A       raw     1  1.0000\n")
	assert.Contains(t, md.String(), "| A | - | - | - | - |\n\nheadline none; ")
	assert.True(t, strings.HasSuffix(md.String(), "\n\n| system | target | n | ndcg@60 |\n| --- | --- | --- | --- |\n| A | raw | 1 | 1.0000 |\n"))
	assert.Error(t, rescore(t, b).Verify(tiaptest.TargetsReported()))
}

func TestProposeHeadline(t *testing.T) {
	t.Parallel()
	type memories = []tiaptest.Memory
	raw, fact, summary := tiaptest.Memory{Form: "raw"}, tiaptest.Memory{Form: "fact"}, tiaptest.Memory{Form: "summary"}
	hidden := func(m tiaptest.Memory) tiaptest.Memory { m.NotServing = true; return m }
	for _, tt := range []struct {
		name   string
		stores []memories
		target string // empty for none
		why    string
	}{
		{"raw", []memories{{raw, raw}}, "raw", "raw turns alone are served"},
		{"raw, others stored", []memories{{raw, hidden(fact)}}, "raw", "raw turns alone are served"},
		{"derived", []memories{{summary, fact}, {fact}}, "canonical", "derived memories alone (fact, summary) are served"},
		{"derived, raw stored", []memories{{hidden(raw), fact}}, "canonical", "derived memories alone (fact) are served"},
		{"both", []memories{{raw, fact}}, "canonical", "are served beside raw turns"},
		{"one each", []memories{{raw}, {fact}}, "canonical", "are served beside raw turns"},
		{"nothing served", []memories{{hidden(raw)}}, "", "no store says what is served by A"},
		{"one unknown", []memories{{raw}, nil}, "", "no store says what is served by B"},
		{"no system", nil, "", "there is no system"},
	} {
		b := new(tiaptest.Bundle)
		for i, store := range tt.stores {
			b.Systems = append(b.Systems, &tiaptest.System{Name: string(rune('A' + i)), Ingests: []*tiaptest.Ingest{{Memories: store}}})
		}
		p := sensitivity.ProposeHeadline(b)
		got := ""
		if p.Target != nil {
			got = *p.Target
		}
		assert.Equal(t, tt.target, got, tt.name)
		assert.Contains(t, p.Why, tt.why, tt.name)
	}
	odd := &tiaptest.Bundle{Systems: []*tiaptest.System{nil, {Name: "A", Ingests: []*tiaptest.Ingest{nil, {Memories: memories{{Form: "a\nfact"}, raw}}}}}}
	assert.Contains(t, sensitivity.ProposeHeadline(odd).Why, `derived memories ("a\nfact") are served beside raw turns`)
	assert.Nil(t, sensitivity.ProposeHeadline(nil).Target)
	assert.Nil(t, sensitivity.ProposeHeadline(&tiaptest.Bundle{Systems: []*tiaptest.System{nil}}).Target)
}
