package lineage

import (
	"cmp"
	"slices"
)

// Graph is the lineage of the items of one store. It may be read by several
// goroutines at once.
type Graph struct {
	own      Table[Link] // of each item, ascending by turn, each turn once
	parents  Table[int32]
	children Table[int32]
	linked   []bool
}

// New returns the lineage of items with their own links and their parents. When
// parents form a cycle it returns the items of one cycle, in order, instead.
func New(own Table[Link], parents Table[int32]) (g *Graph, cycle []int32) {
	order, cycle := parentsFirst(parents)
	if cycle != nil {
		return nil, cycle
	}
	g = &Graph{own: merged(own), parents: parents, children: inverted(parents), linked: make([]bool, own.Len())}
	for _, i := range order {
		g.linked[i] = len(own.List(int(i))) > 0 ||
			slices.ContainsFunc(parents.List(int(i)), func(p int32) bool { return g.linked[p] })
	}
	return g, nil
}

// merged returns the lists with their links sorted and those of one turn joined.
func merged(own Table[Link]) Table[Link] {
	out := Table[Link]{Start: make([]int32, 1, len(own.Start)), Items: make([]Link, 0, len(own.Items))}
	for i := range own.Len() {
		out.Items = append(out.Items, own.List(i)...)
		start := out.Start[i]
		out.Items = out.Items[:int(start)+len(merge(out.Items[start:]))]
		out.Add()
	}
	return out
}

// merge sorts links by turn and joins those of one turn, in place.
func merge(links []Link) []Link {
	if len(links) < 2 {
		return links
	}
	slices.SortFunc(links, func(a, b Link) int { return cmp.Compare(a.Turn, b.Turn) })
	out := links[:1]
	for _, l := range links[1:] {
		if last := &out[len(out)-1]; last.Turn == l.Turn {
			last.Routes |= l.Routes
		} else {
			out = append(out, l)
		}
	}
	return out
}

// inverted lists the children of each item, ascending.
func inverted(parents Table[int32]) Table[int32] {
	n := parents.Len()
	if len(parents.Items) == 0 {
		return Table[int32]{Start: make([]int32, n+1)}
	}
	out := Table[int32]{Start: make([]int32, n+2), Items: make([]int32, len(parents.Items))}
	next := out.Start[1:] // ends as the starts of the lists that follow
	for _, p := range parents.Items {
		out.Start[p+2]++
	}
	for i := range n {
		next[i+1] += next[i]
	}
	for i := range n {
		for _, p := range parents.List(i) {
			out.Items[next[p]] = int32(i)
			next[p]++
		}
	}
	out.Start = out.Start[:n+1]
	return out
}

// Len is the number of items.
func (g *Graph) Len() int { return g.own.Len() }

// Linked reports whether an item descends from any turn.
func (g *Graph) Linked(item int) bool { return g.linked[item] }

// Named marks the turns from which any item descends.
func (g *Graph) Named(turns []bool) {
	for _, l := range g.own.Items {
		turns[l.Turn] = true
	}
}

// Walker finds the links of items one after the other, reusing its memory. It is
// not safe for concurrent use.
type Walker struct {
	g       *Graph
	seen    []int32 // the last round in which an item was met
	round   int32
	pending []int32
	links   []Link
	steps   int // items and links met so far
}

// Walker returns a new walker.
func (g *Graph) Walker() *Walker { return &Walker{g: g} }

// Links returns the links of an item, ascending by turn, each turn once: its own
// and those of its parents, transitively. They hold until the next call and must
// not be changed.
func (w *Walker) Links(item int32) []Link {
	g := w.g
	if len(g.parents.List(int(item))) == 0 {
		return g.own.List(int(item))
	}
	w.links = w.links[:0]
	w.walk(item, func(own []Link) { w.links = append(w.links, own...) })
	w.links = merge(w.links)
	return w.links
}

// walk calls visit with the own links of an item and of all that it descends from.
func (w *Walker) walk(item int32, visit func(own []Link)) {
	g := w.g
	if w.seen == nil {
		w.seen = make([]int32, g.Len())
	}
	w.round++
	w.seen[item] = w.round
	w.pending = append(w.pending[:0], item)
	for len(w.pending) > 0 {
		last := len(w.pending) - 1
		i := int(w.pending[last])
		w.pending = w.pending[:last]
		own, parents := g.own.List(i), g.parents.List(i)
		visit(own)
		w.steps += len(own) + len(parents)
		for _, p := range parents {
			if w.seen[p] != w.round && g.linked[p] {
				w.seen[p] = w.round
				w.pending = append(w.pending, p)
			}
		}
	}
}

// Holders returns for each turn, of which wanted has one flag each, the items that
// descend from it, ascending, each once; none for turns that are not wanted. When
// items inherit more links to these turns than limit, it is not ok, and at is the
// item that is one too many.
func (g *Graph) Holders(wanted []bool, limit int) (holders Table[Holder], at int32, ok bool) {
	own := g.ownHolders(wanted)
	if len(g.parents.Items) == 0 {
		return own, 0, true
	}
	holders = NewTable[Holder](len(wanted))
	holders.Items = make([]Holder, 0, len(own.Items))
	routes := make([]Routes, g.Len()) // from the items met to the turn
	var pending []int32
	reach := func(item int32, by Routes) {
		before := routes[item]
		if before|by == before {
			return
		}
		if before == 0 {
			holders.Items = append(holders.Items, Holder{Item: item})
		}
		routes[item] = before | by
		if len(g.children.List(int(item))) > 0 {
			pending = append(pending, item)
		}
	}
	for t := range wanted {
		for _, h := range own.List(t) {
			reach(h.Item, h.Routes)
		}
		for len(pending) > 0 {
			last := len(pending) - 1
			item := pending[last]
			pending = pending[:last]
			for _, c := range g.children.List(int(item)) {
				reach(c, routes[item])
			}
			if n := len(holders.Items); n-int(own.Start[t+1]) > limit {
				return Table[Holder]{}, holders.Items[n-1].Item, false
			}
		}
		found := holders.Items[holders.Start[t]:]
		for i := range found {
			found[i].Routes = routes[found[i].Item]
			routes[found[i].Item] = 0
		}
		slices.SortFunc(found, func(a, b Holder) int { return cmp.Compare(a.Item, b.Item) })
		holders.Add()
	}
	return holders, 0, true
}

// ownHolders is Holders by own links alone.
func (g *Graph) ownHolders(wanted []bool) Table[Holder] {
	out := Table[Holder]{Start: make([]int32, len(wanted)+2)}
	for _, l := range g.own.Items {
		if wanted[l.Turn] {
			out.Start[l.Turn+2]++
		}
	}
	next := out.Start[1:]
	for t := range wanted {
		next[t+1] += next[t]
	}
	out.Items = make([]Holder, next[len(wanted)])
	for i := range g.Len() {
		for _, l := range g.own.List(i) {
			if wanted[l.Turn] {
				out.Items[next[l.Turn]] = Holder{int32(i), l.Routes}
				next[l.Turn]++
			}
		}
	}
	out.Start = out.Start[:len(wanted)+1]
	return out
}
