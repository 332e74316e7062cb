package tiaptest

import (
	"slices"

	"github.com/tiaptest/tiap/internal/intern"
)

// blockIDs makes hits of the ids in one block of a run. Ids of the store have the
// symbols that they have there, so that blocks need not be brought together; what the
// store does not have follows, with symbols of the block.
type blockIDs struct {
	stored *intern.Table // is read by several blocks
	others intern.Table

	symbols []int32  // of the ids at hand in stored, -1 for none
	seen    []uint64 // a bit for each symbol; set while a list is looked through
	settled []uint32 // symbols of others outside the block
}

// append appends the hits of ids.
func (b *blockIDs) append(hits []uint32, ids [][]byte) []uint32 {
	b.symbols = slices.Grow(b.symbols[:0], len(ids))[:len(ids)]
	b.stored.Symbols(ids, b.symbols)
	for i, sym := range b.symbols {
		if sym < 0 {
			sym = int32(b.stored.Len()) + int32(b.others.Add(ids[i]))
		}
		hits = append(hits, uint32(sym))
	}
	return hits
}

// hit returns the hit of an id, if the block or the store has it.
func (b *blockIDs) hit(id string) (hit uint32, ok bool) {
	if sym, ok := b.stored.LookupString(id); ok {
		return sym, true
	}
	sym, ok := b.others.LookupString(id)
	return uint32(b.stored.Len()) + sym, ok
}

// id returns the id of a hit.
func (b *blockIDs) id(hit uint32) string {
	if n := uint32(b.stored.Len()); hit >= n {
		return b.others.String(hit - n)
	}
	return b.stored.String(hit)
}

// distinct reports whether no hit stands twice among those.
func (b *blockIDs) distinct(hits []uint32) bool {
	if n := (b.stored.Len() + b.others.Len() + 63) / 64; n > len(b.seen) {
		b.seen = append(b.seen, make([]uint64, n-len(b.seen))...)
	}
	twice := uint64(0)
	for _, h := range hits {
		seen, bit := &b.seen[h/64], uint64(1)<<(h%64)
		twice |= *seen & bit
		*seen |= bit
	}
	for _, h := range hits {
		b.seen[h/64] = 0
	}
	return twice == 0
}

// settle gives the hits that the store does not have the symbols that follow when
// others comes after it, and makes the block ready for the next one.
func (b *blockIDs) settle(hits []uint32, others *intern.Table) {
	if b.others.Len() == 0 {
		return
	}
	b.settled = others.AddTable(&b.others, b.settled[:0])
	stored := uint32(b.stored.Len())
	for i, h := range hits {
		if h >= stored {
			hits[i] = stored + b.settled[h-stored]
		}
	}
	b.others.Reset()
}
