package trec

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/parallel"
)

// lists are the entries of a file by query. The queries ascend by bytes.
type lists[V any] struct {
	ids     *intern.Table
	tags    []string // ascending
	queries []string
	docs    [][]uint32 // of each query
	values  [][]V      // beside docs
	suspect []bool     // of each query: whether a doc may repeat
}

// entry is one doc of a query.
type entry[V any] struct {
	doc   uint32
	value V
}

// group brings the lines of each query together, in the order of the file. In
// most files they stand together already; then nothing is copied.
func (r *reader[V]) group() *lists[V] {
	order := sorted(&r.queries)
	n := len(order)
	l := &lists[V]{
		ids:     r.ids,
		tags:    slices.Sorted(slices.Values(stringsOf(&r.tags))),
		queries: make([]string, n),
		docs:    make([][]uint32, n),
		values:  make([][]V, n),
		suspect: make([]bool, n),
	}
	names := stringsOf(&r.queries)
	place := make([]uint32, n) // of a query's symbol in that order
	for i, sym := range order {
		l.queries[i] = names[sym]
		place[sym] = uint32(i)
	}
	pieces, entries := make([]uint32, n), make([]int, n)
	for _, c := range r.chunks {
		for i := range c.segments {
			s := &c.segments[i]
			s.query = place[s.query]
			pieces[s.query]++
			entries[s.query] += int(s.count)
			l.suspect[s.query] = l.suspect[s.query] || c.repeats
		}
	}
	for _, c := range r.chunks {
		docs, values := c.docs, c.values
		for _, s := range c.segments {
			q := s.query
			if pieces[q] == 1 {
				l.docs[q], l.values[q] = docs[:s.count:s.count], values[:s.count:s.count]
			} else {
				if l.docs[q] == nil {
					l.docs[q], l.values[q] = make([]uint32, 0, entries[q]), make([]V, 0, entries[q])
					l.suspect[q] = true
				}
				l.docs[q] = append(l.docs[q], docs[:s.count]...)
				l.values[q] = append(l.values[q], values[:s.count]...)
			}
			docs, values = docs[s.count:], values[s.count:]
		}
		c.docs, c.values = nil, nil
	}
	return l
}

// repeat is an entry of which the query has an earlier one like it.
type repeat struct {
	query     int
	first, at int  // in the list of the query
	unique    bool // the value is repeated, not the doc
}

// sort orders the entries of each query and returns what repeats. Queries with
// repeats keep the order of the file. The result does not depend on the number
// of goroutines.
func (l *lists[V]) sort(f *format[V]) []repeat {
	var mu sync.Mutex
	var found []repeat
	parallel.Batches(len(l.queries), 64, func(left iter.Seq2[int, int]) {
		s := sorter[V]{lists: l, format: f}
		for from, end := range left {
			for q := from; q < end; q++ {
				s.sort(q)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		found = append(found, s.repeats...)
	})
	return found
}

// sorter orders one query after the other.
type sorter[V any] struct {
	*lists[V]
	format  *format[V]
	seen    set
	scratch []entry[V]
	repeats []repeat
}

func (s *sorter[V]) sort(query int) {
	docs, values := s.docs[query], s.values[query]
	known := len(s.repeats)
	if s.suspect[query] {
		s.seen.clear(len(docs))
		for i, doc := range docs {
			if first, ok := s.seen.add(doc, uint32(i)); ok {
				s.repeats = append(s.repeats, repeat{query: query, first: int(first), at: i})
			}
		}
	}
	if s.format.unique != nil {
		s.seen.clear(len(docs))
		for i, v := range values {
			if first, ok := s.seen.add(s.format.unique(v), uint32(i)); ok {
				s.repeats = append(s.repeats, repeat{query: query, first: int(first), at: i, unique: true})
			}
		}
	}
	if len(s.repeats) == known {
		s.format.sort(s.ids, docs, values, &s.scratch)
	}
}

// sortEntries sorts docs with the values beside them.
func sortEntries[V any](docs []uint32, values []V, scratch *[]entry[V], compare func(a, b entry[V]) int) {
	all := (*scratch)[:0]
	for i, doc := range docs {
		all = append(all, entry[V]{doc, values[i]})
	}
	slices.SortFunc(all, compare)
	for i, e := range all {
		docs[i], values[i] = e.doc, e.value
	}
	*scratch = all
}

// report turns repeats into problems, in the order of the file.
func (r *reader[V]) report(l *lists[V], repeats []repeat) {
	if len(repeats) == 0 {
		return
	}
	lines := make(map[int][]int) // of the entries of a query
	for _, x := range repeats {
		lines[x.query] = nil
	}
	for _, c := range r.chunks {
		for _, s := range c.segments {
			at, ok := lines[int(s.query)]
			if !ok {
				continue
			}
			for i := range int(s.count) {
				at = append(at, s.line+i)
			}
			lines[int(s.query)] = at
		}
	}
	line := func(x repeat) int { return lines[x.query][x.at] }
	// Stable: of a line with both, the doc comes first.
	slices.SortStableFunc(repeats, func(a, b repeat) int { return cmp.Compare(line(a), line(b)) })
	for _, x := range repeats {
		docs, first := l.docs[x.query], lines[x.query][x.first]
		query, doc := quote([]byte(l.queries[x.query])), quote(l.ids.Bytes(docs[x.at]))
		if !x.unique {
			r.problems.Add(r.file, line(x),
				fmt.Sprintf("query %s has doc %s twice, first on line %d", query, doc, first),
				"keep one of the lines")
			continue
		}
		r.problems.Add(r.file, line(x),
			fmt.Sprintf("query %s has rank %d twice: doc %s here, doc %s on line %d", query,
				int32(r.format.unique(l.values[x.query][x.at])), doc, quote(l.ids.Bytes(docs[x.first])), first),
			"number the ranks without repetition, or order by score")
	}
}

// sorted returns the symbols of t in ascending byte order of their strings.
func sorted(t *intern.Table) []uint32 {
	type key struct {
		prefix uint64 // orders as the first bytes do, and decides nearly always
		sym    uint32
	}
	keys := make([]key, t.Len())
	for i := range keys {
		var prefix [8]byte
		copy(prefix[:], t.Bytes(uint32(i)))
		keys[i] = key{binary.BigEndian.Uint64(prefix[:]), uint32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return compareIDs(t, a.sym, b.sym)
	})
	order := make([]uint32, len(keys))
	for i, k := range keys {
		order[i] = k.sym
	}
	return order
}

func compareIDs(t *intern.Table, a, b uint32) int { return bytes.Compare(t.Bytes(a), t.Bytes(b)) }

// stringsOf returns the strings of all symbols, cut from one.
func stringsOf(t *intern.Table) []string {
	size := 0
	for sym := range t.Len() {
		size += len(t.Bytes(uint32(sym)))
	}
	var all strings.Builder
	all.Grow(size)
	for sym := range t.Len() {
		all.Write(t.Bytes(uint32(sym)))
	}
	rest := all.String()
	cut := make([]string, t.Len())
	for sym := range cut {
		n := len(t.Bytes(uint32(sym)))
		cut[sym], rest = rest[:n], rest[n:]
	}
	return cut
}
