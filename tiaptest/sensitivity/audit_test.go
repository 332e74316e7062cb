package sensitivity_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/sensitivity"
)

// garden holds two variants of one memory system. D1 made a fact of the first
// turn alone, D5 several facts of every turn.
func garden() *tiaptest.Bundle {
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "garden", Headline: "canonical"}}
	b.AddTurn("t1", "I planted the pear tree on Sunday.")
	b.AddTurn("t2", "Now there are four hives by the wall.")
	b.AddQuery("q1", "When was the pear tree planted?", "on Sunday")
	b.AddQuery("q2", "How many hives are there?", "four hives")
	b.Scenario.Queries[0].Category = "temporal"
	b.AddSystem("D1", "density").
		AddMemory("raw1", "raw", "t1").AddMemory("fact1", "fact", "t1").
		AddMemory("raw2", "raw", "t2").
		AddRanking("q1", "raw1", "fact1").
		AddRanking("q2", "raw1", "raw2")
	b.AddSystem("D5", "density").
		AddMemory("raw1", "raw", "t1").AddMemory("fact1a", "fact", "t1").AddMemory("fact1b", "fact", "t1").
		AddMemory("raw2", "raw", "t2").AddMemory("fact2", "fact", "t2").
		AddRanking("q1", "fact1a", "raw2", "raw1", "fact1b").
		AddRanking("q2", "fact2", "raw1", "raw2")
	return b
}

func rescore(t testing.TB, b *tiaptest.Bundle, opts ...tiaptest.Option) *tiaptest.Audit {
	t.Helper()
	a, err := tiaptest.Rescore(b, opts...)
	require.NoError(t, err)
	return a
}

func fromAudit(t testing.TB, a *tiaptest.Audit) *sensitivity.Table {
	t.Helper()
	table, err := sensitivity.FromAudit(a)
	require.NoError(t, err)
	return table
}

func TestFromAudit(t *testing.T) {
	t.Parallel()
	r := analyze(t, fromAudit(t, rescore(t, garden())))
	assert.Equal(t, []string{"D1", "D5"}, r.Systems)
	assert.Equal(t, []string{"raw", "source", "canonical"}, r.Targets)
	assert.Equal(t, []string{"ndcg@60", "recall@60", "mrr@60", "hit@60", "top1"}, r.Metrics, "without the ratio of sums")
	assert.Equal(t, []string{"canonical", "evidence", "dropped", "shared"}, []string{r.Headline, r.Credit, r.Uncovered, r.Population})
	assert.Equal(t, 2, r.Queries)
	n := make(map[string]int)
	for _, c := range r.Changes {
		if c.System == "D1" && c.Metric == "mrr@60" && c.Targets == [2]string{"raw", "source"} {
			n[c.Category] = c.N
		}
	}
	assert.Equal(t, map[string]int{"": 2, "temporal": 1}, n)
	// Of q1 and q2 D5 stores a raw turn each, and two facts and one.
	for _, s := range r.SizeShifts {
		if s.System == "D5" && s.Targets == [2]string{"raw", "source"} {
			assert.Equal(t, []int{0, 0, 1, 1, 0, 0}, []int{s.Bins[0].N, s.Bins[1].N, s.Bins[2].N, s.Bins[3].N, s.Bins[4].N, s.Bins[5].N})
		}
	}
	// The recommendations over shared queries are the audit's own.
	a := rescore(t, garden())
	for _, c := range r.Conventions {
		metric, err := tiaptest.ParseMetric(c.Metric)
		require.NoError(t, err)
		rec, err := a.Recommendation("density", metric)
		require.NoError(t, err)
		if c.Population == "shared" {
			assert.Equal(t, rec.Winners, c.Recommended, c.Metric)
			assert.Equal(t, []any{rec.N, rec.Flip}, []any{c.N, c.Flip}, c.Metric)
		}
	}
}

