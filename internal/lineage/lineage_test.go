package lineage_test

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/lineage"
)

const exact = lineage.Routes(1) << lineage.Exact

// item is a stored item as a test writes it down.
type item struct {
	links   []lineage.Link
	parents []int32
}

func tablesOf(items []item) (own lineage.Table[lineage.Link], parents lineage.Table[int32]) {
	own, parents = lineage.NewTable[lineage.Link](len(items)), lineage.NewTable[int32](len(items))
	for _, it := range items {
		own.Items = append(own.Items, it.links...)
		own.Add()
		parents.Items = append(parents.Items, it.parents...)
		parents.Add()
	}
	return own, parents
}

// lists writes the links of all items as one list an item, empty lists as nil.
func lists(g *lineage.Graph) [][]lineage.Link {
	out := make([][]lineage.Link, g.Len())
	w := g.Walker()
	for i := range out {
		out[i] = append([]lineage.Link(nil), w.Links(int32(i))...)
	}
	return out
}

// turns are links of precision exact, recorded.
func turns(ts ...int32) (links []lineage.Link) {
	for _, t := range ts {
		links = append(links, lineage.Link{Turn: t, Routes: exact})
	}
	return links
}

func TestLinks(t *testing.T) {
	t.Parallel()
	batch, container := lineage.Route(lineage.Batch, false), lineage.Route(lineage.Container, false)
	inferred := lineage.Route(lineage.Exact, true)
	tests := []struct {
		name  string
		items []item
		want  [][]lineage.Link
	}{
		{"no item", nil, [][]lineage.Link{}},
		{"no lineage", []item{{}, {}}, [][]lineage.Link{nil, nil}},
		{
			"own links are sorted, each turn once",
			[]item{{links: turns(7, 2, 7, 5)}},
			[][]lineage.Link{turns(2, 5, 7)},
		},
		{
			"a parent gives its links, before or after its child",
			[]item{{links: turns(3), parents: []int32{1}}, {links: turns(1)}, {parents: []int32{1}}},
			[][]lineage.Link{turns(1, 3), turns(1), turns(1)},
		},
		{
			"grandparents",
			[]item{{parents: []int32{1}}, {parents: []int32{2}}, {links: turns(4, 6)}},
			[][]lineage.Link{turns(4, 6), turns(4, 6), turns(4, 6)},
		},
		{
			"a child gives its parent nothing",
			[]item{{}, {links: turns(1), parents: []int32{0}}},
			[][]lineage.Link{nil, turns(1)},
		},
		{
			"a diamond meets its root once",
			[]item{{links: turns(9)}, {links: turns(1), parents: []int32{0}}, {links: turns(2), parents: []int32{0}}, {parents: []int32{1, 2}}},
			[][]lineage.Link{turns(9), turns(1, 9), turns(2, 9), turns(1, 2, 9)},
		},
		{
			"the same parent twice",
			[]item{{links: turns(1)}, {parents: []int32{0, 0}}},
			[][]lineage.Link{turns(1), turns(1)},
		},
		{
			"along a chain the link to the turn decides",
			[]item{{links: []lineage.Link{{Turn: 1, Routes: batch}}}, {parents: []int32{0}}, {parents: []int32{1}}},
			[][]lineage.Link{{{1, batch}}, {{1, batch}}, {{1, batch}}},
		},
		{
			"several routes to a turn are all kept",
			[]item{
				{links: []lineage.Link{{1, container}, {2, inferred}}},
				{links: []lineage.Link{{1, inferred}, {1, exact}}},
				{links: []lineage.Link{{2, batch}}, parents: []int32{0, 1}},
			},
			[][]lineage.Link{
				{{1, container}, {2, inferred}},
				{{1, exact | inferred}},
				{{1, container | exact | inferred}, {2, batch | inferred}},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			own, parents := tablesOf(tt.items)
			ownItems, parentItems := slices.Clone(own.Items), slices.Clone(parents.Items)
			g, cycle := lineage.New(own, parents)
			require.Nil(t, cycle)
			assert.Equal(t, tt.want, lists(g))
			for i, want := range tt.want {
				assert.Equal(t, len(want) > 0, g.Linked(i), "item %d", i)
			}
			assert.Equal(t, ownItems, own.Items, "the arguments are only read")
			assert.Equal(t, parentItems, parents.Items, "the arguments are only read")
		})
	}
}

