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
	text  []byte   // all strings, one after the other
	ends  []uint64 // string i is text[ends[i-1]:ends[i]]
	slots []slot   // open addressing, a power of two long

	hashes []uint32 // of the strings; for AddTable alone
}

type slot struct {
	hash uint32 // of the string; its lower bits say where it belongs
	sym  uint32 // symbol+1; 0 marks a free slot
}

// The seed changes from process to process; only the places of slots depend on
// it, never a symbol.
var seed = maphash.MakeSeed()

// Reset empties the table and keeps its memory, so that what Bytes returned is
// no longer valid.
func (t *Table) Reset() {
	t.text, t.ends = t.text[:0], t.ends[:0]
	clear(t.slots)
}

// Len returns the number of symbols.
func (t *Table) Len() int { return len(t.ends) }

// Bytes returns the string of a symbol. The caller must not change it.
func (t *Table) Bytes(sym uint32) []byte {
	start := uint64(0)
	if sym > 0 {
		start = t.ends[sym-1]
	}
	return t.text[start:t.ends[sym]:t.ends[sym]]
}

// String returns the string of a symbol.
func (t *Table) String(sym uint32) string { return string(t.Bytes(sym)) }

// Lookup returns the symbol of b, if it has one.
func (t *Table) Lookup(b []byte) (uint32, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	s := &t.slots[t.find(b, hash(b))]
	return s.sym - 1, s.sym != 0
}

// LookupString is Lookup for a string.
func (t *Table) LookupString(s string) (uint32, bool) {
	if len(t.slots) == 0 {
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
	// Slots are read a few at a time, so that these reads, which come from far,
	// do not wait for one another.
	var near [32]slot
	mask := len(t.slots) - 1
	for first := 0; first < n; first += len(near) {
		hashes := u.hashes[first:min(first+len(near), n)]
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

// reserve makes room for n more strings.
func (t *Table) reserve(n int) {
	for 4*(len(t.ends)+n) > 3*len(t.slots) {
		t.grow()
	}
}

// add is Add with the hash of b.
func (t *Table) add(b []byte, h uint32) uint32 {
	if len(t.slots) > 0 {
		if s := t.slots[t.find(b, h)]; s.sym != 0 {
			return s.sym - 1
		}
	}
	return t.insert(b, h)
}

// insert gives the next symbol to b, which the table does not have.
func (t *Table) insert(b []byte, h uint32) uint32 {
	t.reserve(1)
	i := t.find(b, h)
	if len(t.text)+len(b) > cap(t.text) {
		// Twice as much: append alone grows by a quarter, and copies more often.
		t.text = slices.Grow(t.text, len(t.text)+len(b))
	}
	t.text = append(t.text, b...)
	t.ends = append(t.ends, uint64(len(t.text)))
	t.slots[i] = slot{hash: h, sym: uint32(len(t.ends))}
	return uint32(len(t.ends) - 1)
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

// grow doubles the slots. It reads no string: the hashes say where all belong.
func (t *Table) grow() {
	slots := make([]slot, max(64, 2*len(t.slots)))
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
