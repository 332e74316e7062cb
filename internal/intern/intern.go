// Package intern maps ids to small integers, so that rankings are kept and
// compared as integers.
package intern

import (
	"hash/maphash"
	"slices"
)

// Table assigns the symbols 0, 1, 2, ... to byte strings in order of first
// appearance. The zero value is empty and ready to use. Reading is safe for
// concurrent use; Add is not.
type Table struct {
	chunks [][]byte // the strings, which never move; see place
	inUse  int      // chunks that hold strings; the others wait for some
	places []place  // of the strings
	slots  []slot   // open addressing, a power of two long

	hashes []uint32 // of the strings; for AddTable alone
}

// place is where a string is: its length in the lower bits, above them where it
// starts in its chunk, and above that the chunk.
type place uint64

const (
	lengthBits = 17
	startBits  = 16

	chunkSize = 1 << startBits
	whole     = 1<<lengthBits - 1 // in place of the length of a string that has a chunk of its own
)

type slot struct {
	hash uint32 // of the string; its lower bits say where it belongs
	sym  uint32 // symbol+1; 0 marks a free slot
}

// together is how many slots are read at a time, so that these reads, which come from
// far, do not wait for one another.
const together = 32

// The seed changes from process to process; only the places of slots depend on
// it, never a symbol.
var seed = maphash.MakeSeed()

// Reset empties the table and keeps its memory, so that what Bytes returned is
// no longer valid.
func (t *Table) Reset() {
	t.inUse, t.places = 0, t.places[:0]
	clear(t.slots)
}

// Expect makes room for n more strings, so that adding them does not make it over and
// over.
func (t *Table) Expect(n int) {
	t.reserve(n)
	t.places = slices.Grow(t.places, n)
}

// Len returns the number of symbols.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	return len(t.places)
}

// Bytes returns the string of a symbol. The caller must not change it.
func (t *Table) Bytes(sym uint32) []byte {
	p := t.places[sym]
	chunk := t.chunks[p>>(lengthBits+startBits)]
	start, n := int(p>>lengthBits%chunkSize), int(p&whole)
	if n == whole {
		n = len(chunk)
	}
	return chunk[start : start+n : start+n]
}

// String returns the string of a symbol.
func (t *Table) String(sym uint32) string { return string(t.Bytes(sym)) }

// Lookup returns the symbol of b, if it has one.
func (t *Table) Lookup(b []byte) (uint32, bool) {
	if t.Len() == 0 {
		return 0, false
	}
	s := &t.slots[t.find(b, hash(b))]
	return s.sym - 1, s.sym != 0
}

// LookupString is Lookup for a string.
func (t *Table) LookupString(s string) (uint32, bool) {
	if t.Len() == 0 {
		return 0, false
	}
	p := &t.slots[t.find([]byte(s), uint32(maphash.String(seed, s)))]
	return p.sym - 1, p.sym != 0
}

// Add returns the symbol of b, giving it the next one when it is new.
func (t *Table) Add(b []byte) uint32 {
	return t.add(b, hash(b))
}

// AddString is Add for a string.
func (t *Table) AddString(s string) uint32 { return t.Add([]byte(s)) }

// AddTable adds all strings of u in the order of their symbols, and appends their
// symbols in t to symbols. That is faster than to add one after the other.
func (t *Table) AddTable(u *Table, symbols []uint32) []uint32 {
	n := u.Len()
	t.reserve(n) // so that a slot keeps its place below
	u.hashes = slices.Grow(u.hashes[:0], n)[:n]
	for _, s := range u.slots {
		if s.sym != 0 {
			u.hashes[s.sym-1] = s.hash
		}
	}
	var near [together]slot
	mask := len(t.slots) - 1
	for first := 0; first < n; first += together {
		hashes := u.hashes[first:min(first+together, n)]
		for i, h := range hashes {
			near[i] = t.slots[int(h)&mask]
		}
		for i, h := range hashes {
			b := u.Bytes(uint32(first + i))
			if s := near[i]; s.sym != 0 && s.hash == h && string(t.Bytes(s.sym-1)) == string(b) {
				symbols = append(symbols, s.sym-1)
			} else {
				symbols = append(symbols, t.add(b, h))
			}
		}
	}
	return symbols
}

// AddStrings adds the strings that at returns, from 0 to n-1. That is faster than to add
// one after the other.
func (t *Table) AddStrings(n int, at func(i int) string) {
	t.reserve(n) // so that a slot keeps its place below
	var hashes [together]uint32
	var near [together]slot
	for first := 0; first < n; first += together {
		m := min(together, n-first)
		for i := range m {
			hashes[i] = uint32(maphash.String(seed, at(first+i)))
			near[i] = t.slots[int(hashes[i])&(len(t.slots)-1)]
		}
		for i, h := range hashes[:m] {
			b := []byte(at(first + i))
			if s := near[i]; s.sym == 0 || s.hash != h || string(t.Bytes(s.sym-1)) != string(b) {
				t.add(b, h)
			}
		}
	}
}