// TestManyTurns takes an item over 10,000 turns with a child for each
// half of them and a grandchild that meets all again.
func TestManyTurns(t *testing.T) {
	t.Parallel()
	const n = 10_000
	var all []int32
	for i := range int32(n) {
		all = append(all, i)
	}
	mixed := slices.Clone(all)
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	own, parents := tablesOf([]item{
		{links: turns(mixed[:n/2]...)},
		{links: turns(mixed[n/2:]...)},
		{links: turns(mixed...), parents: []int32{0, 1}},
		{parents: []int32{1, 0, 2}},
	})
	g, cycle := lineage.New(own, parents)
	require.Nil(t, cycle)
	resolved := lists(g)
	assert.Equal(t, turns(slices.Sorted(slices.Values(mixed[:n/2]))...), resolved[0])
	assert.Equal(t, turns(all...), resolved[2])
	assert.Equal(t, turns(all...), resolved[3])
}

func TestCycle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		parents [][]int32
		want    []int32
	}{
		{"an item that is its own parent", [][]int32{{}, {1}}, []int32{1}},
		{"two items", [][]int32{{1}, {0}}, []int32{0, 1}},
		{"each before its parent", [][]int32{{2}, {0}, {3}, {1}}, []int32{0, 2, 3, 1}},
		{"the way to the cycle is no part of it", [][]int32{{1}, {2}, {3}, {2}}, []int32{2, 3}},
		{"beside sound parents", [][]int32{{}, {0, 2}, {0, 3, 1}, {0}}, []int32{1, 2}},
		{"behind an item met before", [][]int32{{1}, {}, {3}, {2}}, []int32{2, 3}},
		{"behind a diamond", [][]int32{{1, 2}, {3}, {3}, {4}, {3}}, []int32{3, 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			items := make([]item, len(tt.parents))
			for i, ps := range tt.parents {
				items[i] = item{links: turns(int32(i)), parents: ps}
			}
			g, cycle := lineage.New(tablesOf(items))
			assert.Equal(t, tt.want, cycle)
			assert.Nil(t, g)
		})
	}
}

// TestLongChain resolves a chain of a million parents, stored child
// first, with a stack that a call for each item would overflow. It is not
// parallel, since the limit holds for all goroutines.
func TestLongChain(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	const n = 1_000_000
	own, parents := lineage.NewTable[lineage.Link](n), lineage.NewTable[int32](n)
	for i := range int32(n) {
		if i < n-1 {
			parents.Items = append(parents.Items, i+1)
		} else {
			own.Items = append(own.Items, turns(5)...)
		}
		own.Add()
		parents.Add()
	}
	g, cycle := lineage.New(own, parents)
	require.Nil(t, cycle)
	require.Equal(t, n, g.Len())
	w := g.Walker()
	for _, i := range []int32{0, 1, n / 2, n - 1} {
		assert.Equal(t, turns(5), w.Links(i))
	}

	parents.Items = append(parents.Items, 0)
	parents.Start[n]++
	_, cycle = lineage.New(own, parents)
	require.Len(t, cycle, n)
	assert.Equal(t, []int32{0, 1, 2}, cycle[:3])
	assert.Equal(t, int32(n-1), cycle[n-1])
}

// TestLadder has two routes at each of 60 steps: a walk of every route
// would not end.
func TestLadder(t *testing.T) {
	t.Parallel()
	items := []item{{links: turns(1)}, {links: turns(2)}}
	for range 60 {
		n := int32(len(items))
		items = append(items, item{parents: []int32{n - 1, n - 2}}, item{parents: []int32{n - 2, n - 1}})
	}
	g, cycle := lineage.New(tablesOf(items))
	require.Nil(t, cycle)
	assert.Equal(t, turns(1, 2), g.Walker().Links(int32(len(items)-1)))
}

// drawItems draws up to 8 items over 4 turns; in half of the cases parents come
// first, so that there is no cycle.
func drawItems(t *rapid.T) (items []item, acyclic bool) {
	items = make([]item, rapid.IntRange(1, 8).Draw(t, "items"))
	acyclic = rapid.Bool().Draw(t, "acyclic")
	for i := range items {
		for range rapid.IntRange(0, 3).Draw(t, "links") {
			p := rapid.SampledFrom([]lineage.Precision{lineage.Exact, lineage.Batch, lineage.Container}).Draw(t, "precision")
			items[i].links = append(items[i].links, lineage.Link{
				Turn:   rapid.Int32Range(0, 3).Draw(t, "turn"),
				Routes: lineage.Route(p, rapid.Bool().Draw(t, "inferred")),
			})
		}
		for range rapid.IntRange(0, 2).Draw(t, "parents") {
			last := len(items) - 1
			if acyclic {
				last = i - 1
			}
			if last >= 0 {
				items[i].parents = append(items[i].parents, rapid.Int32Range(0, int32(last)).Draw(t, "parent"))
			}
		}
	}
	return items, acyclic
}

