package decimal_test

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/decimal"
)

func Example() {
	n, decimals, ok := decimal.Short([]byte("0.4375 D1\n"))
	fmt.Println(n, decimals, ok)
	// Output: 4375 4 true
}

func TestShort(t *testing.T) {
	t.Parallel()
	// obvious is Short by a regular expression.
	short := regexp.MustCompile(`^([0-9])\.([0-9]{1,8})`)
	obvious := func(text string) (n uint64, decimals int, ok bool) {
		m := short.FindStringSubmatch(text)
		if m == nil || len(text) < 10 {
			return 0, 0, false
		}
		n, err := strconv.ParseUint(m[1]+m[2], 10, 64)
		require.NoError(t, err)
		return n, len(m[2]), true
	}
	understood := 0
	check := func(t require.TestingT, text string) {
		n, decimals, ok := decimal.Short([]byte(text))
		wantN, wantDecimals, want := obvious(text)
		require.Equal(t, want, ok, "%q", text)
		require.Equal(t, wantN, n, "%q", text)
		require.Equal(t, wantDecimals, decimals, "%q", text)
		if ok {
			understood++
		}
	}
	for _, text := range []string{"", "1", "0.5", "0.5,0.25,1", "9.87654321", "9.876543210", "0.00000000", "0.999999,1", "0.,0000000", ".123456789", "00.1234567", "0x12345678", "-0.1234567", "0.1e500000"} {
		check(t, text)
	}
	for c := range 256 { // behind, between and in place of digits
		for at := range 10 {
			text := []byte("7.12345678")
			text[at] = byte(c)
			check(t, string(text))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.StringMatching(`[0-9]\.[0-9]{0,9}`).Draw(t, "number")+string(rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "behind")))
	})
	require.Greater(t, understood, 100)
}

func TestEight(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(0, 99_999_999).Draw(t, "n")
		var values [8]byte
		for i, c := range []byte(strings.Repeat("0", 8-len(strconv.FormatUint(n, 10))) + strconv.FormatUint(n, 10)) {
			values[i] = c - '0'
		}
		require.Equal(t, n, decimal.Eight(binary.LittleEndian.Uint64(values[:])))
	})
}
