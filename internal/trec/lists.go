package trec

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/problem"
)

// lists are the entries of a file by query. The queries ascend by bytes; the
// entries of query i are docs[start[i]:start[i+1]], and values beside.
type lists[V any] struct {
	ids     *intern.Table
	queries []string
	start   []int
	docs    []uint32
	values  []V
}

// entry is one doc of a query.
type entry[V any] struct {
	doc   uint32
	value V
}

// group brings the lines of each query together, in the order of the file. It
// takes the lines from their chunks.
func (r *reader[V]) group(entries int) *lists[V] {
	order := sorted(&r.queries)
	names := stringsOf(&r.queries)
	queries := make([]string, len(order))
	place := make([]uint32, len(order)) // of a query's symbol in that order
	for i, sym := range order {
		queries[i] = names[sym]
		place[sym] = uint32(i)
	}
	l := &lists[V]{
		ids:     r.ids,
		queries: queries,
		start:   make([]int, len(order)+1),
		docs:    make([]uint32, entries),
		values:  make([]V, entries),
	}
	for _, c := range r.chunks {
		begin := uint32(0)
		for i := range c.segments {
			s := &c.segments[i]
			s.query = place[s.query]
			l.start[s.query+1] += int(s.end - begin)
			begin = s.end
		}
	}
	for i := range order {
		l.start[i+1] += l.start[i]
	}
	r.each(l.start, func(c *chunk[V], s segment, begin uint32, at int) {
		copy(l.docs[at:], c.docs[begin:s.end])
		copy(l.values[at:], c.values[begin:s.end])
		if int(s.end) == len(c.docs) {
			c.docs, c.values = nil, nil
		}
	})
	return l
}

// each calls visit on the segments in the order of the file: chunk c holds the
// segment's lines from begin, the list has them from at.
func (r *reader[V]) each(start []int, visit func(c *chunk[V], s segment, begin uint32, at int)) {
	next := slices.Clone(start)
	for _, c := range r.chunks {
		begin := uint32(0)
		for _, s := range c.segments {
			visit(c, s, begin, next[s.query])
			next[s.query] += int(s.end - begin)
			begin = s.end
		}
	}
}

// repeat is an entry of which the query has an earlier one like it.
type repeat struct {
	query     int
	first, at int  // in the lists
	unique    bool // the value is repeated, not the doc
}

// sort orders the entries of each query and returns what repeats. Queries with
// repeats keep the order of the file. The result does not depend on the number
// of goroutines.
func (l *lists[V]) sort(f *format[V]) []repeat {
	const step = 64
	var (
		next  atomic.Int64
		wg    sync.WaitGroup
		mu    sync.Mutex
		found []repeat
	)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			s := sorter[V]{lists: l, format: f}
			for {
				from := int(next.Add(step)) - step
				if from >= len(l.queries) {
					break
				}
				for q := from; q < min(from+step, len(l.queries)); q++ {
					s.sort(q)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			found = append(found, s.repeats...)
		})
	}
	wg.Wait()
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
	begin, end := s.start[query], s.start[query+1]
	docs, values := s.docs[begin:end], s.values[begin:end]
	known := len(s.repeats)
	s.seen.clear(len(docs))
	for i, doc := range docs {
		if first, ok := s.seen.add(doc, uint32(i)); ok {
			s.repeats = append(s.repeats, repeat{query: query, first: begin + int(first), at: begin + i})
		}
	}
	if s.format.unique != nil {
		s.seen.clear(len(docs))
		for i, v := range values {
			if first, ok := s.seen.add(s.format.unique(v), uint32(i)); ok {
				s.repeats = append(s.repeats, repeat{query: query, first: begin + int(first), at: begin + i, unique: true})
			}
		}
	}
	if len(s.repeats) > known || s.inOrder(docs, values) {
		return
	}
	s.scratch = s.scratch[:0]
	for i, doc := range docs {
		s.scratch = append(s.scratch, entry[V]{doc, values[i]})
	}
	slices.SortFunc(s.scratch, func(a, b entry[V]) int { return s.format.compare(s.ids, a, b) })
	for i, e := range s.scratch {
		docs[i], values[i] = e.doc, e.value
	}
}

func (s *sorter[V]) inOrder(docs []uint32, values []V) bool {
	for i := 1; i < len(docs); i++ {
		if s.format.compare(s.ids, entry[V]{docs[i-1], values[i-1]}, entry[V]{docs[i], values[i]}) > 0 {
			return false
		}
	}
	return true
}

// report turns repeats into problems, in the order of the file.
func (r *reader[V]) report(l *lists[V], repeats []repeat, problems *problem.List) {
	if len(repeats) == 0 {
		return
	}
	line := make([]int, len(l.docs))
	r.each(l.start, func(_ *chunk[V], s segment, begin uint32, at int) {
		for i := range int(s.end - begin) {
			line[at+i] = s.line + i
		}
	})
	// Stable: of a line with both, the doc comes first.
	slices.SortStableFunc(repeats, func(a, b repeat) int { return cmp.Compare(line[a.at], line[b.at]) })
	for _, x := range repeats {
		query, doc := quote([]byte(l.queries[x.query])), quote(l.ids.Bytes(l.docs[x.at]))
		if !x.unique {
			problems.Add(r.file, line[x.at],
				fmt.Sprintf("query %s has doc %s twice, first on line %d", query, doc, line[x.first]),
				"keep one of the lines")
			continue
		}
		problems.Add(r.file, line[x.at],
			fmt.Sprintf("query %s has rank %d twice: doc %s here, doc %s on line %d", query,
				int32(r.format.unique(l.values[x.at])), doc, quote(l.ids.Bytes(l.docs[x.first])), line[x.first]),
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
