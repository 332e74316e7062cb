// Package tally counts what a reader meets, by kind, and keeps where each kind
// was met first.
package tally

import (
	"iter"
	"maps"
	"slices"
)

// Tally counts by kind. The zero value is empty and ready to use. It is not safe
// for concurrent use.
type Tally struct {
	kinds map[string]entry
}

type entry struct {
	n     int
	first string
}

// Add counts one more of a kind, met at a place.
func (t *Tally) Add(kind, at string) { t.AddN(kind, 1, at) }

// AddN counts n more of a kind, the first of them met at a place. n below 1 counts
// nothing.
func (t *Tally) AddN(kind string, n int, at string) {
	if n < 1 {
		return
	}
	if t.kinds == nil {
		t.kinds = make(map[string]entry)
	}
	e, ok := t.kinds[kind]
	if !ok {
		e.first = at
	}
	e.n += n
	t.kinds[kind] = e
}

// Count returns how many of a kind there were.
func (t *Tally) Count(kind string) int { return t.kinds[kind].n }

// Kind is one kind with its count and where it was met first.
type Kind struct {
	Name  string
	Count int
	First string
}

// All yields the kinds by name.
func (t *Tally) All() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for _, name := range slices.Sorted(maps.Keys(t.kinds)) {
			e := t.kinds[name]
			if !yield(Kind{name, e.n, e.first}) {
				return
			}
		}
	}
}