// A target beside is set against the headline alone and takes no part in what is
// done over main targets.
func TestFromAuditWithTargetBeside(t *testing.T) {
	t.Parallel()
	r := analyze(t, fromAudit(t, rescore(t, garden(), tiaptest.Beside(tiaptest.Current(tiaptest.Canonical)))))
	require.Equal(t, []string{"raw", "source", "canonical", "current(canonical)"}, r.Targets)
	pairs := make(map[[2]string]bool)
	for _, c := range r.Changes {
		pairs[c.Targets] = true
	}
	assert.Equal(t, map[[2]string]bool{
		{"raw", "source"}: true, {"raw", "canonical"}: true, {"source", "canonical"}: true, {"canonical", "current(canonical)"}: true,
	}, pairs)
	assert.ElementsMatch(t, []string{"raw", "source", "canonical"}, slices.Collect(maps.Keys(r.TargetOrders[0].Scores)))
	assert.Len(t, r.Conventions[0].Scores, 3)
}

// The headline may be the first of the targets.
func TestFromAuditWithTargetBesideTheFirst(t *testing.T) {
	t.Parallel()
	r := analyze(t, fromAudit(t, rescore(t, garden(), tiaptest.Targets(tiaptest.Raw), tiaptest.Headline(tiaptest.Raw), tiaptest.Beside(tiaptest.Source))))
	require.NotEmpty(t, r.Changes)
	assert.Equal(t, [2]string{"raw", "source"}, r.Changes[0].Targets)
}

// The order of queries in a bundle does not matter.
func TestFromAuditOfQueriesInAnyOrder(t *testing.T) {
	t.Parallel()
	b := garden()
	want := analyze(t, fromAudit(t, rescore(t, b)))
	slices.Reverse(b.Scenario.Queries)
	assert.Equal(t, want, analyze(t, fromAudit(t, rescore(t, b))))
}

// A target that is unavailable in a system has no sizes there, others have.
func TestFromAuditWithUnavailableTarget(t *testing.T) {
	t.Parallel()
	b := garden()
	for i := range b.Systems[1].Ingests[0].Memories {
		if m := &b.Systems[1].Ingests[0].Memories[i]; m.Form == "raw" {
			m.Sources = nil
		}
	}
	sized := make(map[string][][2]string)
	for _, s := range analyze(t, fromAudit(t, rescore(t, b, tiaptest.Metrics(tiaptest.Top1())))).SizeShifts {
		sized[s.System] = append(sized[s.System], s.Targets)
	}
	assert.Equal(t, map[string][][2]string{
		"D1": {{"raw", "source"}, {"raw", "canonical"}, {"source", "canonical"}},
		"D5": {{"source", "canonical"}},
	}, sized)
}

// Main targets stand before those beside, whatever their names, and the answers
// common to all targets are common to the main ones.
func TestTargetsBesideStandLast(t *testing.T) {
	t.Parallel()
	any := func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true }
	facts := func(m tiaptest.Memory, _ []tiaptest.Link, _ tiaptest.Unit) bool { return m.Form == "fact" }
	main, beside := tiaptest.NewTarget("zeta", any), tiaptest.NewTarget("alpha", facts)
	table := fromAudit(t, rescore(t, garden(), tiaptest.Targets(tiaptest.Raw, main), tiaptest.Headline(main), tiaptest.Beside(beside)))
	require.NoError(t, table.AddAnswers(sensitivity.Answer{Query: "q1", System: "D1", F1: ptr(0.5)}, sensitivity.Answer{Query: "q2", System: "D1", F1: ptr(1.0)}))
	r := analyze(t, table)
	assert.Equal(t, []string{"raw", "zeta", "alpha"}, r.Targets)
	assert.Equal(t, [2]string{"zeta", "alpha"}, r.Changes[len(r.Changes)-1].Targets)
	var mrr sensitivity.Alignment
	for _, a := range r.Alignment {
		if a.Metric == "mrr@60" {
			mrr = a
		}
	}
	assert.Equal(t, 2, mrr.Common)
	require.Len(t, mrr.Targets, 3)
	near(t, -1, mrr.Targets[0].CommonSpearman)
	assert.Equal(t, 1, mrr.Targets[2].N, "D1 has one fact")
	assert.Nil(t, mrr.Targets[2].CommonSpearman)
}

