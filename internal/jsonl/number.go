package jsonl

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/tiaptest/tiap/internal/decimal"
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
// and up to eight digits, as most scores are.
func shortFloat(b []byte, i int) (x float64, end int, ok bool) {
	if i >= len(b) {
		return 0, 0, false
	}
	m, k, ok := decimal.Short(b[i:])
	end = i + 2 + k
	if !ok || end == len(b) || b[end]-'0' <= 9 || b[end]|0x20 == 'e' {
		return 0, 0, false
	}
	return float64(m) / exact[k], end, true
}

// digits reads decimal digits from b[i] on, continuing the number m, which
// overflows after 19 of them, and returns the index after them.
func digits(b []byte, m uint64, i int) (uint64, int) {
	for len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if !eightDigits(w) {
			break
		}
		m = m*1e8 + decimal.Eight(w&(0x0f*ones))
		i += 8
	}
	for i < len(b) && b[i]-'0' <= 9 {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	return m, i
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
