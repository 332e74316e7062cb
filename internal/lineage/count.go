package lineage

// Count counts the links of all items by their routes. It gives up, and is not ok,
// when that takes more than about the given number of steps: a store of n items
// takes few more than it has links and parents of its own, unless many items with
// several parents descend from many others. It gives up too where an int of 32 bits
// cannot hold a count.
//
// An item with one parent has the links of that parent and its own. So items are
// visited as trees of which each begins at an item with no parent or several, and
// what the links are on the way is kept, and taken back when a branch ends.
func (g *Graph) Count(turns, steps int) (byRoutes [1 << routeBits]int, ok bool) {
	now := make([]Routes, turns) // routes of the item visited to each turn
	var at [1 << routeBits]int   // byRoutes of that item
	type change struct {
		turn   int32
		before Routes
	}
	type visit struct {
		item, next int32 // next is the child to look at
		undo       int   // changes before it
	}
	tooMany := false // for an int
	var changes []change
	var path []visit
	add := func(links []Link) {
		for _, l := range links {
			before := now[l.Turn]
			after := before | l.Routes
			if after == before {
				continue
			}
			changes = append(changes, change{l.Turn, before})
			now[l.Turn] = after
			at[before]--
			at[after]++
		}
	}
	enter := func(item int32, add func()) {
		path = append(path, visit{item: item, undo: len(changes)})
		add()
		for r := 1; r < len(at); r++ {
			byRoutes[r] += at[r]
			tooMany = tooMany || byRoutes[r] < 0
		}
	}
	w := g.Walker()
	for root := range g.Len() {
		if !g.linked[root] || len(g.parents.List(root)) == 1 && g.linked[g.parents.List(root)[0]] {
			continue
		}
		if len(g.parents.List(root)) == 0 && len(g.children.List(root)) == 0 { // as most are
			own := g.own.List(root)
			for _, l := range own {
				byRoutes[l.Routes]++
				tooMany = tooMany || byRoutes[l.Routes] < 0
			}
			w.steps += len(own)
		} else {
			enter(int32(root), func() { w.walk(int32(root), add) })
		}
		if w.steps > steps || tooMany {
			return byRoutes, false
		}
		for len(path) > 0 {
			top := &path[len(path)-1]
			children := g.children.List(int(top.item))
			if int(top.next) < len(children) {
				c := children[top.next]
				top.next++
				if len(g.parents.List(int(c))) == 1 {
					enter(c, func() { add(g.own.List(int(c))) })
				}
				continue
			}
			for len(changes) > top.undo {
				c := changes[len(changes)-1]
				changes = changes[:len(changes)-1]
				at[now[c.turn]]--
				at[c.before]++
				now[c.turn] = c.before
			}
			path = path[:len(path)-1]
		}
	}
	return byRoutes, !tooMany
}