func TestFromAuditWithoutValuesOfQueries(t *testing.T) {
	t.Parallel()
	_, err := sensitivity.FromAudit(rescore(t, garden(), tiaptest.Metrics(tiaptest.MicroRecall(10))))
	require.ErrorContains(t, err, "no value of a single query")
}

// Of an audit whose targets cover nothing it says what makes them cover.
func TestFromAuditCoversNothing(t *testing.T) {
	t.Parallel()
	b := garden()
	for _, s := range b.Systems {
		for i := range s.Ingests[0].Memories {
			s.Ingests[0].Memories[i].Sources = []tiaptest.Link{{Turn: "elsewhere"}}
		}
	}
	_, err := sensitivity.FromAudit(rescore(t, b))
	require.EqualError(t, err, "the audit has no value: its targets cover no query of any system; "+
		"let the memories descend from turns of the evidence, by the same ids (sources in store.jsonl, Memory.Sources in code)")
}

// Of a system with repeats, scores and sizes are means over its ingests.
func TestFromAuditWithRepeats(t *testing.T) {
	t.Parallel()
	b := garden()
	d5 := b.Systems[1]
	again := &tiaptest.Bundle{}
	other := again.AddSystem("other", "").AddMemory("raw1", "raw", "t1").AddMemory("fact1a", "fact", "t1").
		AddMemory("fact1b", "fact", "t1").AddMemory("fact1c", "fact", "t1").
		AddRanking("q1", "raw1").AddRanking("q2", "raw1")
	d5.Ingests = append(d5.Ingests, other.Ingests...)
	r := analyze(t, fromAudit(t, rescore(t, b, tiaptest.Systems("D5"), tiaptest.Metrics(tiaptest.Hit(10)))))
	s := r.SizeShifts[0]
	require.Equal(t, [2]string{"raw", "source"}, s.Targets)
	// On q1 two facts and three: 2.5 more under Source, which counts as 3.
	assert.Equal(t, 1, s.Bins[4].N)
}

// An audit whose systems store nothing of the evidence has values for no query.
func TestFromAuditThatCoversNothing(t *testing.T) {
	t.Parallel()
	b := &tiaptest.Bundle{}
	b.AddTurn("t1", "one").AddTurn("t2", "two").AddQuery("q", "which?", "one")
	b.AddSystem("A", "").AddMemory("m", "raw", "t2").AddRanking("q", "m")
	_, err := sensitivity.FromAudit(rescore(t, b))
	require.ErrorContains(t, err, "cover no query")
}

func TestDepths(t *testing.T) {
	t.Parallel()
	rows, err := sensitivity.Depths(rescore(t, garden(), tiaptest.Metrics(tiaptest.Top1())), []int{2, 1})
	require.NoError(t, err)
	require.Len(t, rows, 4*2)
	var mrr, hit sensitivity.Depth
	for _, d := range rows {
		if d.System == "D1" && d.Metric == "mrr" {
			mrr = d
		}
		if d.System == "D5" && d.Metric == "hit" {
			hit = d
		}
	}
	// On q1 alone, which both systems cover, D1 ranks the raw turn before the fact.
	require.Len(t, mrr.Cuts, 2)
	assert.Equal(t, []int{1, 2}, []int{mrr.Cuts[0].K, mrr.Cuts[1].K})
	assert.Equal(t, 1, mrr.Cuts[0].N)
	assert.Equal(t, map[string]*float64{"raw": ptr(1.0), "source": ptr(1.0), "canonical": ptr(0.0)}, mrr.Cuts[0].Scores)
	assert.Equal(t, sensitivity.RelativeShift{Targets: [2]string{"raw", "canonical"}, Shift: ptr(-0.5), Relative: ptr(-0.5)}, mrr.Cuts[1].Shifts[1])
	// D5 does not retrieve the raw turn so early; nothing is relative to 0.
	assert.Equal(t, sensitivity.RelativeShift{Targets: [2]string{"raw", "source"}, Shift: ptr(1.0)}, hit.Cuts[1].Shifts[0])
}

