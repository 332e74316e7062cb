package lineage_test

import (
	"strconv"
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
	assert.Equal(t, strconv.IntSize == 64, ok, "5e11 are no int of 32 bits")
	if ok {
		assert.EqualValues(t, int64(n)*(n+1)/2, counts[exact])
	}

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

// A step is an item's own link or a parent of it; items with one parent, which have
// the links of that parent and their own, take none. Count does with as many steps as
// there are, and not with one less.
func TestCountSteps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		items []item
		steps int
	}{
		{"no links", []item{{}, {parents: []int32{0}}}, 0},
		{"own links", []item{{links: turns(0, 1)}, {links: turns(1)}}, 3},
		{"a chain", []item{{links: turns(0)}, {links: turns(1), parents: []int32{0}}, {parents: []int32{1}}}, 1},
		{"two parents", []item{{links: turns(0)}, {links: turns(1)}, {links: turns(0), parents: []int32{0, 1}}}, 7},
		{"two parents and their child", []item{{links: turns(0)}, {links: turns(1)}, {parents: []int32{0, 1}}, {links: turns(1), parents: []int32{2}}}, 6},
		{"a parent without links", []item{{}, {links: turns(0)}, {parents: []int32{0, 1}}}, 4},
	} {
		g, cycle := lineage.New(tablesOf(tt.items))
		require.Nil(t, cycle)
		want := 0
		for _, links := range lists(g) {
			want += len(links)
		}
		counts, ok := g.Count(2, tt.steps)
		assert.True(t, ok, tt.name)
		assert.Equal(t, want, counts[exact], tt.name)
		if tt.steps > 0 {
			_, ok = g.Count(2, tt.steps-1)
			assert.False(t, ok, tt.name)
		}
	}
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
