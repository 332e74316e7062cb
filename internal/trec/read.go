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
	more   bool   // further fields may follow
	tag    int    // the field that names the system, from 0; 0 for none

	// value reads what follows the doc.
	value func(*line) (V, *fault)
	// sort orders the entries of a query, no two of them equal.
	sort func(ids *intern.Table, docs []uint32, values []V, scratch *[]entry[V])
	// unique, if any, is what no two entries of a query may share.
	unique func(V) uint32
}

// fault is what is wrong with a line.
type fault struct{ what, mend string }

// The fields of a line.
const (
	queryField = 0
	docField   = 2
)

// A chunk is what a block says.
type chunk[V any] struct {
	segments []segment
	docs     []uint32 // symbols in the table of the block, after merge in that of the file
	values   []V      // beside docs
	repeats  bool     // a segment has a doc twice
	problems problem.List
	*block
}

// A segment is a run of consecutive lines with the same query, of which no more
// is kept: blank lines and lines with a fault end it.
type segment struct {
	query uint32
	count uint32 // of lines
	line  int    // of the first
}

// A block is what reading a chunk takes until it is merged. Its memory is used
// again for another. Ids of a block repeat, so that most lines are settled by a
// small table that stays near; the table of the file is asked once for each id.
type block struct {
	line    line
	queries [][]byte // of the segments; they alias the bytes of the block
	ids     intern.Table
	last    []uint32 // beside ids: the number of the last segment with the id, from 1
	symbols []uint32 // beside ids: in the table of the file
	tags    intern.Table
}

// reader collects the chunks of a file.
type reader[V any] struct {
	format   *format[V]
	file     string
	chunks   []*chunk[V]
	entries  int
	problems problem.List
	ids      *intern.Table // grows in merge only, so that its order is that of the file
	queries  intern.Table
	tags     intern.Table
}

// spare are blocks of which no reader has need.
var spare sync.Pool

// read reads a whole file.
func read[V any](file string, in io.Reader, ids *intern.Table, f *format[V]) (*lists[V], error) {
	r := reader[V]{format: f, file: file, ids: ids}
	err := lines.Parse(in, r.parse, r.merge)

	var cut *lines.ReadError
	switch {
	case errors.As(err, &cut):
		line, what, mend := lines.Explain(err)
		r.problems.Add(file, line, what, mend)
	case err != nil:
		return nil, err
	case r.entries == 0 && r.problems.Len() == 0:
		r.problems.Add(file, 0, "the file is empty", f.layout)
	}
	if r.entries == 0 {
		return nil, r.problems.Err()
	}
	l := r.group()
	r.report(l, l.sort(f))
	if err := r.problems.Err(); err != nil {
		return nil, err
	}
	return l, nil
}

// parse reads the lines of a block. Several goroutines run it.
func (r *reader[V]) parse(b lines.Block) *chunk[V] {
	// Not more than the lines, nor than lines of fields of one byte.
	size := 1 + min(b.Lines, len(b.Data)/(2*r.format.fields))
	c := &chunk[V]{
		docs:   make([]uint32, 0, size),
		values: make([]V, 0, size),
		block:  newBlock(),
	}
	valid := utf8.Valid(b.Data)
	// A file whose lines end in CR alone would read as one line with one doc.
	returns := bytes.Count(b.Data, []byte{'\r'}) > bytes.Count(b.Data, []byte("\r\n"))

	l := &c.line
	l.open(b.Data)
	var (
		query, tag []byte // of the line before
		next       int    // line that continues the segment
	)
	for n := b.Line; l.next < len(b.Data); n++ {
		l.read(r.format.fields)
		if l.count == 0 {
			continue
		}
		value, bad := r.value(l)
		if bad == nil && !valid {
			bad = checkUTF8(l.field(queryField), l.field(docField))
		}
		if bad == nil && returns && bytes.IndexByte(l.text(), '\r') >= 0 {
			bad = &fault{"a line ends in CR alone, which no line does here", "end lines in LF or CR LF"}
		}
		if bad != nil {
			c.problems.Add(r.file, n, bad.what, bad.mend)
			continue
		}

		if q := l.field(queryField); n != next || !bytes.Equal(q, query) {
			c.segments = append(c.segments, segment{line: n})
			c.queries = append(c.queries, q)
			query = q
		}
		next = n + 1
		c.segments[len(c.segments)-1].count++
		c.add(l.field(docField), value)
		if r.format.tag > 0 {
			if t := l.field(r.format.tag); !bytes.Equal(t, tag) {
				c.tags.Add(t)
				tag = t
			}
		}
	}
	return c
}

// newBlock returns an empty block.
func newBlock() *block {
	if b, ok := spare.Get().(*block); ok {
		return b
	}
	return new(block)
}

// value reads what a line says about its doc.
func (r *reader[V]) value(l *line) (v V, bad *fault) {
	f := r.format
	if l.count < f.fields || l.count > f.fields && !f.more {
		return v, &fault{fmt.Sprintf("the number of fields is %d, not %d", l.count, f.fields), f.layout}
	}
	return f.value(l)
}

// add appends a doc to the last segment.
func (c *chunk[V]) add(id []byte, value V) {
	doc, segment := c.ids.Add(id), uint32(len(c.segments))
	if int(doc) == len(c.last) {
		c.last = append(c.last, 0)
	}
	if c.last[doc] == segment {
		c.repeats = true
	}
	c.last[doc] = segment
	c.docs = append(c.docs, doc)
	c.values = append(c.values, value)
}

// merge gives symbols to what is in a chunk. It runs in the order of the file,
// beside parse.
func (r *reader[V]) merge(c *chunk[V]) error {
	c.symbols = r.ids.AddTable(&c.ids, c.symbols[:0])
	for i, id := range c.docs {
		c.docs[i] = c.symbols[id]
	}
	for i, query := range c.queries {
		c.segments[i].query = r.queries.Add(query)
	}
	for tag := range c.tags.Len() {
		r.tags.Add(c.tags.Bytes(uint32(tag)))
	}
	c.block.release()
	c.block = nil
	r.problems.Append(&c.problems)
	r.entries += len(c.docs)
	r.chunks = append(r.chunks, c)
	return nil
}

// release empties a block and keeps it for another chunk.
func (b *block) release() {
	b.line.data = nil
	clear(b.queries) // of the bytes of another block
	b.queries, b.last = b.queries[:0], b.last[:0]
	b.ids.Reset()
	b.tags.Reset()
	spare.Put(b)
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