// Shifts are relative to the first target's score. A metric with a single cut-off has
// no depths.
func TestDepthsOfATable(t *testing.T) {
	t.Parallel()
	depths := analyze(t, tableOf(t,
		row{"A", "raw", "ndcg@5", "0.25 0.25"}, row{"A", "source", "ndcg@5", "0 1"},
		row{"A", "raw", "ndcg@10", "0.5 0.5"}, row{"A", "source", "ndcg@10", "0 0.75"},
		row{"A", "raw", "mrr@10", "1 1"}, row{"A", "raw", "hit", "1 1"},
	)).Depths
	require.Len(t, depths, 1)
	assert.Equal(t, "ndcg", depths[0].Metric)
	require.Len(t, depths[0].Cuts, 2)
	both := [2]string{"raw", "source"}
	assert.Equal(t, []sensitivity.RelativeShift{{Targets: both, Shift: ptr(0.25), Relative: ptr(1.0)}}, depths[0].Cuts[0].Shifts)
	assert.Equal(t, []sensitivity.RelativeShift{{Targets: both, Shift: ptr(-0.125), Relative: ptr(-0.25)}}, depths[0].Cuts[1].Shifts)
}

func TestDepthsRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ks   []int
		want string
	}{
		"none":           {nil, "no depths"},
		"zero":           {[]int{10, 0}, "depth 0"},
		"twice":          {[]int{10, 10}, "named twice"},
		"beyond the cut": {[]int{10, 61}, "depth 61 is beyond the depth 60 of the audit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sensitivity.Depths(rescore(t, garden()), test.ks)
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := sensitivity.Depths(rescore(t, garden(), tiaptest.Depth(100)), []int{100})
	require.NoError(t, err)
}

// A system without any target is left out, and the others have their cuts.
func TestDepthsBesideAnUnavailableSystem(t *testing.T) {
	t.Parallel()
	want, err := sensitivity.Depths(rescore(t, garden()), []int{1, 2})
	require.NoError(t, err)
	b := garden()
	b.AddSystem("old", "").AddMemory("m", "fact").AddRanking("q1", "m")
	got, err := sensitivity.Depths(rescore(t, b), []int{1, 2})
	require.NoError(t, err)
	assert.Equal(t, want, got)

	// Of a system with raw turns alone there are cuts under Raw and Source.
	b = garden()
	b.AddSystem("turns", "").AddMemory("raw1", "raw", "t1").AddMemory("raw2", "raw", "t2").AddRanking("q1", "raw1")
	got, err = sensitivity.Depths(rescore(t, b), []int{1, 2})
	require.NoError(t, err)
	require.Len(t, got, 4*3)
	for _, d := range got {
		for _, c := range d.Cuts {
			assert.Equal(t, 1, c.N)
			assert.Len(t, c.Scores, map[bool]int{true: 2, false: 3}[d.System == "turns"], d.System)
		}
	}
}

// The orders of the targets are those of the audit.
func TestTargetOrdersAreTheAudits(t *testing.T) {
	t.Parallel()
	b := garden()
	b.AddSystem("turns", "").AddMemory("raw1", "raw", "t1").AddMemory("raw2", "raw", "t2").AddRanking("q1", "raw1")
	b.AddSystem("old", "").AddMemory("m", "fact").AddRanking("q1", "m")
	a := rescore(t, b, tiaptest.Metrics(tiaptest.NDCG(60), tiaptest.MRR(60)))
	var text strings.Builder
	require.NoError(t, a.WriteJSON(&text))
	type order struct {
		System string
		Metric string
		N      int
		Order  []string
	}
	var report struct {
		TargetOrders []order `json:"target_orders"`
	}
	require.NoError(t, json.Unmarshal([]byte(text.String()), &report))
	var got []order
	for _, o := range analyze(t, fromAudit(t, a)).TargetOrders {
		got = append(got, order{o.System, o.Metric, o.N, o.Order})
	}
	require.Len(t, got, 3*2)
	assert.ElementsMatch(t, report.TargetOrders, got)
}

// Where rankings are lists, each rule that merges them is a convention.
func TestConventionsOfLists(t *testing.T) {
	t.Parallel()
	b := garden()
	lists := tiaptest.Ranking{Query: "q1", Lists: []tiaptest.List{{Name: "edges", IDs: []string{"raw2", "raw1"}}, {Name: "facts", IDs: []string{"fact1a", "fact1b"}}}}
	b.Systems[1].Ingests[0].Run = tiaptest.Run{}
	require.NoError(t, b.Systems[1].Ingests[0].Run.Add(lists))
	rows, err := sensitivity.Conventions(rescore(t, b, tiaptest.Metrics(tiaptest.NDCG(60)), tiaptest.Merge("rrf")))
	require.NoError(t, err)
	require.Len(t, rows, 3*3*3)
	scores := make(map[string]float64)
	for _, c := range rows {
		if c.Credit == "evidence" && c.Uncovered == "dropped" && c.Population == "shared" {
			scores[c.Merge] = *c.Scores["canonical"]["D5"]
		}
	}
	// The fact is third, second and, as the first of a list beside another, second.
	require.Len(t, scores, 3)
	assert.InDelta(t, 0.5, scores["order"], 1e-12)
	assert.InDelta(t, 0.6309298, scores["interleave"], 1e-6)
	a := rescore(t, b, tiaptest.Metrics(tiaptest.NDCG(60)), tiaptest.Merge("rrf"))
	rrf, err := a.Score("D5", tiaptest.Canonical, tiaptest.NDCG(60))
	require.NoError(t, err)
	assert.InDelta(t, rrf, scores["rrf"], 1e-12)
}

// The populations of TREC qrels are those of an audit.
func TestConventionsOfTREC(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		return file
	}
	b, err := tiaptest.TREC{
		// Nothing is relevant to q2 under fact; q3 is judged under raw alone.
		Qrels: map[string]string{
			"raw":  write("raw", "q1 0 a 1\nq2 0 a 1\nq3 0 a 1\nq4 0 a 1\n"),
			"fact": write("fact", "q1 0 b 1\nq2 0 b 0\nq4 0 b 1\n"),
		},
		// B lacks q4.
		Runs: map[string]string{
			"A": write("A", "q1 Q0 a 1 2 A\nq1 Q0 b 2 1 A\nq2 Q0 a 1 1 A\nq3 Q0 a 1 1 A\nq4 Q0 b 1 1 A\n"),
			"B": write("B", "q1 Q0 b 1 2 B\nq1 Q0 a 2 1 B\nq2 Q0 b 1 1 B\nq3 Q0 b 1 1 B\n"),
		},
	}.Open()
	require.NoError(t, err)
	for _, s := range b.Systems {
		s.Family = "f"
	}
	metric := tiaptest.NDCG(10)
	rows, err := sensitivity.Conventions(rescore(t, b, tiaptest.Metrics(metric)))
	require.NoError(t, err)
	n := make(map[string]int)
	for _, c := range rows {
		n[c.Population] = c.N
		assert.Equal(t, "memory", c.Credit)
		a := rescore(t, b, tiaptest.Metrics(metric), tiaptest.Population(c.Population))
		want, err := a.Recommendation("f", metric)
		require.NoError(t, err)
		assert.Equal(t, want.N, c.N, c.Population)
		assert.Equal(t, want.Winners, c.Recommended, c.Population)
		assert.Equal(t, want.Flip, c.Flip, c.Population)
	}
	assert.Equal(t, map[string]int{"shared": 2, "all": 4, "judged": 3, "matched": 2}, n)
}

