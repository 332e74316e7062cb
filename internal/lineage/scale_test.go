package lineage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/lineage"
)

// rolling returns n items over as many turns: each descends from a turn of its own
// and from as many items before it as it has parents.
func rolling(t testing.TB, n, parents int) *lineage.Graph {
	own, by := lineage.NewTable[lineage.Link](n), lineage.NewTable[int32](n)
	for i := range int32(n) {
		own.Items = append(own.Items, lineage.Link{Turn: i, Routes: exact})
		own.Add()
		for p := i - 1; p >= max(0, i-int32(parents)); p-- {
			by.Items = append(by.Items, p)
		}
		by.Add()
	}
	g, cycle := lineage.New(own, by)
	require.Nil(t, cycle)
	return g
}

// Rolling summaries of a million items have 5e11 links. What is asked of them is
// found all the same, or refused, in a few steps an item.
func TestRollingScale(t *testing.T) {
	t.Parallel()
	const n = 1_000_000
	g := rolling(t, n, 1)
	counts, ok := g.Count(n, 10*n)
	require.True(t, ok)
	assert.Equal(t, n*(n+1)/2, counts[exact])

	wanted := make([]bool, n)
	wanted[0], wanted[n-10] = true, true
	holders, _, ok := g.Holders(wanted, 2*n)
	require.True(t, ok)
	assert.Len(t, holders.List(0), n)
	assert.Len(t, holders.List(n-10), 10)
	assert.Empty(t, holders.List(1))
	assert.Equal(t, lineage.Holder{Item: n - 1, Routes: exact}, holders.List(0)[n-1])

	for i := range wanted {
		wanted[i] = true
	}
	_, at, ok := g.Holders(wanted, 2*n)
	assert.False(t, ok)
	assert.Positive(t, at)
	assert.Len(t, g.Walker().Links(n-1), n)
}

// Items with two parents each are too many to count at some size, which Count says
// soon.
func TestCountGivesUp(t *testing.T) {
	t.Parallel()
	const n = 1000
	counts, ok := rolling(t, n, 2).Count(n, 4*n*n)
	require.True(t, ok)
	assert.Equal(t, n*(n+1)/2, counts[exact])

	const many = 100_000
	_, ok = rolling(t, many, 2).Count(many, 100*many)
	assert.False(t, ok)
}

// A million parents of one item are a million links.
func TestManyParents(t *testing.T) {
	t.Parallel()
	const n = 1_000_000
	own, by := lineage.NewTable[lineage.Link](n+1), lineage.NewTable[int32](n+1)
	for i := range int32(n) {
		own.Items = append(own.Items, lineage.Link{Turn: i, Routes: exact})
		own.Add()
		by.Add()
	}
	for i := range int32(n) {
		by.Items = append(by.Items, i)
	}
	own.Add()
	by.Add()
	g, cycle := lineage.New(own, by)
	require.Nil(t, cycle)
	assert.Len(t, g.Walker().Links(n), n)
	counts, ok := g.Count(n, 4*n)
	require.True(t, ok)
	assert.Equal(t, 2*n, counts[exact])
}

func BenchmarkHolders(b *testing.B) {
	const n = 8000
	g := rolling(b, n, 1)
	wanted := make([]bool, n)
	for i := range wanted {
		wanted[i] = i%40 == 0
	}
	for b.Loop() {
		if _, _, ok := g.Holders(wanted, 1<<24); !ok {
			b.Fatal("too many")
		}
	}
}
