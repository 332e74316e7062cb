package semantic_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/conformance"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// decodeLines reads a JSONL file of the conformance data.
func decodeLines[T any](t *testing.T, file string) (out []T) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		var v T
		require.NoError(t, json.Unmarshal(line, &v), "%s", line)
		out = append(out, v)
	}
	return out
}

// auditLabel is a line of the published audit: a label of one memory under one
// target.
type auditLabel struct {
	Run    string `json:"run"`
	Query  string `json:"query_id"`
	Index  int    `json:"source_query_index"`
	Memory string `json:"memory_id"`
	Target string `json:"target"`
	Rank   int    `json:"rank"`
	Judge  string `json:"judge"`
	Label  string `json:"label"`
}

func (l auditLabel) judgement() semantic.Judgement {
	return semantic.Judgement{
		Query: l.Query, System: l.Run, Memory: l.Memory, Judge: l.Judge, Kind: semantic.Model, Model: l.Judge, Label: semantic.Label(l.Label),
	}
}

func (l auditLabel) dataset() string { name, _, _ := strings.Cut(l.Run, "-"); return name }

func publishedLabels(t *testing.T) ([]auditLabel, *semantic.Labels, []semantic.Case) {
	t.Helper()
	lines := decodeLines[auditLabel](t, filepath.Join(conformance.Data(t, "mtelmem/audit"), "labels.jsonl"))
	var list []semantic.Judgement
	var cases []semantic.Case
	for _, l := range lines {
		list = append(list, l.judgement())
		cases = append(cases, semantic.Case{Dataset: l.dataset(), System: l.Run, Target: l.Target, Query: l.Query, Memory: l.Memory, Rank: l.Rank})
	}
	ls, err := semantic.NewLabels(list...)
	require.NoError(t, err)
	return lines, ls, cases
}

func agree(t *testing.T, ls *semantic.Labels, v semantic.View, o semantic.Options) *semantic.Agreement {
	t.Helper()
	a, err := semantic.Agree(ls, v, o)
	require.NoError(t, err)
	return a
}

// TestConformanceLabels counts the published labels, all of one model, which judged
// each memory once for each of two targets.
func TestConformanceLabels(t *testing.T) {
	t.Parallel()
	lines, ls, cases := publishedLabels(t)
	each := agree(t, ls, semantic.ThreeClass, semantic.Options{Repeats: semantic.Each})
	assert.Len(t, lines, 1902)
	assert.Equal(t, 1902, each.Labels)
	assert.Equal(t, 951, each.Cases)
	assert.Equal(t, map[string]int{"supports": 504, "partial": 759, "does_not_support": 639}, each.Counts)
	for name, percent := range map[string]float64{"supports": 26.498, "partial": 39.905, "does_not_support": 33.596} {
		assert.InDelta(t, percent, 100*float64(each.Counts[name])/1902, 0.0005)
	}
	assert.Equal(t, []semantic.SelfAgreement{{Judge: lines[0].Judge, Repeated: 951, Differ: 34}}, each.Self)
	assert.Nil(t, each.Fleiss, "one judge agrees with no other")

	once := agree(t, ls, semantic.ThreeClass, semantic.Options{})
	assert.Equal(t, 34, once.Ties)
	assert.Equal(t, 917, once.Counts["supports"]+once.Counts["partial"]+once.Counts["does_not_support"])

	byDataset := ls.Split(cases, func(c semantic.Case) string { return c.Dataset })
	for name, want := range map[string]map[string]int{
		"locomo":      {"supports": 384, "partial": 553, "does_not_support": 341},
		"longmemeval": {"supports": 120, "partial": 206, "does_not_support": 298},
	} {
		assert.Equal(t, want, agree(t, byDataset[name], semantic.ThreeClass, semantic.Options{Repeats: semantic.Each}).Counts)
	}
	n := 0
	for _, part := range ls.Split(cases, semantic.Case.Bucket) {
		n += part.Len()
	}
	assert.Equal(t, 1902, n)

	sample, strata := semantic.Sample(cases, 40, 1)
	drawn := 0
	for _, s := range strata {
		drawn += s.Drawn
	}
	assert.Len(t, strata, 12, "two datasets, two targets, three buckets")
	assert.Len(t, sample, drawn)
}