func TestConventions(t *testing.T) {
	t.Parallel()
	opts := []tiaptest.Option{tiaptest.Metrics(tiaptest.NDCG(60)), tiaptest.Credit(tiaptest.ByMemory), tiaptest.Population("all")}
	rows, err := sensitivity.Conventions(rescore(t, garden(), opts...))
	require.NoError(t, err)
	type key struct{ credit, uncovered, population string }
	got := make(map[key]sensitivity.Convention)
	for _, c := range rows {
		got[key{c.Credit, c.Uncovered, c.Population}] = c
	}
	require.Len(t, rows, 9)
	require.Len(t, got, 9)
	shared := got[key{"evidence", "dropped", "shared"}]
	assert.Equal(t, 1, shared.N)
	assert.Equal(t, map[string]*string{"raw": ptr("D1"), "source": nil, "canonical": ptr("D5")}, shared.Recommended)
	assert.True(t, shared.Flip)
	// By memory D5 has two facts to find and finds the second late.
	memory := got[key{"memory", "dropped", "shared"}]
	assert.Equal(t, map[string]*string{"raw": ptr("D1"), "source": ptr("D1"), "canonical": ptr("D5")}, memory.Recommended)
	// D1 has no fact of t2, so under Canonical q2 counts as 0.
	all := got[key{"evidence", "dropped", "all"}]
	assert.Equal(t, 2, all.N)
	near(t, 0.6309298/2, all.Scores["canonical"]["D1"])
	near(t, 1, all.Scores["canonical"]["D5"])

	// Over what it covers D1 has a fact of each question.
	covered := got[key{"evidence", "dropped", "covered"}]
	assert.Equal(t, map[string]int{"D1": 1, "D5": 2}, covered.Queries["canonical"])
	near(t, 0.6309298, covered.Scores["canonical"]["D1"])

	_, err = sensitivity.Conventions(rescore(t, garden(), tiaptest.Metrics(tiaptest.MicroRecall(60))))
	require.ErrorContains(t, err, "no value of a single query")
	none, err := sensitivity.Conventions(rescore(t, garden(), tiaptest.Systems("D1")))
	require.NoError(t, err)
	assert.Empty(t, none, "a family of one")
}

