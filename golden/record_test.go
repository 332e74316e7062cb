package golden

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// A record is the same in whatever order systems and known findings stand.
func TestRecordOrder(t *testing.T) {
	t.Parallel()
	encoded := func(names ...string) string {
		b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "order", Headline: "canonical"}}
		b.AddTurn("t", "word")
		b.AddQuery("q", "which?", "word")
		for _, name := range names {
			s := b.AddSystem(name, map[string]string{"A": "one", "B": "one", "C": "another", "D": "another"}[name])
			s.AddMemory("raw", "raw", "t").AddMemory("fact", "fact", "t")
			ranking := []string{"raw", "fact"}
			if name == "B" || name == "C" {
				slices.Reverse(ranking)
			}
			s.AddRanking("q", ranking...)
		}
		var known []tiaptest.Finding
		for i, a := range names {
			for _, other := range names[i+1:] {
				for _, m := range []tiaptest.Metric{tiaptest.MRR(5), tiaptest.NDCG(5)} {
					known = append(known, tiaptest.Finding{A: a, B: other, Metric: m, Targets: [2]tiaptest.Target{tiaptest.Canonical, tiaptest.Raw}, Reason: "it is served"})
				}
			}
		}
		a, err := tiaptest.Rescore(b, tiaptest.Depth(5), tiaptest.Metrics(tiaptest.NDCG(5), tiaptest.MRR(5)), tiaptest.Known(known...))
		require.NoError(t, err)
		r, err := NewRecord(a)
		require.NoError(t, err)
		require.Len(t, r.content.Known, 8)
		require.True(t, slices.IsSortedFunc(r.content.Known, func(f, g flipRecord) int {
			return cmp.Or(strings.Compare(f.A, g.A), strings.Compare(f.B, g.B), strings.Compare(f.Metric, g.Metric))
		}))
		text, err := r.content.encode()
		require.NoError(t, err)
		return string(text)
	}
	want := encoded("A", "B", "C", "D")
	for _, names := range [][]string{{"D", "C", "B", "A"}, {"C", "A", "D", "B"}} {
		assert.Equal(t, want, encoded(names...), "%v", names)
	}
}

// Systems that share no query have no winner, which is no tie: neither in what would be
// recorded nor in what a store means.
func TestRecordOfNothingShared(t *testing.T) {
	t.Parallel()
	for _, both := range []bool{false, true} {
		b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "apart"}}
		for _, q := range []string{"1", "2"} {
			b.AddTurn("t"+q, "word "+q).AddQuery("q"+q, "which?", "word "+q)
		}
		for i, name := range []string{"A", "B"} {
			s := b.AddSystem(name, "")
			for k, q := range []string{"1", "2"} {
				if both || i == k {
					s.AddMemory("m"+q, "raw", "t"+q)
				}
			}
			s.AddRanking("q1", "m1").AddRanking("q2", "m2")
		}
		a, err := tiaptest.Rescore(b, tiaptest.Depth(5), tiaptest.Targets(tiaptest.Raw), tiaptest.Metrics(tiaptest.MRR(5)))
		require.NoError(t, err)
		r, err := NewRecord(a)
		require.NoError(t, err)
		want := "none"
		if both {
			want = "a tie"
		}
		assert.Regexp(t, `(?m)^ *winner of A, B +`+want+`$`, r.content.preview())
		store, err := newStoreRecord(b.Systems[0], []StoreOption{Audited(a)})
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"mrr@5 of A and B under raw": want}, store.Winners)
	}
}
