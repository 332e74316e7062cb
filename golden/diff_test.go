package golden

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each part of the identity that differs is named, with what it was and is, whether
// it fails or is reported only.
func TestIdentityLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		change func(*identity)
		want   string
	}{
		{func(id *identity) { id.Digest, id.Scenario = "sha256:abc", "other" }, "queries: the scenario other has other queries or evidence than the recorded three (digest abc, recorded "},
		{func(id *identity) { id.Credit = "memory" }, "crediting: recorded evidence, now memory"},
		{func(id *identity) { id.Uncovered = "counted" }, "uncovered units: recorded dropped, now counted"},
		{func(id *identity) { id.Population = "all" }, "population: recorded shared, now all"},
		{func(id *identity) { id.Depth = 6 }, "depth: recorded 5, now 6"},
		{func(id *identity) { id.Metrics = id.Metrics[:1] }, "metrics: recorded mrr@5,micro_recall@2, now mrr@5"},
		{func(id *identity) { id.Headline = "raw" }, "headline: recorded undeclared, now raw"},
		{func(id *identity) { id.Where = []string{"2", "3"} }, "categories: recorded all, now 2, 3"},
		{func(id *identity) { id.Merge = "rrf" }, "merge of lists: recorded none, now rrf"},
		{func(id *identity) { id.Cluster = "scope" }, "resampled by: recorded query, now scope"},
		{func(id *identity) { id.Level = 2 }, "relevance level: recorded 0, now 2"},
		{func(id *identity) { id.JudgedOnly = true }, "judged documents only: recorded false, now true"},
	} {
		want, got := threeSystems(t, 1, 2, 3), threeSystems(t, 1, 2, 4)
		tt.change(&got.content.Identity)
		d := Diff(want, got)
		require.Equal(t, IdentityMismatch, d.Verdict, tt.want)
		require.True(t, d.Failed())
		require.Len(t, d.Findings, 1)
		require.Len(t, d.Findings[0].block.basis, 1)
		assert.Contains(t, d.Findings[0].block.basis[0], tt.want)
		reported := Diff(want, got, ReportOnly(IdentityMismatch))
		require.False(t, reported.Failed())
		for _, d := range []*Difference{d, reported} {
			var text strings.Builder
			require.NoError(t, d.WriteText(&text, nil))
			assert.Equal(t, 1, strings.Count(text.String(), "\n    "+tt.want), &text)
			assert.Equal(t, 1, strings.Count(markdown(t, d), "numbers are compared\n    "+tt.want), markdown(t, d))
		}
	}
	same := Diff(threeSystems(t, 1, 2, 3), threeSystems(t, 1, 2, 4), ReportOnly(IdentityMismatch))
	assert.NotContains(t, same.reports()+markdown(t, same), "numbers are compared")
	// Categories are a set of names.
	of := func(categories ...string) *Record {
		r := threeSystems(t, 1, 2, 3)
		r.content.Identity.Where = categories
		return r
	}
	assert.Equal(t, Same, Diff(of("2", "3"), of("3", "2")).Verdict)
	for _, other := range [][]string{nil, {"2,3"}, {"2"}} {
		assert.Equal(t, IdentityMismatch, Diff(of("2", "3"), of(other...)).Verdict)
	}
	assert.Equal(t, IdentityMismatch, Diff(of("all"), of()).Verdict)
	assert.True(t, strings.HasSuffix(of("2", "3").content.conventions(), ", categories 2, 3"), of("2", "3").content.conventions())
	assert.NotContains(t, of().content.conventions(), "categor")
	// A name alone is no identity.
	got := threeSystems(t, 1, 2, 3)
	got.content.Identity.Scenario = "other"
	assert.Equal(t, Same, Diff(threeSystems(t, 1, 2, 3), got).Verdict)
}

// The run of a system that is gone, or new, says nothing about fixed runs.
func TestFixedRunsOfSystems(t *testing.T) {
	t.Parallel()
	want, got := threeSystems(t, 1, 2, 3), threeSystems(t, 1, 2, 3)
	got.content.Systems, got.content.Pairs = got.content.Systems[1:], got.content.Pairs[2:]
	assert.Equal(t, Missing, Diff(want, got, FixedRuns()).Verdict)
	assert.Equal(t, New, Diff(got, want, FixedRuns()).Verdict)
	assert.Equal(t, IdentityMismatch, Diff(want, threeSystems(t, 1, 2, 4), FixedRuns()).Verdict)
}