// Records without evidence units are credited by memory alone.
func TestConventionsOfRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		return file
	}
	b, err := tiaptest.MTELMem{
		Records: write("records.jsonl", `{"query_id":"q","raw_ids":["a"],"source_ids":["a","b"],"canonical_ids":["b"]}`),
		Traces: []string{write("trace.jsonl", strings.Join([]string{
			`{"system":"A","query_id":"q","retrieved_id":"a","rank":1,"score":1}`,
			`{"system":"B","query_id":"q","retrieved_id":"b","rank":1,"score":1}`,
		}, "\n"))},
	}.Open()
	require.NoError(t, err)
	for _, s := range b.Systems {
		s.Family = "f"
	}
	assert.Empty(t, analyze(t, fromAudit(t, rescore(t, b))).SizeShifts, "records name no memories")
	rows, err := sensitivity.Conventions(rescore(t, b, tiaptest.Metrics(tiaptest.NDCG(10))))
	require.NoError(t, err)
	require.Len(t, rows, 3)
	for _, c := range rows {
		assert.Equal(t, "memory", c.Credit)
		assert.Equal(t, map[string]*string{"raw": ptr("A"), "source": nil, "canonical": ptr("B")}, c.Recommended)
	}
}

// The report of an audit is the report of the file that the audit writes, but
// for what the file does not hold.
func TestFromAuditIsItsScoreFile(t *testing.T) {
	t.Parallel()
	a := rescore(t, garden())
	var file strings.Builder
	require.NoError(t, a.WritePerQuery(&file))
	var table sensitivity.Table
	require.NoError(t, table.ReadScores("scores.jsonl", strings.NewReader(file.String())))
	want, got := analyze(t, fromAudit(t, a)), analyze(t, &table)
	assert.Equal(t, want.TargetOrders, got.TargetOrders)
	assert.Equal(t, want.Power, got.Power)
	assert.Equal(t, want.Agreement, got.Agreement)
	assert.Empty(t, got.Conventions, "no families")
	assert.Empty(t, got.Credit)
}

// A report marshals with lists in the place of none, so that readers need not
// tell the two apart.
func TestReportWithoutNulls(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(analyze(t, tableOf(t, row{"A", "raw", "hit", "1"})))
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(text, &members))
	for name, v := range members {
		assert.NotNil(t, v, name)
	}
	assert.Len(t, members, 15)
}
