package semantic_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/tiaptest/semantic"
)

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func TestReadLabels(t *testing.T) {
	t.Parallel()
	ls, err := semantic.ReadLabels("labels.jsonl", strings.NewReader("\ufeff"+`{"query":"q","text_sha256":"`+digest+`","judge":"a","kind":"human","label":"supports","note":1}`+"\r\n\n"+
		`{"query":"q","system":"A","memory":"m","judge":"b","kind":"model","model":"x","prompt_sha256":"`+digest+`","sample":"first","label":"partial"}`))
	require.NoError(t, err)
	assert.Equal(t, []semantic.Judgement{
		{Query: "q", TextSHA256: digest, Judge: "a", Kind: semantic.Human, Label: semantic.Supports},
		{Query: "q", System: "A", Memory: "m", Judge: "b", Kind: semantic.Model, Model: "x", PromptSHA256: digest, Sample: "first", Label: semantic.Partial},
	}, slicesOf(ls))
}

func TestReadLabelsFaults(t *testing.T) {
	t.Parallel()
	good := `{"query":"q","system":"A","memory":"m","judge":"a","kind":"human","label":"supports"}`
	for name, c := range map[string]struct{ old, new, want string }{
		"no query":       {`"q"`, `""`, `the label has no "query"`},
		"no memory":      {`"m"`, `""`, "says of no memory"},
		"no system":      {`"A"`, `""`, "says of no memory"},
		"no judge":       {`"a"`, `""`, `has no "judge"`},
		"kind":           {`"human"`, `"Human"`, `of kind "Human"; write human or model`},
		"no model":       {`"human"`, `"model"`, "is a model without a name"},
		"model of human": {`"human"`, `"human","model":"x"`, `has the model "x"`},
		"label":          {`"supports"`, `"yes"`, `the label is "yes"; write supports, partial or does_not_support`},
		"label missing":  {`,"label":"supports"`, ``, `the label is ""`},
		"label type":     {`"supports"`, `1`, `"label" is the number 1, not a string`},
		"digest":         {`"m"`, `"m","text_sha256":"` + strings.ToUpper(digest) + `"`, "64 hex digits in lower case"},
		"prompt":         {`"m"`, `"m","prompt_sha256":"00"`, `"prompt_sha256" is "00"`},
		"no JSON":        {`{`, `[`, "labels.jsonl:2:"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		require.NotEqual(t, good, bad, name)
		_, err := semantic.ReadLabels("labels.jsonl", strings.NewReader(good+"\n"+bad+"\n"+good+"\n"))
		require.ErrorContains(t, err, "labels.jsonl:2: ", name)
		require.ErrorContains(t, err, c.want, name)
		_, err = semantic.ReadLabels("labels.jsonl", strings.NewReader(good+"\n"+good+"\n"))
		require.NoError(t, err)
	}
	_, err := semantic.ReadLabels("labels.jsonl", strings.NewReader(" \n"))
	require.ErrorContains(t, err, "holds no label")
	_, err = semantic.ReadLabels("labels.jsonl.gz", strings.NewReader(good))
	require.Error(t, err)
	_, err = semantic.NewLabels(semantic.Judgement{}, semantic.Judgement{Query: "q"})
	require.ErrorContains(t, err, "label 1: ")
	require.ErrorContains(t, err, "label 2: ")
	_, err = semantic.OpenLabels("nowhere.jsonl")
	require.EqualError(t, err, "nowhere.jsonl: no such file or directory; name a file of labels")
}

// drawJudgement draws a sound label among few queries, memories and judges.
func drawJudgement(t *rapid.T) semantic.Judgement {
	j := semantic.Judgement{
		Query: rapid.SampledFrom([]string{"q1", "q2", "ü\n"}).Draw(t, "query"),
		Judge: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "judge"),
		Kind:  semantic.Human,
		Label: rapid.SampledFrom([]semantic.Label{semantic.Supports, semantic.Partial, semantic.DoesNotSupport}).Draw(t, "label"),
	}
	if rapid.Bool().Draw(t, "has a text") {
		j.TextSHA256 = digest
	} else {
		j.System, j.Memory = rapid.SampledFrom([]string{"A", "B"}).Draw(t, "system"), rapid.SampledFrom([]string{"m", "<n>"}).Draw(t, "memory")
	}
	if j.Judge == "c" {
		j.Kind, j.Model = semantic.Model, "x"
	}
	return j
}

// TestLabelsRoundTrip writes labels and reads them back.
func TestLabelsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(drawJudgement), 1, 20).Draw(t, "labels")
		ls, err := semantic.NewLabels(list...)
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, ls.Write(&text))
		back, err := semantic.ReadLabels("labels.jsonl", &text)
		require.NoError(t, err)
		require.Equal(t, list, slicesOf(back))
		require.Equal(t, len(list), back.Len())
	})
}

func FuzzReadLabels(f *testing.F) {
	f.Add([]byte(`{"query":"q","system":"A","memory":"m","judge":"a","kind":"human","label":"supports"}`))
	f.Add([]byte("{\"query\":\"q\"}\n\n[]\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		ls, err := semantic.ReadLabels("labels.jsonl", bytes.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		require.NoError(t, ls.Write(&again))
		back, err := semantic.ReadLabels("labels.jsonl", &again)
		require.NoError(t, err)
		require.Equal(t, slicesOf(ls), slicesOf(back))
	})
}

// TestSplit keeps each label with its case, also where two cases share a text.
func TestSplit(t *testing.T) {
	t.Parallel()
	cases := must(semantic.Contested(audited(), semanticTargets...))
	ls := labelsOf(said("a", map[string]semantic.Label{"q1 vague": semantic.Supports, "q1 dated": semantic.Partial, "q2 both": semantic.Partial}),
		[]semantic.Judgement{{Query: "elsewhere", System: "A", Memory: "vague", Judge: "a", Kind: semantic.Human, Label: semantic.Partial}})
	parts := ls.Split(cases, func(c semantic.Case) string { return c.Query })
	assert.Len(t, parts, 2)
	assert.Equal(t, 2, parts["q1"].Len())
	assert.Equal(t, 1, parts["q2"].Len())
	unused := ls.Unused(cases)
	assert.Equal(t, 1, unused.Len())
	assert.Equal(t, "elsewhere", slicesOf(unused)[0].Query)
	assert.Equal(t, 4, ls.Unused(nil).Len())
	byTarget := ls.Split(cases, func(c semantic.Case) string { return c.Target })
	assert.Equal(t, 3, byTarget["source"].Len())
	assert.Equal(t, 3, byTarget["canonical"].Len())
}
