package jsonl

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// pow10 are the powers of ten that fit, exact the same as doubles, which are
// exact up to 10^22.
var pow10, exact = powers()

func powers() (whole [20]uint64, doubles [20]float64) {
	p := uint64(1)
	for k := range whole {
		whole[k], doubles[k] = p, float64(p)
		p *= 10
	}
	return whole, doubles
}

// float returns the double nearest to the valid number that b begins with, ties to
// even, and where that ends; ok is false beyond the range of doubles. It equals
// strconv.ParseFloat, several times faster where the number has up to 19 digits and no
// exponent, as scores have.
func float(b []byte) (x float64, end int, ok bool) {
	i := 0
	if b[0] == '-' {
		i = 1
	}
	m, point := digits(b, 0, i)
	n, k := point-i, 0 // digits, decimals
	i = point
	if i < len(b) && b[i] == '.' {
		m, i = digits(b, m, i+1)
		k = i - point - 1
		n += k
	}
	if n > 19 || i < len(b) && b[i]|0x20 == 'e' {
		end = skipNumber(b, 0)
		x, err := strconv.ParseFloat(string(b[:end]), 64)
		return x, end, err == nil
	}
	if m < 1<<53 {
		x = float64(m) / exact[k] // of exact operands: rounded once
	} else {
		x = quotient(m, pow10[k])
	}
	if b[0] == '-' {
		x = -x
	}
	return x, i, true
}

// shortFloat is float for the number that starts at b[i] when that is a digit, a point
// and up to seven digits, as most scores are: it looks at these all at once.
func shortFloat(b []byte, i int) (x float64, end int, ok bool) {
	if len(b)-i < 10 || b[i]-'0' > 9 || b[i+1] != '.' {
		return 0, 0, false
	}
	w := binary.LittleEndian.Uint64(b[i+2:]) ^ '0'*ones
	n := bits.TrailingZeros64((w|(w+(0x80-10)*ones))&tops) >> 3 // digits; of what is none the first is marked right
	if n == 0 || n == 8 || b[i+2+n]|0x20 == 'e' {
		return 0, 0, false
	}
	m := uint64(b[i]-'0')*pow10[n] + eight(w<<(64-8*n)) // zeros in front, what is behind cut off
	return float64(m) / exact[n], i + 2 + n, true
}

// digits reads decimal digits from b[i] on, continuing the number m, which
// overflows after 19 of them, and returns the index after them.
func digits(b []byte, m uint64, i int) (uint64, int) {
	for len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if !eightDigits(w) {
			break
		}
		m = m*1e8 + eight(w&(0x0f*ones))
		i += 8
	}
	for i < len(b) && b[i]-'0' <= 9 {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	return m, i
}

// eight is the number of eight digits, given by their values, the first in the lowest
// byte.
func eight(w uint64) uint64 {
	w = w * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff // pairs
	w = w * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	return w * (10000<<32 + 1) >> 32
}

// eightDigits reports whether all bytes of w are '0' to '9'.
func eightDigits(w uint64) bool {
	return w&(0xf0*ones) == '0'*ones && (w+6*ones)&(0xf0*ones) == '0'*ones
}

// quotient returns the double nearest to m/d, both above 0, ties to even.
func quotient(m, d uint64) float64 {
	lm, ld := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
	m, d = m<<lm, d<<ld
	q, r := bits.Div64(m>>1, m<<63, d) // 63 or 64 bits of m/d
	if r != 0 {
		q |= 1 // far below the bit that decides, it only breaks ties
	}
	return float64(q) * math.Float64frombits(uint64(1023-63+ld-lm)<<52)
}