// TestRandom compares with a walk over every route, and cycles with what makes a
// cycle.
func TestRandom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		items, acyclic := drawItems(t)
		g, cycle := lineage.New(tablesOf(items))
		if cycle != nil {
			if acyclic {
				t.Fatalf("cycle %v among items whose parents come first", cycle)
			}
			for i, c := range cycle {
				if next := cycle[(i+1)%len(cycle)]; !slices.Contains(items[c].parents, next) {
					t.Fatalf("cycle %v: %d is no parent of %d", cycle, next, c)
				}
			}
			return
		}
		const turns = 4
		wanted := rapid.SliceOfN(rapid.Bool(), turns, turns).Draw(t, "wanted")
		named := make([]bool, turns)
		holders := make([][]lineage.Holder, turns)
		counts := [64]int{}
		inherited := 0
		w := g.Walker()
		for i := range items {
			want := make(map[int32]lineage.Routes)
			collect(t, items, int32(i), len(items), want)
			list := w.Links(int32(i))
			if len(list) != len(want) || !slices.IsSortedFunc(list, func(a, b lineage.Link) int { return int(a.Turn - b.Turn) }) {
				t.Fatalf("item %d: got %v, want %v", i, list, want)
			}
			if g.Linked(i) != (len(want) > 0) {
				t.Fatalf("item %d with %d links: linked is %t", i, len(want), g.Linked(i))
			}
			for turn, r := range want {
				named[turn] = true
				counts[r]++
				if wanted[turn] {
					holders[turn] = append(holders[turn], lineage.Holder{Item: int32(i), Routes: r})
					if !slices.ContainsFunc(items[i].links, func(l lineage.Link) bool { return l.Turn == turn }) {
						inherited++
					}
				}
			}
			for _, l := range list {
				if want[l.Turn] != l.Routes {
					t.Fatalf("item %d: turn %d has routes %b, want %b", i, l.Turn, l.Routes, want[l.Turn])
				}
			}
		}
		got := make([]bool, turns)
		if g.Named(got); !slices.Equal(got, named) {
			t.Fatalf("turns named: %v, want %v", got, named)
		}
		if got, ok := g.Count(turns, 1000); !ok || got != counts {
			t.Fatalf("counts %v (%t), want %v", got, ok, counts)
		}
		held, _, ok := g.Holders(wanted, inherited)
		if !ok {
			t.Fatalf("%d inherited links are too many", inherited)
		}
		if held.Len() != turns {
			t.Fatalf("holders of %d turns, not of %d", held.Len(), turns)
		}
		for turn := range int32(turns) {
			if list := held.List(int(turn)); !slices.Equal(list, holders[turn]) {
				t.Fatalf("turn %d is held by %v, want %v", turn, list, holders[turn])
			}
		}
		if _, at, ok := g.Holders(wanted, inherited-1); inherited > 0 && (ok || len(items[at].parents) == 0) {
			t.Fatalf("with one link too many: item %d, %t", at, ok)
		}
	})
}

func collect(t *rapid.T, items []item, i int32, steps int, into map[int32]lineage.Routes) {
	if steps == 0 {
		t.Fatalf("item %d lies on a cycle that was not reported", i)
	}
	for _, l := range items[i].links {
		into[l.Turn] |= l.Routes
	}
	for _, p := range items[i].parents {
		collect(t, items, p, steps-1, into)
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		precision                   lineage.Precision
		inferred                    bool
		recorded, isInferred, exact bool
	}{
		{lineage.Exact, false, true, false, true},
		{lineage.Batch, false, true, false, false},
		{lineage.Container, false, true, false, false},
		{lineage.Exact, true, false, true, true},
		{lineage.Batch, true, false, true, false},
		{lineage.Container, true, false, true, false},
	} {
		r := lineage.Route(tt.precision, tt.inferred)
		assert.Equal(t, tt.recorded, r&lineage.Recorded != 0, "%v", tt)
		assert.Equal(t, tt.isInferred, r&lineage.Inferred != 0, "%v", tt)
		assert.Equal(t, tt.exact, r&lineage.Precise != 0, "%v", tt)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	tab := lineage.NewTable[string](2)
	assert.Zero(t, tab.Len())
	tab.Items = append(tab.Items, "a", "b")
	tab.Add()
	tab.Add()
	tab.Items = append(tab.Items, "c")
	tab.Add()
	require.Equal(t, 3, tab.Len())
	assert.Equal(t, []string{"a", "b"}, tab.List(0))
	assert.Empty(t, tab.List(1))
	assert.Equal(t, []string{"c"}, tab.List(2))
}
