package tiaptest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// TestReciprocalRankConstant merges two lists in which x stands first and at rank 100,
// and y twice at rank 28. The sums 1/61 + 1/160 and 2/88 tell 60 from smaller
// constants: with 58 x would lead.
func TestReciprocalRankConstant(t *testing.T) {
	t.Parallel()
	b := new(tiaptest.Bundle)
	b.AddTurn("t", "word").AddTurn("elsewhere", "nothing").AddQuery("q", "which?", "word")
	s := b.AddSystem("A", "").AddMemory("y", "raw", "t").AddMemory("x", "raw", "elsewhere")
	var lists []tiaptest.List
	for n, x := range []int{1, 100} {
		l := tiaptest.List{Name: fmt.Sprint(n)}
		for rank := 1; rank <= 100; rank++ {
			switch id := fmt.Sprintf("%d/%d", n, rank); rank {
			case x:
				l.IDs = append(l.IDs, "x")
			case 28:
				l.IDs = append(l.IDs, "y")
			default:
				s.AddMemory(id, "raw", "elsewhere")
				l.IDs = append(l.IDs, id)
			}
		}
		lists = append(lists, l)
	}
	require.NoError(t, s.Ingests[0].Run.Add(tiaptest.Ranking{Query: "q", Lists: lists}))
	a, err := tiaptest.Rescore(b, tiaptest.Depth(200), tiaptest.Metrics(tiaptest.MRR(200)), tiaptest.Targets(tiaptest.Raw), tiaptest.Merge("rrf"))
	require.NoError(t, err)
	score, err := a.Score("A", tiaptest.Raw, tiaptest.MRR(200))
	require.NoError(t, err)
	assert.Equal(t, 1.0, score)
}
