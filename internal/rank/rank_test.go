package rank_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/rank"
)

// Discounts of ranks 2 and 4; those of 1, 3 and 7 are 1, 1/2 and 1/3.
const (
	d2 = 0.6309297535714574
	d4 = 0.43067655807339306
)

// once is a ranking of six that earns at ranks 2, 4 and 7 of a possible four
// items, the second time two at once.
var once = rank.Result{
	Hits:   []rank.Hit{{Rank: 2, Items: 1, Gain: 1}, {Rank: 4, Items: 2, Gain: 1}, {Rank: 7, Items: 1, Gain: 1}},
	Items:  4,
	Length: 8,
}

func TestValue(t *testing.T) {
	t.Parallel()
	ideal3, ideal4 := 1+d2+0.5, 1+d2+0.5+d4
	tests := []struct {
		name string
		m    rank.Metric
		want float64
	}{
		{"ndcg", rank.Metric{Kind: rank.NDCG}, (d2 + d4 + 1.0/3) / ideal4},
		{"ndcg@3 cuts the ideal too", rank.Metric{Kind: rank.NDCG, K: 3}, d2 / ideal3},
		{"ndcg@6", rank.Metric{Kind: rank.NDCG, K: 6}, (d2 + d4) / ideal4},
		{"ndcg@7 holds rank 7", rank.Metric{Kind: rank.NDCG, K: 7}, (d2 + d4 + 1.0/3) / ideal4},
		{"ndcg@1", rank.Metric{Kind: rank.NDCG, K: 1}, 0},
		{"recall", rank.Metric{Kind: rank.Recall}, 1},
		{"recall@3", rank.Metric{Kind: rank.Recall, K: 3}, 0.25},
		{"recall@4 counts every item of a rank", rank.Metric{Kind: rank.Recall, K: 4}, 0.75},
		{"micro recall of one query", rank.Metric{Kind: rank.MicroRecall, K: 4}, 0.75},
		{"success@1", rank.Metric{Kind: rank.Success, K: 1}, 0},
		{"success@2", rank.Metric{Kind: rank.Success, K: 2}, 1},
		{"mrr", rank.Metric{Kind: rank.MRR}, 0.5},
		{"mrr@1", rank.Metric{Kind: rank.MRR, K: 1}, 0},
		{"precision divides by the length", rank.Metric{Kind: rank.Precision}, 3.0 / 8},
		{"precision@4 counts a rank once", rank.Metric{Kind: rank.Precision, K: 4}, 0.5},
		{"precision@10 divides by 10 for 8 ids", rank.Metric{Kind: rank.Precision, K: 10}, 0.3},
		{"ap", rank.Metric{Kind: rank.AP}, (1.0/2 + 2.0/4 + 3.0/7) / 4},
		{"ap@4 divides by all items", rank.Metric{Kind: rank.AP, K: 4}, (1.0/2 + 2.0/4) / 4},
		{"rprec", rank.Metric{Kind: rank.RPrec}, 2.0 / 4},
		{"all", rank.Metric{Kind: rank.All}, 1},
		{"all@6", rank.Metric{Kind: rank.All, K: 6}, 0},
		{"all@7", rank.Metric{Kind: rank.All, K: 7}, 1},
		{"top1", rank.Metric{Kind: rank.Top1}, 0},
		{"the largest cut-off", rank.Metric{Kind: rank.MRR, K: math.MaxInt}, 0.5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.InDelta(t, tt.want, tt.m.Value(once), 1e-15)
		})
	}
}

// kinds are all kinds, with their cut-off where they have one.
var kinds = []rank.Metric{
	{Kind: rank.NDCG}, {Kind: rank.Recall}, {Kind: rank.Success}, {Kind: rank.MRR}, {Kind: rank.Precision}, {Kind: rank.AP},
	{Kind: rank.RPrec}, {Kind: rank.All}, {Kind: rank.Top1}, {Kind: rank.MicroRecall},
	{Kind: rank.NDCG, K: 5}, {Kind: rank.Recall, K: 5}, {Kind: rank.Success, K: 5}, {Kind: rank.MRR, K: 5}, {Kind: rank.Precision, K: 5},
	{Kind: rank.AP, K: 5}, {Kind: rank.All, K: 5}, {Kind: rank.MicroRecall, K: 5},
}