// validated is a line of the published sample that a person labelled.
type validated struct {
	Run    string `json:"run"`
	Index  int    `json:"source_query_index"`
	Memory string `json:"memory_id"`
	Label  string `json:"label"`
}

// runOf maps the names of runs in the sample to those of the labels.
var runOf = map[string]string{"longmemeval_allminilm": "longmemeval-allminilm", "locomo_bge": "locomo-bge-m3"}

// TestConformanceValidation compares the human sample with the model's labels under
// Source, as the publication does, and corrects all of the model's labels by it.
func TestConformanceValidation(t *testing.T) {
	t.Parallel()
	lines, ls, _ := publishedLabels(t)
	type place struct {
		run    string
		index  int
		memory string
	}
	queries := make(map[place]string)
	for _, l := range lines {
		queries[place{l.Run, l.Index, l.Memory}] = l.Query
	}
	var list []semantic.Judgement
	for _, v := range decodeLines[validated](t, filepath.Join(conformance.Data(t, "mtelmem/audit"), "validation_sample.jsonl")) {
		run := runOf[v.Run]
		query := queries[place{run, v.Index, v.Memory}]
		require.NotEmpty(t, query, "%+v", v)
		list = append(list, semantic.Judgement{Query: query, System: run, Memory: v.Memory, Judge: "person", Kind: semantic.Human, Label: semantic.Label(v.Label)})
	}
	people := list
	for _, l := range lines {
		if l.Target == "source" {
			list = append(list, l.judgement())
		}
	}
	both, err := semantic.NewLabels(list...)
	require.NoError(t, err)
	three := agree(t, both, semantic.ThreeClass, semantic.Options{})
	require.Len(t, three.Pairs, 1)
	pair := three.Pairs[0]
	assert.Equal(t, 120, pair.Agreement.N)
	t.Logf("human against model: %.4f, kappa %.4f %.4f", pair.Agreement.Value, pair.Kappa.Value, pair.Kappa.CI)
	assert.InDelta(t, 105.0/120, pair.Agreement.Value, 1e-12)
	assert.InDelta(t, 0.8099662162162162, pair.Kappa.Value, 1e-12)
	binary := agree(t, both, semantic.Relevant, semantic.Options{}).Pairs[0]
	assert.InDelta(t, 108.0/120, binary.Agreement.Value, 1e-12)
	assert.InDelta(t, 0.7849462365591399, binary.Kappa.Value, 1e-12)

	all, err := semantic.NewLabels(append(people, slicesOf(ls)...)...)
	require.NoError(t, err)
	p, err := semantic.Prevalence(all, semantic.ThreeClass, semantic.Options{Ties: semantic.Lower})
	require.NoError(t, err)
	assert.Equal(t, 951, p.N)
	assert.Equal(t, 120, p.Humans)
	sum := 0.0
	for name, e := range p.Corrected {
		sum += e.Value
		t.Logf("%s: %.4f by the model, %.4f %.4f corrected", name, p.Model[name].Value, e.Value, e.CI)
	}
	assert.InDelta(t, 1, sum, 1e-12)
}

func slicesOf(ls *semantic.Labels) (list []semantic.Judgement) {
	for j := range ls.All() {
		list = append(list, j)
	}
	return list
}

