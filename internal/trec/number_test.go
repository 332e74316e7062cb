package trec

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Few digits are read at once as one after the other, whatever stands behind them.
func TestFewDigits(t *testing.T) {
	t.Parallel()
	at, read := rapid.SampledFrom([]byte("00123456789.:/-+e \n\x00\x7f\x80\xb5\xff")), 0
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]\.[0-9]{0,9}|[0-9.]{0,12}`).Draw(t, "digits")
		if n := len(digits); n > 0 && rapid.IntRange(0, 2).Draw(t, "odd") == 0 {
			i := rapid.IntRange(0, n-1).Draw(t, "at")
			digits = digits[:i] + string(at.Draw(t, "byte")) + digits[i+1:]
		}
		text := append([]byte(digits), rapid.SliceOfN(at, 0, 10).Draw(t, "behind")...)
		n, decimals, ok := fewDigits(text[:len(digits)])
		if !ok {
			return
		}
		read++
		wantN, wantDecimals, wantOK := allDigits([]byte(digits))
		require.True(t, wantOK, digits)
		require.Equal(t, wantN, n, digits)
		require.Equal(t, wantDecimals, decimals, digits)
	})
	require.Positive(t, read)
}
