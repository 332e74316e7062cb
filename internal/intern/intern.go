// Package intern maps ids to small integers, so that rankings are kept and
// compared as integers.
package intern

import (
	"hash/maphash"
)

// Table assigns the symbols 0, 1, 2, ... to byte strings in order of first
// appearance. The zero value is empty and ready to use. Reading is safe for
// concurrent use; Add is not.
type Table struct {
	text  []byte   // all strings, one after the other
	ends  []uint64 // string i is text[ends[i-1]:ends[i]]
	slots []slot   // open addressing, a power of two long
}

type slot struct {
	hash uint32 // upper half of the string's hash
	sym  uint32 // symbol+1; 0 marks a free slot
}

// The seed changes from process to process; only the places of slots depend on
// it, never a symbol.
var seed = maphash.MakeSeed()

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
	s := &t.slots[t.find(b, maphash.Bytes(seed, b))]
	return s.sym - 1, s.sym != 0
}

// LookupString is Lookup for a string.
func (t *Table) LookupString(s string) (uint32, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	p := &t.slots[t.find([]byte(s), maphash.String(seed, s))]
	return p.sym - 1, p.sym != 0
}

// Add returns the symbol of b, giving it the next one when it is new.
func (t *Table) Add(b []byte) uint32 {
	if 4*(len(t.ends)+1) > 3*len(t.slots) {
		t.grow()
	}
	h := maphash.Bytes(seed, b)
	i := t.find(b, h)
	if s := t.slots[i]; s.sym != 0 {
		return s.sym - 1
	}
	t.text = append(t.text, b...)
	t.ends = append(t.ends, uint64(len(t.text)))
	t.slots[i] = slot{hash: uint32(h >> 32), sym: uint32(len(t.ends))}
	return uint32(len(t.ends) - 1)
}

// AddString is Add for a string.
func (t *Table) AddString(s string) uint32 { return t.Add([]byte(s)) }

// find returns the slot that holds b, or the free slot where it belongs.
func (t *Table) find(b []byte, h uint64) int {
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s.sym == 0 || s.hash == uint32(h>>32) && string(t.Bytes(s.sym-1)) == string(b) {
			return int(i)
		}
	}
}

func (t *Table) grow() {
	n := max(64, 2*len(t.slots))
	t.slots = make([]slot, n)
	mask := uint64(n - 1)
	for sym := range t.ends {
		h := maphash.Bytes(seed, t.Bytes(uint32(sym)))
		i := h & mask
		for t.slots[i].sym != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = slot{hash: uint32(h >> 32), sym: uint32(sym + 1)}
	}
}