// TestConformanceOverlap compares the two people who labelled 36 memories, before
// what they differed on was adjudicated, and each of them with the outcome.
func TestConformanceOverlap(t *testing.T) {
	t.Parallel()
	var before, after []semantic.Judgement
	var cases []semantic.Case
	for _, l := range decodeLines[struct {
		ID         string `json:"review_id"`
		Run        string `json:"run"`
		Before     string `json:"internal_before_adjudication"`
		Internal   string `json:"internal"`
		External   string `json:"external"`
		AsWritten  string `json:"external_as_written"`
		Adjudicate string `json:"adjudicated"`
	}](t, filepath.Join(conformance.Data(t, "mtelmem/audit"), "overlap36.jsonl")) {
		label := func(judge, label string) semantic.Judgement {
			return semantic.Judgement{Query: l.ID, System: l.Run, Memory: l.ID, Judge: judge, Kind: semantic.Human, Label: semantic.Label(label)}
		}
		before = append(before, label("internal", l.Before), label("external", l.External))
		after = append(after, label("internal", l.Before), label("external", l.External), label("adjudicated", l.Adjudicate))
		dataset, _, _ := strings.Cut(l.Run, "_")
		cases = append(cases, semantic.Case{Dataset: dataset, System: l.Run, Query: l.ID, Memory: l.ID})
	}
	ls, err := semantic.NewLabels(before...)
	require.NoError(t, err)
	three := agree(t, ls, semantic.ThreeClass, semantic.Options{})
	pair := three.Pairs[0]
	t.Logf("36 cases: %.4f %.4f, kappa %.4f %.4f, Fleiss %.4f %.4f", pair.Agreement.Value, pair.Agreement.CI, pair.Kappa.Value, pair.Kappa.CI, three.Fleiss.Value, three.Fleiss.CI)
	assert.InDelta(t, 0.611, pair.Agreement.Value, 0.0005)
	assert.InDelta(t, 0.41666666666666674, pair.Kappa.Value, 1e-12)
	assert.InDelta(t, 0.3931366646598436, three.Fleiss.Value, 1e-12)
	assert.Equal(t, 14, three.Ties)
	binary := agree(t, ls, semantic.Relevant, semantic.Options{}).Pairs[0]
	assert.InDelta(t, 25.0/36, binary.Agreement.Value, 1e-12)
	assert.InDelta(t, 0.42105263157894735, binary.Kappa.Value, 1e-12)

	disputed, err := semantic.Disputed(cases, ls, semantic.ThreeClass, semantic.Options{})
	require.NoError(t, err)
	assert.Len(t, disputed, 14)
	settled, err := semantic.NewLabels(after...)
	require.NoError(t, err)
	o := semantic.Options{Adjudicator: "adjudicated"}
	decided := agree(t, settled, semantic.ThreeClass, o)
	assert.Zero(t, decided.Ties)
	assert.Equal(t, map[string]int{"supports": 11, "partial": 14, "does_not_support": 11}, decided.Counts)
	assert.Equal(t, three.Pairs, decided.Pairs, "adjudication changes no agreement")
	disputed, err = semantic.Disputed(cases, settled, semantic.ThreeClass, o)
	require.NoError(t, err)
	assert.Empty(t, disputed)
	for dataset, n := range map[string]int{"locomo": 18, "longmemeval": 18} {
		part := ls.Split(cases, func(c semantic.Case) string { return c.Dataset })[dataset]
		assert.Equal(t, n, agree(t, part, semantic.ThreeClass, semantic.Options{}).Cases)
	}
}

// densities are the published runs of one memory system with three parsers.
var densities = []string{"locomo-lexical-d1", "locomo-lexical-d5", "locomo-lexical-d8"}