func TestValueWithoutCredit(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]rank.Result{
		"nothing relevant, empty ranking":  {},
		"nothing relevant":                 {Length: 3},
		"nothing relevant, graded":         {Length: 3, Ideal: []float64{}},
		"nothing found":                    {Items: 2, Length: 3},
		"nothing found, graded":            {Items: 2, Length: 3, Ideal: []float64{3, 1}},
		"empty ranking":                    {Items: 2},
		"below the level, so not relevant": {Hits: []rank.Hit{{Rank: 1, Gain: 1}}, Length: 1},
	} {
		for _, m := range kinds {
			assert.Zero(t, m.Value(r), "%s: %v", name, m)
		}
	}
}

func TestValueOfPerfectRanking(t *testing.T) {
	t.Parallel()
	r := rank.Result{Hits: []rank.Hit{{Rank: 1, Items: 1, Gain: 1}, {Rank: 2, Items: 1, Gain: 1}}, Items: 2, Length: 2}
	for _, m := range kinds {
		want := 1.0
		if m.Kind == rank.Precision && m.K == 5 {
			want = 0.4
		}
		assert.Equal(t, want, m.Value(r), "%v", m)
	}
}

// TestDiscountTable looks across the end of the table of discounts.
func TestDiscountTable(t *testing.T) {
	t.Parallel()
	for _, at := range []int32{1, 2, 1023, 1024, 1025, 1026, 5000} {
		r := rank.Result{Hits: []rank.Hit{{Rank: at, Items: 1, Gain: 1}}, Items: 1, Length: 5000}
		assert.InDelta(t, 1/math.Log2(float64(at)+1), rank.Metric{Kind: rank.NDCG}.Value(r), 1e-15, "rank %d", at)
	}
	for _, items := range []int{1023, 1024, 1025, 3000} {
		r := rank.Result{Hits: []rank.Hit{{Rank: 1, Items: 1, Gain: 1}}, Items: items, Length: 1}
		ideal := 0.0
		for i := 1; i <= items; i++ {
			ideal += 1 / math.Log2(float64(i)+1)
		}
		assert.InDelta(t, 1/ideal, rank.Metric{Kind: rank.NDCG}.Value(r), 1e-15, "%d items", items)
	}
}

// TestGradedValue takes one item of grade 3 found at rank 2 and an item of
// grade 1, below the level 2, found at rank 1; another of grade 2 is not found.
func TestGradedValue(t *testing.T) {
	t.Parallel()
	r := rank.Result{
		Hits:   []rank.Hit{{Rank: 1, Items: 0, Gain: 1}, {Rank: 2, Items: 1, Gain: 3}},
		Items:  2,
		Length: 4,
		Ideal:  []float64{3, 2, 1},
	}
	for m, want := range map[rank.Metric]float64{
		{Kind: rank.NDCG}:            (1 + 3*d2) / (3 + 2*d2 + 0.5),
		{Kind: rank.NDCG, K: 1}:      1.0 / 3,
		{Kind: rank.NDCG, K: 2}:      (1 + 3*d2) / (3 + 2*d2),
		{Kind: rank.Recall}:          0.5,
		{Kind: rank.Recall, K: 1}:    0,
		{Kind: rank.Success, K: 1}:   0,
		{Kind: rank.Success, K: 2}:   1,
		{Kind: rank.MRR}:             0.5,
		{Kind: rank.Precision}:       0.25,
		{Kind: rank.Precision, K: 2}: 0.5,
		{Kind: rank.AP}:              0.25,
		{Kind: rank.RPrec}:           0.5,
		{Kind: rank.Top1}:            0,
		{Kind: rank.All}:             0,
	} {
		assert.InDelta(t, want, m.Value(r), 1e-15, "%v", m)
	}
}

func TestCredited(t *testing.T) {
	t.Parallel()
	for k, want := range map[int]int{0: 4, 1: 0, 2: 1, 3: 1, 4: 3, 6: 3, 7: 4, 100: 4} {
		assert.Equal(t, want, rank.Credited(once, k), "k %d", k)
	}
	assert.Zero(t, rank.Credited(rank.Result{Items: 3}, 0))
}

// query has three units and five candidates. Under target 0, which credits all:
//
//	candidate 0 belongs to the units 0 and 1, 1 to unit 1, 2 to unit 2
//
// Under target 1 candidate 0 belongs to unit 0 alone, and 3 to unit 1. Nothing
// belongs to unit 2. Candidate 4 belongs to a unit under no target.
var query = rank.Candidates{
	Start: []int32{0, 2, 3, 4, 5, 5},
	Pairs: []rank.Pair{
		{Unit: 0, Targets: 0b11}, {Unit: 1, Targets: 0b01},
		{Unit: 1, Targets: 0b01},
		{Unit: 2, Targets: 0b01},
		{Unit: 1, Targets: 0b10},
	},
	Units: 3,
}

