package trec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/intern"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/problem"
)

// A format is what sets qrels and runs apart. Both begin a line with query,
// iteration and doc; V is what else a line says about its doc.
type format[V any] struct {
	layout string // of a line, in words
	fields int    // of a line

	// value reads what follows the doc.
	value func(rest []byte) (V, *fault)
	// compare orders the entries of a query, no two of them equal.
	compare func(ids *intern.Table, a, b entry[V]) int
	// unique, if any, is what no two entries of a query may share.
	unique func(V) uint32
}

// fault is what is wrong with a line.
type fault struct{ what, mend string }

// miscounted stands for a wrong number of fields.
var miscounted = new(fault)

// A chunk holds the lines of a block.
type chunk[V any] struct {
	segments []segment
	docs     []uint32
	values   []V // beside docs
	problems problem.List
	*unmerged
}

// unmerged is the part of a chunk that aliases the block. It is used again.
type unmerged struct {
	queries [][]byte // of the segments
	unknown []unknown
}

// A segment is a run of consecutive lines with the same query, of which no more
// is kept: blank lines and lines with a fault end it.
type segment struct {
	query uint32
	end   uint32 // in docs of the chunk; it starts where the segment before ends
	line  int    // of the first
}

// unknown is a doc id that had no symbol yet when it was read.
type unknown struct {
	at int // in docs of the chunk
	id []byte
}

// batch is how many docs are looked up under one lock: so many that the lock
// costs nothing, so few that nobody waits for long.
const batch = 256

// reader collects the chunks of a file.
type reader[V any] struct {
	format  *format[V]
	file    string
	chunks  []*chunk[V]
	queries intern.Table
	spare   sync.Pool // of *unmerged

	mu  sync.RWMutex
	ids *intern.Table // grows in merge only, so that its order is that of the file
}

// read reads a whole file.
func read[V any](file string, in io.Reader, f *format[V]) (*lists[V], error) {
	r := reader[V]{format: f, file: file, ids: new(intern.Table)}
	r.spare.New = func() any { return new(unmerged) }
	err := lines.Parse(in, r.parse, r.merge)

	var problems problem.List
	entries := 0
	for _, c := range r.chunks {
		problems.Append(&c.problems)
		entries += len(c.docs)
	}
	var cut *lines.ReadError
	switch {
	case errors.As(err, &cut):
		problems.Add(file, cut.Line+1, "reading stops here: "+cut.Err.Error(),
			"if the file is truncated or corrupt, copy or export it again")
	case err != nil:
		return nil, err
	case entries == 0 && problems.Len() == 0:
		problems.Add(file, 0, "the file is empty", f.layout)
	}
	if r.queries.Len() == 0 {
		return nil, problems.Err()
	}
	l := r.group(entries)
	r.report(l, l.sort(f), &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return l, nil
}

// parse reads the lines of a block. Several goroutines run it.
func (r *reader[V]) parse(b lines.Block) *chunk[V] {
	// Not more than the lines, nor than lines of fields of one byte.
	size := 1 + min(bytes.Count(b.Data, []byte{'\n'}), len(b.Data)/(2*r.format.fields))
	c := &chunk[V]{
		docs:     make([]uint32, 0, size),
		values:   make([]V, 0, size),
		unmerged: r.spare.Get().(*unmerged),
	}
	valid := utf8.Valid(b.Data)
	// A file whose lines end in CR alone would read as one line with one doc.
	returns := bytes.Count(b.Data, []byte{'\r'}) > bytes.Count(b.Data, []byte("\r\n"))

	var (
		ids   [batch][]byte // of the docs not looked up yet
		n     int
		query []byte
		next  int // line that continues the segment
	)
	for line, text := range b.All() {
		q := query
		rest, same := cutField(text, query)
		if !same {
			if q, rest = field(text); len(q) == 0 {
				continue // blanks that All does not know
			}
			same = bytes.Equal(q, query)
		}
		_, rest = field(rest)
		doc, rest := field(rest)
		var value V
		bad := miscounted
		if len(doc) > 0 {
			value, bad = r.format.value(rest)
		}
		if bad == nil && !valid {
			bad = checkUTF8(q, doc)
		}
		if bad == nil && returns && bytes.IndexByte(text, '\r') >= 0 {
			bad = &fault{"a line ends in CR alone, which no line does here", "end lines in LF or CR LF"}
		}
		if bad != nil {
			r.fault(c, line, text, bad)
			continue
		}

		if !same || line != next {
			c.segments = append(c.segments, segment{line: line})
			c.queries = append(c.queries, q)
			query = q
		}
		next = line + 1
		if n == batch {
			r.lookup(c, ids[:n])
			n = 0
		}
		ids[n] = doc
		n++
		c.values = append(c.values, value)
		c.segments[len(c.segments)-1].end = uint32(len(c.values))
	}
	r.lookup(c, ids[:n])
	return c
}

// lookup appends the symbols of ids to the chunk.
func (r *reader[V]) lookup(c *chunk[V], ids [][]byte) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, id := range ids {
		sym, ok := r.ids.Lookup(id)
		if !ok {
			c.unknown = append(c.unknown, unknown{len(c.docs), id})
		}
		c.docs = append(c.docs, sym)
	}
}

// merge gives symbols to what is new in a chunk. It runs in the order of the
// file, beside parse.
func (r *reader[V]) merge(c *chunk[V]) error {
	for rest := c.unknown; len(rest) > 0; {
		n := min(batch, len(rest))
		r.mu.Lock()
		for _, u := range rest[:n] {
			c.docs[u.at] = r.ids.Add(u.id)
		}
		r.mu.Unlock()
		rest = rest[n:]
	}
	for i, query := range c.queries {
		c.segments[i].query = r.queries.Add(query)
	}
	c.unknown, c.queries = c.unknown[:0], c.queries[:0]
	r.spare.Put(c.unmerged)
	c.unmerged = nil
	r.chunks = append(r.chunks, c)
	return nil
}

// fault records what is wrong with a line.
func (r *reader[V]) fault(c *chunk[V], line int, text []byte, bad *fault) {
	what, mend := bad.what, bad.mend
	if bad == miscounted {
		what = fmt.Sprintf("the number of fields is %d, not %d", countFields(text), r.format.fields)
		mend = r.format.layout
	}
	c.problems.Add(r.file, line, what, mend)
}

func checkUTF8(query, doc []byte) *fault {
	for _, id := range [][]byte{query, doc} {
		if !utf8.Valid(id) {
			return &fault{what: "id " + quote(id) + " is not valid UTF-8", mend: "convert the file to UTF-8"}
		}
	}
	return nil
}

// quote quotes a field for a message, its beginning if it is long.
func quote(text []byte) string {
	const most = 100
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "..."
	}
	return strconv.Quote(string(text))
}