// openRuns opens published runs as one bundle.
func openRuns(t *testing.T, names ...string) *tiaptest.Bundle {
	t.Helper()
	runs := conformance.Data(t, "mtelmem/runs")
	dir := filepath.Join(t.TempDir(), "locomo")
	place := func(from, to string) {
		text, err := os.ReadFile(from)
		if os.IsNotExist(err) {
			from, to = from+".gz", to+".gz"
			text, err = os.ReadFile(from)
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, text, 0o600))
	}
	place(filepath.Join(runs, names[0], "queries.jsonl"), filepath.Join(dir, "queries.jsonl"))
	for _, name := range names {
		for _, file := range []string{"store.jsonl", "run.jsonl"} {
			place(filepath.Join(runs, name, file), filepath.Join(dir, "systems", name, file))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "systems", name, "system.json"), []byte(`{"family":"density"}`), 0o600))
	}
	b, err := tiaptest.Open(dir)
	require.NoError(t, err)
	b.Scenario.Headline = "canonical"
	return b
}

// TestConformanceSupported credits what the published labels support. They are of
// one credit each of 115 of the 453 queries of the D5 run, so that its score under
// support is known within bounds: without what has no label, and with all of it. D1
// and D8 have no label at all, so that they have no score and no winner is named.
func TestConformanceSupported(t *testing.T) {
	t.Parallel()
	lines, ls, _ := publishedLabels(t)
	b := openRuns(t, densities...)
	d1, d5, d8 := densities[0], densities[1], densities[2]
	inner := []tiaptest.Target{tiaptest.Source, tiaptest.Canonical}
	options := []semantic.Options{
		{Ties: semantic.Lower}, {Ties: semantic.Lower, Partial: true},
		{Ties: semantic.Lower, Unlabelled: true}, {Ties: semantic.Lower, Unlabelled: true, Partial: true},
	}
	var supported []tiaptest.Target
	for _, of := range inner {
		for _, o := range options {
			supported = append(supported, semantic.Supported(of, ls, o))
		}
	}
	ndcg := tiaptest.NDCG(60)
	metrics := []tiaptest.Metric{ndcg, tiaptest.MRR(60), tiaptest.Recall(60)}
	plain, err := tiaptest.Rescore(b, tiaptest.Metrics(metrics...), tiaptest.Resamples(100))
	require.NoError(t, err)
	a, err := tiaptest.Rescore(b, tiaptest.Beside(supported...), tiaptest.Metrics(metrics...), tiaptest.Resamples(100))
	require.NoError(t, err)
	score := func(system string, of tiaptest.Target, m tiaptest.Metric) float64 {
		v, err := a.Score(system, of, m)
		require.NoError(t, err)
		return v
	}
	for _, of := range a.Targets() {
		t.Logf("%-44s of d5 ndcg@60 %.4f, mrr@60 %.4f, recall@60 %.4f", of, score(d5, of, ndcg), score(d5, of, metrics[1]), score(d5, of, metrics[2]))
	}
	for i, want := range map[int]float64{4: 0.0309, 5: 0.0699, 6: 0.4996} {
		assert.InDelta(t, want, score(d5, supported[i], ndcg), 0.00005, supported[i])
	}
	for i, of := range inner {
		published, err := plain.Score(d5, of, ndcg)
		require.NoError(t, err)
		assert.Equal(t, published, score(d5, of, ndcg), "targets beside change no score")
		least, partial, most := supported[4*i], supported[4*i+1], supported[4*i+3]
		for _, m := range metrics {
			assert.Less(t, score(d5, least, m), score(d5, partial, m))
			assert.Less(t, score(d5, partial, m), score(d5, most, m))
			assert.Less(t, score(d5, most, m), score(d5, of, m))
		}
		assert.InDelta(t, supportedNDCG(t, lines, i == 0), score(d5, least, ndcg), 1e-12)
		assert.Equal(t, score(d1, of, ndcg), score(d1, most, ndcg))
		s, err := semantic.Measure(a, d5, of, ls, options[0])
		require.NoError(t, err)
		t.Logf("%d of %d labelled, of %d contested credits of d5 under %s", s.Supported, s.Labelled, s.Contested, of)
		assert.Equal(t, 115, s.Labelled)
		require.Error(t, a.Verify(semantic.MinSupport(of, ls, 0.9, options[0])))
	}
	for _, system := range []string{d1, d8} {
		for i, of := range supported {
			_, err := a.Score(system, of, ndcg)
			if options[i%4].Unlabelled {
				require.NoError(t, err)
				continue
			}
			require.ErrorContains(t, err, "the target is unavailable, none of its ")
			assert.ErrorContains(t, err, " contested credits has a label")
		}
	}
	bounds := 0
	for _, f := range a.Flips() {
		if strings.HasPrefix(f.Targets[1], "supported") {
			bounds++
			assert.Contains(t, f.Targets[1], "+unlabelled", "nothing is compared with what has no score: %v", f.Targets)
			assert.Empty(t, f.Grade, "labels are missing, so that the winner can change")
		}
	}
	assert.Positive(t, bounds)
	// Source has D5 ahead of D1; withdrawing what is known to be unsupported of D5,
	// and of it alone, turns that round.
	assert.Greater(t, score(d5, tiaptest.Source, ndcg), score(d1, tiaptest.Source, ndcg))
	assert.Less(t, score(d5, supported[3], ndcg), score(d1, supported[3], ndcg))
}

