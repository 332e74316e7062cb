package trec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// isBlank tells C's isspace, which separates fields.
var isBlank = [256]bool{' ': true, '\t': true, '\n': true, '\v': true, '\f': true, '\r': true}

// maxFields is the number of fields that a format looks at, at most.
const maxFields = 6

// A line says where the fields of a line stand in a block.
type line struct {
	data       []byte // of the block
	fields     [maxFields]struct{ start, end int }
	count      int // of all fields; those after the first maxFields are only counted
	start, end int // of the line without its end, LF or CR LF
	next       int // where the next line begins
}

// field returns a field, from 0.
func (l *line) field(i int) []byte { return l.data[l.fields[i].start:l.fields[i].end] }

// text returns the line without its end.
func (l *line) text() []byte { return l.data[l.start:l.end] }

// usual reads the line at at, if it has the usual shape: n fields parted by one
// space or tab each, with no blank before or after them and no control
// character in them. It is false for any other line, and near the block's end.
func (l *line) usual(at, n int) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	data := l.data
	l.start = at
	for i := range n {
		start := at
		for {
			if at+8 > len(data) {
				return false
			}
			// The lowest top bit left is that of the first byte up to ' '. Those
			// above may be wrong, by the borrow.
			eight := binary.LittleEndian.Uint64(data[at:])
			if below := (eight - (' '+1)*ones) &^ eight & tops; below != 0 {
				at += bits.TrailingZeros64(below) / 8
				break
			}
			at += 8
		}
		if at == start {
			return false
		}
		l.fields[i].start, l.fields[i].end = start, at
		if c := data[at]; c != ' ' && c != '\t' && i < n-1 {
			return false
		}
		at++
	}
	at--
	l.end = at
	if data[at] == '\r' && at+1 < len(data) {
		at++
	}
	l.count, l.next = n, at+1
	return data[at] == '\n'
}

// split reads the line at at, whatever its shape.
func (l *line) split(at int) {
	l.start, l.end, l.next = at, len(l.data), len(l.data)
	if i := bytes.IndexByte(l.data[at:], '\n'); i >= 0 {
		l.end, l.next = at+i, at+i+1
	}
	if l.end > at && l.data[l.end-1] == '\r' {
		l.end--
	}
	for l.count = 0; ; l.count++ {
		for at < l.end && isBlank[l.data[at]] {
			at++
		}
		if at == l.end {
			return
		}
		start := at
		for at < l.end && !isBlank[l.data[at]] {
			at++
		}
		if l.count < maxFields {
			l.fields[l.count].start, l.fields[l.count].end = start, at
		}
	}
}
