package semantic_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// labelled makes the labels of a model on n memories and of a person on the first
// ones.
func labelled(model, human []semantic.Label) *semantic.Labels {
	var list []semantic.Judgement
	for i, l := range model {
		j := semantic.Judgement{Query: fmt.Sprint("q", i), System: "A", Memory: "m", Judge: "model", Kind: semantic.Model, Model: "x", Label: l}
		list = append(list, j)
		if i < len(human) && human[i] != "" {
			j.Judge, j.Kind, j.Model, j.Label = "person", semantic.Human, "", human[i]
			list = append(list, j)
		}
	}
	return must(semantic.NewLabels(list...))
}

// TestPrevalence corrects by hand: of ten memories the model calls six supported, of
// which people confirm two of three; of the four others they find one of two to be
// supported.
func TestPrevalence(t *testing.T) {
	t.Parallel()
	const s, n = semantic.Supports, semantic.DoesNotSupport
	ls := labelled([]semantic.Label{s, s, s, n, n, s, s, s, n, n}, []semantic.Label{s, s, n, s, n})
	p, err := semantic.Prevalence(ls, semantic.Strict, semantic.Options{})
	require.NoError(t, err)
	assert.Equal(t, 10, p.N)
	assert.Equal(t, 5, p.Humans)
	assert.InDelta(t, 0.6, p.Model["supports"].Value, 1e-12)
	want := 0.6*2/3 + 0.4*1/2
	got := p.Corrected["supports"]
	assert.InDelta(t, want, got.Value, 1e-12)
	assert.InDelta(t, 1-want, p.Corrected["not_fully"].Value, 1e-12)
	variance := 0.36*(0.6*0.4)/3 + 0.16*(0.5*0.5)/2 + (0.6*4/9+0.4/4-want*want)/10
	assert.InDelta(t, want-1.959963984540054*math.Sqrt(variance), got.CI[0], 1e-12)

	_, err = semantic.Prevalence(labelled([]semantic.Label{s, n}, []semantic.Label{s}), semantic.Strict, semantic.Options{})
	require.ErrorContains(t, err, "of the 1 memories that models label not_fully none is labelled by people")
	_, err = semantic.Prevalence(labelsOf(said("a", map[string]semantic.Label{"q1 dated": s})), semantic.Strict, semantic.Options{})
	require.ErrorContains(t, err, "no memory has a label of a model")
	_, err = semantic.Prevalence(ls, "", semantic.Options{})
	require.Error(t, err)
}

// What only people labelled says nothing about the model, and a class that it never
// names has no part.
func TestPrevalenceOfOneClass(t *testing.T) {
	t.Parallel()
	const s, n = semantic.Supports, semantic.DoesNotSupport
	ls := must(semantic.NewLabels(
		semantic.Judgement{Query: "q0", System: "A", Memory: "m", Judge: "person", Kind: semantic.Human, Label: n},
		semantic.Judgement{Query: "q1", System: "A", Memory: "m", Judge: "model", Kind: semantic.Model, Model: "x", Label: s},
		semantic.Judgement{Query: "q1", System: "A", Memory: "m", Judge: "person", Kind: semantic.Human, Label: s},
		semantic.Judgement{Query: "q2", System: "A", Memory: "m", Judge: "model", Kind: semantic.Model, Model: "x", Label: s},
		semantic.Judgement{Query: "q2", System: "A", Memory: "m", Judge: "person", Kind: semantic.Human, Label: n},
	))
	p, err := semantic.Prevalence(ls, semantic.Strict, semantic.Options{})
	require.NoError(t, err)
	assert.Equal(t, 2, p.N)
	assert.Equal(t, 2, p.Humans)
	assert.InDelta(t, 1, p.Model["supports"].Value, 1e-12)
	assert.InDelta(t, 0.5, p.Corrected["supports"].Value, 1e-12)
	assert.InDelta(t, 0.5, p.Corrected["not_fully"].Value, 1e-12)

	p, err = semantic.Prevalence(labelled([]semantic.Label{n, n}, []semantic.Label{s, n}), semantic.Strict, semantic.Options{})
	require.NoError(t, err)
	assert.InDelta(t, 1, p.Model["not_fully"].Value, 1e-12)
	assert.InDelta(t, 0.5, p.Corrected["supports"].Value, 1e-12)
	assert.InDelta(t, 0.5, p.Corrected["not_fully"].Value, 1e-12)
}

// TestPrevalenceCovers simulates a model that errs and counts how often the interval
// holds the true share, which that of the model alone does not.
func TestPrevalenceCovers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	const trials, truth = 300, 0.3
	covered, naive := 0, 0
	for range trials {
		model, human := make([]semantic.Label, 400), make([]semantic.Label, 400)
		for i := range model {
			supported := r.Float64() < truth
			model[i] = semantic.DoesNotSupport
			if supported && r.Float64() < 0.9 || !supported && r.Float64() < 0.2 {
				model[i] = semantic.Supports
			}
			if i < 80 {
				human[i] = semantic.DoesNotSupport
				if supported {
					human[i] = semantic.Supports
				}
			}
		}
		p, err := semantic.Prevalence(labelled(model, human), semantic.Strict, semantic.Options{})
		require.NoError(t, err)
		holds := func(e semantic.Estimate) int {
			if e.CI[0] <= truth && truth <= e.CI[1] {
				return 1
			}
			return 0
		}
		covered += holds(p.Corrected["supports"])
		naive += holds(p.Model["supports"])
	}
	assert.InDelta(t, 0.95, float64(covered)/trials, 0.05)
	assert.Less(t, float64(naive)/trials, 0.2)
}