// supportedNDCG is nDCG of D5 under supported Source or Canonical by itself: every
// memory of that run descends from one turn.
func supportedNDCG(t *testing.T, labels []auditLabel, raw bool) float64 {
	t.Helper()
	dir := filepath.Join(conformance.Data(t, "mtelmem/runs"), densities[1])
	full := make(map[[2]string]bool)
	for _, l := range labels {
		if l.Run == densities[1] {
			key := [2]string{l.Query, l.Memory}
			before, seen := full[key]
			full[key] = l.Label == "supports" && (before || !seen)
		}
	}
	type memory struct {
		ID      string   `json:"id"`
		Form    string   `json:"form"`
		Sources []string `json:"sources"`
	}
	store := make(map[string]memory)
	holders := make(map[string]bool)
	for _, m := range decodeLines[memory](t, filepath.Join(dir, "store.jsonl")) {
		store[m.ID] = m
		if raw || m.Form != "raw" {
			holders[m.Sources[0]] = true
		}
	}
	rankings := make(map[string][]string)
	for _, r := range decodeLines[struct {
		Query   string   `json:"query_id"`
		Ranking []string `json:"ranking"`
	}](t, filepath.Join(dir, "run.jsonl")) {
		rankings[r.Query] = r.Ranking
	}
	sum, n := 0.0, 0
	for _, q := range decodeLines[struct {
		ID       string   `json:"query_id"`
		Evidence []string `json:"evidence"`
	}](t, filepath.Join(dir, "queries.jsonl")) {
		open := make(map[string]bool)
		for _, turn := range q.Evidence {
			if holders[turn] {
				open[turn] = true
			}
		}
		ideal, gain := 0.0, 0.0
		for i := range len(open) {
			ideal += 1 / math.Log2(float64(i+2))
		}
		for i, id := range rankings[q.ID] {
			m, ok := store[id]
			if ok && open[m.Sources[0]] && (raw && m.Form == "raw" || full[[2]string{q.ID, id}]) {
				open[m.Sources[0]] = false
				gain += 1 / math.Log2(float64(i+2))
			}
		}
		sum += gain / ideal
		n++
	}
	require.Equal(t, 453, n)
	return sum / float64(n)
}

// TestConformanceComposition counts the published questions with several gold turns
// that Mem0 passes, and those of them that one memory passes alone.
func TestConformanceComposition(t *testing.T) {
	t.Parallel()
	a, err := tiaptest.Rescore(openRuns(t, "locomo-mem0"), tiaptest.Resamples(100))
	require.NoError(t, err)
	c, err := semantic.Compose(a, "locomo-mem0", tiaptest.Canonical)
	require.NoError(t, err)
	t.Logf("%+v", *c)
	assert.Equal(t, 318, c.Passed)
	assert.Equal(t, 79, c.Single)
}