// at is a ranking of candidates; -1 is an id that is no candidate.
func at(cands ...int32) (seen []rank.Seen, length int) {
	for i, c := range cands {
		if c >= 0 {
			seen = append(seen, rank.Seen{Rank: int32(i + 1), Cand: c})
		}
	}
	return seen, len(cands)
}

func TestByEvidence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		ranking []int32
		target  uint
		counted bool
		hits    []rank.Hit
		items   int
	}{
		{"one gain credits both units", []int32{-1, 0}, 0, false, []rank.Hit{{Rank: 2, Items: 2, Gain: 1}}, 3},
		{"a unit is credited once", []int32{0, 1}, 0, false, []rank.Hit{{Rank: 1, Items: 2, Gain: 1}}, 3},
		{"a gain for the unit still open", []int32{1, -1, 0, 2}, 0, false, []rank.Hit{{1, 1, 1}, {3, 1, 1}, {4, 1, 1}}, 3},
		{"another target, other units", []int32{0, 1, 2, 3}, 1, false, []rank.Hit{{1, 1, 1}, {4, 1, 1}}, 2},
		{"units without a memory are counted", []int32{0, 1, 2, 3}, 1, true, []rank.Hit{{1, 1, 1}, {4, 1, 1}}, 3},
		{"a target that credits nothing", []int32{0, 1, 2, 3, 4}, 2, false, nil, 0},
		{"a target that credits nothing, counted", []int32{0, 1, 2, 3, 4}, 2, true, nil, 3},
		{"an empty ranking", nil, 0, false, nil, 3},
		{"no candidate ranked", []int32{-1, -1, 4}, 0, false, nil, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s rank.Scorer
			seen, length := at(tt.ranking...)
			r := s.ByEvidence(&query, seen, length, tt.target, tt.counted)
			assert.Equal(t, tt.hits, r.Hits)
			assert.Equal(t, tt.items, r.Items)
			assert.Equal(t, length, r.Length)
			assert.Nil(t, r.Ideal)
		})
	}
}

// TestByEvidenceValues follows one ranking to its numbers: gains at the ranks 1
// and 3 credit two of three units.
func TestByEvidenceValues(t *testing.T) {
	t.Parallel()
	var s rank.Scorer
	seen, length := at(1, -1, 0, -1, -1)
	r := s.ByEvidence(&query, seen, length, 0, false)
	for m, want := range map[rank.Metric]float64{
		{Kind: rank.NDCG}:            1.5 / (1 + d2 + 0.5),
		{Kind: rank.Recall, K: 2}:    1.0 / 3,
		{Kind: rank.Recall, K: 3}:    2.0 / 3,
		{Kind: rank.MRR}:             1,
		{Kind: rank.Precision, K: 5}: 0.4,
		{Kind: rank.AP}:              (1 + 2.0/3) / 3,
		{Kind: rank.RPrec}:           2.0 / 3,
		{Kind: rank.All}:             0,
		{Kind: rank.Top1}:            1,
	} {
		assert.InDelta(t, want, m.Value(r), 1e-15, "%v", m)
	}
}

func TestByMemory(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		ranking []int32
		target  uint
		hits    []rank.Hit
		items   int
	}{
		{"each memory is an item, however many its units", []int32{0, 1, -1, 2}, 0, []rank.Hit{{1, 1, 1}, {2, 1, 1}, {4, 1, 1}}, 3},
		{"memories without a unit under the target are none", []int32{4, 1, 0}, 1, []rank.Hit{{3, 1, 1}}, 2},
		{"a target that credits nothing", []int32{0, 1}, 2, nil, 0},
		{"an empty ranking", nil, 0, nil, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s rank.Scorer
			seen, length := at(tt.ranking...)
			r := s.ByMemory(&query, seen, length, tt.target)
			assert.Equal(t, tt.hits, r.Hits)
			assert.Equal(t, tt.items, r.Items)
			assert.Equal(t, length, r.Length)
			assert.Nil(t, r.Ideal)
		})
	}
}