// What follows a system that is gone is compared, and what the records note is
// told before what the comparison does.
func TestDiffGoesOn(t *testing.T) {
	t.Parallel()
	want, got := threeSystems(t, 1, 2, 4), threeSystems(t, 1, 2, 3)
	want.note = "recorded without scores"
	got.stale = []string{"known no more"}
	got.content.Systems[2].Memories = map[string]int{"raw": 1}
	got.content.Systems = got.content.Systems[1:]
	d := Diff(want, got)
	var texts []string
	for _, f := range d.Findings {
		texts = append(texts, f.Text)
	}
	assert.Equal(t, []string{
		"missing: system A is recorded and is not in the audit",
		"improved on mrr@5: C gains 0.0833 under raw, gains 0.0833 under source",
	}, texts)
	assert.Equal(t, []string{"recorded without scores", "known no more", "C stores 1 memories (raw 1), recorded 5 memories (raw 5)"}, d.Notes)
}

// A store whose memories are not known is not said to differ.
func TestDiffOfUnknownMemories(t *testing.T) {
	t.Parallel()
	whole, unknown := threeSystems(t, 1, 2, 3), threeSystems(t, 1, 2, 3)
	for i := range unknown.content.Systems {
		unknown.content.Systems[i].Memories = nil
	}
	assert.Empty(t, Diff(whole, unknown).Notes)
	assert.Empty(t, Diff(unknown, whole).Notes)
}

// Where one record lacks the scores of a system under a target, that target is not
// compared, and others are.
func TestDiffWithoutColumn(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"A", "B"} {
		whole, part := threeSystems(t, 1, 2, 3), threeSystems(t, 2, 1, 3)
		delete(part.scores.columns, columnKey{system, "raw", "mrr@5"})
		for _, d := range []*Difference{Diff(whole, part), Diff(part, whole)} {
			assert.Equal(t, WinnerFlip, d.Verdict)
			for _, f := range d.Findings {
				if f.Metric == "mrr@5" && f.block != nil && f.block.gap && slices.Contains(f.Systems, system) {
					assert.NotContains(t, f.Targets, "raw", f.Text)
				}
			}
		}
	}
}

// What follows a pair that one record has not is compared.
func TestPairsGoOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cut  func(*content)
		want string
	}{
		{func(c *content) { c.Systems = c.Systems[1:] }, "missing: system A is recorded and is not in the audit"},
		{func(c *content) { c.Pairs = c.Pairs[1:] }, "missing: the pair of A and B is not in both records"},
	} {
		got := threeSystems(t, 1, 3, 2)
		tt.cut(&got.content)
		d := Diff(threeSystems(t, 1, 2, 3), got)
		var texts []string
		for _, f := range d.Findings {
			texts = append(texts, f.Text)
		}
		assert.Contains(t, texts, tt.want)
		assert.Contains(t, texts, "winner flip on mrr@5 under raw: B -> C")
	}
}

// Queries are lost when more of those that were asked have no answer: coverage is,
// beyond the tolerance.
func TestUnansweredQueries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		was, is [3]int // absent, failed, ingests
		lost    bool
	}{
		{[3]int{0, 0, 1}, [3]int{0, 0, 1}, false},
		{[3]int{2, 1, 1}, [3]int{1, 2, 1}, false},
		{[3]int{1, 2, 1}, [3]int{2, 1, 1}, false},
		{[3]int{1, 1, 1}, [3]int{1, 2, 1}, true},
		{[3]int{1, 1, 1}, [3]int{2, 1, 1}, true},
		{[3]int{1, 1, 2}, [3]int{2, 2, 4}, false},
		{[3]int{1, 1, 2}, [3]int{2, 3, 4}, true},
		{[3]int{2, 2, 4}, [3]int{1, 1, 2}, false},
		{[3]int{2, 2, 4}, [3]int{1, 2, 2}, true},
		{[3]int{3, 3, 1}, [3]int{2, 2, 3}, false},
	} {
		want, got := threeSystems(t, 1, 2, 3), threeSystems(t, 1, 2, 3)
		set := func(r *Record, n [3]int) {
			s := &r.content.Systems[1]
			s.Absent, s.Failed, s.Ingests = n[0], n[1], n[2]
		}
		set(want, tt.was)
		set(got, tt.is)
		for verdict, tolerance := range map[Verdict]float64{CoverageLost: 0, QueryLost: 1} {
			d := Diff(want, got, Tolerance(tolerance))
			if !tt.lost {
				assert.Empty(t, d.Findings, "%v -> %v", tt.was, tt.is)
				continue
			}
			require.Len(t, d.Findings, 1, "%v -> %v", tt.was, tt.is)
			assert.Equal(t, verdict, d.Findings[0].Verdict)
			assert.Equal(t, verdict == CoverageLost, d.Failed())
			assert.Equal(t, []string{"B"}, d.Findings[0].Systems)
		}
	}
}

