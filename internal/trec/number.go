package trec

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/decimal"
)

// pow10 are the powers of ten that a float64 holds exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// parseScore reads what C's strtod reads completely, without NaN. -0 becomes 0.
// Numbers are rounded to nearest even, those too large are infinite.
func parseScore(text []byte) (float64, *fault) {
	if score, ok := shortDecimal(text); ok {
		return score, nil
	}
	score, err := strtod(string(text))
	switch {
	case err != nil:
		return 0, &fault{
			what: fmt.Sprintf("score %s is not a number", quote(text)),
			mend: "a score is a number such as 12.5 or 1e-3",
		}
	case math.IsNaN(score):
		return 0, &fault{
			what: fmt.Sprintf("a NaN score has no order: %s", quote(text)),
			mend: "leave the line out or give it a number",
		}
	}
	return score + 0, nil // -0 + 0 = 0
}

// shortDecimal reads digits with at most one point among them, when numerator
// and power of ten are exact, so that one division rounds once.
func shortDecimal(text []byte) (float64, bool) {
	digits := text
	negative := false
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	n, decimals, ok := fewDigits(digits)
	if !ok {
		n, decimals, ok = allDigits(digits)
	}
	if !ok || n > 1<<53 {
		return 0, false
	}
	score := float64(int64(n)) / pow10[decimals]
	if negative && n != 0 {
		score = -score
	}
	return score, true
}

// allDigits reads up to 19 digits, which fit into 64 bits, with at most one point.
func allDigits(digits []byte) (n uint64, decimals int, ok bool) {
	i := 0
	for ; i < len(digits) && digits[i]-'0' <= 9; i++ {
		n = 10*n + uint64(digits[i]-'0')
	}
	count := i
	if i < len(digits) && digits[i] == '.' {
		digits = digits[i+1:]
		for i = 0; i < len(digits) && digits[i]-'0' <= 9; i++ {
			n = 10*n + uint64(digits[i]-'0')
		}
		count, decimals = count+i, i
	}
	return n, decimals, i == len(digits) && 0 < count && count <= 19
}

// fewDigits is allDigits for a digit, a point and up to eight digits, as most scores
// are. It needs more bytes behind them, whatever these are.
func fewDigits(digits []byte) (n uint64, decimals int, ok bool) {
	if cap(digits) < 10 {
		return 0, 0, false
	}
	n, decimals, ok = decimal.Short(digits[:10])
	return n, decimals, ok && 2+decimals == len(digits)
}

// strtod reads any number that C's strtod reads to its end.
func strtod(text string) (float64, error) {
	digits := text
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if isNaN(digits) {
		return math.NaN(), nil
	}
	// strconv differs in hexadecimal: it takes 0x_1p3 and wants an exponent.
	if strings.Contains(digits, "_") {
		return 0, strconv.ErrSyntax
	}
	if len(digits) > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') && !strings.ContainsAny(digits, "pP") {
		text += "p0"
	}
	score, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // infinite, as in C
	}
	return score, err
}

// isNaN tells nan and nan(x), where x is of letters, digits and underscores.
func isNaN(digits string) bool {
	if len(digits) < 3 || !strings.EqualFold(digits[:3], "nan") {
		return false
	}
	x := digits[3:]
	if x == "" {
		return true
	}
	if len(x) < 2 || x[0] != '(' || x[len(x)-1] != ')' {
		return false
	}
	for _, c := range []byte(x[1 : len(x)-1]) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// parseInt reads an optional sign and decimal digits, a value of 32 bits.
// The name of the column is for the fault.
func parseInt(column string, text []byte) (int32, *fault) {
	digits := text
	negative := false
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, notInteger(column, text)
		}
		n = min(10*n+int64(c-'0'), 1<<32)
	}
	if len(digits) == 0 {
		return 0, notInteger(column, text)
	}
	if negative {
		n = -n
	}
	if n != int64(int32(n)) {
		return 0, &fault{
			what: fmt.Sprintf("%s %s does not fit into 32 bits", column, quote(text)),
			mend: fmt.Sprintf("a %s lies between %d and %d", column, math.MinInt32, math.MaxInt32),
		}
	}
	return int32(n), nil
}

func notInteger(column string, text []byte) *fault {
	what := "not a number"
	if _, bad := parseScore(text); bad == nil {
		what = "not an integer"
	}
	return &fault{
		what: fmt.Sprintf("%s %s is %s", column, quote(text), what),
		mend: fmt.Sprintf("a %s is written in decimal digits only, such as 1", column),
	}
}