// TestHighestTarget uses the last of the 64 bits.
func TestHighestTarget(t *testing.T) {
	t.Parallel()
	c := rank.Candidates{Start: []int32{0, 1}, Pairs: []rank.Pair{{Unit: 0, Targets: 1 << 63}}, Units: 1}
	var s rank.Scorer
	seen, length := at(0)
	assert.Equal(t, 1, s.ByEvidence(&c, seen, length, 63, false).Items)
	assert.Equal(t, 0, s.ByEvidence(&c, seen, length, 62, false).Items)
	assert.Len(t, s.ByMemory(&c, seen, length, 63).Hits, 1)
	assert.Empty(t, s.ByMemory(&c, seen, length, 62).Hits)
}

func TestGraded(t *testing.T) {
	t.Parallel()
	// Candidates by number: grades 2, 1, 0, -1, unjudged here, and 3.
	grades := []int32{2, 1, 0, -1, rank.Unjudged, 3}
	tests := []struct {
		name       string
		ranking    []int32
		level      int32
		judgedOnly bool
		hits       []rank.Hit
		items      int
		length     int
	}{
		{"grades are gains", []int32{4, 1, 0, 3}, 1, false, []rank.Hit{{2, 1, 1}, {3, 1, 2}}, 3, 4},
		{"below the level: a gain, no item", []int32{1, 0, 5}, 2, false, []rank.Hit{{1, 0, 1}, {2, 1, 2}, {3, 1, 3}}, 2, 3},
		{"above every grade", []int32{1, 0, 5}, 4, false, []rank.Hit{{1, 0, 1}, {2, 0, 2}, {3, 0, 3}}, 0, 3},
		{"judged only: others leave the ranking", []int32{-1, 4, 2, 3, 0, -1, 1}, 1, true, []rank.Hit{{2, 1, 2}, {3, 1, 1}}, 3, 3},
		{"not judged only: they keep their ranks", []int32{-1, 4, 2, 3, 0, -1, 1}, 1, false, []rank.Hit{{5, 1, 2}, {7, 1, 1}}, 3, 7},
		{"an empty ranking", nil, 1, true, nil, 3, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s rank.Scorer
			seen, length := at(tt.ranking...)
			r := s.Graded(grades, seen, length, tt.level, tt.judgedOnly)
			assert.Equal(t, tt.hits, r.Hits)
			assert.Equal(t, tt.items, r.Items)
			assert.Equal(t, tt.length, r.Length)
			assert.Equal(t, []float64{3, 2, 1}, r.Ideal, "the level changes no gain")
		})
	}
	var s rank.Scorer
	seen, length := at(0, 1)
	r := s.Graded([]int32{0, -1}, seen, length, 1, false)
	assert.Zero(t, r.Items)
	assert.Empty(t, r.Hits)
	assert.Zero(t, rank.Metric{Kind: rank.NDCG}.Value(r), "nothing relevant scores 0")
}

// TestScorerReuse checks that nothing of one query reaches the next.
func TestScorerReuse(t *testing.T) {
	t.Parallel()
	seen, length := at(0, 1, 2, 3)
	var reused rank.Scorer
	large := rank.Candidates{Start: []int32{0, 2}, Pairs: []rank.Pair{{Unit: 7, Targets: 1}, {Unit: 8, Targets: 1}}, Units: 9}
	for range 2 {
		first, n := at(0)
		require.Equal(t, 9, reused.ByEvidence(&large, first, n, 0, true).Items)
		require.Equal(t, []float64{9}, reused.Graded([]int32{9}, first, n, 1, false).Ideal)
		for target := range uint(3) {
			want := new(rank.Scorer).ByEvidence(&query, seen, length, target, false)
			got := reused.ByEvidence(&query, seen, length, target, false)
			assert.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty()))
			want = new(rank.Scorer).ByMemory(&query, seen, length, target)
			got = reused.ByMemory(&query, seen, length, target)
			assert.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty()))
		}
	}
}

// TestScorerAllocates is not parallel, as testing.AllocsPerRun demands.
func TestScorerAllocates(t *testing.T) {
	seen, length := at(0, 1, 2, 3)
	grades := []int32{3, 1, 2, 0, -1}
	var s rank.Scorer
	use := func() {
		s.ByEvidence(&query, seen, length, 0, false)
		s.ByMemory(&query, seen, length, 0)
		s.Graded(grades, seen, length, 1, true)
	}
	use()
	assert.Zero(t, testing.AllocsPerRun(100, use))
}