// Symbols sets symbols, which is as long as strings, to the symbols that those have, -1
// for none. That is faster than to look up one after the other.
func (t *Table) Symbols(strings [][]byte, symbols []int32) {
	var hashes [together]uint32
	for len(strings) > 0 {
		n := min(together, len(strings))
		for i, b := range strings[:n] {
			hashes[i] = hash(b)
		}
		lookup(t, strings[:n], hashes[:n], symbols)
		strings, symbols = strings[n:], symbols[n:]
	}
}

// SymbolsOf is Symbols for as many strings of u, from a symbol on.
func (t *Table) SymbolsOf(u *Table, from int, symbols []int32) {
	var strings [together][]byte
	for len(symbols) > 0 {
		n := min(together, len(symbols))
		for i := range n {
			strings[i] = u.Bytes(uint32(from + i))
		}
		t.Symbols(strings[:n], symbols[:n])
		from, symbols = from+n, symbols[n:]
	}
}

// SymbolsOfStrings is Symbols for as many strings that at returns, from 0 on.
func (t *Table) SymbolsOfStrings(at func(i int) string, symbols []int32) {
	var strings [together]string
	var hashes [together]uint32
	for first := 0; first < len(symbols); first += together {
		n := min(together, len(symbols)-first)
		for i := range n {
			strings[i] = at(first + i)
			hashes[i] = uint32(maphash.String(seed, strings[i]))
		}
		lookup(t, strings[:n], hashes[:n], symbols[first:])
	}
}

// lookup is Symbols for at most together strings, given their hashes.
func lookup[S string | []byte](t *Table, strings []S, hashes []uint32, symbols []int32) {
	if t.Len() == 0 {
		for i := range strings {
			symbols[i] = -1
		}
		return
	}
	var near [together]slot
	mask := len(t.slots) - 1
	for i, h := range hashes {
		near[i] = t.slots[int(h)&mask]
	}
	for i, h := range hashes {
		slot, at := near[i], int(h)
		for slot.sym != 0 && !(slot.hash == h && string(t.Bytes(slot.sym-1)) == string(strings[i])) {
			at++
			slot = t.slots[at&mask]
		}
		symbols[i] = int32(slot.sym) - 1
	}
}

// reserve makes room for n more strings in the slots.
func (t *Table) reserve(n int) {
	size := max(64, len(t.slots))
	for 4*(len(t.places)+n) > 3*size {
		size *= 2
	}
	if size > len(t.slots) {
		t.grow(size)
	}
}

// add is Add with the hash of b.
func (t *Table) add(b []byte, h uint32) uint32 {
	if 4*(len(t.places)+1) > 3*len(t.slots) {
		t.reserve(1)
	}
	s := &t.slots[t.find(b, h)]
	if s.sym != 0 {
		return s.sym - 1
	}
	if len(t.places) == cap(t.places) {
		t.places = slices.Grow(t.places, len(t.places)+1) // append grows by less, and copies more often
	}
	t.places = append(t.places, t.keep(b))
	*s = slot{hash: h, sym: uint32(len(t.places))}
	return s.sym - 1
}

// keep copies b to where it stays.
func (t *Table) keep(b []byte) place {
	last := t.inUse - 1
	if last < 0 || len(t.chunks[last])+len(b) >= chunkSize {
		last++
		t.inUse++
		switch {
		case last < len(t.chunks):
			t.chunks[last] = t.chunks[last][:0]
		case last == 0: // may stay small
			t.chunks = append(t.chunks, nil)
		default:
			t.chunks = append(t.chunks, make([]byte, 0, chunkSize))
		}
	}
	start, n := len(t.chunks[last]), len(b)
	t.chunks[last] = append(t.chunks[last], b...)
	if n >= chunkSize {
		n = whole
	}
	return place(last)<<(lengthBits+startBits) | place(start)<<lengthBits | place(n)
}

func hash(b []byte) uint32 { return uint32(maphash.Bytes(seed, b)) }

// find returns the slot that holds b, or the free slot where it belongs.
func (t *Table) find(b []byte, h uint32) int {
	mask := len(t.slots) - 1
	for i := int(h) & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s.sym == 0 || s.hash == h && string(t.Bytes(s.sym-1)) == string(b) {
			return i
		}
	}
}

// grow makes so many slots. It reads no string: the hashes say where all belong.
func (t *Table) grow(size int) {
	slots := make([]slot, size)
	clear(slots) // Memory that is new to the process is costlier to read first and write then.
	mask := len(slots) - 1
	for _, s := range t.slots {
		if s.sym == 0 {
			continue
		}
		i := int(s.hash) & mask
		for slots[i].sym != 0 {
			i = (i + 1) & mask
		}
		slots[i] = s
	}
	t.slots = slots
}