// Where single queries have scores, these are compared, and not the margins that a
// record shows.
func TestPairsBySingleQueries(t *testing.T) {
	t.Parallel()
	reversed := decimal(-0.5)
	for _, metric := range []string{"mrr@5", "micro_recall@2"} {
		want, got := threeSystems(t, 1, 3, 4), threeSystems(t, 1, 3, 4)
		require.Positive(t, *got.content.Pairs[0].Margins["raw"][metric])
		got.content.Pairs[0].Margins["raw"][metric] = &reversed
		d := Diff(want, got)
		assert.Equal(t, metric == "micro_recall@2", d.Verdict == WinnerFlip, "%s: %v", metric, d.Findings)
		want.scores = nil
		assert.Equal(t, WinnerFlip, Diff(want, got).Verdict, metric)
	}
}

// recommended are the findings on the family of three systems.
func recommended(d *Difference) (texts []string) {
	for _, f := range d.Findings {
		if strings.Contains(f.Text, " family ") {
			texts = append(texts, f.Text)
		}
	}
	return texts
}

// The best member of a family is another one, or level with another, by the scores of
// single queries; what is second decides whether the first one leads.
func TestRecommendations(t *testing.T) {
	t.Parallel()
	changed := func(to string) []string {
		return []string{
			"recommendation changed on mrr@5 under raw: family family A -> " + to,
			"recommendation changed on mrr@5 under source: family family A -> " + to,
		}
	}
	tied := []string{"tie on mrr@5 under raw: family family A -> a tie", "tie on mrr@5 under source: family family A -> a tie"}
	for _, tt := range []struct {
		is   [3]int // ranks of A, B and C, of which A was at 1, B at 2 and C at 4
		opts []Option
		want []string
	}{
		{[3]int{1, 2, 4}, nil, nil},
		{[3]int{1, 4, 2}, nil, nil},
		{[3]int{2, 1, 4}, nil, changed("B")},
		{[3]int{2, 4, 1}, nil, changed("C")},
		{[3]int{4, 2, 1}, nil, changed("C")},
		{[3]int{1, 1, 4}, nil, tied},
		{[3]int{2, 1, 1}, nil, tied},
		{[3]int{1, 2, 1}, nil, tied},
		// B is within half of the first, then and now.
		{[3]int{4, 2, 1}, []Option{MinEffect(0.6)}, nil},
		{[3]int{4, 2, 1}, []Option{MinEffect(0.4)}, changed("C")},
		{[3]int{4, 1, 2}, []Option{MinEffect(0.4)}, changed("B")},
	} {
		d := Diff(threeSystems(t, 1, 2, 4), threeSystems(t, tt.is[:]...), tt.opts...)
		assert.Equal(t, tt.want, slices.DeleteFunc(recommended(d), func(text string) bool { return strings.Contains(text, "micro_recall") }), "%v %v", tt.is, tt.opts)
	}
}

// With several ingests noise may explain another best member: here on the queries of
// the family, where no pair says so.
func TestRecommendationsWithinNoise(t *testing.T) {
	t.Parallel()
	for noise, want := range map[float64]Verdict{0: RecommendationChanged, 0.01: RecommendationChanged, 0.5: Inconclusive} {
		repeated := func(ranks ...int) *Record {
			r := threeSystems(t, ranks...)
			r.content.Pairs = nil
			for i := range r.content.Systems {
				r.content.Systems[i].Ingests = 3
			}
			for key, ingests := range r.scores.columns {
				if key.system != "A" {
					r.scores.columns[key] = slices.Repeat(ingests, 3)
					continue
				}
				r.scores.columns[key] = nil
				for _, by := range []float64{-noise, 0, noise} {
					c := slices.Clone(ingests[0])
					for q := range c {
						c[q] += by
					}
					r.scores.columns[key] = append(r.scores.columns[key], c)
				}
			}
			return r
		}
		d := Diff(repeated(1, 2, 4), repeated(2, 1, 4))
		var found []Verdict
		for _, f := range d.Findings {
			if f.Metric == "mrr@5" && strings.Contains(f.Text, " family ") {
				found = append(found, f.Verdict)
			}
		}
		assert.Equal(t, []Verdict{want, want}, found, "noise %g: %v", noise, recommended(d))
	}
}

