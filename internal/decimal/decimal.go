// Package decimal reads decimal digits eight at a time.
package decimal

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones = 0x0101010101010101 // the lowest bit of each byte of a word
	tops = 0x80 * ones
)

// tens are powers of ten.
var tens = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// Short reads what b begins with when that is a digit, a point and digits, as most
// scores are: n is the number without the point, of which so many decimals, one to eight,
// stand behind it. What comes after them it does not look at; of more than eight it
// reads eight. It is not ok for anything else, or less than ten bytes.
func Short(b []byte) (n uint64, decimals int, ok bool) {
	if len(b) < 10 || b[0]-'0' > 9 || b[1] != '.' {
		return 0, 0, false
	}
	w := binary.LittleEndian.Uint64(b[2:]) ^ '0'*ones
	// The top bit marks a byte that is no digit; a carry may mark others, but behind it.
	decimals = bits.TrailingZeros64((w|(w+(0x80-10)*ones))&tops) >> 3
	if decimals == 0 {
		return 0, 0, false
	}
	w <<= 64 - 8*decimals // has zeros in front, and what is behind is cut off
	return uint64(b[0]-'0')*tens[decimals] + Eight(w), decimals, true
}

// Eight returns the number that eight digits are, given as their values, 0 to 9, the
// first in the lowest byte.
func Eight(w uint64) uint64 {
	w = w * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff // pairs
	w = w * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	return w * (10000<<32 + 1) >> 32
}
