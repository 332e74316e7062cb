// Package lineage resolves which turns each stored item descends from, directly
// or through other items. Items and turns are integers.
//
// Items of which each has the one before as a parent, as rolling summaries do, have
// links that grow with the square of their number. A [Graph] never holds all: it
// finds those of an item, or those to a few turns, when asked.
package lineage

import "slices"

// Routes is the set of ways in which an item descends from a turn: one bit for
// each pair of precision and origin. Along a chain the weakest link counts; of
// several routes all are kept, so that a target can ask for any of them.
type Routes uint8

const routeBits = 6

// Precision says how closely a link names the turn.
type Precision uint8

// The precisions, best first.
const (
	Exact     Precision = iota // the very turn
	Batch                      // a batch of turns processed together
	Container                  // a session or document that holds the turn
)

// Route is the set that holds one route.
func Route(p Precision, inferred bool) Routes {
	r := Routes(1) << p
	if inferred {
		r <<= 3
	}
	return r
}

// Sets of routes that targets ask for.
const (
	Recorded Routes = 0b000111
	Inferred Routes = 0b111000
	Precise  Routes = 0b001001 // of precision exact, recorded or inferred
)

// Link says by which routes an item descends from a turn.
type Link struct {
	Turn   int32
	Routes Routes
}

// Holder is an item that descends from a turn.
type Holder struct {
	Item   int32
	Routes Routes
}

// Table is a list of lists: list i is Items[Start[i]:Start[i+1]].
type Table[T any] struct {
	Start []int32
	Items []T
}

// NewTable returns a table with room for n lists.
func NewTable[T any](n int) Table[T] {
	return Table[T]{Start: append(make([]int32, 0, n+1), 0)}
}

// Add appends a list that holds the items appended to Items since the last one.
func (t *Table[T]) Add() { t.Start = append(t.Start, int32(len(t.Items))) }

// Len is the number of lists.
func (t Table[T]) Len() int { return len(t.Start) - 1 }

// List returns list i.
func (t Table[T]) List(i int) []T { return t.Items[t.Start[i]:t.Start[i+1]] }

// parentsFirst orders the items so that parents come before their children. It
// walks without recursion: a chain of parents may be as long as the store.
func parentsFirst(parents Table[int32]) (order, cycle []int32) {
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, parents.Len())
	order = make([]int32, 0, parents.Len())
	type frame struct{ item, next int32 }
	var path []frame
	for root := range parents.Len() {
		if state[root] != unseen {
			continue
		}
		state[root] = open
		path = append(path[:0], frame{item: int32(root)})
		for len(path) > 0 {
			top := &path[len(path)-1]
			ps := parents.List(int(top.item))
			if int(top.next) == len(ps) {
				state[top.item] = done
				order = append(order, top.item)
				path = path[:len(path)-1]
				continue
			}
			p := ps[top.next]
			top.next++
			switch state[p] {
			case unseen:
				state[p] = open
				path = append(path, frame{item: p})
			case open:
				i := slices.IndexFunc(path, func(f frame) bool { return f.item == p })
				for _, f := range path[i:] {
					cycle = append(cycle, f.item)
				}
				return nil, cycle
			}
		}
	}
	return order, nil
}