// A change under one target and the contrary one under another are no flip where noise
// explains that they differ, of queries or of ingests.
func TestChangeFlipWithinNoise(t *testing.T) {
	t.Parallel()
	c := &comparison{stat: usual, s: newSettings(nil), got: &Record{scores: new(queryScores)}}
	changes := func(value, spread float64) *selfChange {
		return &selfChange{value: value, queries: []float64{value - spread, value + spread, value - spread, value + spread}}
	}
	at := []int{0, 1, 2, 3}
	assert.Equal(t, ChangeFlip, c.changeFlip(changes(0.1, 0), changes(-0.1, 0), at))
	assert.Equal(t, Inconclusive, c.changeFlip(changes(0.1, 1), changes(-0.1, 0), at))
	assert.Equal(t, Same, c.changeFlip(changes(0.1, 1), changes(0.2, 0), at))
	for _, noise := range [][2]evidence{{beyond, beyond}, {beyond, explained}, {explained, beyond}} {
		gain, loss := changes(0.1, 1), changes(-0.1, 0)
		gain.tested, loss.tested, gain.noise, loss.noise = true, true, noise[0], noise[1]
		want := Inconclusive
		if noise == [2]evidence{beyond, beyond} {
			want = ChangeFlip
		}
		assert.Equal(t, want, c.changeFlip(gain, loss, at), "%v", noise)
	}
}

// Members of both records are compared, of every family that has two.
func TestRecommendationsOfFamilies(t *testing.T) {
	t.Parallel()
	want, got := threeSystems(t, 1, 2, 3), threeSystems(t, 2, 1, 3)
	a := "A"
	want.content.Recommendations = append([]recommendationRecord{{Family: "gone", Winners: map[string]map[string]*string{"raw": {"mrr@5": &a}}}}, want.content.Recommendations...)
	assert.Len(t, recommended(Diff(want, got)), 2)
	got.content.Systems[2].Family = "other"
	d := Diff(want, got)
	assert.Len(t, recommended(d), 2)
	for _, f := range d.Findings {
		if f.Verdict == RecommendationChanged {
			assert.Equal(t, []string{"A", "B"}, f.Systems)
			assert.Equal(t, 2, f.N)
		}
	}
	got.content.Systems[1].Family = "other"
	assert.Empty(t, recommended(Diff(want, got)))
}

// A ratio of sums has another best member: the pair of the two says it, if there is
// one, and where the record of now has none nothing is said.
func TestRecommendationsUnjudged(t *testing.T) {
	t.Parallel()
	micro := func(want, got *Record) []string {
		return slices.DeleteFunc(recommended(Diff(want, got)), func(text string) bool { return !strings.Contains(text, "micro_recall") })
	}
	first, second, level := threeSystems(t, 1, 3, 3), threeSystems(t, 3, 1, 3), threeSystems(t, 1, 1, 3)
	assert.Empty(t, micro(first, first))
	assert.Empty(t, micro(first, second), "the pair of A and B flips")
	assert.Equal(t, []string{
		"inconclusive on micro_recall@2 under raw: family family a tie -> A, without common queries that have scores of their own",
		"inconclusive on micro_recall@2 under source: family family a tie -> A, without common queries that have scores of their own",
	}, micro(level, first))
	none := threeSystems(t, 1, 3, 3)
	none.content.Recommendations = nil
	assert.Empty(t, micro(level, none))
}

// A family without a common score has no best member, which is no tie, whichever of
// the records it is in.
func TestRecommendationsOfNobody(t *testing.T) {
	t.Parallel()
	const under = "inconclusive on micro_recall@2 under raw: family family "
	const why = ", without common queries that have scores of their own"
	for name, lose := range map[string]func(r *recommendationRecord){
		"no score under the target": func(r *recommendationRecord) { delete(r.Winners["raw"], "micro_recall@2") },
		"no query":                  func(r *recommendationRecord) { r.Compared.N, r.Winners["raw"]["micro_recall@2"] = 0, nil },
	} {
		none := threeSystems(t, 1, 3, 3)
		lose(&none.content.Recommendations[0])
		for ranks, best := range map[[3]int]string{{1, 3, 3}: "A", {1, 1, 3}: "a tie"} {
			other := threeSystems(t, ranks[:]...)
			assert.Contains(t, recommended(Diff(other, none)), under+best+" -> none"+why, name)
			assert.Contains(t, recommended(Diff(none, other)), under+"none -> "+best+why, name)
		}
		assert.NotContains(t, strings.Join(recommended(Diff(none, none)), "\n"), "under raw", name)
	}
}
