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

// A line says where the fields of a line stand in a block. It goes from line to
// line through the block.
type line struct {
	data       []byte // of the block
	fields     [maxFields]struct{ start, end int }
	count      int // of all fields; those after the first maxFields are only counted
	start, end int // of the line without its end, LF or CR LF
	next       int // where the next line begins

	// Where the blanks and control characters stand in the 64 bytes from base,
	// those before next left out.
	base int
	low  uint64
}

// open goes to the start of a block.
func (l *line) open(data []byte) {
	l.data, l.next = data, 0
	l.seek()
}

// field returns a field, from 0.
func (l *line) field(i int) []byte { return l.data[l.fields[i].start:l.fields[i].end] }

// text returns the line without its end.
func (l *line) text() []byte { return l.data[l.start:l.end] }

// read reads the next line. The line has its n fields in the usual case.
func (l *line) read(n int) {
	if !l.usual(n) {
		l.split()
		l.seek()
	}
}

// usual reads the next line if it has the usual shape: n fields parted by one
// space or tab each, with no blank before or after them and no control character
// in them, ended by LF or CR LF. Otherwise it is false, and l has not moved.
func (l *line) usual(n int) bool {
	data, base, low := l.data, l.base, l.low
	start := l.next
	fields := l.fields[:n]
	for i := range fields {
		for low == 0 {
			base += 64
			if base >= len(data) {
				return false
			}
			low = lowBytes(data, base)
		}
		end := base + bits.TrailingZeros64(low)
		low &= low - 1
		if end == start {
			return false
		}
		fields[i].start, fields[i].end = start, end
		start = end + 1
		if c := data[end]; c != ' ' && (c != '\t' || i == n-1) {
			if i < n-1 {
				return false
			}
			break
		}
	}
	end := start - 1
	if data[end] == '\r' && start < len(data) && data[start] == '\n' {
		if low == 0 {
			base, low = start, lowBytes(data, start)
		}
		low &= low - 1
		start++
	} else if data[end] != '\n' {
		return false
	}
	l.start, l.end = l.next, end
	l.count, l.next = n, start
	l.base, l.low = base, low
	return true
}

// lowBytes tells which of the 64 bytes from base are at most ' ', a bit each.
func lowBytes(data []byte, base int) (low uint64) {
	if base+64 > len(data) {
		for i, c := range data[base:] {
			if c <= ' ' {
				low |= 1 << i
			}
		}
		return low
	}
	d := (*[64]byte)(data[base:])
	return low8(d[0:8]) | low8(d[8:16])<<8 | low8(d[16:24])<<16 | low8(d[24:32])<<24 |
		low8(d[32:40])<<32 | low8(d[40:48])<<40 | low8(d[48:56])<<48 | low8(d[56:64])<<56
}

// low8 is lowBytes for 8 bytes.
func low8(eight []byte) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	x := binary.LittleEndian.Uint64(eight)
	// The top bit of a byte stays clear in the difference if the seven bits below
	// are at most ' '. No byte borrows from the next.
	top := ^(x | (x | tops) - (' '+1)*ones) & tops
	// The product has the top bits side by side.
	return top >> 7 * 0x0102040810204080 >> 56
}

// seek finds the blanks from the next line on.
func (l *line) seek() {
	l.base, l.low = l.next, 0
	if l.base < len(l.data) {
		l.low = lowBytes(l.data, l.base)
	}
}

// split reads the next line, whatever its shape.
func (l *line) split() {
	at := l.next
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
